"""The bytes of a trace, cut where any access begins or ends.

Between two cuts all bytes have the same accesses: they are one cell. Cells are numbered
through all memory spaces, so that one array holds a number for every byte that matters.

Loops touch the same bytes again and again. Accesses that are alike are one pattern, and only
patterns are taken apart into their runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ptoscope.program import Scope
from ptoscope.trace.trace import NONE, UB, UBS, Column, Trace, run_starts

_MARKED = 1 << 22
"""Up to so many bytes, cuts are found by marking them; beyond, by sorting."""
_AT_ONCE = 1 << 20
"""How many runs of patterns are held at a time."""
_LONG = 32
"""From so many runs on a pattern is marked by itself."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """Accesses that differ, with the columns of `Accesses`. `first` up to `last` (excluded) are
    the cells from the first byte to the last, the gaps between runs too: none where the space is
    only read."""

    space: Column
    writes: Column
    atomic: Column
    start: Column
    length: Column
    count: Column
    stride: Column
    first: Column
    last: Column

    def __len__(self) -> int:
        return len(self.space)

    @cached_property
    def stop(self) -> Column:
        """Where the last run of each ends."""
        return self.start + (self.count - 1) * self.stride + self.length

    def starts(self, which: Column) -> tuple[Column, Column]:
        """Where each run of some patterns starts, and its pattern."""
        return run_starts(self, which)


@dataclass(frozen=True, eq=False)
class Cuts:
    """The cuts of a space, from the byte `low` on: `at` are their bytes, and the cell that
    begins at the first of them has the number `base`."""

    low: int
    base: int
    at: Column
    table: Column | None
    """For each byte from `low` on the number of cuts up to it, less 1; None if that is long."""

    def cells(self, bytes_: Column) -> Column:
        """The cells that begin at these bytes."""
        if self.table is not None:
            return self.table[bytes_ - self.low] + self.base
        return (np.searchsorted(self.at, bytes_) + self.base).astype(np.int32)


class Runs:
    """The accesses of a trace by their patterns, and the runs of loads and stores to UB inside
    vecscopes (none where nothing writes to UB).

    `which` is the pattern of each access; all those of spaces that are only read, which cannot
    race, count as one. `nodes` are the events that stand among the
    synchronisation and touch bytes (an instruction, or the vecscope around it), in order; the
    accesses of `nodes[k]` are those from `bounds[k]` up to `bounds[k + 1]`.

    Cells below `ub_cells` are on the core, in UB or registers; there are `cells` in all.

    The runs are in the order of their events: `start` up to `stop`, which are the cells `first`
    up to `last` (`stop` and `last` excluded).
    """

    def __init__(self, trace: Trace) -> None:
        self._trace, self._accesses = trace, trace.accesses
        self.which, self.patterns, self.cuts = _patterns(trace)
        ends = {s: c.base + len(c.at) for s, c in self.cuts.items()}
        self.cells = max(ends.values(), default=0)
        self.ub_cells = max((end for s, end in ends.items() if s <= UB), default=0)
        node = _nodes(trace)
        begins = np.flatnonzero(np.diff(node, prepend=NONE))
        self.nodes = node[begins]
        self.bounds = np.append(begins, len(node)).astype(np.int32)

    def accesses(self, node: int) -> slice:
        """The accesses of a node."""
        at = int(np.searchsorted(self.nodes, node))
        return slice(int(self.bounds[at]), int(self.bounds[at + 1]))

    def byte(self, cell: int) -> tuple[int, int]:
        """The space of a cell and its first byte."""
        space, cuts = next(
            (s, c) for s, c in self.cuts.items() if c.base <= cell < c.base + len(c.at)
        )
        return space, int(cuts.at[cell - cuts.base])

    # The runs inside vecscopes, made when they are asked for.

    @cached_property
    def _row(self) -> Column | slice:
        """The access of each run."""
        a = self._accesses
        written = [space for space in UBS if space in self.cuts]
        if not written:
            return np.zeros(0, dtype=np.int64)
        in_ub = a.space == written[0]
        for other in written[1:]:
            in_ub |= a.space == other
        inside = (self._trace.events.entry[a.event] != NONE) & in_ub
        row = np.flatnonzero(inside)
        if len(row) and int(a.count[row].max()) > 1:
            return np.repeat(row, a.count[row])
        return slice(None) if len(row) == len(a) else row

    @cached_property
    def event(self) -> Column:
        return self._accesses.event[self._row]

    @cached_property
    def space(self) -> Column:
        return self._accesses.space[self._row]

    @cached_property
    def writes(self) -> Column:
        return self._accesses.writes[self._row]

    @cached_property
    def start(self) -> Column:
        a, row = self._accesses, self._row
        start = a.start[row]
        if isinstance(row, slice) or not len(row) or int(a.count[row].max()) == 1:
            return start
        begins = np.flatnonzero(np.diff(row, prepend=NONE))
        iteration = np.arange(len(row)) - np.repeat(begins, np.diff(begins, append=len(row)))
        return start + iteration * a.stride[row]

    @cached_property
    def stop(self) -> Column:
        return self.start + self._accesses.length[self._row]

    @cached_property
    def first(self) -> Column:
        return self._cells(self.start)

    @cached_property
    def last(self) -> Column:
        return self._cells(self.stop)

    def _cells(self, bytes_: Column) -> Column:
        """The cells that begin at bytes of the runs."""
        if not len(bytes_):
            return bytes_
        written = [space for space in UBS if space in self.cuts]
        if len(written) == 1:
            return self.cuts[written[0]].cells(bytes_)
        found = np.zeros(len(bytes_), dtype=np.int32)
        for space in written:
            mine = self.space == space
            found[mine] = self.cuts[space].cells(bytes_[mine])
        return found


def cut(trace: Trace) -> Runs:
    """All accesses of a trace, their bytes cut into cells."""
    return Runs(trace)


def _nodes(trace: Trace) -> Column:
    """The node of each access: rising, as the events of a vecscope follow it at once."""
    event = trace.accesses.event
    is_scope = np.array([isinstance(place.op, Scope) for place in trace.places], dtype=bool)
    scopes = np.flatnonzero(is_scope[trace.events.place]) if len(is_scope) else np.zeros(0, int)
    entry = trace.events.entry[event]
    inside = entry != NONE
    if not inside.any():
        return event.astype(np.int32, copy=False)
    # Vecscopes are numbered in the order of issue, which is that of the events.
    return np.where(inside, scopes[entry], event).astype(np.int32)


def _patterns(trace: Trace) -> tuple[Column, Patterns, dict[int, Cuts]]:
    a = trace.accesses
    columns = a.space, a.writes, a.atomic, a.length, a.count, a.stride, a.start
    which, row = _alike(columns, len(a))
    space, writes, atomic, length, count, stride, start = (column[row] for column in columns)
    first, last = np.zeros((2, len(row)), dtype=np.int32)
    made = Patterns(space, writes, atomic, start, length, count, stride, first, last)
    spaces: dict[int, Cuts] = {}
    base = 0
    for here in np.unique(space[writes]).tolist():
        mine = np.flatnonzero(space == here)
        cuts = spaces[here] = _cuts(made, mine, base)
        first[mine] = cuts.cells(start[mine])
        last[mine] = cuts.cells(made.stop[mine])
        base += len(cuts.at)
    nothing = np.flatnonzero(first == last)
    if len(nothing):
        number = np.arange(len(row), dtype=np.int32)
        number[nothing] = nothing[0]
        which = number[which]
    return which, made, spaces


def _alike(columns: tuple[Column, ...], size: int) -> tuple[Column, Column]:
    """The number of each row, the same for rows that are alike, and one row of each number."""
    number = np.zeros(size, dtype=np.int32)
    different = min(size, 1)
    for column in columns:
        low, high = (int(column.min()), int(column.max())) if size else (0, 0)
        if low < high:
            key = column - np.int64(low)
            if different > 1:
                key += number * np.int64(high - low + 1)
            number, different = _ranked(key, different * (high - low + 1))
    row = np.zeros(different, dtype=np.int64)
    row[number] = np.arange(size)
    return number, row


def _ranked(key: Column, limit: int) -> tuple[Column, int]:
    """Numbers below a limit by their rank, and how many different ones there are."""
    if limit > max(4 * len(key), _AT_ONCE):
        values, rank = np.unique(key, return_inverse=True)
        return rank.astype(np.int32), len(values)
    seen = np.zeros(limit, dtype=bool)
    seen[key] = True
    rank = np.cumsum(seen, dtype=np.int32)
    return rank[key] - np.int32(1), int(rank[-1])


def _cuts(patterns: Patterns, mine: Column, base: int) -> Cuts:
    """The cuts of the space of some patterns."""
    low = int(patterns.start[mine].min())
    size = int(patterns.stop[mine].max()) - low
    if size > max(_MARKED, 4 * int(patterns.count[mine].sum(dtype=np.int64))):
        found = [different(np.concatenate(ends)) for ends in _ends(patterns, mine)]
        return Cuts(low, base, different(np.concatenate(found)), None)
    marks = np.zeros(size + 1, dtype=bool)
    long = patterns.count[mine] >= _LONG
    for begin, end in _ends(patterns, mine[~long]):
        marks[begin - low] = True
        marks[end - low] = True
    mine = mine[long]
    columns = patterns.start[mine] - low, patterns.length[mine], patterns.stride[mine]
    stops = patterns.stop[mine] - low
    for start, length, stride, stop in zip(*(c.tolist() for c in (*columns, stops)), strict=True):
        marks[start:stop:stride] = True
        marks[start + length : stop + 1 : stride] = True
    table = np.cumsum(marks, dtype=np.int32) - np.int32(1)
    return Cuts(low, base, np.flatnonzero(marks) + low, table)


def different(values: Column) -> Column:
    """The values, rising and each one once. NumPy's own way is slower by far for so many."""
    values.sort()
    return values[np.diff(values, prepend=values[0] - 1) != 0]


def _ends(patterns: Patterns, mine: Column) -> Iterator[tuple[Column, Column]]:
    """Where the runs of some patterns begin and end, so many at a time as memory is for."""
    part = np.cumsum(patterns.count[mine], dtype=np.int64) // _AT_ONCE
    for some in np.split(mine, np.flatnonzero(np.diff(part)) + 1):
        begin, pattern = patterns.starts(some)
        yield begin, begin + patterns.length[pattern]
