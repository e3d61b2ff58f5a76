"""What stops the dispatch of the vector core: it is in order, so that what cannot go on holds up
all behind it, also while others start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ptoscope.timing.critical import line
from ptoscope.timing.run import TimedRun
from ptoscope.timing.vector_core import CAUSE_COUNT, CAUSES, LOADS, REENTRY, SHARED, VECTORS

_HELPS = {
    VECTORS: "unroll by 2 and interleave the copies, or keep fewer values alive",
    SHARED: "shorten the chain of results that instructions wait for, or interleave two of them",
    LOADS: "load later, or fewer registers at a time",
    REENTRY: "make the inner loop longer, or join it with the one around it",
}
"""What helps, where something in the kernel does."""
_LEAST = 0.2
"""From which share of the stops on advice is given."""


@dataclass(frozen=True)
class Hold:
    """Cycles, summed over all blocks, in which dispatch stopped for a cause, the `share` of all
    such cycles, the line where it stopped most, and what helps if that is much."""

    cause: str
    cycles: int
    share: float
    line: int
    helps: str


def holds(timing: TimedRun) -> list[Hold]:
    """By cause, the most cycles first."""
    held = timing.scopes.held.reshape(-1, CAUSE_COUNT)
    cycles = held.sum(axis=0)
    total = int(cycles.sum())
    found: list[Hold] = []
    for cause in np.argsort(-cycles, kind="stable").tolist():
        if cycles[cause]:
            share = int(cycles[cause]) / total
            where = line(timing, int(np.argmax(held[:, cause])))
            helps = _HELPS.get(cause, "") if share >= _LEAST else ""
            found.append(Hold(CAUSES[cause], int(cycles[cause]), share, where, helps))
    return found
