"""What is written of an instruction, and how it maps to a form of its record."""

from __future__ import annotations

from typing import NamedTuple

NO_ARROW = -1
LEFT_OUT = -1
"""Stands for the written value of a mask that is not written."""
PACK = "p"
"""The letter of each result that `%name:2` names, in assembly form."""


class LineOutline(NamedTuple):
    """What is written, without the names.

    `items` has a letter per item before the colon (see `syntax.LETTERS`). `marks` are the
    clause keywords repeated in the type list, each with the number of types before it.
    `types` counts the types between colon and arrow, `results` those after it.
    """

    items: str
    clauses: tuple[tuple[str, int], ...] = ()
    entries: tuple[str, ...] = ()
    marks: tuple[tuple[str, int], ...] = ()
    types: int = 0
    results: int = NO_ARROW


class Plan(NamedTuple):
    """How an outline maps to a form.

    `operands[i]` is the written value that is operand i, or LEFT_OUT. `attrs` pairs attribute
    names with written literals. `typed[i]` is the written value that listed type i belongs to.
    `results` says where the result types stand: "arrow", "listed" or, where the text has
    none, "implied".
    """

    form: int
    operands: tuple[int, ...]
    attrs: tuple[tuple[str, int], ...]
    typed: tuple[int, ...]
    results: str


class Mismatch(NamedTuple):
    """Why a form does not fit. `item` is the written item at fault, or -1; `score` says how
    much did fit, so that the best of several forms can be reported."""

    score: int
    message: str
    found: str = ""
    expected: str = ""
    hint: str = ""
    item: int = -1


class Fitted(NamedTuple):
    """How the written items map to a form's; the counts are of written values.

    `place` gives the written value of an operand's name, `offsets` those between brackets,
    `end` is the number of values, those of the clauses included.
    """

    place: dict[str, int]
    attrs: tuple[tuple[str, int], ...]
    offsets: frozenset[int]
    end: int
