"""Blocks run at the same time: nothing orders what two of them do to GM."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ptoscope.races.board import Meeting
from ptoscope.races.cells import Runs, merge
from ptoscope.trace.trace import Trace


def meetings_of_blocks(trace: Trace, runs: Runs, report: Callable[[Meeting], None]) -> None:
    """Reports accesses of two blocks to the same bytes, one of which writes: for each node and
    each byte the last one of the blocks before."""
    if trace.grid == 1:
        return
    ranges = merge(runs, np.flatnonzero(runs.space >= 0))
    if not ranges.writes.any():
        return
    last = {writes: np.full(runs.cells, -1, dtype=np.int64) for writes in (False, True)}
    blocks = trace.events.block[ranges.node]
    columns = ranges.node, ranges.writes, ranges.first, ranges.last
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    for block in range(trace.grid):
        low, high = np.searchsorted(blocks, [block, block + 1])
        for node, writes, first, end in rows[low:high]:
            met: dict[int, Meeting] = {}
            for wrote in (True, False) if writes else (True,):
                cells = last[wrote][first:end]
                hit = np.flatnonzero(cells >= 0)
                earlier, where = np.unique(cells[hit], return_index=True)
                for event, at in zip(earlier.tolist(), hit[where].tolist(), strict=True):
                    met.setdefault(event, Meeting(event, node, wrote, writes, first + at))
            for meeting in met.values():
                report(meeting)
        for node, writes, first, end in rows[low:high]:
            last[writes][first:end] = node
