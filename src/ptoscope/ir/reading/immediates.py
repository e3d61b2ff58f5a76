"""Numbers where an operand is a scalar: each is a constant before the instruction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ptoscope.ir import types
from ptoscope.ir.attributes import Segments
from ptoscope.ir.forms.follow import bind
from ptoscope.ir.forms.outline import LineOutline
from ptoscope.ir.module import Note
from ptoscope.ir.reading.findings import WRONG_TYPE
from ptoscope.ir.reading.literals import is_number, number_of
from ptoscope.ir.reading.names import LOST
from ptoscope.ir.reading.operand_tokens import OperandTokens
from ptoscope.ir.reading.reader import Reader
from ptoscope.ir.types import TextType
from ptoscope.isa import arith
from ptoscope.isa.patterns import Bindings, OneOf, Pattern, ScalarIn
from ptoscope.isa.record import Form
from ptoscope.isa.types import Scalar


def as_values(tokens: OperandTokens, outline: LineOutline) -> LineOutline | None:
    """The outline in which numbers are operands: the tokens have them among their values then.
    None if there are no numbers."""
    if "i" not in outline.items:
        return None
    text = tokens.reader.text
    values: list[int] = []
    positional = 0
    for letter, place in zip(outline.items, tokens.items, strict=False):
        if letter not in "sw[]":
            found = [place, place + 2] if letter == "a" else [place]
            values += found
            positional += 0 if letter == "i" else len(found)
    tokens.numbers = True
    tokens.values = values + tokens.values[positional:]
    tokens.literals = [place for place in tokens.literals if not is_number(text[place])]
    return outline._replace(items=outline.items.replace("i", "v"))


def used(reader: Reader, place: int) -> int:
    """The value that a token names; LOST for a number, which has no slot yet."""
    return LOST if is_number(reader.text[place]) else reader.use(place)


def are_known(tokens: OperandTokens) -> bool:
    """Whether all names are those of values that are visible."""
    text, visible = tokens.reader.text, tokens.reader.values
    if tokens.numbers:
        return all([text[p] in visible or is_number(text[p]) for p in tokens.values])
    return all([text[p] in visible for p in tokens.values])


def settled(
    reader: Reader,
    form: Form,
    clauses: Segments,
    operands: Sequence[int],
    places: Sequence[int],
    listed: Mapping[int, TextType],
    results: Sequence[TextType | None],
) -> list[int]:
    """The operands with constants for those that are numbers.

    `places` are their tokens, `listed` the types written for some of them, by their number.
    """
    known: Bindings = {}
    wanted = _patterns(form, clauses)
    for pattern, slot in zip(wanted, operands, strict=False):
        bind(pattern, types.known(reader.type_of(slot)), known)
    for pattern, type in zip([r.type for r in form.results], results, strict=False):
        bind(pattern, None if type is None else types.known(type), known)
    found = list(operands)
    numbers = [at for at, place in enumerate(places) if is_number(reader.text[place])]
    lost = any(
        reader.type_of(s) is types.UNKNOWN for at, s in enumerate(operands) if at not in numbers
    )
    for at in numbers:
        pattern = wanted[at] if at < len(wanted) else None
        type = listed.get(at) or _usual(pattern, known)
        if type is not None or not lost:
            found[at] = _constant(reader, places[at], type)
    return found


def _patterns(form: Form, clauses: Segments) -> list[Pattern]:
    """What the operands of a form are, those of its clauses included."""
    groups = {group.keyword: group.operands for group in form.groups}
    in_clauses = [operand for word, count in clauses for operand in groups[word][:count]]
    return [operand.type for operand in (*form.operands, *in_clauses)]


def _usual(pattern: Pattern | None, known: Bindings) -> TextType | None:
    """The type of a number for which none is written: what follows, or the first possible."""
    if isinstance(pattern, ScalarIn):
        return Scalar(pattern.dtypes[0])
    if isinstance(pattern, OneOf):
        return next(filter(None, (_usual(choice, known) for choice in pattern.choices)), None)
    return None if pattern is None else pattern.resolve(known)


def _constant(reader: Reader, place: int, type: TextType | None) -> int:
    literal = reader.text[place]
    if not isinstance(type, Scalar):
        message = f"{literal} cannot be {type}"
        if type is None:
            message = f"the type of {literal} does not follow"
        raise reader.findings.stop(
            WRONG_TYPE,
            place,
            message,
            found=literal,
            expected="a value",
            hint="" if type else "write the types of all operands",
        )
    kind = types.the_one(type)
    value = number_of(reader, place, kind)
    note = Note(place, place, place, place, implied=True)
    op = reader.make(place, arith.constant.name, (), [kind], note, {"value": value})
    (slot,) = op.results
    reader.slots.names[slot] = reader.new_name(f"c{literal}" if literal.isdecimal() else "cst")
    reader.before.append(op)
    return slot


def zero(reader: Reader, place: int, type: TextType) -> int:
    """The integer 0 of a type, as a constant before the operation at a place."""
    if not isinstance(type, Scalar) or not type.dtype.is_int:
        raise reader.findings.stop(WRONG_TYPE, place, "it takes integers", found=str(type))
    note = Note(place, place, place, place, implied=True)
    op = reader.make(place, arith.constant.name, (), [type], note, {"value": 0})
    (slot,) = op.results
    reader.slots.names[slot] = reader.new_name("c0")
    reader.before.append(op)
    return slot
