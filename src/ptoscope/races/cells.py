"""The bytes of a trace, cut where any access begins or ends.

Between two cuts all bytes have the same accesses: they are one cell. Cells are numbered
through all memory spaces, so that one array holds a number for every byte that matters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ptoscope.trace.places import SCOPES
from ptoscope.trace.trace import NONE, UB, Column, Trace

_MARKED = 1 << 22
"""Up to so many bytes, cuts are found by marking them; beyond, by sorting."""


@dataclass(frozen=True, eq=False)
class Runs:
    """Dense runs of bytes, in the order of their events: `start` up to `stop`, which are the
    cells `first` up to `last` (`stop` and `last` excluded).

    `node` is the event that stands among the synchronisation: the event itself, or the
    vecscope around it. Cells below `ub_cells` are on the core, in UB or registers; there are
    `cells` in all.
    """

    event: Column
    node: Column
    space: Column
    writes: Column
    start: Column
    stop: Column
    first: Column
    last: Column
    cells: int
    ub_cells: int

    def of(self, node: int) -> slice:
        """The runs of a node."""
        low, high = np.searchsorted(self.node, [node, node + 1])
        return slice(int(low), int(high))


def cut(trace: Trace) -> Runs:
    """All accesses of a trace, as runs."""
    a = trace.accesses
    event, space, writes, start = a.event, a.space, a.writes, a.start
    length = a.length
    if len(a) and int(a.count.max()) > 1:
        row = np.repeat(np.arange(len(a)), a.count)
        turn = np.arange(len(row)) - np.repeat(np.cumsum(a.count) - a.count, a.count)
        event, space, writes, length = event[row], space[row], writes[row], length[row]
        start = start[row] + turn * a.stride[row]
    stop = start + length
    first, last, cells, ub_cells = _cells(space, start, stop)
    node = _nodes(trace, event)
    return Runs(event, node, space, writes, start, stop, first, last, cells, ub_cells)


def _nodes(trace: Trace, event: Column) -> Column:
    is_scope = np.array([place.name in SCOPES for place in trace.places], dtype=bool)
    scopes = np.flatnonzero(is_scope[trace.events.place]) if len(is_scope) else np.zeros(0, int)
    entry = trace.events.entry[event]
    node = event.astype(np.int64)
    inside = entry != NONE
    # Vecscopes are numbered in the order of issue, which is that of the events.
    node[inside] = scopes[entry[inside]]
    return node


def _cells(space: Column, start: Column, stop: Column) -> tuple[Column, Column, int, int]:
    first = np.zeros(len(start), dtype=np.int64)
    last = np.zeros(len(start), dtype=np.int64)
    cells = ub_cells = 0
    for here in np.unique(space):
        mine = space == here
        low, high = start[mine], stop[mine]
        base, end = int(low.min()), int(high.max())
        if end - base <= _MARKED:
            marks = np.zeros(end - base + 1, dtype=np.int64)
            marks[low - base] = 1
            marks[high - base] = 1
            number = np.cumsum(marks) - 1
            first[mine], last[mine] = cells + number[low - base], cells + number[high - base]
            found = int(number[-1]) + 1
        else:
            cuts = np.unique(np.concatenate((low, high)))
            first[mine] = cells + np.searchsorted(cuts, low)
            last[mine] = cells + np.searchsorted(cuts, high)
            found = len(cuts)
        cells += found
        if here <= UB:
            ub_cells = cells
    return first, last, cells, ub_cells


@dataclass(frozen=True, eq=False)
class Ranges:
    """The cells of each node, reads and writes apart, as few ranges as possible; in the order
    of the nodes."""

    node: Column
    writes: Column
    first: Column
    last: Column


def merge(runs: Runs, only: Column | None = None) -> Ranges:
    """The ranges of all runs, or of some."""
    chosen = slice(None) if only is None else only
    node, writes = runs.node[chosen], runs.writes[chosen]
    first, last = runs.first[chosen], runs.last[chosen]
    if not len(node):
        return Ranges(node, writes, first, last)
    group = node * 2 + writes
    size = runs.cells + 1
    order = np.argsort(group * size + first)
    group, first, last = group[order], first[order], last[order]
    # Within a group a range begins where nothing before it reaches; groups lie apart.
    begin, reach = group * size + first, np.maximum.accumulate(group * size + last)
    starts = np.concatenate(([True], begin[1:] > reach[:-1]))
    at = np.flatnonzero(starts)
    ends = np.concatenate((at[1:], [len(first)])) - 1
    group = group[at]
    return Ranges(group >> 1, (group & 1).astype(bool), first[at], reach[ends] - group * size)
