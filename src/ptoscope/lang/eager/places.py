"""Where in the source of its kernel a plain run is."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from types import CodeType, FrameType

from ptoscope.diagnostics import Span
from ptoscope.lang.eager.rewrite import PlainFunction

CodePlace = tuple[tuple[CodeType, int], ...]
"""The functions of the kernel that are being executed, innermost first, and how far each is."""


class PlainFunctions:
    """The functions of a run, by their code."""

    def __init__(self) -> None:
        self._functions: dict[CodeType, PlainFunction] = {}

    def add(self, function: PlainFunction) -> None:
        """A function that the run calls."""
        for code in function.codes:
            self._functions[code] = function

    def now(self, frame: FrameType | None) -> CodePlace:
        """The place from which a frame was reached."""
        frames: list[tuple[CodeType, int]] = []
        while frame is not None:
            frames.append((frame.f_code, frame.f_lasti))
            frame = frame.f_back
        return self._of(frames)

    def raised(self, error: BaseException) -> CodePlace:
        """The place that raised an error."""
        frames: list[tuple[CodeType, int]] = []
        step = error.__traceback__
        while step is not None:
            frames.append((step.tb_frame.f_code, step.tb_lasti))
            step = step.tb_next
        return self._of(reversed(frames))

    def _of(self, frames: Iterable[tuple[CodeType, int]]) -> CodePlace:
        found: list[tuple[CodeType, int]] = []
        inside = False
        for code, at in frames:
            function = self._functions.get(code)
            if function is not None:
                # A comprehension stands in the function that is executing it.
                if not inside:
                    found.append((code, at))
                inside = code is not function.codes[0]
        return tuple(found)

    def span(self, place: CodePlace) -> Span:
        """The same place as the compiler has it: what stands in another file than the kernel is
        where that is called."""
        calls: tuple[tuple[int, int], ...] = ()
        outside: Span | None = None
        file, span = "", Span(0, 0)
        for code, at in reversed(place):
            source = self._functions[code].source
            if file and (source.file != file or outside is not None):
                outside = outside or span
            file = source.file
            span = outside or source.span(_node(code, at), calls)
            here = source.span(_node(code, at))
            calls = (*calls, (here.line, here.column))
        return span


@cache
def _node(code: CodeType, at: int) -> ast.AST:
    """Something at the place of an instruction of Python."""
    first, last, begin, end = list(code.co_positions())[at // 2]
    line = first or code.co_firstlineno
    return ast.Pass(
        lineno=line, col_offset=begin or 0, end_lineno=last or line, end_col_offset=end or 0
    )
