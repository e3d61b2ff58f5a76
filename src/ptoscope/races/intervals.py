"""Sets of numbers as a few intervals: what a loop adds up is one, however long it runs."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

Intervals = tuple[int, ...]
"""Where each interval begins and where it ends (excluded), ascending and apart."""


def contains(numbers: Intervals, number: int) -> bool:
    """Whether a number is in one of them."""
    return bisect_right(numbers, number) % 2 == 1


def union(a: Intervals, b: Intervals) -> Intervals:
    """The numbers of either. It takes time for each interval of the shorter one only, but for
    a copy of the longer one."""
    if not a or not b or a is b:
        return a or b
    if len(a) < len(b):
        a, b = b, a
    for i in range(0, len(b), 2):
        # Those that overlap or touch are replaced by one.
        low, high = bisect_left(a, b[i]), bisect_right(a, b[i + 1])
        if low % 2 and low == high:
            continue
        first = () if low % 2 else (b[i],)
        last = () if high % 2 else (b[i + 1],)
        a = (*a[:low], *first, *last, *a[high:])
    return a
