"""One function that is being compiled: its source, its names, and the calls that led to it."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ptoscope.diagnostics import Span
from ptoscope.lang.flow import Flow
from ptoscope.lang.source import UNDEFINED, KernelSource


@dataclass(frozen=True)
class Gone:
    """What a name stands for that has no value here: why."""

    why: str


@dataclass
class Frame:
    """`names` are the local ones. `calls` are the places of the calls that led here, in the file
    of the kernel, for spans."""

    source: KernelSource
    flow: Flow
    names: dict[str, Any]
    calls: tuple[tuple[int, int], ...] = ()
    outer: Mapping[str, Any] = field(default_factory=dict[str, Any])
    place: Span | None = None
    """Where all of it stands, if it is in another file than the kernel."""
    depth: int = 0
    """How many loops and branches of the kernel are around: a return may stand in none."""

    @staticmethod
    def of(source: KernelSource, flow: Flow, names: dict[str, Any], calls: Any = ()) -> Frame:
        """The frame of a function called with these names."""
        around = inspect.getclosurevars(source.function)
        outer = {**vars(builtins), **source.function.__globals__, **around.nonlocals}
        return Frame(source, flow, names, calls, outer)

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
        if name in self.outer:
            return self.outer[name]
        raise self.source.error(
            UNDEFINED, node, f"'{name}' is not defined", found=name, hint=_similar(name, self)
        )


def _similar(name: str, frame: Frame) -> str:
    import difflib

    close = difflib.get_close_matches(name, [*frame.names, *frame.outer], 1)
    return f"did you mean '{close[0]}'?" if close else ""
