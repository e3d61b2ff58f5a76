"""Reads the scalar operations that newer text has in the pto dialect: `pto.divi %a, %b signed : T`.

Each is another name of an arith operation, which the words behind its operands may decide, and
becomes that operation: `fmt` prints it so.
"""

from __future__ import annotations

from ptoscope.ir.forms.arith import scheme
from ptoscope.ir.module import Note
from ptoscope.ir.reading import arith
from ptoscope.ir.reading.attributes import dictionary
from ptoscope.ir.reading.findings import WRONG_OPERANDS
from ptoscope.ir.reading.immediates import zero
from ptoscope.ir.reading.reader import Reader
from ptoscope.ir.types import TextType
from ptoscope.isa.record import Record
from ptoscope.isa.types import AttrValue, Scalar
from ptoscope.program import Op

_SIGNS = ("signed", "unsigned")
_NEAREST = "r"
_RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge")


def operation(reader: Reader, name: int) -> Op:
    """Reads `pto.name [predicate] operands [sign] [round(r)] [promises] : type [-> type]`."""
    word = reader.text[name]
    named = reader.language.aliases[word]
    predicate = None if reader.text[reader.i][:1] == "%" else reader.i
    if predicate is not None:
        reader.i += 1
    places = arith.operands(reader)
    sign = reader.text[reader.i] if reader.text[reader.i] in _SIGNS else ""
    if sign:
        reader.i += 1
    if ("" in named) == bool(sign) or (sign and sign not in named):
        expected = " or ".join(words for words in named if words) or "':'"
        raise reader.findings.expected(reader.i - bool(sign), expected)
    _rounding(reader)
    flags = arith.flags(reader)
    attributes = dictionary(reader) if reader.text[reader.i] == "{" else {}
    reader.expect(":")
    at = reader.i
    listed = reader.type()
    second = reader.type() if reader.accept(",") else None
    result = reader.type() if reader.accept("->") else None
    record = _chosen(named[sign], listed, result)
    how = scheme(record)
    values = [reader.use(place) for place in places]
    if len(places) == 1 and how.operands == 2:
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
    if how.predicates:
        attrs["predicate"] = _predicate(reader, name, predicate, sign, how.predicates)
    elif predicate is not None:
        raise reader.findings.expected(predicate, "a value")
    for value, type in zip(values, arith.operand_types(how, listed), strict=True):
        reader.agree(value, type, at)
    results = arith.result_types(how, listed, result or second)
    last = reader.i - 1
    note = Note(0, 0, last, last, tuple(places), flags=flags, attributes=attributes)
    return reader.make(name, record.name, values, results, note, attrs)


def _rounding(reader: Reader) -> None:
    if reader.text[reader.i] != "round":
        return
    reader.i += 1
    reader.expect("(")
    if reader.text[reader.i] != _NEAREST:
        raise reader.findings.stop(
            WRONG_OPERANDS,
            reader.i,
            "scalars are rounded to nearest, ties to even, alone",
            found=reader.text[reader.i],
            expected=_NEAREST,
            hint="other modes are not modelled, but in conversions of vectors",
        )
    reader.i += 1
    reader.expect(")")


def _chosen(records: tuple[Record, ...], operand: TextType, result: TextType | None) -> Record:
    """Of two operations with one name the one that fits the widths."""
    first, *others = records
    if others and isinstance(operand, Scalar) and isinstance(result, Scalar):
        wider = result.dtype.bits > operand.dtype.bits
        fits = [
            r for r in records if r.resize is not None and (r.resize.result == "wider") == wider
        ]
        return fits[0] if fits else first
    return first


def _predicate(
    reader: Reader, name: int, place: int | None, sign: str, predicates: tuple[str, ...]
) -> str:
    """Of integers a relation to which the sign adds its letter; of floats an ordered one, or any
    that arith has."""
    word = "" if place is None else reader.text[place]
    if word in _RELATIONS and word not in predicates:
        return (sign[:1] or "o") + word
    allowed = _RELATIONS if sign else (*_RELATIONS, *predicates)
    if word in allowed:
        return word
    at = name + 1 if place is None else place
    raise reader.findings.expected(at, f"one of {', '.join(allowed)}")
