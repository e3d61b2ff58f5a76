"""What may be written: the instructions of a table and the operations around them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property

from ptoscope import isa
from ptoscope.ir.forms.match import Matcher, matcher
from ptoscope.isa.record import Record
from ptoscope.program import SCOPES

STRUCTURE = (
    "module",
    "func.func",
    "return",
    "func.return",
    "scf.for",
    "scf.if",
    "scf.while",
    "scf.yield",
    "scf.condition",
)
"""The operations that are no instructions."""

PREFIX = "pto."
"""What assembly form leaves out of a name."""


class Language:
    """All that can be written: the table's instructions and the structure around them."""

    def __init__(self, table: Mapping[str, Record]) -> None:
        self.table = table

    def matcher(self, name: str) -> Matcher:
        """What tells the forms of an instruction apart, by its name or an alias."""
        record = self.table.get(name)
        return matcher(self.aliases[name][""][0] if record is None else record)

    @cached_property
    def aliases(self) -> dict[str, dict[str, tuple[Record, ...]]]:
        """By alias and the words behind the operands, what it stands for."""
        found: dict[str, dict[str, tuple[Record, ...]]] = {}
        for record in self.table.values():
            for alias in record.aliases:
                name, _, words = alias.partition(" ")
                known = found.setdefault(name, {})
                known[words] = (*known.get(words, ()), record)
        return found

    @cached_property
    def mnemonics(self) -> frozenset[str]:
        """The instructions that may be written without their prefix."""
        return frozenset(
            name.removeprefix(PREFIX)
            for name in self.table
            if name.startswith(PREFIX) and name not in SCOPES
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Everything an operation may be called."""
        return (*self.table, *self.aliases, *STRUCTURE)

    def spelled_like(self, word: str) -> tuple[str, ...]:
        """What a word that is no operation may be meant as."""
        if "." in word or PREFIX + word in self.table:
            return self.names
        return (*sorted(self.mnemonics), *STRUCTURE)


@cache
def language() -> Language:
    """The language of the product's own instruction table."""
    return Language(isa.TABLE)
