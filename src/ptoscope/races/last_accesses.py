"""Who touched each byte last, and accesses to the same bytes that no clock orders.

Of earlier accesses only the last of each pipe to a cell matters: what completes it completes
those before it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ptoscope.isa.order.clocks import Clock
from ptoscope.isa.parts import COPY_NUMBERS, PIPES
from ptoscope.races.cells import Runs
from ptoscope.races.node_cells import NodeCells, cell_at, run_of
from ptoscope.trace.trace import NONE, Column


class Meeting(NamedTuple):
    """Two nodes that touch the same cell without order: which of them write there. `early` is
    the one that was issued first."""

    early: int
    late: int
    early_writes: bool
    late_writes: bool
    cell: int


@dataclass(eq=False, slots=True)
class _Table:
    """Accesses of one pipe, reads or writes: the last event for every cell, and the last of
    all, which often tells enough."""

    pipe: int
    writes: bool
    last: Column
    newest: int = NONE


class LastAccesses:
    """Who touched each cell last: one table for each pipe, reads and writes apart."""

    def __init__(self, runs: Runs, report: Callable[[Meeting], None]) -> None:
        self._cells = runs.cells
        self._node_cells = NodeCells(runs)
        self._report = report
        self._tables: dict[tuple[int, bool], _Table] = {}
        self._against: list[tuple[list[_Table], list[_Table]]] = [([], []) for _ in PIPES]
        """By pipe, for its reads and its writes: the tables of accesses that they may race."""

    def touch(self, node: int, pipe: int, known: Clock, accesses: tuple[int, ...]) -> None:
        """A node is executed, whose accesses are those from one up to another. What it races
        with is reported and then taken as known."""
        parts = self._node_cells.parts(*accesses)
        met: dict[int, tuple[tuple[int, int, int], Meeting]] = {}
        for number, (writes, _, in_order, cells) in enumerate(parts):
            for table in self._against[pipe][writes]:
                other = table.pipe
                if table.newest < known[other] or (other == pipe and in_order):
                    continue
                seen = table.last[cells]
                latest = int(seen.max())
                if latest < known[other]:
                    continue
                at = int(seen.argmax())
                # Of all that one pipe did the last counts, and of that what comes first here.
                rank = -latest, number, run_of(cells, at)
                if other not in met or rank < met[other][0]:
                    cell = cell_at(cells, at)
                    met[other] = rank, _meeting(latest, node, table.writes, writes, cell)
        for other, (_, meeting) in met.items():
            self._report(meeting)
            if meeting.late == node:
                # What would order the last of a pipe orders those before it.
                known[other] = meeting.early + 1
        for writes, _, _, cells in parts:
            table = self._tables.get((pipe, writes))
            if table is None:
                table = self._begin(pipe, writes)
            table.last[cells] = node
            table.newest = node

    def _begin(self, pipe: int, writes: bool) -> _Table:
        """The first access of its kind: from now on others are compared with it."""
        last = np.full(self._cells, NONE, dtype=np.int32)
        table = self._tables[pipe, writes] = _Table(pipe, writes, last)
        for other in range(len(PIPES)):
            if other != pipe or pipe in COPY_NUMBERS:
                self._against[other][True].append(table)
                if writes:
                    self._against[other][False].append(table)
        return table


def _meeting(earlier: int, node: int, wrote: bool, writes: bool, cell: int) -> Meeting:
    """An instruction that was issued later may have been executed first."""
    if earlier < node:
        return Meeting(earlier, node, wrote, writes, cell)
    return Meeting(node, earlier, writes, wrote, cell)
