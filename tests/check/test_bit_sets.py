"""Sets that share chunks are sets: each result is that of Python's own."""

from __future__ import annotations

from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from ptoscope.check.synchronisation.bit_sets import (
    EMPTY,
    BitSet,
    bits_of,
    contains,
    members,
    only,
    union,
    without,
)

_NUMBERS = st.sets(st.integers(0, 5000), max_size=20)


def _made(numbers: set[int]) -> BitSet:
    return reduce(union, map(only, numbers), EMPTY)


@given(_NUMBERS, _NUMBERS)
def test_they_are_sets(one: set[int], two: set[int]) -> None:
    assert members(union(_made(one), _made(two))) == sorted(one | two)
    assert members(without(_made(one), two)) == sorted(one - two)
    assert [number for number in sorted(two) if contains(_made(one), number)] == sorted(one & two)
    assert bits_of(sum(1 << number for number in one)) == sorted(one)


def test_a_set_with_a_little_more_has_the_chunks_of_the_first() -> None:
    first = _made(set(range(0, 10_000, 3)))
    more = union(first, only(9_998))
    assert [one is two for one, two in zip(first, more, strict=True)].count(False) == 1
    again = union(more, first)
    assert all(one is two for one, two in zip(again, more, strict=True))
