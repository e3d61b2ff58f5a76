"""What is known of a scalar while compiling: the least and greatest number it can be, and a
number it is a multiple of. Enough to leave out checks that cannot fail."""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

_LEAST, _MOST = -(1 << 62), 1 << 62


class Span(NamedTuple):
    """Every number from low to high that is a multiple of a step (0: only 0)."""

    low: int
    high: int
    multiple: int


def exactly(number: int) -> Span:
    """One number."""
    return Span(number, number, abs(number))


def _fitting(low: int, high: int, multiple: int) -> Span | None:
    """Nothing is known of sums that may wrap."""
    return Span(low, high, multiple) if low > _LEAST and high < _MOST else None


def combined(op: str, one: Span | None, two: Span | None) -> Span | None:
    """The span of a sum, difference or product."""
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


def either(one: Span | None, two: Span | None) -> Span | None:
    """The span of a choice."""
    if one is None or two is None:
        return None
    low, high = min(one.low, two.low), max(one.high, two.high)
    return Span(low, high, gcd(one.multiple, two.multiple))


def within(span: Span | None, bits: int, signed: bool) -> Span | None:
    """The span after a cast: known only if every number fits."""
    if span is None:
        return None
    low, high = (-(1 << (bits - 1)), 1 << (bits - 1)) if signed else (0, 1 << bits)
    return span if low <= span.low and span.high < high else None


def of_loop(low: Span | None, high: Span | None, step: Span | None) -> Span | None:
    """The span of a loop's index, between known bounds with a known step."""
    if low is None or high is None or step is None or step.low != step.high or step.low <= 0:
        return None
    last = high.high - 1
    if low.low == low.high:
        last = low.low + (max(last - low.low, 0) // step.low) * step.low
    return Span(low.low, max(last, low.low), gcd(low.multiple, step.low))


def within_places(span: Span, last: int, multiple: int) -> bool:
    """Whether every number lies between 0 and `last` and is a multiple of another."""
    return 0 <= span.low <= span.high <= last and span.multiple % multiple == 0
