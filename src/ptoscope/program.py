"""The kernel in a compact form of its own: what checks, engines, timing and the cache read.

Values are slots, numbered per function. Control flow stays structured: an operation owns
its blocks. Nothing here refers to the text reader, and everything pickles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ptoscope.diagnostics import NOWHERE, Diagnostic, Span
from ptoscope.isa.types import AttrValue, Type

LOOPS = ("scf.for", "scf.while")
SCOPES = ("pto.vecscope", "pto.strict_vecscope")
TERMINATORS = ("scf.yield", "scf.condition", "func.return")


@dataclass(slots=True)
class Block:
    """Arguments and operations, the last of them the terminator where one is needed."""

    args: tuple[int, ...] = ()
    ops: list[Op] = field(default_factory=list["Op"])


@dataclass(slots=True)
class Op:
    """One operation: slots in, slots out, static attributes, nested blocks, where it stands.

    `form` is the index of the record's form it was written in; `segments` the clauses of a
    grouped instruction with their operand counts.
    """

    name: str
    operands: tuple[int, ...] = ()
    results: tuple[int, ...] = ()
    attrs: Mapping[str, AttrValue] = field(default_factory=dict[str, AttrValue])
    blocks: tuple[Block, ...] = ()
    span: Span = NOWHERE
    operand_spans: tuple[Span, ...] = ()
    form: int = 0
    segments: tuple[tuple[str, int], ...] = ()


@dataclass(slots=True)
class Function:
    """One kernel function. `types` and `names` are indexed by slot."""

    name: str
    params: tuple[int, ...]
    body: Block
    types: list[Type]
    names: list[str]
    is_kernel: bool = False
    span: Span = NOWHERE

    def ops(self) -> Iterator[Op]:
        """All operations, outer before inner, in program order."""
        stack = list(reversed(self.body.ops))
        while stack:
            op = stack.pop()
            yield op
            for block in reversed(op.blocks):
                stack.extend(reversed(block.ops))


@dataclass(slots=True)
class Program:
    """A whole file: its functions, the target it names (or ""), its text for messages."""

    functions: list[Function]
    target_arch: str = ""
    kernel_kind: str = ""
    file: str = ""
    text: str = ""

    def diagnostic(
        self,
        code: str,
        span: Span,
        message: str,
        *,
        severity: str = "error",
        found: str = "",
        expected: str = "",
        hint: str = "",
    ) -> Diagnostic:
        """A finding at a place of this file, with the source line for the caret."""
        lines = self.text.split("\n")
        line = lines[span.line - 1].rstrip("\r") if 0 < span.line <= len(lines) else ""
        return Diagnostic(code, message, severity, self.file, span, found, expected, hint, line)
