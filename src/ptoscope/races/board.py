"""Who touched each byte last, and accesses to the same bytes that no clock orders.

Of earlier accesses only the last of each pipe to a cell matters: what completes it completes
those before it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ptoscope.isa.targets import PIPES
from ptoscope.races.cells import Ranges, Runs
from ptoscope.trace.trace import PIPE_NUMBERS, Column

IN_ORDER = frozenset(PIPE_NUMBERS[name] for name in ("PIPE_S", "PIPE_V"))
"""Pipes whose instructions complete one after the other; copies of a DMA pipe may overlap."""
UB_COPIES_IN_ORDER = True
"""Whether copies of one DMA pipe that meet in UB count as ordered. By the documents only a
barrier orders them; the public suite relies on their order in UB, never in GM."""

Clock = list[int]
"""For every pipe: the event before which all that was issued to it is complete."""
_Table = tuple[int, bool, Column]
"""Whose accesses, whether they write, and the last event for every cell."""


class Meeting(NamedTuple):
    """Two nodes that touch the same cell without order: which of them write there. `early` is
    the one that was issued first."""

    early: int
    late: int
    early_writes: bool
    late_writes: bool
    cell: int


class Board:
    """Who touched each cell last: one array for each pipe, reads and writes apart."""

    def __init__(self, runs: Runs, ranges: Ranges, report: Callable[[Meeting], None]) -> None:
        self._cells, self._ub = runs.cells, runs.ub_cells
        self._report = report
        self._tables: dict[tuple[int, bool], Column] = {}
        self._against: list[tuple[list[_Table], list[_Table]]] = [([], []) for _ in PIPES]
        """By pipe, for its reads and its writes: the tables of accesses that they may race."""
        columns = ranges.writes, ranges.first, ranges.last
        self._ranges = list(zip(*(c.tolist() for c in columns), strict=True))
        nodes, first = np.unique(ranges.node, return_index=True)
        bounds = [*first.tolist(), len(self._ranges)]
        self._of = dict(zip(nodes.tolist(), pairwise(bounds), strict=True))

    def touch(self, node: int, pipe: int, known: Clock) -> None:
        """A node is executed. What it races with is reported and then taken as known."""
        begin, end = self._of[node]
        mine = self._ranges[begin:end]
        met: dict[int, Meeting] = {}
        for writes, first, last in mine:
            for other, wrote, table in self._against[pipe][writes]:
                if other == pipe and UB_COPIES_IN_ORDER and first < self._ub:
                    continue
                latest = table[first] if last - first == 1 else table[first:last].max()
                before = met.get(other)
                if latest >= known[other] and (before is None or _other(before, node) < latest):
                    cell = first + int(table[first:last].argmax())
                    met[other] = _meeting(int(latest), node, wrote, writes, cell)
        for other, meeting in met.items():
            self._report(meeting)
            if meeting.late == node:
                # What would order the last of a pipe orders those before it.
                known[other] = meeting.early + 1
        for writes, first, last in mine:
            table = self._tables.get((pipe, writes))
            if table is None:
                table = self._begin(pipe, writes)
            table[first:last] = node

    def _begin(self, pipe: int, writes: bool) -> Column:
        """The first access of its kind: from now on others are compared with it."""
        table = self._tables[pipe, writes] = np.full(self._cells, -1, dtype=np.int64)
        for other in range(len(PIPES)):
            if other != pipe or pipe not in IN_ORDER:
                self._against[other][True].append((pipe, writes, table))
                if writes:
                    self._against[other][False].append((pipe, writes, table))
        return table


def _other(meeting: Meeting, node: int) -> int:
    return meeting.early if meeting.late == node else meeting.late


def _meeting(earlier: int, node: int, wrote: bool, writes: bool, cell: int) -> Meeting:
    """An instruction that was issued later may have been executed first."""
    if earlier < node:
        return Meeting(earlier, node, wrote, writes, cell)
    return Meeting(node, earlier, writes, wrote, cell)
