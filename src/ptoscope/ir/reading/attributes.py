"""Reads attributes: dictionaries of any kind, and those that an instruction takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ptoscope.ir import attributes as make
from ptoscope.ir import types
from ptoscope.ir.attributes import UNIT, Attribute
from ptoscope.ir.reading.cursor import Cursor
from ptoscope.ir.reading.findings import SYNTAX, WRONG_OPERANDS
from ptoscope.ir.reading.literals import integer_at, is_number, number, plain_string_at, string_at
from ptoscope.ir.reading.scanner import END
from ptoscope.isa.parts import PIPE_ALL
from ptoscope.isa.record import Attr, Form
from ptoscope.isa.types import AttrValue

_DEEPEST = 40
"""Lists and dictionaries may nest this deep."""


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
            attr = form.attr(name)
            string = (string_at if attr.is_open else plain_string_at)(reader, place)
            found[name] = attr.meant(string) if attr.other_tokens else string
        elif form.attr(name).values:
            found[name] = form.attr(name).meant(_word(reader, form.attr(name), place))
        else:
            found[name] = integer_at(reader, place)
    for name, (attribute, place) in entries.items():
        attr = form.attr(name)
        found[name] = attr.meant(_of_kind(reader, attr, attribute, place))
    return found


def all_attributes(form: Form, given: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    """The attributes of a form in its order: those given, and the defaults of the others."""
    return {
        attr.name: value
        for attr in form.attrs
        if (value := given.get(attr.name, attr.default)) is not None
    }


def _word(reader: Cursor, attr: Attr, place: int) -> str:
    """A token of a set that has a name: `<token>` at its word, or `#pto.kind<token>`."""
    token = reader.text[place]
    if not attr.kind:
        raise reader.findings.expected(place, f'a string such as "{attr.values[0]}"')
    if token[0] != "#":
        return token
    head, _, rest = token.partition("<")
    if head.removeprefix("#pto.") not in attr.kinds:
        raise reader.findings.expected(place, f"#pto.{attr.kind}<...>")
    return rest[:-1].strip() if rest else PIPE_ALL


def token_of_kind(attr: Attr, attribute: Attribute) -> str:
    """What `token_of` says of one of its kinds."""
    return token_of(attribute, attr.kinds)


def token_of(attribute: Attribute, kinds: Sequence[str]) -> str:
    """The token of `#pto.kind<token>` or `#pto<kind token>`; empty for any other attribute."""
    head, _, token = attribute.text[:-1].rpartition("<")
    for kind in kinds:
        if head == f"#pto.{kind}":
            return token.strip()
        if head == "#pto" and token.split()[:1] == [kind]:
            return token.removeprefix(kind).strip()
    return ""


def _of_kind(reader: Cursor, attr: Attr, attribute: Attribute, place: int) -> AttrValue:
    token = token_of_kind(attr, attribute) if attr.kind else ""
    if token:
        return token
    value = 1 if attr.is_flag and attribute is UNIT else attribute.value
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
