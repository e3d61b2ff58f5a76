"""What stops the dispatch of the vector core: it is in order, so that what cannot go on holds up
all behind it, also while others start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ptoscope.tables import counted
from ptoscope.timing.critical import line
from ptoscope.timing.figures import LARGEST, Overrides
from ptoscope.timing.run import TimedRun
from ptoscope.timing.unrolled import cycles_with, interleaved
from ptoscope.timing.vector_core import (
    ADVANCE,
    CAUSE_COUNT,
    CAUSES,
    LOADS,
    PREDICATES,
    REENTRY,
    SHARED,
    VECTORS,
)

_ROOM = {
    VECTORS: ("core.registers", "keep fewer values alive"),
    SHARED: ("core.queue", "shorten the chain of results that instructions wait for"),
    LOADS: ("core.loads", "load later, or fewer registers at a time"),
    PREDICATES: ("core.predicates", "keep fewer masks alive"),
}
"""The size that is too small, and what makes do with less."""
_OTHERS = {
    REENTRY: "make the inner loop longer, or join it with the one around it",
    ADVANCE: "give accesses pointers of their own, or offsets",
}
_LEAST = 0.2
"""From which share of the stops on somebody looks what helps."""
MOST_INSTRUCTIONS = 100_000
"""In longer runs nobody does."""


@dataclass(frozen=True)
class Hold:
    """Cycles, summed over all blocks, in which dispatch stopped for a cause, the `share` of all
    such cycles, the line where it stopped most, and what helps if that is much and something
    does. Where the run was scheduled so, the total is less by `fewer` cycles."""

    cause: str
    cycles: int
    share: float
    line: int
    helps: str
    fewer: int = 0


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
            helps, fewer = _what_helps(timing, cause) if share >= _LEAST else ("", 0)
            if any(helps == hold.helps for hold in found):
                helps, fewer = "", 0
            found.append(Hold(CAUSES[cause], int(cycles[cause]), share, where, helps, fewer))
    return found


def _what_helps(timing: TimedRun, cause: int) -> tuple[str, int]:
    """What would make the run shorter, and by how many cycles. Where the room that lacks is not
    what the run waits for in the end, as where the execution ports are busy, nothing does."""
    if cause not in _ROOM or len(timing.code) > MOST_INSTRUCTIONS:
        return _OTHERS.get(cause, ""), 0
    overrides, total = timing.model.overrides, timing.total_cycles
    model = type(timing.model)
    figure, less = _ROOM[cause]
    if cause in (VECTORS, SHARED):
        code = interleaved(timing.trace, timing.code)
        fewer = 0 if code is None else total - cycles_with(timing, model(overrides), code)
        if fewer > 0:
            return f"unroll by 2 and interleave the copies: {_less(fewer)}", fewer
    room = min(LARGEST, 2 * timing.model.core_figures()[figure.partition(".")[2]].cycles)
    roomy = Overrides({**overrides.values, figure: room})
    fewer = total - cycles_with(timing, model(roomy))
    return (f"{less}: with twice the room {_less(fewer)}", fewer) if fewer > 0 else ("", 0)


def _less(cycles: int) -> str:
    return f"{counted(cycles, 'cycle')} fewer"
