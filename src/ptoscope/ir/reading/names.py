"""The names of values: defined, used, compared with the types written for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ptoscope.ir import types
from ptoscope.ir.language import Language
from ptoscope.ir.module import Packs, fresh
from ptoscope.ir.reading.cursor import Cursor
from ptoscope.ir.reading.findings import DEFINED_TWICE, STRUCTURE, UNDEFINED_VALUE, WRONG_TYPE
from ptoscope.ir.reading.scanner import Tokens
from ptoscope.ir.types import TextType
from ptoscope.isa.types import is_vector_state

LOST = -1
"""Stands for the slot of a value whose definition is in error, so that its uses are not
reported."""

_IN_BODY = "define it before that body; out of a loop or a branch scf.yield can give it"
_IN_SCOPE = "; vectors, masks and align states leave a vecscope only by a store to UB"


@dataclass
class ReadValues:
    """The values of one function: their types and names by slot. `places` are the tokens that
    define those with a placeholder type, `refined` the types written for them at uses; `mistyped`
    are values with the types that uses write for them and that are not theirs, and where."""

    types: list[TextType] = field(default_factory=list[TextType])
    names: list[str] = field(default_factory=list[str])
    places: dict[int, int] = field(default_factory=dict[int, int])
    refined: list[tuple[int, TextType, int]] = field(
        default_factory=list[tuple[int, TextType, int]]
    )
    mistyped: list[tuple[int, TextType, int]] = field(
        default_factory=list[tuple[int, TextType, int]]
    )


class Names(Cursor):
    """Knows the values that are visible at the cursor.

    `slots` are the values of the function at hand. `values` are the slots by name, `where` the
    tokens that define them, `scope` the names of the innermost body, `hidden` what an isolated
    body does not see, `ended` those of bodies of this function that are behind, with their
    types and the tokens that defined them.
    """

    def __init__(self, tokens: Tokens, file: str, language: Language) -> None:
        super().__init__(tokens, file, language)
        self.slots = ReadValues()
        self.values: dict[str, int] = {}
        self.where: dict[str, int] = {}
        self.scope: list[str] = []
        self.hidden: dict[str, int] = {}
        self.ended: dict[str, tuple[TextType, int]] = {}
        self._taken: set[str] = set()

    def new_slot(self, type: TextType, name: str = "") -> int:
        """A slot for a new value."""
        self.slots.types.append(type)
        self.slots.names.append(name)
        return len(self.slots.types) - 1

    def new_slots(self, types: Sequence[TextType]) -> tuple[int, ...]:
        """Slots for new values without names."""
        return tuple([self.new_slot(type) for type in types])

    def type_of(self, slot: int) -> TextType:
        """The type of a value; an unknown one if its definition is in error."""
        return types.UNKNOWN if slot == LOST else self.slots.types[slot]

    def types_of(self, slots: Sequence[int]) -> list[TextType]:
        """The types of values."""
        return [self.type_of(slot) for slot in slots]

    def shown(self, slot: int) -> str:
        """A value in messages."""
        name = "" if slot == LOST else self.slots.names[slot]
        return f"%{name}" if name else "the value"

    def names(self, typed: bool = False) -> tuple[Packs, list[int]]:
        """Reads the names of results, `%a, %b:2`; gives them and their places. With `typed`
        the colon behind the last one may also stand before types."""
        text = self.text
        packs: list[tuple[str, int]] = []
        places: list[int] = []
        i = self.i
        while True:
            name = text[i]
            if name[:1] != "%" or "#" in name:
                raise self.findings.expected(i, "a value name")
            places.append(i)
            i += 1
            size = 0
            if text[i] == ":" and not (typed and not text[i + 1][:1].isdecimal()):
                size = self.pack_size(i + 1)
                i += 2
            packs.append((name[1:], size))
            if text[i] != ",":
                break
            i += 1
        self.i = i
        return tuple(packs), places

    def pack_size(self, place: int) -> int:
        """The number of results that a name stands for, written at a token."""
        word = self.text[place]
        if not (word.isascii() and word.isdecimal()) or not 0 < len(word) < 4 or not int(word):
            raise self.findings.expected(place, "the number of results")
        return int(word)

    def bind(
        self, results: Sequence[int], packs: Packs, places: list[int], name: int, hint: str = ""
    ) -> None:
        """Gives the results of an operation their names; `hint` is for those taken."""
        wanted = sum(size or 1 for _, size in packs)
        if wanted != len(results):
            if not all(self.type_of(r) is types.UNKNOWN for r in results) or not results:
                count = f"{len(results)} result{'' if len(results) == 1 else 's'}"
                named = "1 is named" if wanted == 1 else f"{wanted} are named"
                message = f"{self.text[name]} has {count}, but {named}"
                self.findings.at(
                    STRUCTURE, places[0], message, found=str(wanted), expected=str(len(results))
                )
            for place in places:
                self.define(place, LOST)
            return
        names = self.slots.names
        at = 0
        for (pack, size), place in zip(packs, places, strict=True):
            self.define(place, results[at], hint)
            if size <= 1:
                names[results[at]] = pack
                at += 1
                continue
            for k in range(size):
                names[results[at]] = f"{pack}#{k}"
                self.values[f"%{pack}#{k}"] = results[at]
                self.scope.append(f"%{pack}#{k}")
                at += 1

    def define(self, place: int, slot: int, hint: str = "") -> None:
        """Gives the name at a token to a value; `hint` is for a name that is taken."""
        name = self.text[place]
        if self.values.get(name, LOST) != LOST:
            first = self.tokens.line(self.tokens.start[self.where[name]])
            self.findings.at(
                DEFINED_TWICE,
                place,
                f"{name} is already defined in line {first}",
                found=name,
                expected="a new name",
                hint=hint,
            )
            return
        self.values[name] = slot
        self.where[name] = place
        self.scope.append(name)
        if slot != LOST and types.is_open(self.slots.types[slot]):
            self.slots.places[slot] = place

    def forget(self, names: list[str]) -> None:
        """The body that defined these names ends."""
        for name in names:
            slot = self.values.pop(name, LOST)
            if slot != LOST and name in self.where:
                self.ended[name] = self.slots.types[slot], self.where[name]

    def new_name(self, base: str) -> str:
        """A name that the file does not have, like `base`."""
        if not self._taken:
            self._taken = {t[1:].partition("#")[0] for t in self.text if t[:1] == "%"}
        name = fresh(base, self._taken)
        self._taken.add(name)
        return name

    def use(self, place: int) -> int:
        """The slot of the value named at a token; LOST, after a finding, if there is none."""
        name = self.text[place]
        slot = self.values.get(name)
        if slot is not None:
            return slot
        if name[:1] != "%":
            raise self.findings.expected(place, "a value")
        base, _, index = name.partition("#")
        slot = self.values.get(base)
        if slot is not None and (slot == LOST or (index and int(index[:9]) == 0)):
            return slot
        hint = ""
        if slot is not None:
            message = f"{base} has no result number {index}"
        elif name in self.hidden:
            message = f"{name} is not visible here"
            hint = "a strict_vecscope sees only the values passed to it"
        elif name in self.ended:
            gone, definition = self.ended[name]
            line = self.tokens.line(self.tokens.start[definition])
            message = f"{name} is not visible here: line {line} defined it in a body that has ended"
            known = types.known(gone)
            in_scope = gone is types.MASK or (known is not None and is_vector_state(known))
            hint = _IN_BODY + (_IN_SCOPE if in_scope else "")
        else:
            message = f"{name} is not defined"
            hint = self.findings.nearest(name, self.values)
        expected = "a value defined before it"
        self.findings.at(UNDEFINED_VALUE, place, message, found=name, expected=expected, hint=hint)
        if slot is None:
            # One report per name is enough.
            self.values[name] = LOST
            self.where[name] = place
            self.scope.append(name)
        return LOST

    def agree(self, slot: int, listed: TextType, place: int) -> None:
        """Checks the type written for a value against the value's own."""
        own = self.type_of(slot)
        if own is listed or own is types.UNKNOWN or listed is types.UNKNOWN:
            return
        if types.compatible(own, listed):
            if types.is_open(own):
                self.slots.refined.append((slot, listed, place))
            return
        # At the value itself its type is what was found; in a type list, what is listed.
        at_value = self.text[place][:1] == "%"
        found, expected = (own, listed) if at_value else (listed, own)
        message = f"{self.shown(slot)} is {own}, not {listed}"
        self.findings.at(WRONG_TYPE, place, message, found=str(found), expected=str(expected))
        if slot != LOST:
            self.slots.mistyped.append((slot, listed, place))
