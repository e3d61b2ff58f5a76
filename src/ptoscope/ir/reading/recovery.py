"""Finds the next operation after an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptoscope.ir.language import STRUCTURE
from ptoscope.ir.reading.findings import Stop
from ptoscope.ir.reading.names import LOST
from ptoscope.ir.reading.scanner import END

if TYPE_CHECKING:
    from ptoscope.ir.reading.reader import Reader

DEEPEST = 60
"""Bodies may nest this deep."""


def recover(reader: Reader, first: int) -> None:
    """After an error in the operation that starts at `first`, finds the next operation.

    Bodies that the broken operation opens are read all the same, for their own errors.
    """
    text = reader.text
    failed = min(max(reader.i, first), len(text) - 1)
    _poison_results(reader, first)
    i = first
    depth = 0
    while text[i] is not END:
        token = text[i]
        if token == "{":
            if i >= failed and depth == 0 and _opens_body(reader, i) and reader.depth < DEEPEST:
                i = _broken_body(reader, first, i)
                continue
            depth += 1
        elif token == "}":
            if depth == 0 and i > first:
                break
            depth -= 1
            if depth < 0:
                break
        elif i >= failed and i > first and depth == 0 and _starts_operation(reader, i):
            break
        i += 1
    # Always forward, or a stray token would be met again for ever.
    reader.i = i if i > first or text[i] in ("}", END) else first + 1


def _poison_results(reader: Reader, first: int) -> None:
    for place in _result_names(reader, first):
        if reader.text[place] not in reader.values:
            reader.define(place, LOST)


def _result_names(reader: Reader, first: int) -> list[int]:
    """Where the results of a broken operation are likely to be named."""
    text = reader.text
    if text[first][:1] == "%":
        names, i = _names(reader, first)
        return names if text[i] == "=" else []
    if text[first] in STRUCTURE:
        return []
    i = first + 1
    if text[i] not in ("ins", "outs") or text[i + 1] != "(":
        # Assembly form: results come first, and operands are mostly known.
        return _names(reader, i)[0]
    while text[i] is not END and not _starts_operation(reader, i):
        if text[i] == "outs" and text[i + 1] == "(":
            return _names(reader, i + 2)[0]
        i += 1
    return []


def _names(reader: Reader, i: int) -> tuple[list[int], int]:
    """The value names of a list, and the token behind them."""
    names: list[int] = []
    while reader.text[i][:1] == "%" or reader.text[i] in (",", ":") or reader.text[i].isdecimal():
        if reader.text[i][:1] == "%" and "#" not in reader.text[i]:
            names.append(i)
        i += 1
    return names, i


def _opens_body(reader: Reader, i: int) -> bool:
    gap = reader.tokens.source[reader.tokens.start[i] : reader.tokens.start[i + 1]]
    return "\n" in gap or reader.text[i + 1][:1] == "^"


def _broken_body(reader: Reader, first: int, brace: int) -> int:
    outer = reader.scope
    reader.scope = []
    for place in range(first, brace):
        name = reader.text[place]
        if name[:1] == "%" and name not in reader.values:
            reader.define(place, LOST)
    reader.i = brace
    in_function = reader.in_function
    reader.in_function = in_function or reader.text[first] not in ("module", "builtin.module")
    try:
        reader.body(labelled=True)
    except Stop:
        pass
    finally:
        reader.in_function = in_function
        reader.forget(reader.scope)
        reader.scope = outer
    return max(reader.i, brace + 1)


def _starts_operation(reader: Reader, i: int) -> bool:
    tokens = reader.tokens
    before = tokens.source[tokens.end(i - 1) : tokens.start[i]]
    if "\n" not in before:
        return False
    word = reader.text[i]
    if reader.text[i - 1] in (",", "(", "[", "="):
        return False
    return word[:1] in ("%", '"', "^") or word in reader.handlers or "." in word[1:]
