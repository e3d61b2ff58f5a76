"""One function that is being compiled: its source, its names, and the calls that led to it."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from typing import Any

from ptoscope.diagnostics import Span
from ptoscope.lang.flow import Flow
from ptoscope.lang.outside import MISSING, OutsideValues
from ptoscope.lang.source import UNDEFINED, KernelSource


@dataclass(frozen=True)
class Gone:
    """What a name stands for that has no value here: why."""

    why: str


@dataclass
class Frame:
    """`names` are the local ones; the others are read through `outside`. `calls` are the places of
    the calls that led here, in the file of the kernel, for spans."""

    source: KernelSource
    flow: Flow
    names: dict[str, Any]
    outside: OutsideValues
    calls: tuple[tuple[int, int], ...] = ()
    place: Span | None = None
    """Where all of it stands, if it is in another file than the kernel."""
    depth: int = 0
    """How many loops and branches of the kernel are around: a return may stand in none."""

    def span(self, node: ast.AST) -> Span:
        """Where what a node means stands in the file of the kernel."""
        return self.place or self.source.span(node, self.calls)

    def find(self, node: ast.Name) -> Any:
        """What a name stands for; an error at the node if nothing."""
        name = node.id
        if name in self.names:
            value = self.names[name]
            if isinstance(value, Gone):
                raise self.source.error(
                    UNDEFINED, node, f"'{name}' has no value here", found=name, hint=value.why
                )
            return value
        found = self.outside.name(self.source.function, name)
        if found is not MISSING:
            return found
        raise self.source.error(
            UNDEFINED, node, f"'{name}' is not defined", found=name, hint=_similar(name, self)
        )


def _similar(name: str, frame: Frame) -> str:
    import difflib

    function: Any = frame.source.function
    around = inspect.getclosurevars(function).nonlocals
    outer = [*function.__builtins__, *function.__globals__, *around]
    close = difflib.get_close_matches(name, [*frame.names, *outer], 1)
    return f"did you mean '{close[0]}'?" if close else ""
