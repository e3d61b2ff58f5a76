"""What is known of a scalar while compiling: the least and greatest number it can be, and a
number it is a multiple of. Enough to leave out checks that cannot fail."""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

_LEAST, _MOST = -(1 << 62), 1 << 62


class Range(NamedTuple):
    """Every number from low to high that is a multiple of a step (0: only 0)."""

    low: int
    high: int
    multiple: int


def exactly(number: int) -> Range:
    """One number."""
    return Range(number, number, abs(number))


def _fitting(low: int, high: int, multiple: int) -> Range | None:
    """Nothing is known of sums that may wrap."""
    return Range(low, high, multiple) if low > _LEAST and high < _MOST else None


def combined(op: str, one: Range | None, two: Range | None) -> Range | None:
    """The range of a sum, difference or product."""
    if one is None or two is None:
        return None
    if op == "add":
        return _fitting(one.low + two.low, one.high + two.high, gcd(one.multiple, two.multiple))
    if op == "sub":
        return _fitting(one.low - two.high, one.high - two.low, gcd(one.multiple, two.multiple))
    if op != "mul":
        return None
    corners = [a * b for a in (one.low, one.high) for b in (two.low, two.high)]
    return _fitting(min(corners), max(corners), one.multiple * two.multiple)


def either(one: Range | None, two: Range | None) -> Range | None:
    """The range of a choice."""
    if one is None or two is None:
        return None
    low, high = min(one.low, two.low), max(one.high, two.high)
    return Range(low, high, gcd(one.multiple, two.multiple))


def within(given: Range | None, bits: int, signed: bool) -> Range | None:
    """The range after a cast: known only if every number fits."""
    if given is None:
        return None
    low, high = (-(1 << (bits - 1)), 1 << (bits - 1)) if signed else (0, 1 << bits)
    return given if low <= given.low and given.high < high else None


def of_loop(low: Range | None, high: Range | None, step: Range | None) -> Range | None:
    """The range of a loop's index, between known bounds with a known step."""
    if low is None or high is None or step is None or step.low != step.high or step.low <= 0:
        return None
    last = high.high - 1
    if low.low == low.high:
        last = low.low + (max(last - low.low, 0) // step.low) * step.low
    return Range(low.low, max(last, low.low), gcd(low.multiple, step.low))


def always_inside(given: Range, last: int, multiple: int) -> bool:
    """Whether every number lies between 0 and `last` and is a multiple of another."""
    return 0 <= given.low <= given.high <= last and given.multiple % multiple == 0
