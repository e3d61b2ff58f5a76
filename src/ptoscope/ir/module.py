"""A parsed file: its program, and how it was written."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from typing import NamedTuple

from ptoscope.ir.attributes import Attribute
from ptoscope.ir.language import Language, language
from ptoscope.ir.reading.scanner import Comment, Tokens
from ptoscope.program import Function, Op, Program

Packs = tuple[tuple[str, int], ...]
"""Names of results without `%`, each with the count after its colon (0 for none)."""

NO_ATTRIBUTES: Mapping[str, Attribute] = {}


class Note(NamedTuple):
    """How one operation was written. Numbers are token indices.

    `first` to `last` is the whole operation, `name` its name, `head` the end of its first
    part (the brace of a body), `braces` those of its bodies. `packs` are the names on the left
    of `=`. `given` are the attributes of the instruction that stand in the text, in their
    order. `flags` are the promises of an arith operation, `attributes` what else the text says
    about it; neither changes what it does. `implied` says that the text has no such operation,
    but that the one at `name` needs it. `doubtful` is one whose text contradicts itself.
    """

    first: int
    name: int
    head: int
    last: int
    operands: tuple[int, ...] = ()
    packs: Packs = ()
    braces: tuple[tuple[int, int], ...] = ()
    given: tuple[str, ...] = ()
    flags: Mapping[str, Attribute] = NO_ATTRIBUTES
    attributes: Mapping[str, Attribute] = NO_ATTRIBUTES
    implied: bool = False
    doubtful: bool = False


class SourceNotes:
    """Notes by the operation (or function) they are about, which is compared by identity."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Op | Function, Note]] = {}

    def __getitem__(self, op: Op | Function) -> Note:
        return self._found[id(op)][1]

    def __setitem__(self, op: Op | Function, note: Note) -> None:
        # The operation is kept, or another one could get its identity.
        self._found[id(op)] = op, note

    def get(self, op: Op | Function) -> Note | None:
        """The note, if there is one."""
        found = self._found.get(id(op))
        return None if found is None else found[1]

    def clear(self) -> None:
        """Forgets how everything was written."""
        self._found.clear()


class Enclosing(NamedTuple):
    """A module operation: its name, what it holds, and how it was written."""

    name: str
    items: list[BodyItem]
    note: Note


BodyItem = Op | Function | Enclosing
"""What may stand in a file or a body; anything but an operation only in some."""


@dataclass
class Module:
    """A program and how it was written; one that was built has no text.

    `visibility` has the word before a function's name. `outer` is the module operation, None
    where the file has none around its functions.
    """

    program: Program
    tokens: Tokens = field(default_factory=lambda: Tokens(""))
    notes: SourceNotes = field(default_factory=SourceNotes)
    outer: Enclosing | None = None
    visibility: Mapping[str, str] = field(default_factory=dict[str, str])
    language: Language = field(default_factory=language)

    @property
    def comments(self) -> list[Comment]:
        """The comments of the file, in source order."""
        return self.tokens.comments

    def value_names(self) -> Iterator[str]:
        """All names of values; empty where a value has none."""
        for function in self.program.functions:
            yield from (name.partition("#")[0] for name in function.names)


def fresh(base: str, taken: Container[str]) -> str:
    """The first of `base`, `base_0`, `base_1`, ... that is not taken."""
    numbered = (f"{base}_{k}" for k in count())
    return next(name for name in chain((base,), numbered) if name not in taken)
