"""Attributes of the generic form: each is its text, with the value that the text says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ptoscope.ir import types
from ptoscope.ir.numbers import constant_text, constant_value
from ptoscope.ir.types import TextType
from ptoscope.isa.dtypes import DType
from ptoscope.isa.record import Attr
from ptoscope.isa.types import AttrValue, Scalar

CLAUSES = "clauses"
SIZES = "operandSegmentSizes"
"""Properties of the generic form that keep the clauses of a grouped instruction."""
FORM = "pto.form"
"""Attribute of the generic form that names the form where nothing else decides it."""

Segments = tuple[tuple[str, int], ...]


class FunctionTypes(NamedTuple):
    """The types that a function takes and returns."""

    inputs: tuple[TextType, ...]
    outputs: tuple[TextType, ...]


class Attribute(NamedTuple):
    """An attribute as it is written; `value` is what it says, None where only its text counts.
    A list has those of its members, words such as `#arith.overflow<nsw>` are a tuple of them.
    `type` is that of a number."""

    text: str
    value: str | int | float | Sequence[object] | FunctionTypes | None = None
    type: TextType | None = None

    @property
    def is_string(self) -> bool:
        return isinstance(self.value, str)

    @property
    def is_integer(self) -> bool:
        return isinstance(self.value, int)


UNIT = Attribute("unit")


def string(value: str) -> Attribute:
    """A string."""
    return Attribute(quoted(value), value)


def quoted(value: str) -> str:
    """A string as it is written."""
    if value.isascii() and value.isprintable() and '"' not in value and "\\" not in value:
        return f'"{value}"'
    text = ""
    for byte in value.encode():
        character = chr(byte)
        if character == "\\":
            text += "\\\\"
        else:
            text += character if " " <= character <= "~" and byte != 0x22 else f"\\{byte:02X}"
    return f'"{text}"'


def number(value: int | float, type: TextType = types.I64) -> Attribute:
    """A number of a scalar type; one that is signless has the sign of its bits."""
    dtype = scalar(type)
    return Attribute(constant_text(value, dtype), constant_value(value, dtype), type)


def of_instruction(attr: Attr, value: AttrValue) -> Attribute:
    """A token or number of an instruction."""
    if isinstance(value, str):
        return string(value)
    assert isinstance(value, int | float)
    return number(value, types.I1 if attr.is_flag else types.I64)


def words(name: str, chosen: Sequence[str]) -> Attribute:
    """A set of words, `#name<a,b>`."""
    return Attribute(f"#{name}<{','.join(chosen)}>", tuple(chosen))


def signature(inputs: Sequence[TextType], outputs: Sequence[TextType]) -> Attribute:
    """The type of a function."""
    ends = (", ".join(map(str, side)) for side in (inputs, outputs))
    return Attribute("({}) -> ({})".format(*ends), FunctionTypes(tuple(inputs), tuple(outputs)))


def clauses(segments: Segments, positional: int) -> dict[str, Attribute]:
    """The properties that keep clauses, of an instruction with operands before them."""
    if not segments:
        return {}
    keywords = [keyword for keyword, _ in segments]
    sizes = [positional, *(count for _, count in segments)]
    return {
        CLAUSES: Attribute(f"[{', '.join(map(quoted, keywords))}]", keywords),
        SIZES: Attribute(f"array<i32: {', '.join(map(str, sizes))}>", sizes),
    }


def scalar(type: TextType) -> DType:
    """The element type of a scalar type."""
    assert isinstance(type, Scalar)
    return type.dtype


def dictionary(attributes: Mapping[str, Attribute]) -> str:
    """An attribute dictionary as it is written."""
    entries: list[str] = []
    for name, attribute in attributes.items():
        key = name if is_word(name) else quoted(name)
        entries.append(key if attribute is UNIT else f"{key} = {attribute.text}")
    return f"{{{', '.join(entries)}}}"


def is_word(name: str) -> bool:
    """Whether a name is written without quotes."""
    return name.isascii() and name.replace(".", "a").replace("$", "a").isidentifier()
