"""Which brace was left open, by the indentation of the others."""

from __future__ import annotations

from typing import NamedTuple

from ptoscope.ir.reading.scanner import Tokens


class LeftOpen(NamedTuple):
    """A brace that nothing closes, and the token before which its own should stand."""

    brace: int
    before: int


def left_open(tokens: Tokens) -> LeftOpen | None:
    """The first brace left open in a text with more opened than closed; None where its lines
    do not say which.

    A closing brace that begins its line stands below the start of the line that opened it. One
    that stands further to the left closes an outer body, so the inner one was left open.
    """
    if tokens.text.count("{") <= tokens.text.count("}"):
        return None
    opened: list[int] = []
    for number, token in enumerate(tokens.text):
        if token == "{":
            opened.append(number)
        elif token == "}" and opened:
            inner = opened.pop()
            if _begins_line(tokens, number) and _indent(tokens, number) < _indent(tokens, inner):
                return LeftOpen(inner, _end_of_body(tokens, inner, number))
    return None


def _end_of_body(tokens: Tokens, brace: int, latest: int) -> int:
    """The first token of the first line that stands no further to the right than the one with
    the brace."""
    indent = _indent(tokens, brace)
    for number in range(brace + 1, latest):
        ends = _begins_line(tokens, number) and _indent(tokens, number) <= indent
        if ends and tokens.text[number][:1] not in ("^", "}", ":"):
            return number
    return latest


def _begins_line(tokens: Tokens, number: int) -> bool:
    start = tokens.start[number]
    line = tokens.source.rfind("\n", 0, start) + 1
    return not tokens.source[line:start].strip()


def _indent(tokens: Tokens, number: int) -> int:
    """Characters before the first of the line that a token stands in."""
    line = tokens.source_line(tokens.line(tokens.start[number]))
    return len(line) - len(line.lstrip())
