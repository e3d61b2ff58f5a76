"""Clauses with words, such as `unit_flag(check_only)` or `nz2nd`: attributes that are written so.

A word of a clause is told by its keyword, its label (`mode` in `pre_quant(%p, mode = f32_f16)`) and
itself; a keyword that stands for an attribute has neither.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from ptoscope.isa.record import Attr, Form
from ptoscope.isa.types import AttrValue

_TEXT = re.compile(r"(\w+)(?:\((?:(\w+) = )?(\w+)\))?")


class ClauseWord(NamedTuple):
    """One word of a clause."""

    keyword: str
    label: str = ""
    token: str = ""


class WordTable(NamedTuple):
    """What the words of a form's clauses say: the attribute and its value."""

    meanings: Mapping[ClauseWord, tuple[str, str | int]]
    order: Mapping[str, int]
    """Where each keyword stands among the clauses."""

    def tokens(self, keyword: str, label: str) -> list[str]:
        """The words that a clause may have."""
        return [w.token for w in self.meanings if (w.keyword, w.label) == (keyword, label)]


def word_of(attr: Attr, value: AttrValue) -> ClauseWord | None:
    """How an attribute with a value is written in its clause; None where it is not."""
    if not attr.clause or value == attr.default:
        return None
    token = str(value)
    match = _TEXT.fullmatch(attr.clause.replace("*", attr.written.get(token, token)))
    assert match is not None, attr.clause
    return ClauseWord(*(part or "" for part in match.groups()))


@cache
def word_table(form: Form) -> WordTable:
    """The words of a form."""
    meanings: dict[ClauseWord, tuple[str, str | int]] = {}
    for attr in form.attrs:
        for value in attr.values or (1,):
            word = word_of(attr, value)
            if word is not None:
                meanings[word] = attr.name, value
    keywords = form.clauses or tuple(dict.fromkeys(word.keyword for word in meanings))
    return WordTable(meanings, {keyword: at for at, keyword in enumerate(keywords)})


def clause_texts(
    form: Form, attrs: Mapping[str, AttrValue], clauses: Sequence[tuple[str, Sequence[str]]]
) -> list[str]:
    """The clauses of an instruction: those with operands, of which `clauses` has the names, and
    those of the attributes."""
    inside = {group.keyword: group.inside for group in form.groups if group.inside}
    words = [w for a in form.attrs if a.name in attrs and (w := word_of(a, attrs[a.name]))]
    parts: dict[str, list[str]] = {}
    found: list[tuple[str, list[str]]] = []
    for keyword, values in clauses:
        if keyword not in inside:
            found.append((keyword, list(values)))
            parts[keyword] = found[-1][1]
    for word in words:
        if word.keyword not in parts:
            found.append((word.keyword, []))
            parts[word.keyword] = found[-1][1]
        if word.token:
            said = f"{word.label} = {word.token}" if word.label else word.token
            parts[word.keyword].append(said)
    for keyword, values in clauses:
        outer = inside.get(keyword, "")
        if outer:
            if outer not in parts:
                found.append((outer, []))
                parts[outer] = found[-1][1]
            parts[outer].append(f"{keyword} = {values[0]}")
    order = word_table(form).order
    if order:
        found.sort(key=lambda clause: order.get(clause[0], len(order)))
    return [f"{keyword}({', '.join(p)})" if p else keyword for keyword, p in found]


def with_clauses(form: Form, head: str, texts: Sequence[str]) -> list[str]:
    """A line and its clauses, in parts before which it may break."""
    comma = "," if ", groups" in form.pattern else ""
    parts = [head, *(f" {text}" for text in texts)]
    return [*(part + comma for part in parts[:-1]), parts[-1]]
