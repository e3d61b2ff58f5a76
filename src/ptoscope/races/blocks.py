"""Blocks run at the same time: nothing orders what two of them do to GM."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ptoscope.races.cells import Runs
from ptoscope.races.last_accesses import Meeting
from ptoscope.races.node_cells import AccessKind, NodeCells, Part, listed, meet
from ptoscope.trace.trace import NONE, Column, Trace


def meetings_of_blocks(trace: Trace, runs: Runs, report: Callable[[Meeting], None]) -> None:
    """Reports accesses of two blocks to the same bytes, one of which writes: for each node
    those that were the last of the blocks before to touch some byte of it."""
    a = trace.accesses
    if trace.grid == 1 or not (a.writes & (a.space >= 0)).any():
        return
    in_gm = np.logical_or.reduceat(a.space >= 0, runs.bounds[:-1])
    nodes = runs.nodes[in_gm]
    bounds = runs.bounds[:-1][in_gm], runs.bounds[1:][in_gm]
    node_cells = NodeCells(runs)
    last: dict[AccessKind, Column] = {}
    blocks = trace.events.block[nodes]
    for block in np.unique(blocks).tolist():
        mine = slice(*np.searchsorted(blocks, [block, block + 1]))
        rows = list(zip(nodes[mine].tolist(), *(b[mine].tolist() for b in bounds), strict=True))
        for node, low, high in rows:
            parts = [part for part in node_cells.parts(low, high) if not part.on_core]
            met: dict[int, Meeting] = {}
            for writes, read, other, cell in sorted(m for p in parts for m in _met(p, last)):
                met.setdefault(other, Meeting(other, node, not read, writes, cell))
            for meeting in met.values():
                report(meeting)
        for node, low, high in rows:
            for access, on_core, _, cells in node_cells.parts(low, high):
                if on_core:
                    continue
                if access not in last:
                    last[access] = np.full(runs.cells, NONE, dtype=np.int32)
                last[access][cells] = node


def _met(part: Part, last: dict[AccessKind, Column]) -> list[tuple[bool, bool, int, int]]:
    """Whom some cells of a node are shared with: whether the node writes, whether the other
    only read, the other, and the first cell."""
    found: list[tuple[bool, bool, int, int]] = []
    for access, nodes in last.items():
        if not meet(part.access, access):
            continue
        seen = np.atleast_1d(nodes[part.cells])
        if int(seen.max()) != NONE:
            at = np.flatnonzero(seen != NONE)
            others, first = np.unique(seen[at], return_index=True)
            cells = listed(part.cells)[at[first]]
            for other, cell in zip(others.tolist(), cells.tolist(), strict=True):
                found.append((part.access > 0, access == 0, other, cell))
    return found
