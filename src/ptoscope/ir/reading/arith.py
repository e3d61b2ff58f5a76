"""Reads the scalar `arith` operations, which are written in ways of their own."""

from __future__ import annotations

from ptoscope.ir import types
from ptoscope.ir.attributes import UNIT, Attribute
from ptoscope.ir.forms.arith import PROMISES, Scheme, scheme
from ptoscope.ir.module import Note
from ptoscope.ir.reading.attributes import dictionary, flag_set
from ptoscope.ir.reading.findings import BAD_TYPE, WRONG_OPERANDS
from ptoscope.ir.reading.literals import is_number, number
from ptoscope.ir.reading.reader import Reader
from ptoscope.ir.types import TextType
from ptoscope.isa import arith
from ptoscope.isa.types import AttrValue
from ptoscope.program import Op


def operation(reader: Reader, name: int) -> Op:
    """Reads any arith operation but a constant."""
    word = reader.text[name]
    how = scheme(reader.language.table[word])
    attrs: dict[str, AttrValue] = {}
    if how.predicates:
        attrs["predicate"] = _predicate(reader, how)
        reader.expect(",")
    places = operands(reader)
    if reader.text[reader.i] in how.roundings:
        attrs |= how.rounding(reader.text[reader.i])
        reader.i += 1
    promised = flags(reader)
    attributes = dictionary(reader) if reader.text[reader.i] == "{" else {}
    reader.expect(":")
    at = reader.i
    listed = reader.type()
    values = [reader.use(place) for place in places]
    check_count(reader, name, word, places, how)
    other = None
    if how.is_cast or how.lists_results:
        reader.expect("to" if how.is_cast else ",")
        other = reader.type()
    for value, type in zip(values, operand_types(how, listed), strict=True):
        reader.agree(value, type, at)
    last = reader.i - 1
    note = Note(0, 0, last, last, tuple(places), flags=promised, attributes=attributes)
    return reader.make(name, word, values, result_types(how, listed, other), note, attrs)


def operands(reader: Reader) -> list[int]:
    """Reads `%a, %b`; gives their places."""
    places: list[int] = []
    while True:
        if reader.text[reader.i][:1] != "%":
            raise reader.findings.expected(reader.i, "a value")
        places.append(reader.i)
        reader.i += 1
        if not reader.accept(","):
            return places


def check_count(reader: Reader, name: int, word: str, places: list[int], how: Scheme) -> None:
    """A finding where an operation has not as many operands as it takes."""
    if len(places) != how.operands:
        many = f"{how.operands} operand{'' if how.operands == 1 else 's'}"
        raise reader.findings.stop(
            WRONG_OPERANDS,
            name,
            f"{word} takes {many}, found {len(places)}",
            found=str(len(places)),
            expected=str(how.operands),
        )


def operand_types(how: Scheme, listed: TextType) -> list[TextType]:
    """The types of the operands, of the one that is written."""
    return [types.I1, listed, listed] if how.selects else [listed] * how.operands


def result_types(how: Scheme, listed: TextType, other: TextType | None) -> list[TextType]:
    """The types of the results, of those that are written."""
    if how.predicates:
        return [types.I1]
    if other is not None:
        return [other] if how.is_cast else [listed, other]
    return [listed] * how.results


def _predicate(reader: Reader, how: Scheme) -> str:
    # The predicate may be quoted, as older text has it.
    word = reader.text[reader.i].strip('"')
    if word not in how.predicates:
        hint = reader.findings.nearest(word, how.predicates)
        raise reader.findings.expected(reader.i, f"one of {', '.join(how.predicates)}", hint)
    reader.i += 1
    return word


def flags(reader: Reader) -> dict[str, Attribute]:
    """Reads what an operation promises."""
    found: dict[str, Attribute] = {}
    while True:
        word = reader.text[reader.i]
        if word in PROMISES and not PROMISES[word]:
            found[word] = UNIT
            reader.i += 1
        elif word in PROMISES and reader.text[reader.i + 1] == "<":
            place = reader.i
            reader.i += 2
            listed: list[str] = []
            while not reader.accept(">"):
                listed.append(reader.text[reader.i])
                reader.i += 1
                if reader.text[reader.i] != ">":
                    reader.expect(",")
            found[PROMISES[word]] = flag_set(reader, place, f"arith.{word}", listed)
        else:
            return found


def constant(reader: Reader, name: int) -> Op:
    """Reads `arith.constant 1 : i32`, `arith.constant true`, `arith.constant 0x7FC0 : bf16`."""
    attributes = dictionary(reader) if reader.text[reader.i] == "{" else {}
    literal = reader.text[reader.i]
    if literal == "dense":
        raise reader.findings.stop(
            BAD_TYPE,
            reader.i,
            types.NO_VECTORS,
            found=literal,
            expected="a number",
            hint=types.INSTEAD_OF_VECTORS,
        )
    if literal not in ("true", "false") and not is_number(literal):
        raise reader.findings.expected(reader.i, "a number, true or false")
    value, kind = number(reader)
    return make_constant(reader, name, value, kind, attributes)


def make_constant(
    reader: Reader, name: int, value: AttrValue, kind: TextType, attributes: dict[str, Attribute]
) -> Op:
    """Makes the constant."""
    last = reader.i - 1
    note = Note(0, 0, last, last, attributes=attributes)
    return reader.make(name, arith.constant.name, (), [kind], note, {"value": value})
