"""Addresses for buffers of which is known when they are live: numbers alone, no program.

The best address shares no byte with any other buffer: who shares has to wait for the other's end,
which costs flags and overlap of pipes. Only where there is not room enough do buffers that are
never live together share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

_ROUNDS = 32
"""How often what did not fit is moved to the front before an order is given up."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A buffer that is live from `first` to `last`, both included. `at` is its address, where that
    is decided."""

    first: int
    last: int
    bytes: int
    alignment: int = 1
    at: int | None = None

    def meets(self, other: Interval) -> bool:
        """Whether there is a moment at which both are live."""
        return self.first <= other.last and other.first <= self.last


class NoRoom(Exception):
    """No way was found to place the buffers; `number` is the first one that ended too high."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def place(choices: Sequence[Sequence[Interval]], capacity: int) -> list[int]:
    """An address below the capacity for each buffer; NoRoom where none were found. Buffers that are
    live together do not overlap, but for those whose addresses are both decided.

    `choices` are the same buffers, each time live at other moments, the preferred ones first: later
    ones are for what does not fit. Before them comes, that no buffer shares bytes with another.
    """
    always = [replace(interval, first=0, last=0) for interval in choices[0]]
    for intervals in (always, *choices):
        if load(intervals)[0] > capacity:
            continue
        for way in (_apart, _low):
            found = [_fitted(intervals, order, way, capacity) for order in _orders(intervals)]
            fitting = [places for places in found if not _too_high(intervals, places, capacity)]
            if fitting:
                best = min(fitting, key=lambda places: _sharing(intervals, places))
                return [best[n] for n in range(len(intervals))]
    places = _placed(choices[-1], next(_orders(choices[-1])), _low, capacity)
    raise NoRoom(_too_high(choices[-1], places, capacity)[0])


def load(intervals: Sequence[Interval]) -> tuple[int, int]:
    """The most bytes that are live at one moment, and the first such moment."""
    moments = sorted({i.first for i in intervals})
    loads = [_taken([i for i in intervals if i.first <= m <= i.last]) for m in moments]
    most = max(loads, default=0)
    return most, moments[loads.index(most)] if moments else 0


def _taken(live: list[Interval]) -> int:
    """The bytes that buffers need together: addresses that are decided may be the same."""
    total = end = 0
    for at, size in sorted((i.at, i.bytes) for i in live if i.at is not None):
        total += max(0, at + size - max(at, end))
        end = max(end, at + size)
    return total + sum(i.bytes for i in live if i.at is None)


_Places = dict[int, int]
"""Addresses by the number of the buffer."""
_Area = tuple[int, int]
"""Where bytes begin and end."""
_Way = Callable[[Interval, list[_Area], list[_Area], int], int]
"""The address of a buffer, from the areas it must keep clear of, sorted, and those it may share."""


def _orders(intervals: Sequence[Interval]) -> Iterator[list[int]]:
    """In which order to place: none is best for all programs."""
    free = [n for n, i in enumerate(intervals) if i.at is None]
    # Those that begin first below those that begin and end within them, as on a stack.
    yield sorted(free, key=lambda n: (intervals[n].first, -intervals[n].last))
    yield sorted(free, key=lambda n: -intervals[n].bytes)
    yield sorted(free, key=lambda n: intervals[n].first - intervals[n].last)


def _fitted(intervals: Sequence[Interval], order: list[int], way: _Way, capacity: int) -> _Places:
    """Placed in an order, or in one in which what ended too high comes first."""
    places = _placed(intervals, order, way, capacity)
    for _ in range(_ROUNDS):
        high = _too_high(intervals, places, capacity)
        if not high:
            break
        order = [*high, *(n for n in order if n not in high)]
        places = _placed(intervals, order, way, capacity)
    return places


def _placed(intervals: Sequence[Interval], order: list[int], way: _Way, capacity: int) -> _Places:
    places = {n: i.at for n, i in enumerate(intervals) if i.at is not None}
    for n in order:
        clear: list[_Area] = []
        shared: list[_Area] = []
        for other, at in places.items():
            area = at, at + intervals[other].bytes
            (clear if intervals[n].meets(intervals[other]) else shared).append(area)
        places[n] = way(intervals[n], sorted(clear), shared, capacity)
    return places


def _low(interval: Interval, clear: list[_Area], shared: list[_Area], capacity: int) -> int:
    """The lowest address there is."""
    return next(_gaps(interval, clear))[0]


def _apart(interval: Interval, clear: list[_Area], shared: list[_Area], capacity: int) -> int:
    """The address at which it shares bytes with the fewest others, of those the lowest; the lowest
    of all where there is none below the capacity."""
    size, alignment = interval.bytes, interval.alignment
    found: list[tuple[int, int]] = []
    for low, high in _gaps(interval, clear):
        high = min(high, capacity)
        above = [_up(end, alignment) for _, end in shared]
        below = [(edge - size) // alignment * alignment for edge in (high, *(s for s, _ in shared))]
        for at in (low, *above, *below):
            if low <= at and at + size <= high:
                met = sum(start < at + size and at < end for start, end in shared)
                found.append((met, at))
    return min(found)[1] if found else _low(interval, clear, shared, capacity)


def _gaps(interval: Interval, clear: list[_Area]) -> Iterator[_Area]:
    """Where there is room for a buffer, from low to high, the last without an end."""
    low = 0
    for start, end in clear:
        if low + interval.bytes <= start:
            yield low, start
        low = max(low, _up(end, interval.alignment))
    yield low, 1 << 62


def _up(address: int, alignment: int) -> int:
    return -(-address // alignment) * alignment


def _too_high(intervals: Sequence[Interval], places: _Places, capacity: int) -> list[int]:
    return [n for n in sorted(places) if places[n] + intervals[n].bytes > capacity]


def _sharing(intervals: Sequence[Interval], places: _Places) -> int:
    """How many pairs of buffers share bytes."""
    areas = [(at, at + intervals[n].bytes) for n, at in places.items()]
    return sum(a[0] < b[1] and b[0] < a[1] for a, b in combinations(areas, 2))
