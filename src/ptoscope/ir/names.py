"""The names of values: defined, used, compared with the types written for them."""

from __future__ import annotations

from xdsl.ir import Attribute, Block, Operation, SSAValue

from ptoscope.ir import types
from ptoscope.ir.cursor import Cursor
from ptoscope.ir.dialect import Language
from ptoscope.ir.errors import DEFINED_TWICE, STRUCTURE, UNDEFINED_VALUE, WRONG_TYPE
from ptoscope.ir.module import fresh, name_of, set_name
from ptoscope.ir.scanner import Tokens

Packs = tuple[tuple[str, int], ...]
"""Names of results without `%`, each with the count after its colon (0 for none)."""

_IN_BODY = "define it before that body; out of a loop or a branch scf.yield can give it"
_IN_SCOPE = "; vectors, masks and align states leave a vecscope only by a store to UB"


class Poison(SSAValue[Attribute]):
    """Stands for a value whose definition is in error, so that its uses are not reported."""

    @property
    def owner(self) -> Operation | Block:
        raise ValueError("a poisoned value has no owner")


class Names(Cursor):
    """Knows the values that are visible at the cursor.

    `values` are those by name, `where` the tokens that define them, `scope` the names of
    the innermost body, `hidden` what an isolated body does not see, `ended` those of bodies
    of this function that are behind, with the tokens that defined them. `holes` are the values
    with a placeholder type, `refined` the types written for them at uses.
    """

    def __init__(self, tokens: Tokens, file: str, language: Language) -> None:
        super().__init__(tokens, file, language)
        self.holes: dict[SSAValue, int] = {}
        self.refined: list[tuple[SSAValue, Attribute, int]] = []
        self.values: dict[str, SSAValue] = {}
        self.where: dict[str, int] = {}
        self.scope: list[str] = []
        self.hidden: dict[str, SSAValue] = {}
        self.ended: dict[str, tuple[SSAValue, int]] = {}
        self.poison = Poison(types.POISON)
        self._taken: set[str] = set()

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
        if not word.isdecimal() or not 0 < len(word) < 4 or not int(word):
            raise self.findings.expected(place, "the number of results")
        return int(word)

    def bind(
        self, op: Operation, packs: Packs, places: list[int], name: int, hint: str = ""
    ) -> None:
        """Gives the results of an operation their names; `hint` is for those taken."""
        results = op.results
        wanted = sum(size or 1 for _, size in packs)
        if wanted != len(results):
            if not all(r.type is types.POISON for r in results) or not results:
                count = f"{len(results)} result{'' if len(results) == 1 else 's'}"
                named = "1 is named" if wanted == 1 else f"{wanted} are named"
                message = f"{self.text[name]} has {count}, but {named}"
                self.findings.at(
                    STRUCTURE, places[0], message, found=str(wanted), expected=str(len(results))
                )
            for place in places:
                self.define(place, self.poison)
            return
        at = 0
        for (pack, size), place in zip(packs, places, strict=True):
            if size <= 1:
                set_name(results[at], pack)
                self.define(place, results[at], hint)
                at += 1
                continue
            self.define(place, results[at], hint)
            for k in range(size):
                set_name(results[at], f"{pack}#{k}")
                self.values[f"%{pack}#{k}"] = results[at]
                self.scope.append(f"%{pack}#{k}")
                at += 1

    def define(self, place: int, value: SSAValue, hint: str = "") -> None:
        """Gives the name at a token to a value; `hint` is for a name that is taken."""
        name = self.text[place]
        if self.values.get(name, self.poison) is not self.poison:
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
        self.values[name] = value
        self.where[name] = place
        self.scope.append(name)
        if types.is_hole(value.type):
            self.holes[value] = place

    def forget(self, names: list[str]) -> None:
        """The body that defined these names ends."""
        for name in names:
            value = self.values.pop(name, None)
            if value is not None and value is not self.poison and name in self.where:
                self.ended[name] = value, self.where[name]

    def new_name(self, base: str) -> str:
        """A name that the file does not have, like `base`."""
        if not self._taken:
            self._taken = {t[1:].partition("#")[0] for t in self.text if t[:1] == "%"}
        name = fresh(base, self._taken)
        self._taken.add(name)
        return name

    def use(self, place: int) -> SSAValue:
        """The value named at a token; a poisoned one, after a finding, if there is none."""
        name = self.text[place]
        value = self.values.get(name)
        if value is not None:
            return value
        if name[:1] != "%":
            raise self.findings.expected(place, "a value")
        base, _, index = name.partition("#")
        value = self.values.get(base)
        if value is not None and (value is self.poison or (index and int(index[:9]) == 0)):
            return value
        hint = ""
        if value is not None:
            message = f"{base} has no result number {index}"
        elif name in self.hidden:
            message = f"{name} is not visible here"
            hint = "a strict_vecscope sees only the values passed to it"
        elif name in self.ended:
            gone, definition = self.ended[name]
            line = self.tokens.line(self.tokens.start[definition])
            message = f"{name} is not visible here: line {line} defined it in a body that has ended"
            hint = _IN_BODY + (_IN_SCOPE if isinstance(gone.type, types.VECTOR_TYPES) else "")
        else:
            message = f"{name} is not defined"
            hint = self.findings.nearest(name, self.values)
        expected = "a value defined before it"
        self.findings.at(UNDEFINED_VALUE, place, message, found=name, expected=expected, hint=hint)
        if value is None:
            # One report per name is enough.
            self.values[name] = self.poison
            self.where[name] = place
            self.scope.append(name)
        return self.poison

    def agree(self, value: SSAValue, listed: Attribute, place: int) -> None:
        """Checks the type written for a value against the value's own."""
        own = value.type
        if own is listed or own is types.POISON or listed is types.POISON:
            return
        if types.is_hole(own) and type(own) is type(listed):
            self.refined.append((value, listed, place))
            return
        if types.is_hole(listed) and type(own) is type(listed):
            return
        name = f"%{name_of(value)}" if name_of(value) else "the value"
        spelled, other = types.spelling(own), types.spelling(listed)
        # At the value itself its type is what was found; in a type list, what is listed.
        found, expected = (spelled, other) if self.text[place][:1] == "%" else (other, spelled)
        message = f"{name} is {spelled}, not {other}"
        self.findings.at(WRONG_TYPE, place, message, found=found, expected=expected)
