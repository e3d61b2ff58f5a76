"""Reads attributes: dictionaries of any kind, and those that an instruction takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from ptoscope.ir import attributes as make
from ptoscope.ir import types
from ptoscope.ir.attributes import UNIT, Attribute
from ptoscope.ir.numbers import constant_value, float_of, integer_range
from ptoscope.ir.reading.cursor import Cursor
from ptoscope.ir.reading.findings import SYNTAX, WRONG_OPERANDS
from ptoscope.ir.reading.scanner import END
from ptoscope.ir.types import TextType
from ptoscope.isa.pipes import PIPE_ALL
from ptoscope.isa.record import Attr, Form
from ptoscope.isa.types import AttrValue, Scalar

_DEEPEST = 40
"""Lists and dictionaries may nest this deep."""
_ESCAPE = re.compile(rb'\\(["nt\\]|[0-9A-Fa-f]{2})')
_ESCAPED = {b'"': b'"', b"n": b"\n", b"t": b"\t", b"\\": b"\\"}


def dictionary(reader: Cursor, depth: int = 0) -> dict[str, Attribute]:
    """Reads `{name = attribute, name, ...}`."""
    found: dict[str, Attribute] = {}

    def entry() -> None:
        at = reader.i
        token = reader.text[at]
        if token[:1] == '"':
            name = string_at(reader, at)
        elif token[:1].isalpha() or token[:1] == "_":
            name = token
        else:
            raise reader.findings.expected(at, "the name of an attribute")
        reader.i += 1
        if name in found:
            message = f"attribute '{name}' is written twice"
            raise reader.findings.stop(SYNTAX, at, message, found=name)
        found[name] = _attribute(reader, depth + 1) if reader.accept("=") else UNIT

    reader.expect("{")
    _several(reader, "}", entry)
    return found


def _several(reader: Cursor, close: str, one: Callable[[], None]) -> None:
    """Reads things with commas between them, up to a closing token."""
    if reader.accept(close):
        return
    while True:
        one()
        if reader.accept(close):
            return
        if not reader.accept(","):
            raise reader.findings.expected(reader.i, f"',' or '{close}'")


def _attribute(reader: Cursor, depth: int) -> Attribute:
    at = reader.i
    token = reader.text[at]
    if depth > _DEEPEST:
        raise reader.findings.stop(SYNTAX, at, "nested too deeply", found=token)
    match token[:1]:
        case '"':
            reader.i += 1
            return make.string(string_at(reader, at))
        case "[":
            reader.i += 1
            members: list[Attribute] = []
            _several(reader, "]", lambda: members.append(_attribute(reader, depth + 1)))
            text = ", ".join(member.text for member in members)
            return Attribute(f"[{text}]", [member.value for member in members])
        case "{":
            return Attribute(make.dictionary(dictionary(reader, depth)))
        case "(":
            inputs = reader.type_list()
            reader.expect("->")
            return make.signature(inputs, reader.type_list())
        case "#":
            return _hashed(reader)
        case "@" if len(token) > 1:
            reader.i += 1
            return Attribute(token)
        case "!":
            return Attribute(str(reader.type()))
    if token == "array" and reader.text[at + 1] == "<":
        return _array(reader)
    if token == "unit":
        reader.i += 1
        return UNIT
    if is_number(token) or token in ("true", "false"):
        value, type = number(reader)
        return make.number(value, type)
    if types.is_type(token):
        return Attribute(str(reader.type()))
    raise reader.findings.expected(at, "an attribute")


def _hashed(reader: Cursor) -> Attribute:
    """Reads `#name` or `#name<...>`, whatever stands between the brackets."""
    start = reader.i
    depth = 0
    while True:
        token = reader.text[reader.i]
        depth += (token == "<") - (token == ">")
        if token is END or token in ("{", "}") or token[:1] == '"':
            raise reader.findings.expected(reader.i, "'>'")
        reader.i += 1
        if depth == 0 and (reader.i > start + 1 or reader.text[reader.i] != "<"):
            break
    text = reader.tokens.source[reader.tokens.start[start] : reader.tokens.end(reader.i - 1)]
    name, _, rest = text[1:].partition("<")
    listed = [word.strip() for word in rest[:-1].split(",")] if rest else []
    flags = FLAGS.get(name)
    if flags is None:
        return Attribute(text)
    return flag_set(reader, start, name, listed)


FLAGS = {
    "arith.overflow": ("nsw", "nuw"),
    "arith.fastmath": ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn"),
}
"""The promises of arith operations, in the order in which they are written."""
ALL_FLAGS = {"arith.fastmath": "fast"}
"""The word for all of them."""


def flag_set(reader: Cursor, place: int, name: str, listed: Sequence[str]) -> Attribute:
    """A set of promises of an arith operation."""
    known = FLAGS[name]
    every = ALL_FLAGS.get(name)
    if list(listed) == ["none"]:
        return Attribute(f"#{name}<none>", ())
    if list(listed) == [every] or (set(listed) == set(known) and every):
        return Attribute(f"#{name}<{every}>", known)
    if not listed or not set(listed) <= set(known):
        short = name.partition(".")[2]
        message = f"unknown {short} flag in <{', '.join(listed)}>"
        raise reader.findings.stop(
            SYNTAX, place, message, found=reader.text[place], expected=", ".join(known)
        )
    return make.words(name, [word for word in known if word in listed])


def _array(reader: Cursor) -> Attribute:
    """Reads `array<i32: 1, 2>`."""
    reader.i += 2
    kind = reader.type()
    values: list[int] = []
    if reader.accept(">"):
        return Attribute(f"array<{kind}>", values)

    def member() -> None:
        values.append(integer_at(reader, reader.i))
        reader.i += 1

    reader.expect(":")
    _several(reader, ">", member)
    return Attribute(f"array<{kind}: {', '.join(map(str, values))}>", values)


def is_number(token: str) -> bool:
    """Whether a token begins a number."""
    return token[:1].isdecimal() or (token[:1] == "-" and token[1:2].isdecimal())


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
    found = _numbers.get((literal, kind))
    if found is None:
        found = _numbers[literal, kind] = _number(reader, place, literal, kind)
    return found, kind


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
        try:
            return constant_value(float(literal), dtype)
        except OverflowError:
            message = f"{literal} does not fit {kind}"
            raise reader.findings.stop(SYNTAX, place, message, found=literal) from None
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


def given_attributes(
    reader: Cursor,
    form: Form,
    attrs: Sequence[tuple[str, int]],
    literals: Sequence[int],
    entries: Mapping[str, tuple[Attribute, int]],
) -> dict[str, AttrValue]:
    """The attributes of an instruction that stand in the text: `attrs` pairs their names with
    literal tokens, `entries` are those of the dictionary with their places."""
    found: dict[str, AttrValue] = {}
    for name, literal in attrs:
        place = literals[literal]
        token = reader.text[place]
        if token[0] == '"':
            found[name] = plain_string_at(reader, place)
        elif token[0] == "#":
            found[name] = _pipe(reader, place)
        else:
            found[name] = integer_at(reader, place)
    for name, (attribute, place) in entries.items():
        found[name] = _of_kind(reader, form.attr(name), attribute, place)
    return found


def all_attributes(form: Form, given: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    """The attributes of a form in its order: those given, and the defaults of the others."""
    return {
        attr.name: value
        for attr in form.attrs
        if (value := given.get(attr.name, attr.default)) is not None
    }


def literal_value(token: str) -> str | int:
    """The value of a literal token."""
    if token[0] == '"':
        return token[1:-1]
    if token[0] == "#":
        return token.partition("<")[2][:-1] or PIPE_ALL
    value = _integer(token)
    return token if value is None else value


def _pipe(reader: Cursor, place: int) -> str:
    head, _, rest = reader.text[place].partition("<")
    if head != "#pto.pipe":
        raise reader.findings.expected(place, "#pto.pipe<...>")
    return rest[:-1].strip() if rest else PIPE_ALL


def _of_kind(reader: Cursor, attr: Attr, attribute: Attribute, place: int) -> AttrValue:
    value = attribute.value
    if isinstance(value, str | int) and isinstance(value, str) == bool(attr.values):
        return value
    expected = f'a string such as "{attr.values[0]}"' if attr.values else "an integer"
    raise reader.findings.stop(
        WRONG_OPERANDS,
        place,
        f"attribute '{attr.name}' takes {expected}",
        found=attribute.text,
        expected=expected,
    )
