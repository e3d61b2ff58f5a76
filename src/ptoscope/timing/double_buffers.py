"""What a second buffer would be worth: loops in which one pipe fills bytes of UB as soon as another
has read those of the iteration before.

With two buffers, used in turns, the iteration before last is waited for. The run is scheduled so,
and looked at as if it had touched other bytes in every other iteration: only where it is in order
then, too, and memory suffices, a second buffer is proposed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ptoscope.races.cells import cut
from ptoscope.timing.back_edges import BackEdges, back_edges
from ptoscope.timing.buffers import (
    UB,
    FilledBuffer,
    LoopEvents,
    buffers_of,
    fresh_each_time,
    room_for,
)
from ptoscope.timing.run import TimedRun
from ptoscope.timing.waits import in_order, too_long
from ptoscope.trace.trace import UBS, Accesses

_TOGETHER = 3
"""So many buffers at most get a second one together."""
_MOST = 5
"""Of so many buffers of a loop at most it is tried."""


@dataclass(frozen=True)
class DoubleBuffer:
    """A second buffer for what some pointers point to, in the loop of a line: the names of the
    pointers, their lines, the bytes it takes, and by how many cycles the total would be less."""

    names: list[str]
    lines: list[int]
    loop: int
    bytes: int
    fewer: int


def double_buffers(timing: TimedRun) -> list[DoubleBuffer]:
    """Those that are worth something, the most cycles first; several together where that is
    worth more than each."""
    if too_long(timing.trace):
        return []
    found: list[DoubleBuffer] = []
    for place, edges in back_edges(timing).items():
        loop = LoopEvents(timing.trace, place)
        buffers = [
            buffer
            for buffer in buffers_of(loop)
            if edges.between(buffer.pipes).any() and fresh_each_time(loop, buffer)
        ]
        found += _of_loop(timing, loop, edges, buffers[:_MOST])
    return sorted(found, key=lambda one: -one.fewer)


def _of_loop(
    timing: TimedRun, loop: LoopEvents, edges: BackEdges, buffers: Sequence[FilledBuffer]
) -> Iterator[DoubleBuffer]:
    worth: dict[frozenset[FilledBuffer], int] = {}
    for count in range(1, min(len(buffers), _TOGETHER) + 1):
        for some in combinations(buffers, count):
            fewer = _worth(timing, loop, edges, some)
            less = (w for part, w in worth.items() if part < set(some))
            if fewer > max(less, default=0):
                worth[frozenset(some)] = fewer
                yield DoubleBuffer(
                    [buffer.name for buffer in some],
                    [buffer.line for buffer in some],
                    timing.trace.places[loop.place].span.line,
                    sum(buffer.size for buffer in some),
                    fewer,
                )


def _worth(
    timing: TimedRun, loop: LoopEvents, edges: BackEdges, buffers: Sequence[FilledBuffer]
) -> int:
    """By how many cycles the total would be less; 0 where there is no room, no flag or buffer id
    left, or something would not be in order."""
    trace = timing.trace
    chosen = np.any([edges.between(buffer.pipes) for buffer in buffers], axis=0)
    if not room_for(trace, [buffer.size for buffer in buffers], timing.model.target):
        return 0
    fewer = timing.total_cycles - timing.otherwise(tokens=edges.further_back(chosen))
    if fewer <= 0:
        return 0
    syncs = edges.syncs(loop, chosen)
    if syncs is None:
        return 0
    apart = replace(trace, syncs=syncs, accesses=_apart(loop, buffers))
    return fewer if in_order(apart, cut(apart)) else 0


def _apart(loop: LoopEvents, buffers: Sequence[FilledBuffer]) -> Accesses:
    """The accesses of the run, in every other iteration those to a buffer elsewhere."""
    accesses = loop.trace.accesses
    here = np.isin(accesses.space, UBS) & loop.odd(accesses.event)
    start = accesses.start.copy()
    # Only who meets whom counts: it may be beyond the end of UB.
    free = 2 * max(UB.sizes.values())
    for buffer in buffers:
        mine = here & (accesses.start >= buffer.low) & (accesses.start < buffer.high)
        start[mine] += free - buffer.low
        free += buffer.size
    return replace(accesses, start=start)
