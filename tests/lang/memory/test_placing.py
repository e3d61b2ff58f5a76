"""Addresses for intervals: nothing overlaps that is live together, and no room is wasted."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptoscope.lang.memory.placing import Interval, NoRoom, load, place

UNIT = 256
CAPACITY = 40 * UNIT


def intervals(decided: bool = False) -> st.SearchStrategy[Interval]:
    """Buffers of up to 8 units that live for a while; some with an address, if `decided`."""
    places = st.integers(0, 32).map(lambda unit: unit * UNIT)
    return st.builds(
        lambda first, length, units, alignment, at: Interval(
            first, first + length, units * UNIT, alignment, at
        ),
        st.integers(0, 20),
        st.integers(0, 12),
        st.integers(1, 8),
        st.sampled_from([32, 256]),
        st.none() | places if decided else st.none(),
    )


def share(a: tuple[Interval, int], b: tuple[Interval, int]) -> bool:
    return a[1] < b[1] + b[0].bytes and b[1] < a[1] + a[0].bytes


def live_at(buffers: list[Interval], moment: int) -> int:
    return sum(i.bytes for i in buffers if i.first <= moment <= i.last)


@given(st.lists(intervals(decided=True), max_size=12))
def test_what_is_live_together_is_apart(buffers: list[Interval]) -> None:
    try:
        addresses = place([buffers], CAPACITY)
    except NoRoom:
        # Without decided addresses, buffers that fit side by side always find a place.
        assert any(b.at is not None for b in buffers) or sum(b.bytes for b in buffers) > CAPACITY
        return
    placed = list(zip(buffers, addresses, strict=True))
    for buffer, address in placed:
        assert 0 <= address <= CAPACITY - buffer.bytes
        assert buffer.at in (None, address)
        assert buffer.at is not None or address % buffer.alignment == 0
    for a, b in combinations(placed, 2):
        together = a[0].first <= b[0].last and b[0].first <= a[0].last
        both_decided = a[0].at is not None and b[0].at is not None
        assert both_decided or not (together and share(a, b))


@given(st.lists(intervals(), min_size=1, max_size=12))
def test_nothing_is_shared_where_all_fit_side_by_side(buffers: list[Interval]) -> None:
    total = sum(b.bytes for b in buffers)
    addresses = place([buffers], total)
    ends = [at + b.bytes for at, b in zip(addresses, buffers, strict=True)]
    assert sorted(addresses) == [0, *sorted(ends)[:-1]]
    assert max(ends) == total


@given(st.lists(intervals(), min_size=1, max_size=8))
def test_the_load_is_the_most_that_is_live_at_one_moment(buffers: list[Interval]) -> None:
    most, moment = load(buffers)
    loads = [live_at(buffers, m) for m in range(40)]
    assert most == max(loads) == loads[moment]
    assert moment == loads.index(most)


@st.composite
def nested(draw: st.DrawFn) -> list[Interval]:
    """Buffers of which any two are live one after the other, or one while the other is."""
    found: list[Interval] = []

    def fill(first: int, last: int, depth: int) -> None:
        cuts = draw(st.sets(st.integers(first, last), max_size=3))
        for low, high in pairwise(sorted({first, last, *cuts})):
            for _ in range(draw(st.integers(0, 2))):
                units = draw(st.integers(1, 8))
                found.append(Interval(low, max(low, high - 1), units * UNIT, 32))
            if depth:
                fill(low, high, depth - 1)

    fill(0, 40, 2)
    return draw(st.permutations(found[:14])) if found else [Interval(0, 1, UNIT, 32)]


@given(nested())
def test_nested_buffers_need_no_more_than_what_is_live(buffers: list[Interval]) -> None:
    most = max(live_at(buffers, moment) for moment in range(41))
    addresses = place([buffers], most)
    assert max(at + b.bytes for at, b in zip(addresses, buffers, strict=True)) == most


def test_a_buffer_is_shared_by_as_few_as_possible() -> None:
    """Four buffers, one after the other; there is room for three, so that one pair shares."""
    buffers = [Interval(i, i, 4 * UNIT, 32) for i in range(4)]
    addresses = place([buffers], 12 * UNIT)
    pairs = combinations(zip(buffers, addresses, strict=True), 2)
    assert sum(share(a, b) for a, b in pairs) == 1


def test_the_first_choice_that_fits_is_taken() -> None:
    """By the first choice both are live at once; there is room for one."""
    together = [Interval(0, 9, UNIT, 32), Interval(0, 9, UNIT, 32)]
    apart = [Interval(0, 4, UNIT, 32), Interval(5, 9, UNIT, 32)]
    assert place([together, apart], UNIT) == [0, 0]
    with pytest.raises(NoRoom):
        place([together, together], UNIT)


def test_a_decided_address_in_the_middle_leaves_two_halves() -> None:
    middle = Interval(0, 9, UNIT, 32, at=2 * UNIT)
    fitting = [Interval(0, 9, 2 * UNIT, 32), middle, Interval(0, 9, 2 * UNIT, 32)]
    assert place([fitting], 5 * UNIT) == [0, 2 * UNIT, 3 * UNIT]
    with pytest.raises(NoRoom) as caught:
        place([[middle, Interval(0, 9, 4 * UNIT, 32)]], 5 * UNIT)
    assert caught.value.number == 1


def test_decided_addresses_may_be_the_same() -> None:
    """As in a text: the author sees the same bytes as two buffers."""
    buffers = [Interval(0, 9, UNIT, 32, at=0), Interval(0, 9, UNIT, 32, at=0)]
    assert load(buffers) == (UNIT, 0)
    assert place([buffers], UNIT) == [0, 0]


def test_no_buffers() -> None:
    assert place([[]], 0) == []
    assert load([]) == (0, 0)
