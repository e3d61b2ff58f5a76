"""Two sources beside each other: which lines belong together."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher


def lines_beside(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """The lines of two sources in one order, counted from 1, and 0 where one has none: equal
    lines are pairs, however far they are indented, and so are those of a changed stretch that has
    as many lines in both."""
    a, b = ([line.strip() for line in lines] for lines in (first, second))
    found: list[tuple[int, int]] = []
    for _, begin, end, other, last in SequenceMatcher(None, a, b).get_opcodes():
        mine, theirs = range(begin + 1, end + 1), range(other + 1, last + 1)
        if len(mine) == len(theirs):
            found += zip(mine, theirs, strict=True)
        else:
            found += [(line, 0) for line in mine]
            found += [(0, line) for line in theirs]
    return found
