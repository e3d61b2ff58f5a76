"""The Python source of a kernel: its syntax tree, and where the pieces of it stand."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
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

    def moved(self, node: ast.AST, error: PtoError) -> PtoError:
        """The same findings at a node."""
        found = error.diagnostics
        moved = [
            self.error(d.code, node, d.message, found=d.found, expected=d.expected, hint=d.hint)
            for d in found
        ]
        return PtoError([d for each in moved for d in each.diagnostics])

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
    code = getattr(function, "__code__", None)
    file = "" if code is None else inspect.getsourcefile(function) or code.co_filename
    text = "".join(linecache.getlines(file, getattr(function, "__globals__", None)))
    if code is None or not text:
        raise _unread(
            f"the source of {name} cannot be read",
            hint="a kernel is compiled from its source: write it in a file or a notebook",
        )
    node = _functions(text).get(code.co_firstlineno)
    if node is None or node.name != code.co_name:
        raise _unread(
            f"{name} is not in {file}, line {code.co_firstlineno}",
            hint="a kernel is a function that was written with def; load its file again",
        )
    return KernelSource(function, node, file, text, text.split("\n"))


def _unread(message: str, hint: str) -> PtoError:
    return PtoError([Diagnostic(NO_SOURCE, message, hint=hint)])


@lru_cache(maxsize=32)
def _functions(text: str) -> dict[int, ast.FunctionDef]:
    """The functions of a text by the line that they begin in, that of the first decorator."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        # A file that was changed after it was loaded.
        return {}
    return {
        min([node.lineno, *(d.lineno for d in node.decorator_list)]): node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }
