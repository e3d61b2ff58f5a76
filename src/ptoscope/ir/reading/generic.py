"""Reads the generic form: `"pto.vadd"(%a, %b, %m) <{...}> ({...}) {...} : (T, ...) -> T`."""

from __future__ import annotations

from collections.abc import Sequence

from ptoscope.ir import types
from ptoscope.ir.attributes import CLAUSES, FORM, SIZES, UNIT, Attribute, FunctionTypes, Segments
from ptoscope.ir.forms import arith as arith_forms
from ptoscope.ir.forms.choose import expected_counts, fits, form_of
from ptoscope.ir.module import BodyItem, Note
from ptoscope.ir.reading import control, functions, generic_values, scopes
from ptoscope.ir.reading.arith import make_constant
from ptoscope.ir.reading.attributes import all_attributes, token_of_kind
from ptoscope.ir.reading.findings import STRUCTURE, WRONG_OPERANDS, WRONG_TYPE
from ptoscope.ir.reading.generic_parts import GenericParts
from ptoscope.ir.reading.names import ReadValues
from ptoscope.ir.reading.reader import Body, Reader
from ptoscope.ir.reading.segments import cut
from ptoscope.ir.types import TextType
from ptoscope.isa.arith import constant
from ptoscope.isa.parts import SECTIONS
from ptoscope.isa.record import Record
from ptoscope.isa.types import AttrValue
from ptoscope.program import CALL, SCOPES, TERMINATORS, Op

_BODIES = {
    "builtin.module": 1,
    "func.func": 1,
    "scf.for": 1,
    "scf.if": 2,
    "scf.while": 2,
    **dict.fromkeys(SECTIONS, 1),
    CALL: 0,
}


def operation(reader: Reader, name: int) -> BodyItem:
    """Reads one operation in generic form."""
    word = reader.text[name][1:-1]
    known = reader.language
    if not any(word in names for names in (_BODIES, TERMINATORS, known.table, known.aliases)):
        raise reader.unknown(name, word)
    if word != "func.func":
        return _Generic.read(reader, name, word).build()
    if reader.in_function:
        message = "a function cannot stand inside another"
        raise reader.findings.stop(STRUCTURE, name, message, found=word)
    outer, reader.slots = reader.slots, ReadValues()
    reader.in_function = True
    try:
        return _Generic.read(reader, name, word).build()
    finally:
        reader.in_function = False
        reader.slots = outer


