"""Reads the scalar operations that newer text has in the pto dialect: `pto.divi %a, %b signed : T`.

Each is another name of an arith operation, which the words behind its operands may decide, and
becomes that operation: `fmt` prints it so.
"""

from __future__ import annotations

from collections.abc import Mapping

from ptoscope.ir.forms.arith import scheme
from ptoscope.ir.module import Note
from ptoscope.ir.reading import arith
from ptoscope.ir.reading.attributes import dictionary
from ptoscope.ir.reading.findings import WRONG_OPERANDS, Stop
from ptoscope.ir.reading.immediates import zero
from ptoscope.ir.reading.reader import Reader
from ptoscope.ir.types import TextType
from ptoscope.isa.arith import NEGATION
from ptoscope.isa.record import Record
from ptoscope.isa.types import AttrValue, Scalar
from ptoscope.program import Op

_SIGNS = ("signed", "unsigned")
_ROUNDINGS = {
    "r": "to_nearest_even",
    "f": "downward",
    "c": "upward",
    "z": "toward_zero",
    "a": "to_nearest_away",
}
NO_ROUNDING = "only a float that becomes a narrower one takes a rounding"
_OF_SIMT = ("o", "h", "sat")
_RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge")


def operation(reader: Reader, name: int) -> Op:
    """Reads `pto.name [predicate] operands [sign] [round(z)] [promises] : type [-> type]`."""
    word = reader.text[name]
    named = reader.language.aliases[word]
    predicate = None if reader.text[reader.i][:1] == "%" else reader.i
    if predicate is not None:
        reader.i += 1
    places = arith.operands(reader)
    sign = reader.text[reader.i] if reader.text[reader.i] in _SIGNS else ""
    if sign:
        reader.i += 1
    check_sign(reader, named, sign, reader.i - bool(sign))
    rounding = _rounding(reader)
    flags = arith.flags(reader)
    _saturation(reader)
    attributes = dictionary(reader) if reader.text[reader.i] == "{" else {}
    reader.expect(":")
    at = reader.i
    listed = reader.type()
    second = reader.type() if reader.accept(",") else None
    result = reader.type() if reader.accept("->") else None
    record = chosen(named[sign], listed, result)
    how = scheme(record)
    values = [reader.use(place) for place in places]
    if word == NEGATION:
        arith.check_count(reader, name, word, places, how._replace(operands=1))
        # A negation: what is subtracted from zero.
        values.insert(0, zero(reader, name, listed))
        places.insert(0, name)
    arith.check_count(reader, name, word, places, how)
    if how.is_cast != (result is not None) or how.lists_results != (second is not None):
        expected = (
            "'->' and a type" if how.is_cast else "two types" if how.lists_results else "one type"
        )
        raise reader.findings.expected(reader.i - 1, expected)
    attrs: dict[str, AttrValue] = {}
    if rounding is not None:
        if not how.roundings:
            raise reader.findings.stop(
                WRONG_OPERANDS,
                rounding,
                NO_ROUNDING,
                found=f"round({reader.text[rounding]})",
            )
        attrs |= how.rounding(_ROUNDINGS[reader.text[rounding]])
    if how.predicates:
        found = "" if predicate is None else reader.text[predicate]
        at_predicate = name + 1 if predicate is None else predicate
        attrs["predicate"] = relation(reader, at_predicate, found, sign, how.predicates)
    elif predicate is not None:
        raise reader.findings.expected(predicate, "a value")
    for value, type in zip(values, arith.operand_types(how, listed), strict=True):
        reader.agree(value, type, at)
    results = arith.result_types(how, listed, result or second)
    last = reader.i - 1
    note = Note(0, 0, last, last, tuple(places), flags=flags, attributes=attributes)
    return reader.make(name, record.name, values, results, note, attrs)


def check_sign(reader: Reader, named: Mapping[str, object], sign: str, place: int) -> None:
    """A finding where a sign is missing, or one too many."""
    if ("" in named) == bool(sign) or (sign and sign not in named):
        expected = " or ".join(words for words in named if words) or "':'"
        raise reader.findings.expected(place, expected)


def _rounding(reader: Reader) -> int | None:
    """Reads `round(z)`; gives the place of its letter."""
    if reader.text[reader.i] != "round":
        return None
    reader.i += 1
    reader.expect("(")
    place = reader.i
    if reader.text[place] not in _ROUNDINGS:
        raise _wrong_rounding(reader, place)
    reader.i += 1
    reader.expect(")")
    return place


def _saturation(reader: Reader) -> None:
    """Reads `nosat`, which is the default."""
    if reader.text[reader.i] == "sat":
        raise _wrong_rounding(reader, reader.i)
    reader.accept("nosat")


def _wrong_rounding(reader: Reader, place: int) -> Stop:
    word = reader.text[place]
    of_simt = word in _OF_SIMT
    return reader.findings.stop(
        WRONG_OPERANDS,
        place,
        f"'{word}' belongs to conversions in SIMT code" if of_simt else "unknown rounding",
        found=word,
        expected="nosat" if word == "sat" else ", ".join(_ROUNDINGS),
    )


def chosen(records: tuple[Record, ...], operand: TextType, result: TextType | None) -> Record:
    """Of two operations with one name the one that fits the widths."""
    first, *others = records
    if others and isinstance(operand, Scalar) and isinstance(result, Scalar):
        wider = result.dtype.bits > operand.dtype.bits
        fits = [
            r for r in records if r.resize is not None and (r.resize.result == "wider") == wider
        ]
        return fits[0] if fits else first
    return first


def relation(reader: Reader, place: int, word: str, sign: str, predicates: tuple[str, ...]) -> str:
    """The predicate of arith that a word means. Of integers it is a relation to which the sign
    adds its letter; of floats an ordered one, or any that arith has."""
    if word in _RELATIONS and word not in predicates:
        return (sign[:1] or "o") + word
    allowed = _RELATIONS if sign else (*_RELATIONS, *predicates)
    if word in allowed:
        return word
    raise reader.findings.expected(place, f"one of {', '.join(allowed)}")
