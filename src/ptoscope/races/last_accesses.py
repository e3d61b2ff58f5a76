"""Who touched each byte last, and accesses to the same bytes that no clock orders.

Of earlier accesses only the last of each pipe to a cell matters: what completes it completes
those before it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ptoscope.isa.order.clocks import COUNT, Clock
from ptoscope.isa.parts import COPY_NUMBERS
from ptoscope.races.cells import Runs
from ptoscope.races.node_cells import AccessKind, NodeCells, cell_at, meet, run_of
from ptoscope.trace.trace import NONE, Column


class Meeting(NamedTuple):
    """Two nodes that touch the same cell without order: which of them write there. `early` is
    the one that was issued first; of two cores, which nothing orders, the one looked at first."""

    early: int
    late: int
    early_writes: bool
    late_writes: bool
    cell: int


@dataclass(eq=False, slots=True)
class _Table:
    """Accesses of one kind by one pipe: the last event for every cell, and the last of all,
    which often tells enough."""

    pipe: int
    access: AccessKind
    last: Column
    newest: int = NONE


class LastAccesses:
    """Who touched each cell last: one table for each pipe and kind of access."""

    def __init__(self, runs: Runs, report: Callable[[Meeting], None]) -> None:
        self._cells = runs.cells
        self._node_cells = NodeCells(runs)
        self._report = report
        self._tables: dict[tuple[int, AccessKind], _Table] = {}
        self._against: dict[tuple[int, AccessKind], list[_Table]] = {}
        """By pipe and kind of access: the tables of accesses that it may race."""

    def touch(self, node: int, pipe: int, known: Clock, accesses: tuple[int, ...]) -> None:
        """A node is executed, whose accesses are those from one up to another. What it races
        with is reported and then taken as known."""
        parts = self._node_cells.parts(*accesses)
        met: dict[int, tuple[tuple[int, int, int], Meeting]] = {}
        for number, (access, _, in_order, cells) in enumerate(parts):
            if (pipe, access) not in self._against:
                self._begin(pipe, access)
            for table in self._against[pipe, access]:
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
                    wrote, writes = table.access > 0, access > 0
                    first = other // COUNT != pipe // COUNT or latest < node
                    met[other] = rank, _meeting(latest, node, wrote, writes, cell, first)
        for other, (_, meeting) in met.items():
            self._report(meeting)
            if meeting.late == node:
                # What would order the last of a pipe orders those before it.
                known[other] = meeting.early + 1
        for access, _, _, cells in parts:
            table = self._tables[pipe, access]
            table.last[cells] = node
            table.newest = node

    def _begin(self, pipe: int, access: AccessKind) -> None:
        """The first access of its kind: from now on others are compared with it."""
        table = _Table(pipe, access, np.full(self._cells, NONE, dtype=np.int32))
        self._tables[pipe, access] = table
        self._against[pipe, access] = []
        for (other, kind), known in self._tables.items():
            if not meet(access, kind) or (other == pipe and pipe % COUNT not in COPY_NUMBERS):
                continue
            self._against[pipe, access].append(known)
            if known is not table:
                self._against[other, kind].append(table)


def _meeting(earlier: int, node: int, wrote: bool, writes: bool, cell: int, first: bool) -> Meeting:
    """An instruction that was issued later may have been executed first."""
    if first:
        return Meeting(earlier, node, wrote, writes, cell)
    return Meeting(node, earlier, writes, wrote, cell)
