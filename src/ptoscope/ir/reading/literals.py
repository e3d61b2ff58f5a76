"""Reads literals: numbers with their types, strings with their escapes."""

from __future__ import annotations

import math
import re

from ptoscope.ir import types
from ptoscope.ir.numbers import constant_value, float_bits, float_of, integer_range
from ptoscope.ir.reading.cursor import Cursor
from ptoscope.ir.reading.findings import SYNTAX
from ptoscope.ir.types import TextType
from ptoscope.isa.dtypes import DType
from ptoscope.isa.parts import PIPE_ALL
from ptoscope.isa.types import Scalar

_ESCAPE = re.compile(rb'\\(["nt\\]|[0-9A-Fa-f]{2})')
_ESCAPED = {b'"': b'"', b"n": b"\n", b"t": b"\t", b"\\": b"\\"}


def is_number(token: str) -> bool:
    """Whether a token begins a number: with a digit of ASCII."""
    first = token[1:2] if token[:1] == "-" else token[:1]
    return "0" <= first <= "9"


def number(reader: Cursor) -> tuple[int | float | bool, TextType]:
    """Reads a number or a truth value with its type, which has a default; a finding, and any
    value, where the type is none."""
    place = reader.i
    literal = reader.text[place]
    reader.i += 1
    default = types.F64 if "." in literal else types.I64
    if literal in ("true", "false"):
        default = types.I1
    kind = reader.type() if reader.accept(":") else default
    if kind is types.UNKNOWN:
        return 0, kind
    return number_of(reader, place, kind), kind


def number_of(reader: Cursor, place: int, kind: TextType) -> int | float | bool:
    """The value of a number of a given type."""
    literal = reader.text[place]
    found = _numbers.get((literal, kind))
    if found is None:
        found = _numbers[literal, kind] = _number(reader, place, literal, kind)
    return found


_numbers: dict[tuple[str, TextType], int | float | bool] = {}


def _number(reader: Cursor, place: int, literal: str, kind: TextType) -> int | float | bool:
    if not isinstance(kind, Scalar):
        raise reader.findings.stop(
            SYNTAX, place, f"a constant is a number, not {kind}", found=literal
        )
    dtype = kind.dtype
    shown = literal if len(literal) < 40 else "the number"
    if dtype.is_float:
        if "x" in literal:
            bits = int(literal, 16)
            if not 0 <= bits < 1 << dtype.bits:
                message = f"{literal} does not fit {kind}"
                raise reader.findings.stop(SYNTAX, place, message, found=literal)
            return constant_value(float_of(bits, dtype), dtype)
        if "." not in literal:
            raise reader.findings.expected(place, f"a float such as {literal}.0 for {kind}")
        value = _rounded(literal, dtype)
        if math.isinf(value):
            raise reader.findings.stop(
                SYNTAX,
                place,
                f"{shown} does not fit {kind}",
                found=literal[:40],
                hint=f"for infinity write its bits, 0x{float_bits(value, dtype):X}",
            )
        return value
    is_word = literal in ("true", "false")
    if "." in literal or (is_word and kind is not types.I1):
        raise reader.findings.expected(place, f"an integer for {kind}")
    low, high = integer_range(dtype)
    value = _integer(literal) if not is_word else int(literal == "true")
    if value is None or not low <= value <= high:
        raise reader.findings.stop(
            SYNTAX,
            place,
            f"{shown} does not fit {kind}",
            found=literal[:40],
            expected=f"{low} to {high}",
        )
    return constant_value(value, dtype)


def _rounded(literal: str, dtype: DType) -> float:
    """Returns the number of a type nearest to a decimal; an infinity for too large a one."""
    try:
        return float(constant_value(float(literal), dtype))
    except OverflowError:
        return -math.inf if literal.startswith("-") else math.inf


def _integer(literal: str) -> int | None:
    """The value of an integer; None for one of so many digits that it fits nowhere, and for
    what is none."""
    if len(literal) > 1000 or not is_number(literal) or "." in literal:
        return None
    return int(literal, 16) if "x" in literal else int(literal)


def integer_at(reader: Cursor, place: int) -> int:
    """The integer that a token is."""
    value = _integer(reader.text[place])
    if value is None:
        raise reader.findings.expected(place, "an integer")
    return value


def string_at(reader: Cursor, place: int) -> str:
    """The string that a token is."""
    token = reader.text[place]
    if len(token) < 2:
        raise reader.findings.expected(place, "a closed string")
    if "\\" not in token:
        return token[1:-1]
    data = _ESCAPE.sub(_unescaped, token[1:-1].encode())
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise reader.findings.expected(place, "a string of UTF-8 text") from None


def _unescaped(match: re.Match[bytes]) -> bytes:
    found = match.group(1)
    return _ESCAPED.get(found) or bytes.fromhex(found.decode())


def plain_string_at(reader: Cursor, place: int) -> str:
    """The string that a token is, which has no escapes."""
    if "\\" in reader.text[place]:
        raise reader.findings.expected(place, "a string without escapes")
    return string_at(reader, place)


def literal_value(token: str) -> str | int:
    """The value of a literal token."""
    if token[0] == '"':
        return token[1:-1]
    if token[0] == "#":
        return token.partition("<")[2][:-1] or PIPE_ALL
    value = _integer(token)
    return token if value is None else value
