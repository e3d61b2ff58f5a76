"""Checks on bodies: where terminators stand and what they hand on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ptoscope.ir import types
from ptoscope.ir.module import BodyItem, Enclosing, Note
from ptoscope.ir.reading.findings import STRUCTURE, WRONG_OPERANDS, WRONG_TYPE
from ptoscope.ir.reading.reader import Body, Reader
from ptoscope.ir.types import TextType
from ptoscope.program import Op, Terminator


def terminator(reader: Reader, name: int, word: str, first: tuple[int, ...] = ()) -> Op:
    """Reads the `%a, ... : T, ...` of a terminator, behind the operands in `first`."""
    if not reader.in_function:
        message = f"{reader.text[name]} stands outside a function"
        raise reader.findings.stop(STRUCTURE, name, message, found=reader.text[name])
    places: list[int] = []
    if reader.text[reader.i][:1] == "%" and reader.text[reader.i + 1] in (",", ":"):
        places.append(reader.i)
        reader.i += 1
        while reader.accept(","):
            if reader.text[reader.i][:1] != "%":
                raise reader.findings.expected(reader.i, "a value")
            places.append(reader.i)
            reader.i += 1
        reader.expect(":")
        listed_types(reader, [reader.use(place) for place in places], "{0} values, but {1} types")
    all_places = (*first, *places)
    last = reader.i - 1
    operands = [reader.use(place) for place in all_places]
    return reader.make(name, word, operands, (), Note(0, 0, last, last, all_places))


def listed_types(reader: Reader, values: Sequence[int], message: str) -> None:
    """Reads the types of some values. The message, with how many there are of each, is for
    another number of types."""
    at = reader.i
    listed = reader.type_list()
    if len(listed) != len(values):
        found, expected = str(len(listed)), str(len(values))
        said = message.format(expected, found)
        raise reader.findings.stop(WRONG_OPERANDS, at, said, found=found, expected=expected)
    for value, type in zip(values, listed, strict=True):
        reader.agree(value, type, at)


def _name_of(reader: Reader, item: BodyItem) -> int:
    note = item.note if isinstance(item, Enclosing) else reader.notes[item]
    return note.name


def check_block(reader: Reader, body: Body, wanted: str) -> None:
    """Terminators stand at the end of the right kind of body only; `wanted` is empty for a
    vecscope, which has none."""
    for item, after in pairwise((*body.items, None)):
        if not isinstance(item, Terminator):
            continue
        name = reader.notes[item].name
        found = reader.text[name]
        if item.name != wanted:
            message = f"{found} cannot end this body"
            expected = wanted or "no terminator"
            reader.findings.at(STRUCTURE, name, message, found=found, expected=expected)
        elif after is not None:
            place = _name_of(reader, after)
            message = f"nothing may follow {found}"
            reader.findings.at(STRUCTURE, place, message, found=reader.text[place])


def check_values(reader: Reader, op: Terminator, wanted: Sequence[TextType], whose: str) -> None:
    """The values a terminator hands on have the types of those who receive them."""
    note = reader.notes[op]
    values = op.values
    if len(values) != len(wanted):
        message = f"{whose} has {len(wanted)} results, but {len(values)} values are given"
        reader.findings.at(
            STRUCTURE, note.name, message, found=str(len(values)), expected=str(len(wanted))
        )
        return
    places = note.operands[len(op.operands) - len(values) :]
    for value, type, place in zip(values, wanted, places, strict=True):
        own = reader.type_of(value)
        if types.compatible(own, type):
            continue
        reader.findings.at(
            WRONG_TYPE,
            place,
            f"{reader.shown(value)} is {own}, but {whose} takes {type}",
            found=str(own),
            expected=str(type),
        )
