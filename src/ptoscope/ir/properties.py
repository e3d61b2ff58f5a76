"""The attributes of an instruction, from the literals and entries that are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.ir import Attribute

from ptoscope.ir.errors import WRONG_OPERANDS
from ptoscope.ir.literals import integer, number, string
from ptoscope.ir.reader import Reader
from ptoscope.isa.pipes import PIPE_ALL
from ptoscope.isa.record import Attr, Form


def properties(
    reader: Reader,
    form: Form,
    attrs: Sequence[tuple[str, int]],
    literals: Sequence[int],
    entries: Mapping[str, tuple[Attribute, int]],
) -> dict[str, Attribute]:
    """The properties of an operation: `attrs` pairs attribute names with written literals,
    `entries` are those of the dictionary with their places."""
    found: dict[str, Attribute] = {}
    for name, literal in attrs:
        place = literals[literal]
        token = reader.text[place]
        if token[0] == '"':
            found[name] = string_at(reader, place)
        elif token[0] == "#":
            found[name] = _pipe(reader, place)
        elif "." in token:
            raise reader.findings.expected(place, "an integer")
        else:
            found[name] = integer(number(token))
    for name, (attr, place) in entries.items():
        _check_kind(reader, form.attr(name), attr, place)
        found[name] = attr
    return found


def string_at(reader: Reader, place: int) -> StringAttr:
    """The string that a token is."""
    token = reader.text[place]
    if len(token) < 2:
        raise reader.findings.expected(place, "a closed string")
    if "\\" in token:
        raise reader.findings.expected(place, "a string without escapes")
    return string(token[1:-1])


def _pipe(reader: Reader, place: int) -> StringAttr:
    token = reader.text[place]
    head, _, rest = token.partition("<")
    if head != "#pto.pipe":
        raise reader.findings.expected(place, "#pto.pipe<...>")
    return string(rest[:-1].strip() if rest else PIPE_ALL)


def _check_kind(reader: Reader, attr: Attr, value: Attribute, place: int) -> None:
    kind = StringAttr if attr.values else IntegerAttr
    if isinstance(value, kind):
        return
    expected = f'a string such as "{attr.values[0]}"' if attr.values else "an integer"
    raise reader.findings.stop(
        WRONG_OPERANDS,
        place,
        f"attribute '{attr.name}' takes {expected}",
        found=str(value),
        expected=expected,
    )
