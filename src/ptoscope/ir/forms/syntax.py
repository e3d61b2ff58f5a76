"""Syntax lines of the records, compiled for reader and printer alike."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from ptoscope.isa.record import Attr, Form, Group
from ptoscope.isa.types import GRANULARITIES, Mask

ItemKind = Literal["operand", "address", "token", "word", "integer", "pipe", "open", "close"]

LETTERS: dict[ItemKind, str] = {
    "operand": "v",
    "address": "a",
    "token": "s",
    "word": "w",
    "integer": "i",
    "pipe": "s",
    "open": "[",
    "close": "]",
}
"""The letter of each item in an outline, the summary of what is written before the colon."""


@dataclass(frozen=True)
class Item:
    """One element of a syntax line; `names` are its operands or its attribute."""

    kind: ItemKind
    names: tuple[str, ...] = ()
    optional: bool = False


@dataclass(frozen=True, eq=False)
class Syntax:
    """A compiled syntax line.

    `entries` are the attributes of the dictionary, `listed` the values whose types are
    written before the arrow, `repeated` the attribute whose word stands behind those types,
    `returned` the values whose types are written after the arrow. `typed` says that a type list
    is written at all.
    """

    items: tuple[Item, ...]
    entries: tuple[Attr, ...]
    groups: tuple[Group, ...]
    listed: tuple[str, ...]
    returned: tuple[str, ...]
    typed: bool
    region: bool
    repeated: str = ""

    @property
    def values(self) -> tuple[str, ...]:
        """The operands of the positional part, in written order."""
        return tuple(
            name
            for item in self.items
            if item.kind in ("operand", "address")
            for name in item.names
        )


_GOVERNING = ("mask", "seed")
_ITEM = re.compile(
    r"""\s*(?:(\w+)\[(\w+)\]|"(\w+)"|'(\w+)'|=(\w+)|\{([\w, ]*)\}|#(\w+)|([\[\],])|(\w+))"""
)


@cache
def compiled(form: Form) -> Syntax:
    """The syntax of a form."""
    before, colon, after = form.pattern.partition(":")
    if before.strip() == "none":
        return Syntax((), (), (), (), (), False, False)
    if not colon and "->" in before:
        before, _, after = before.partition("->")
        after = "->" + after
    listed, _, returned = after.partition("->")
    items: list[Item] = []
    in_dictionary: list[str] = []
    region = False
    position = 0
    while before[position:].strip():
        match = _ITEM.match(before, position)
        if match is None:
            raise ValueError(f"cannot read the syntax line '{form.pattern}'")
        position = match.end()
        base, offset, token, word, integer, entry, pipe, mark, name = match.groups()
        if base:
            items.append(Item("address", (base, offset)))
        elif token:
            items.append(Item("token", (token,), form.attr(token).default is not None))
        elif word:
            items.append(Item("word", (word,)))
        elif integer:
            items.append(Item("integer", (integer,), form.attr(integer).default is not None))
        elif pipe:
            items.append(Item("pipe", (pipe,)))
        elif entry is not None:
            in_dictionary += [n.strip() for n in entry.split(",") if n.strip()]
        elif mark == "[":
            items.append(Item("open"))
        elif mark == "]":
            items.append(Item("close"))
        elif name in ("region", "args"):
            region = True
        elif name and name != "groups":
            items.append(Item("operand", (name,)))
    placed = {n for item in items for n in item.names} | set(in_dictionary)
    in_dictionary += [a.name for a in form.attrs if a.name not in placed]
    listed, _, repeated = listed.rstrip(" '").partition("'")
    return Syntax(
        tuple(items),
        tuple(form.attr(name) for name in in_dictionary),
        form.groups,
        _names(listed, tuple(o.name for o in form.operands)),
        _names(returned, tuple(r.name for r in form.results)),
        bool(after.strip()),
        region,
        repeated,
    )


def _names(text: str, everything: tuple[str, ...]) -> tuple[str, ...]:
    names = tuple(n.strip() for n in text.split(",") if n.strip())
    return everything if names == ("all",) else names


def without_mask(form: Form, syntax: Syntax) -> Syntax | None:
    """Drops the operand that says which lanes take part; None if there is none."""
    if len(form.operands) < 2 or form.operands[-1].name not in _GOVERNING:
        return None
    mask = form.operands[-1]
    if not any(mask.type.match(Mask(bits), {}) for bits in GRANULARITIES):
        return None
    items = tuple(item for item in syntax.items if item.names != (mask.name,))
    return replace(syntax, items=items)


def shown(form: Form) -> str:
    """The part of a syntax line before the colon, for messages."""
    before = form.pattern.partition(":")[0].strip().replace("'", "")
    return "" if before == "none" else before
