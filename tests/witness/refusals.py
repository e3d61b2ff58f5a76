"""Refusals name a number that the instruction was given, and a range that it is not in."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import NamedTuple


class Stated(NamedTuple):
    """The texts of a refusal: what was found, and what was expected."""

    found: str
    expected: str


SILENT = Stated("", "")
"""Of a refusal that is not about a number."""

_NUMBER = r"(-?\d+)"
_FORMS: tuple[tuple[str, Callable[..., bool]], ...] = (
    (_NUMBER, lambda n, one: n == one),
    (f"{_NUMBER} or {_NUMBER}", lambda n, one, other: n in (one, other)),
    (f"{_NUMBER} to {_NUMBER}", lambda n, low, high: low <= n <= high),
    (f"{_NUMBER} or more", lambda n, low: n >= low),
    (f"a multiple of {_NUMBER}", lambda n, unit: n % unit == 0),
    ("an even number", lambda n: n % 2 == 0),
    ("any other number", lambda n: False),
    # Of numbers that hold several: which part is wrong is not to be seen.
    (f"{_NUMBER} or more rows and columns", lambda n, low: False),
)


def misstated(stated: Stated, given: Collection[int]) -> str:
    """Returns the mistake in it, or nothing. `given` are the raw numbers that it may name."""
    if stated == SILENT:
        return ""
    if not re.fullmatch(_NUMBER, stated.found):
        return f"{stated.found!r} is no number"
    number = int(stated.found)
    wraps = (0, *(1 << bits for bits in (8, 16, 32, 64)))
    if not any(number + wrap in given for wrap in wraps):
        return f"nobody gave it {number}"
    for form, allows in _FORMS:
        read = re.fullmatch(form, stated.expected)
        if read:
            inside = allows(number, *(int(part) for part in read.groups()))
            return f"{number} is {stated.expected}" if inside else ""
    return f"{stated.expected!r} is no range"
