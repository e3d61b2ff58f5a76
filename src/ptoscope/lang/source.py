"""The Python source of a kernel: its syntax tree, and where the pieces of it stand."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ptoscope.diagnostics import Diagnostic, PtoError, Span
from ptoscope.lang.values import Misuse

UNSUPPORTED = "PTO1001"
"""Python that a kernel cannot have."""
WRONG_VALUE = "PTO1002"
"""A value is used as it cannot be."""
UNDEFINED = "PTO1003"
"""A name that may have no value."""
CHANGES_TYPE = "PTO1004"
"""A value that changes its type on the way."""
RAISED = "PTO1005"
"""Python that raised while the kernel was compiled."""
NO_SOURCE = "PTO1006"
"""A function whose source cannot be read."""
SIGNATURE = "PTO1007"
"""Parameters that a kernel cannot have."""
IMPORT = "PTO1008"
"""A file that cannot be imported."""


@dataclass
class KernelSource:
    """A function as it was written: `tree` has the positions of its file."""

    function: Callable[..., Any]
    tree: ast.FunctionDef
    file: str
    text: str
    lines: list[str] = field(default_factory=list[str])
    plain: Any = None
    """The function as a plain run calls it, once it was made."""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.tree.name

    def span(self, node: ast.AST, calls: tuple[tuple[int, int], ...] = ()) -> Span:
        """Where a node stands: as much of it as is in its first line."""
        line = getattr(node, "lineno", self.tree.lineno)
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        column = characters(text, getattr(node, "col_offset", 0))
        last = getattr(node, "end_lineno", line)
        end = characters(text, getattr(node, "end_col_offset", 0)) if last == line else len(text)
        return Span(line, column + 1, max(1, end - column), calls)

    def error(
        self,
        code: str,
        node: ast.AST,
        message: str,
        *,
        found: str = "",
        expected: str = "",
        hint: str = "",
    ) -> PtoError:
        """A finding at a node."""
        span = self.span(node)
        text = self.lines[span.line - 1] if 0 < span.line <= len(self.lines) else ""
        line = text.rstrip("\r\n")
        return PtoError(
            [Diagnostic(code, message, "error", self.file, span, found, expected, hint, line)]
        )

    def misused(self, node: ast.AST, error: Misuse, code: str = WRONG_VALUE) -> PtoError:
        """A misuse at a node."""
        return self.error(
            code,
            node,
            error.message,
            found=error.found,
            expected=error.expected,
            hint=error.hint,
        )


def characters(line: str, offset: int) -> int:
    """How many characters so many bytes of UTF-8 are, which is how Python counts columns."""
    return len(line.encode()[:offset].decode(errors="ignore"))


def read_source(function: Callable[..., Any]) -> KernelSource:
    """The source of a function; PtoError where there is none, or where it is not a plain one."""
    name = getattr(function, "__name__", repr(function))
    try:
        file = inspect.getsourcefile(function) or inspect.getfile(function)
        pieces, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise PtoError(
            [
                Diagnostic(
                    NO_SOURCE,
                    f"the source of {name} cannot be read",
                    hint="a kernel is compiled from its source: write it in a file or a notebook",
                )
            ]
        ) from None
    lines = linecache.getlines(file)
    text = "".join(lines)
    piece = textwrap.dedent("".join(pieces))
    indent = len(pieces[0]) - len(pieces[0].lstrip())
    tree = ast.parse(piece)
    node = tree.body[0]
    if isinstance(node, ast.FunctionDef):
        ast.increment_lineno(node, first - 1)
        for each in ast.walk(node):
            if hasattr(each, "col_offset"):
                each.col_offset += indent  # type: ignore[attr-defined]
                each.end_col_offset += indent  # type: ignore[attr-defined]
        return KernelSource(function, node, file, text, text.split("\n"))
    raise PtoError(
        [Diagnostic(NO_SOURCE, f"{name} is no function that was written with def", file=file)]
    )
