"""What the reader hands on: an xDSL module and where everything in it was written."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from itertools import chain, count
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region, SSAValue

from ptoscope.diagnostics import NOWHERE, Span
from ptoscope.ir.scanner import Comment, Tokens


class Note(NamedTuple):
    """How one operation was written. All numbers are token indices.

    `first` to `last` is the whole operation, `name` its name, `head` the end of its first
    part (the brace of a body). `packs` are the names on the left of `=`, each with the
    count after its colon (0 for none). `form` and `segments` are those of the record.
    `implied` says that the text has no such operation, but that the one at `name` needs it.
    """

    first: int
    name: int
    head: int
    last: int
    operands: tuple[int, ...] = ()
    packs: tuple[tuple[str, int], ...] = ()
    form: int = 0
    segments: tuple[tuple[str, int], ...] = ()
    implied: bool = False


@dataclass(eq=False)
class Module:
    """A parsed file. It never contains placeholder types.

    `braces` holds the opening and closing token of each body. `implicit` says that the
    file has no module operation around its functions. `doubtful` are the operations about
    which the reader had something to say.
    """

    op: ModuleOp
    file: str
    text: str
    tokens: Tokens
    notes: dict[Operation, Note] = field(default_factory=dict)
    braces: dict[Region, tuple[int, int]] = field(default_factory=dict)
    implicit: bool = False
    doubtful: set[Operation] = field(default_factory=set[Operation])

    @property
    def comments(self) -> list[Comment]:
        """The comments of the file, in source order."""
        return self.tokens.comments

    def span(self, op: Operation) -> Span:
        """Where the name of an operation stands."""
        note = self.notes.get(op)
        return NOWHERE if note is None else self.tokens.span(note.name)

    def operand_spans(self, op: Operation) -> tuple[Span, ...]:
        """Where the operands of an operation stand, in its operand order."""
        note = self.notes.get(op)
        return () if note is None else tuple(self.tokens.span(i) for i in note.operands)

    def name(self, value: SSAValue) -> str:
        """The source name of a value without `%`; empty if it has none."""
        return name_of(value)


def name_of(value: SSAValue) -> str:
    """The source name of a value without `%`; empty if it has none."""
    return value._name or ""


def set_name(value: SSAValue, name: str) -> None:
    """Gives a value its source name. xDSL's own setter drops names such as `x_1`."""
    value._name = name


def fresh(base: str, taken: Container[str]) -> str:
    """The first of `base`, `base_0`, `base_1`, ... that is not taken."""
    numbered = (f"{base}_{k}" for k in count())
    return next(name for name in chain((base,), numbered) if name not in taken)