class _Generic(GenericParts):
    """One operation."""

    def build(self) -> BodyItem:
        self._unalias()
        wanted = _BODIES.get(self.word, int(self.word in SCOPES))
        if len(self.bodies) != wanted:
            raise self.wrong("bodies", len(self.bodies), wanted)
        match self.word:
            case "builtin.module":
                return self._module()
            case "func.func":
                return self._function()
            case "scf.for":
                return self._for()
            case "scf.if":
                return self._if()
            case "scf.while":
                return self._while()
        if self.word in SCOPES:
            return self._scope()
        if self.word in SECTIONS:
            self.counts(0, 0)
            self._arguments(self.bodies, [])
            return scopes.make_section(self.reader, self.name, self.head, self.bodies[0])
        if self.word == CALL:
            return self._call()
        if self.word in TERMINATORS:
            return self._terminator()
        if self.word.startswith("arith."):
            return self._arith()
        return self._instruction()

    def _unalias(self) -> None:
        """An alias is what it stands for from here on."""
        meant = self.reader.language.aliases.get(self.word)
        if meant is None:
            return
        ((record, *_), *_) = meant.values()
        if record is constant or not record.name.startswith("arith."):
            self.word = record.name
        else:
            generic_values.as_arith(self)

    def _module(self) -> BodyItem:
        functions.check_module_place(self.reader, self.name)
        self.counts(0, 0)
        symbol = self.properties.get("sym_name")
        name = str(symbol.value) if symbol is not None and symbol.is_string else ""
        return functions.make_module(self.reader, name, self.attributes, self.head, self.bodies[0])

    def _function(self) -> BodyItem:
        self.counts(0, 0)
        reader = self.reader
        given = {**self.attributes, **self.properties}
        symbol, type = given.pop("sym_name", None), given.pop("function_type", None)
        signature = None if type is None else type.value
        if symbol is None or not symbol.is_string or not isinstance(signature, FunctionTypes):
            message = "func.func needs sym_name and function_type"
            raise reader.findings.stop(STRUCTURE, self.name, message, found=self.word)
        arguments = reader.types_of(self.bodies[0].block.args)
        if not _alike(arguments, signature.inputs):
            message = "the body's arguments are not those of function_type"
            found, expected = (", ".join(map(str, t)) for t in (arguments, signature.inputs))
            raise reader.findings.stop(
                WRONG_TYPE, self.name, message, found=found, expected=expected
            )
        visibility = given.pop("sym_visibility", None)
        shown = str(visibility.value) if visibility is not None and visibility.is_string else ""
        return functions.make_function(
            reader,
            self.name,
            str(symbol.value),
            shown,
            signature.outputs,
            given,
            self.head,
            self.bodies[0],
        )

    def _for(self) -> Op:
        reader = self.reader
        self.counts(3 + len(self.results), None)
        index = reader.type_of(self.values[0])
        self._arguments(self.bodies, [index, *self.results])
        wanted = (index, index, index, *self.results)
        for place, value, type in zip(self.places, self.values, wanted, strict=True):
            reader.agree(value, type, place)
        return control.make_for(
            reader, self.name, self.places, self.results, self.head, self.bodies[0]
        )

    def _if(self) -> Op:
        self.counts(1, None)
        self.reader.agree(self.values[0], types.I1, self.places[0])
        self._arguments(self.bodies, [])
        then, otherwise = self.bodies
        return control.make_if(
            self.reader,
            self.name,
            self.places[0],
            self.results,
            self.head,
            then,
            otherwise if otherwise.block.ops else None,
        )

    def _while(self) -> Op:
        before, after = self.bodies
        self._arguments([before], self.reader.types_of(self.values))
        return control.make_while(
            self.reader, self.name, self.places, self.results, self.head, before, after
        )

    def _scope(self) -> Op:
        self.counts(None if "strict" in self.word else 0, 0)
        return scopes.make_scope(self.reader, self.name, self.places, self.head, self.bodies[0])

    def _call(self) -> Op:
        callee = {**self.attributes, **self.properties}.get("callee")
        if callee is None or callee.text[:1] != "@":
            message = f"{self.word} needs a callee"
            raise self.reader.findings.stop(STRUCTURE, self.name, message, expected="@name")
        note = Note(0, 0, self.head, self.head, self.places)
        self.reader.has_calls = True
        return self.make(note, {"callee": callee.text[1:].strip('"')})

    def _terminator(self) -> Op:
        self.counts(None, 0)
        if self.word == "scf.condition":
            if not self.places:
                raise self.wrong("operands", 0, "at least 1")
            self.reader.agree(self.values[0], types.I1, self.places[0])
        return self.make(Note(0, 0, self.head, self.head, self.places))

    def _arith(self) -> Op:
        reader = self.reader
        how = arith_forms.scheme(reader.language.table[self.word])
        self.counts(how.operands, how.results)
        given = {**self.attributes, **self.properties}
        if self.word == constant.name:
            return self._constant(given)
        attrs: dict[str, AttrValue] = {}
        if how.predicates:
            predicate = given.pop("predicate", None)
            number = None if predicate is None else predicate.value
            if not isinstance(number, int) or not 0 <= number < len(how.predicates):
                last = len(how.predicates) - 1
                message = f"{self.word} needs a predicate from 0 to {last}"
                raise reader.findings.stop(WRONG_OPERANDS, self.name, message)
            attrs["predicate"] = how.predicates[number]
        if how.roundings:
            attrs |= how.rounding(self._rounding(how.roundings, given))
        promises = {properties or word for word, properties in arith_forms.PROMISES.items()}
        flags = {name: value for name, value in given.items() if name in promises}
        others = {name: value for name, value in given.items() if name not in promises}
        note = Note(0, 0, self.head, self.head, self.places, flags=flags, attributes=others)
        return self.make(note, attrs)

    def _rounding(self, roundings: Sequence[str], given: dict[str, Attribute]) -> str:
        found = given.pop(arith_forms.ROUNDING, None)
        number = 0 if found is None else found.value
        if not isinstance(number, int) or not 0 <= number < len(roundings):
            message = f"{self.word} rounds in a mode from 0 to {len(roundings) - 1}"
            raise self.reader.findings.stop(
                WRONG_OPERANDS, self.name, message, found=str(number), expected=", ".join(roundings)
            )
        return roundings[number]

    def _constant(self, given: dict[str, Attribute]) -> Op:
        stop = self.reader.findings.stop
        found = given.pop("value", None)
        if found is None or not isinstance(found.value, int | float) or found.type is None:
            message = f"{self.word} needs a number as its value"
            raise stop(WRONG_OPERANDS, self.name, message)
        if not types.compatible(found.type, self.results[0]):
            message = "the value's type is not the result's"
            own, wanted = str(found.type), str(self.results[0])
            raise stop(WRONG_TYPE, self.name, message, found=own, expected=wanted)
        return make_constant(self.reader, self.name, found.value, self.results[0], given)

    def _instruction(self) -> Op:
        reader = self.reader
        record = reader.language.table[self.word]
        known = {a.name for form in record.forms for a in form.attrs}
        self.gather(known | {CLAUSES, SIZES} if record.forms[0].groups else known)
        named = self.attributes.pop(FORM, None)
        keywords, sizes = self.properties.pop(CLAUSES, None), self.properties.pop(SIZES, None)
        found = cut(record, keywords, sizes, len(self.values))
        given = {name: _given(record, name, a) for name, a in self.properties.items()}
        if found is not None:
            self.values = [self.values[at] for at in found.order]
            self.places = tuple(self.places[at] for at in found.order)
        index = -1 if found is None else self._form(record, given, found.segments, named)
        if found is None or index < 0:
            raise self._no_form(keywords, sizes)
        note = Note(
            0,
            0,
            self.head,
            self.head,
            self.places,
            given=tuple(given),
            attributes=self.attributes,
        )
        form = record.forms[index]
        meant = {name: form.attr(name).meant(value) for name, value in given.items()}
        return self.make(note, all_attributes(form, meant), index, found.segments)

    def _form(
        self,
        record: Record,
        given: dict[str, AttrValue],
        segments: Segments,
        named: Attribute | None,
    ) -> int:
        """The form that is named, or else the one that fits; -1 if none does."""
        operands = self.reader.types_of(self.values)
        chosen = -1 if named is None else named.value
        if isinstance(chosen, int) and 0 <= chosen < len(record.forms):
            form = record.forms[chosen]
            fitting = fits(form, len(operands), len(self.results), given, segments)
            return chosen if fitting else -1
        return form_of(record, operands, self.results, given, segments)

    def _no_form(self, keywords: Attribute | None, sizes: Attribute | None) -> Exception:
        record = self.reader.language.table[self.word]
        names = [*self.properties, *([CLAUSES] if keywords else []), *([SIZES] if sizes else [])]
        listed = ", ".join(names) or "no attributes"
        found = f"{len(self.places)} operands, {len(self.results)} results and {listed}"
        return self.reader.findings.stop(
            WRONG_OPERANDS,
            self.name,
            f"no form of {record.short} takes {found}",
            found=found,
            expected=expected_counts(record),
        )

    def _arguments(self, bodies: Sequence[Body], wanted: Sequence[TextType]) -> None:
        reader = self.reader
        found = [reader.type_of(arg) for body in bodies for arg in body.block.args]
        if not _alike(found, wanted):
            raise reader.findings.stop(
                WRONG_TYPE,
                self.name,
                f"the body of {self.word} takes other arguments",
                found=", ".join(map(str, found)),
                expected=", ".join(map(str, wanted)),
            )


def _given(record: Record, name: str, attribute: Attribute) -> AttrValue:
    """What an attribute of an instruction says; no string or number, which no form takes, where
    it is none of its kind."""
    value: AttrValue = attribute.value if isinstance(attribute.value, str | int) else ()
    for form in record.forms:
        for attr in form.attrs:
            if attr.name == name:
                flag = attr.is_flag and attribute is UNIT
                return 1 if flag else token_of_kind(attr, attribute) or value
    return value


def _alike(found: Sequence[TextType], wanted: Sequence[TextType]) -> bool:
    """Whether types may turn out to be the same, one by one."""
    if len(found) != len(wanted):
        return False
    return all(types.compatible(f, w) for f, w in zip(found, wanted, strict=True))
