"""Blocks run at the same time: nothing orders what two of them do to GM."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ptoscope.races.board import Meeting
from ptoscope.races.cells import Runs
from ptoscope.races.footprints import Footprints, Part, listed
from ptoscope.trace.trace import NONE, Column, Trace


def meetings_of_blocks(trace: Trace, runs: Runs, report: Callable[[Meeting], None]) -> None:
    """Reports accesses of two blocks to the same bytes, one of which writes: for each node and
    each byte the last one of the blocks before; so many times as there are runs of bytes that
    the node meets the other in."""
    a = trace.accesses
    if trace.grid == 1 or not (a.writes & (a.space >= 0)).any():
        return
    in_gm = np.logical_or.reduceat(a.space >= 0, runs.bounds[:-1])
    nodes = runs.nodes[in_gm]
    bounds = runs.bounds[:-1][in_gm], runs.bounds[1:][in_gm]
    footprints = Footprints(runs)
    last = {writes: np.full(runs.cells, NONE, dtype=np.int32) for writes in (False, True)}
    blocks = trace.events.block[nodes]
    for block in np.unique(blocks).tolist():
        mine = slice(*np.searchsorted(blocks, [block, block + 1]))
        rows = list(zip(nodes[mine].tolist(), *(b[mine].tolist() for b in bounds), strict=True))
        for node, low, high in rows:
            for part in footprints.parts(low, high):
                if not part.on_core:
                    for meeting in _meetings(node, part, last):
                        report(meeting)
        for node, low, high in rows:
            for writes, on_core, cells in footprints.parts(low, high):
                if not on_core:
                    last[writes][cells] = node


def _meetings(node: int, part: Part, last: dict[bool, Column]) -> list[Meeting]:
    """Those of some cells: the others in the order of the first run that they are met in, there
    those that write before those that read."""
    tables = (True, False) if part.writes else (True,)
    if all(int(last[wrote][part.cells].max()) == NONE for wrote in tables):
        return []
    cells = listed(part.cells)
    run = np.cumsum(np.diff(cells, prepend=cells[0]) > 1)
    found: dict[int, tuple[Meeting, set[int]]] = {}
    rows: list[tuple[int, bool, int, int]] = []
    for wrote in tables:
        seen = last[wrote][cells]
        at = np.flatnonzero(seen != NONE)
        _, first = np.unique(run[at] << 32 | seen[at], return_index=True)
        at = at[first]
        columns = run[at], np.full(len(at), not wrote), seen[at], cells[at]
        rows += zip(*(column.tolist() for column in columns), strict=True)
    for number, read, earlier, cell in sorted(rows):
        meeting = Meeting(earlier, node, not read, part.writes, cell)
        found.setdefault(earlier, (meeting, set()))[1].add(number)
    return [meeting._replace(times=len(runs)) for meeting, runs in found.values()]
