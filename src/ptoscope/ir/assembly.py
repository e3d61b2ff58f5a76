"""Reads assembly form: results first, types as far as they do not follow, a mask if not all
lanes take part."""

from __future__ import annotations

from xdsl.ir import Attribute, SSAValue

from ptoscope.ir import types
from ptoscope.ir.dialect import Instruction
from ptoscope.ir.errors import WRONG_OPERANDS, WRONG_TYPE, Stop
from ptoscope.ir.follow import Typing, bind
from ptoscope.ir.literals import keep_clauses, python_literal, string
from ptoscope.ir.module import Note, set_name
from ptoscope.ir.names import Packs
from ptoscope.ir.properties import properties
from ptoscope.ir.reader import Reader
from ptoscope.ir.readings import LEFT_OUT, Line, Reading, choose, mismatch, readings
from ptoscope.ir.shape import NO_ARROW, Shape
from ptoscope.ir.written import Written
from ptoscope.isa.patterns import Bindings, MaskFor
from ptoscope.isa.record import Form
from ptoscope.isa.types import Mask, Type, VReg

__all__ = ["mismatch", "read"]


def read(written: Written, shape: Shape, *, prefixed: bool = False) -> Instruction | None:
    """Reads a line that was scanned; None if its items fit no form.

    With `prefixed` the line may be meant as SSA form, and is None also where that is
    likelier: where no result has a new name and, for an instruction without results, where
    no type is listed or one for every operand that is there, but not for a mask.
    """
    reader = written.reader
    found = readings(written.matcher, shape)
    if prefixed:
        long = shape.types >= sum(letter in "va" for letter in shape.items)
        found = tuple(r for r in found if r.results or (shape.types and (r.complete or not long)))
    values = [reader.values.get(reader.text[place]) for place in written.values]
    line = Line(
        shape,
        [_known(reader, place, v) for place, v in zip(written.values, values, strict=True)],
        written.listed,
        written.results if shape.results != NO_ARROW else None,
        [python_literal(reader.text[place]) for place in written.literals],
    )
    chosen = choose(written.matcher, found, line)
    if chosen is None:
        return None
    reading, typing = chosen
    if prefixed and any(line.values[at] is not None for at in range(reading.results)):
        return None
    return _Assembled(written, shape, reading, typing).build()


def _known(reader: Reader, place: int, value: SSAValue | None) -> Attribute | None:
    if value is None and "#" in reader.text[place]:
        # `%x#0` for a single result, or a number too many: no name for a result.
        return types.POISON
    return None if value is None else value.type


