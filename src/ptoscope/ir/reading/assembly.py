"""Reads assembly form: results first, types as far as they do not follow, a mask if not all
lanes take part."""

from __future__ import annotations

from ptoscope.ir import types
from ptoscope.ir.forms.follow import Typing
from ptoscope.ir.forms.outline import NO_ARROW, LineOutline
from ptoscope.ir.forms.readings import LEFT_OUT, AssemblyLine, Reading, choose, mismatch, readings
from ptoscope.ir.module import Note, Packs
from ptoscope.ir.reading import immediates
from ptoscope.ir.reading.attributes import all_attributes, given_attributes
from ptoscope.ir.reading.findings import WRONG_OPERANDS, WRONG_TYPE, Stop
from ptoscope.ir.reading.literals import literal_value
from ptoscope.ir.reading.masks import all_lanes
from ptoscope.ir.reading.names import LOST
from ptoscope.ir.reading.operand_tokens import OperandTokens
from ptoscope.ir.reading.reader import Reader
from ptoscope.ir.types import TextType
from ptoscope.isa.record import Form
from ptoscope.program import Op

__all__ = ["mismatch", "read"]


def read(tokens: OperandTokens, outline: LineOutline, *, prefixed: bool = False) -> Op | None:
    """Reads a line that was scanned; None if its items fit no form.

    With `prefixed` the line may be meant as SSA form, and is None also where that is
    likelier: where no result has a new name and, for an instruction without results, where
    no type is listed or one for every operand that is there, but not for a mask.
    """
    reader = tokens.reader
    found = readings(tokens.matcher, outline)
    if prefixed:
        long = outline.types >= sum(letter in "va" for letter in outline.items)
        found = tuple(r for r in found if r.results or (outline.types and (r.complete or not long)))
    values = [reader.values.get(reader.text[place]) for place in tokens.values]
    line = AssemblyLine(
        outline,
        [_known(reader, place, v) for place, v in zip(tokens.values, values, strict=True)],
        tokens.listed,
        tokens.results if outline.results != NO_ARROW else None,
        [literal_value(reader.text[place]) for place in tokens.literals],
    )
    chosen = choose(tokens.matcher, found, line)
    if chosen is None:
        return None
    reading, typing = chosen
    if prefixed and any(line.values[at] is not None for at in range(reading.results)):
        return None
    return _Assembled(tokens, outline, reading, typing).build()


def _known(reader: Reader, place: int, value: int | None) -> TextType | None:
    if value is None and reader.text[place][:1] != "%":
        return types.NUMBER
    if value is None and "#" in reader.text[place]:
        # `%x#0` for a single result: no name for a result.
        return types.UNKNOWN
    return None if value is None else reader.type_of(value)


class _Assembled:
    """One line and the reading chosen for it."""

    def __init__(
        self, tokens: OperandTokens, outline: LineOutline, reading: Reading, typing: Typing
    ) -> None:
        self.tokens = tokens
        self.reader = tokens.reader
        self.outline = outline
        self.reading = reading
        self.typing = typing
        self.form: Form = tokens.matcher.record.forms[reading.form]

    def build(self) -> Op:
        reader, tokens, reading = self.reader, self.tokens, self.reading
        packs, places = self._names()
        values = [
            None if at == LEFT_OUT else immediates.used(reader, tokens.values[at])
            for at in reading.operands
        ]
        if self.typing.misfit >= 0:
            raise self._no_such_type(self.typing.misfit)
        form = self.form
        where = tuple(
            [tokens.name if at == LEFT_OUT else tokens.values[at] for at in reading.operands]
        )
        if tokens.numbers:
            values = self._with_constants(values, where)
        for number, at in enumerate(self.typing.places):
            value = values[at] if at >= 0 else None
            if value is not None:
                reader.agree(value, tokens.listed[number], tokens.listed_at[number])
        results = self._results(places, values)
        operands = [
            all_lanes(tokens, form, self.typing.known, values, results) if v is None else v
            for v in values
        ]
        given = given_attributes(reader, form, reading.attrs, tokens.literals, tokens.entries)
        last = reader.i - 1
        op = reader.make(
            tokens.name,
            tokens.matcher.record.name,
            operands,
            results,
            Note(0, 0, last, last, where, packs, given=tuple(given)),
            all_attributes(form, given),
            form=reading.form,
            segments=self.outline.clauses,
        )
        if packs:
            hint = "results stand before the operands in assembly form"
            reader.bind(op.results, packs, places, tokens.name, hint)
        return op

    def _with_constants(self, values: list[int | None], where: tuple[int, ...]) -> list[int | None]:
        typing = self.typing
        typed = zip(typing.places, self.tokens.listed, strict=False)
        listed = {at: type for at, type in typed if at >= 0}
        slots = [LOST if value is None else value for value in values]
        found = immediates.settled(
            self.reader, self.form, self.outline.clauses, slots, where, listed, typing.results
        )
        return [None if v is None else slot for v, slot in zip(values, found, strict=True)]

    def _names(self) -> tuple[Packs, list[int]]:
        """The names of the results and their places."""
        text = self.reader.text
        packs: list[tuple[str, int]] = []
        places: list[int] = []
        at = 0
        while at < self.reading.results:
            place = self.tokens.values[at]
            if "#" in text[place]:
                raise self.reader.findings.expected(place, "a value name")
            size = self.tokens.packs.get(at, 0)
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

    def _results(self, places: list[int], values: list[int | None]) -> list[TextType]:
        results: list[TextType] = []
        lost = any(v is not None and self.reader.type_of(v) is types.UNKNOWN for v in values)
        for at, type in enumerate(self.typing.results):
            if type is None and not lost:
                place = self.tokens.values[at]
                name = self.reader.text[place]
                raise self.reader.findings.stop(
                    WRONG_TYPE,
                    place,
                    f"the type of {name} does not follow; write it after ':'",
                    found="no type",
                    expected=self.form.results[at].type.expected(self.typing.known),
                )
            results.append(types.UNKNOWN if type is None else type)
        return results

    def _no_such_type(self, number: int) -> Stop:
        tokens = self.tokens
        spelled = str(tokens.listed[number])
        fitting = [r.type.expected(self.typing.known) for r in self.form.results]
        for at in self.reading.operands:
            value = (
                None
                if at == LEFT_OUT
                else self.reader.values.get(self.reader.text[tokens.values[at]])
            )
            if value is not None and self.reader.type_of(value) is not types.UNKNOWN:
                fitting.append(str(self.reader.type_of(value)))
        return self.reader.findings.stop(
            WRONG_TYPE,
            tokens.listed_at[number],
            f"no other operand or result of {tokens.matcher.record.short} is {spelled}"
            if number
            else f"no operand or result of {tokens.matcher.record.short} is {spelled}",
            found=spelled,
            expected=", ".join(dict.fromkeys(fitting)) or "no types",
        )