class _Assembled:
    """One line and the reading chosen for it."""

    def __init__(self, written: Written, shape: Shape, reading: Reading, typing: Typing) -> None:
        self.written = written
        self.reader = written.reader
        self.shape = shape
        self.reading = reading
        self.typing = typing
        self.form: Form = written.matcher.record.forms[reading.form]

    def build(self) -> Instruction:
        reader, written, reading = self.reader, self.written, self.reading
        packs, places = self._names()
        values = [
            None if at == LEFT_OUT else reader.use(written.values[at]) for at in reading.operands
        ]
        if self.typing.misfit >= 0:
            raise self._no_such_type(self.typing.misfit)
        for number, at in enumerate(self.typing.places):
            value = values[at] if at >= 0 else None
            if value is not None:
                reader.agree(value, written.listed[number], written.listed_at[number])
        results = self._results(places, values)
        operands = [self._all_lanes(values, results) if v is None else v for v in values]
        found = properties(reader, self.form, reading.attrs, written.literals, written.entries)
        if self.shape.clauses:
            keep_clauses(found, len(self.form.operands), self.shape.clauses)
        op = reader.language.classes[written.matcher.record.name].create(
            operands=operands, result_types=results, properties=found
        )
        assert isinstance(op, Instruction)
        last = reader.i - 1
        where = tuple(
            [written.name if at == LEFT_OUT else written.values[at] for at in reading.operands]
        )
        clauses = self.shape.clauses
        reader.notes[op] = Note(0, 0, last, last, where, packs, reading.form, clauses)
        if packs:
            hint = "results stand before the operands in assembly form"
            reader.bind(op, packs, places, written.name, hint)
        return op

    def _names(self) -> tuple[Packs, list[int]]:
        """The names of the results and their places."""
        text = self.reader.text
        packs: list[tuple[str, int]] = []
        places: list[int] = []
        at = 0
        while at < self.reading.results:
            place = self.written.values[at]
            if "#" in text[place]:
                raise self.reader.findings.expected(place, "a value name")
            size = self.written.packs.get(at, 0)
            if at + size > self.reading.results:
                raise self.reader.findings.stop(
                    WRONG_OPERANDS,
                    place,
                    f"{text[place]} names more than the results",
                    found=str(size),
                    expected=str(self.reading.results - at),
                )
            packs.append((text[place][1:], size))
            places.append(place)
            at += size or 1
        return tuple(packs), places

    def _results(self, places: list[int], values: list[SSAValue | None]) -> list[Attribute]:
        results: list[Attribute] = []
        poisoned = any(v is not None and v.type is types.POISON for v in values)
        for at, attr in enumerate(self.typing.results):
            if attr is None and not poisoned:
                place = self.written.values[at]
                name = self.reader.text[place]
                raise self.reader.findings.stop(
                    WRONG_TYPE,
                    place,
                    f"the type of {name} does not follow; write it after ':'",
                    found="no type",
                    expected=self.form.results[at].type.expected(self.typing.known),
                )
            results.append(types.POISON if attr is None else attr)
        return results

    def _no_such_type(self, number: int) -> Stop:
        written = self.written
        spelled = types.spelling(written.listed[number])
        fitting = [r.type.expected(self.typing.known) for r in self.form.results]
        for at in self.reading.operands:
            value = (
                None
                if at == LEFT_OUT
                else self.reader.values.get(self.reader.text[written.values[at]])
            )
            if value is not None and value.type is not types.POISON:
                fitting.append(types.spelling(value.type))
        return self.reader.findings.stop(
            WRONG_TYPE,
            written.listed_at[number],
            f"no other operand or result of {written.matcher.record.short} is {spelled}"
            if number
            else f"no operand or result of {written.matcher.record.short} is {spelled}",
            found=spelled,
            expected=", ".join(dict.fromkeys(fitting)) or "no types",
        )

    def _mask_type(self, values: list[SSAValue | None]) -> Type | None:
        """What mask is left out: the one that follows, or else that of the first vector."""
        mask = self.form.operands[-1].type
        decided = mask.resolve(self.typing.known)
        if decided is not None:
            return decided
        given = [v.type for v in values if v is not None]
        found = [types.description(attr) for attr in (*given, *self.typing.results) if attr]
        for vector in found:
            if isinstance(vector, VReg):
                known: Bindings = {"T": vector.dtype}
                type = MaskFor("T").resolve(known)
                return type if bind(mask, type, self.typing.known) else None
        return None

    def _all_lanes(self, values: list[SSAValue | None], results: list[Attribute]) -> SSAValue:
        """The mask that a line without one stands for."""
        reader = self.reader
        if any(r is types.POISON for r in results):
            return reader.poison
        decided = self._mask_type(values)
        name = f"pto.pset_b{decided.bits}" if isinstance(decided, Mask) else ""
        if not isinstance(decided, Mask) or name not in reader.language.table:
            raise reader.findings.stop(
                WRONG_OPERANDS,
                self.written.name,
                f"the mask of {self.written.matcher.record.short} does not follow; write it",
                found="no mask",
                expected=str(self.form.operands[-1].type),
            )
        found = reader.masks.get(decided.bits)
        if found is None:
            pattern = reader.language.table[name].forms[0].attrs[0].name
            op = reader.language.classes[name].create(
                result_types=[types.attribute(decided)], properties={pattern: string("PAT_ALL")}
            )
            found = reader.masks[decided.bits] = op.results[0]
            set_name(found, reader.new_name(f"all_b{decided.bits}"))
            at = self.written.name
            reader.notes[op] = Note(at, at, at, at, implied=True)
            reader.before.append(op)
        return found
