"""Buffers in UB that a loop fills and reads: their bytes, who uses them, and whether iterations
could have buffers of their own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ptoscope.dataflow import Dataflow, Definition, OpResult
from ptoscope.isa.parts import MEMORIES, PIPE_NUMBERS
from ptoscope.isa.types import Ptr
from ptoscope.races.cells import different
from ptoscope.trace.trace import UBS, Column, Place, Trace, run_starts

UB = MEMORIES["ub"]
_MOST_CELLS = 4_000_000
"""With more pieces of memory to follow than that, nothing is said of a buffer."""


@dataclass(frozen=True)
class FilledBuffer:
    """The bytes `low` up to `high` (excluded) of UB, which the pointer in a slot points to: its
    name, the line where it is made, and the pipes that touch the bytes in the loop."""

    name: str
    line: int
    low: int
    high: int
    pipes: frozenset[int]

    @property
    def size(self) -> int:
        return -(-(self.high - self.low) // UB.copy_alignment) * UB.copy_alignment


class LoopEvents:
    """The events of a trace inside the loop at a place: the `iteration` of each, -1 outside."""

    def __init__(self, trace: Trace, place: int) -> None:
        self.trace, self.place = trace, place
        events, iterations = trace.events, trace.iterations
        within = np.array([place in p.loops for p in trace.places], dtype=bool)[events.place]
        found = np.where(within, events.iteration, -1)
        while True:
            deeper = np.flatnonzero((found >= 0) & (iterations.loop[found] != place))
            if not len(deeper):
                break
            found[deeper] = iterations.parent[found[deeper]]
        self.iteration: Column = found

    @cached_property
    def _counted(self) -> tuple[Column, Column, Column]:
        """The iterations, the core of each, and its number among those of that core."""
        inside = np.flatnonzero(self.iteration >= 0)
        ids, first = np.unique(self.iteration[inside], return_index=True)
        events = self.trace.events
        unit = events.block[inside[first]].astype(np.int64) * 256 + events.core[inside[first]]
        order = np.lexsort((ids, unit))
        begin = np.searchsorted(unit[order], unit[order])
        number = np.empty(len(ids), dtype=np.int64)
        number[order] = np.arange(len(ids)) - begin
        return ids, unit, number

    def odd(self, events: Column) -> Column:
        """Which of some events are in every other iteration, from the second on."""
        ids, _, number = self._counted
        found = self.iteration[events]
        place = np.searchsorted(ids, np.maximum(found, ids[0]))
        return (found >= 0) & (number[place] % 2 == 1)

    def count(self, block: int, core: int) -> int:
        """How many iterations a core of a block executes."""
        return int((self._counted[1] == block * 256 + core).sum())


def buffers_of(loop: LoopEvents) -> list[FilledBuffer]:
    """The buffers in UB that instructions of a loop write to by one pointer."""
    trace = loop.trace
    accesses, roots = trace.accesses, _Roots(trace)
    rows = np.flatnonzero(np.isin(accesses.space, UBS) & (loop.iteration[accesses.event] >= 0))
    start, stop = accesses.start[rows], _stops(trace, rows)
    place, writes = trace.events.place[accesses.event[rows]], accesses.writes[rows]
    of_place = np.array([roots.of(p) for p in trace.places])[place]
    found: list[FilledBuffer] = []
    for slot in np.unique(of_place[writes & (of_place >= 0)]).tolist():
        mine = np.flatnonzero(writes & (of_place == slot))
        low, high = int(start[mine].min()), int(stop[mine].max())
        while True:
            touched = np.flatnonzero((start < high) & (stop > low))
            reach = int(start[touched].min()), int(stop[touched].max())
            if reach == (low, high):
                break
            low, high = reach
        others = of_place[touched][writes[touched]]
        if (others == slot).all():
            pipes = {_pipe(trace.places[p]) for p in np.unique(place[touched]).tolist()}
            found.append(FilledBuffer(*roots.named(slot), low, high, frozenset(pipes)))
    return found


def fresh_each_time(loop: LoopEvents, buffer: FilledBuffer) -> bool:
    """Whether no iteration reads what another one left in a buffer, nor anyone outside: what is
    read was written before in the same iteration, by the same core."""
    trace = loop.trace
    accesses, events = trace.accesses, trace.events
    inside = np.isin(accesses.space, UBS) & (accesses.start < buffer.high)
    rows = np.flatnonzero(inside)
    rows = rows[_stops(trace, rows) > buffer.low]
    event = accesses.event[rows]
    vectors = [number for number, core in enumerate(trace.cores) if core.kind == "vector"]
    for space, owner in zip(UBS, vectors, strict=False):
        if (events.core[event[accesses.space[rows] == space]] != owner).any():
            return False
    label = loop.iteration[event]
    changed = (np.diff(label, prepend=-2) != 0) | (np.diff(events.block[event], prepend=-1) != 0)
    changed |= np.diff(events.core[event], prepend=-1) != 0
    segment = np.cumsum(changed)
    if int(accesses.count[rows].sum()) > _MOST_CELLS:
        return False
    begin, row = run_starts(accesses, rows)
    end = begin + accesses.length[row]
    cuts = different(np.concatenate((begin, end)))
    first, last = np.searchsorted(cuts, begin), np.searchsorted(cuts, end)
    size = last - first
    if int(size.sum()) > _MOST_CELLS:
        return False
    run = np.repeat(np.arange(len(size)), size)
    cell = np.arange(len(run)) - np.repeat(np.cumsum(size) - size, size) + first[run]
    at = np.searchsorted(rows, row)[run]
    key = segment[at] * len(cuts) + cell
    order = np.lexsort((accesses.writes[rows][at], event[at], key))
    opens = order[np.flatnonzero(np.diff(key[order], prepend=-1))]
    return bool(accesses.writes[rows][at[opens]].all())


def room_for(trace: Trace, sizes: Iterable[int], target: str) -> bool:
    """Whether UB has room for more buffers of these sizes beside what the run touches."""
    accesses, grain = trace.accesses, UB.copy_alignment
    rows = np.flatnonzero(np.isin(accesses.space, UBS))
    marks = np.zeros(UB.sizes[target] // grain + 1, dtype=np.int64)
    np.add.at(marks, accesses.start[rows] // grain, 1)
    np.add.at(marks, -(-_stops(trace, rows) // grain), -1)
    used = np.concatenate(([True], np.cumsum(marks[:-1]) > 0, [True]))
    edges = np.flatnonzero(np.diff(used))
    gaps = sorted(((edges[1::2] - edges[::2]) * grain).tolist())
    for size in sorted(sizes, reverse=True):
        if not gaps or gaps[-1] < size:
            return False
        gaps[-1] -= size
        gaps.sort()
    return True


def _stops(trace: Trace, rows: Column) -> Column:
    """Where the last run of some accesses ends."""
    a = trace.accesses
    return a.start[rows] + (a.count[rows] - 1) * a.stride[rows] + a.length[rows]


def _pipe(place: Place) -> int:
    return PIPE_NUMBERS.get(place.pipe, 0)


class _Roots:
    """The pointers to UB that others are made of."""

    def __init__(self, trace: Trace) -> None:
        self._function = trace.function
        self._flow = Dataflow(trace.function)

    def of(self, place: Place) -> int:
        """The slot of the only one that an instruction takes, -1 if there is none or are more."""
        slots = [slot for slot in place.op.operands if self._in_ub(slot)]
        if place.record is None or not slots:
            return -1
        reached = self._flow.walk(slots, self._from)
        ends = [slot for slot, definition in reached if not self._from(slot, definition)]
        return ends[0] if len(ends) == 1 and self._flow.made(ends[0]) is not None else -1

    def named(self, slot: int) -> tuple[str, int]:
        """The name of a pointer and the line where it is made."""
        op = self._flow.made(slot)
        assert op is not None
        return f"%{self._function.names[slot]}", op.span.line

    def _in_ub(self, slot: int) -> bool:
        kind = self._function.types[slot]
        return isinstance(kind, Ptr) and kind.space == UB.name

    def _from(self, slot: int, definition: Definition) -> list[int]:
        if isinstance(definition, OpResult):
            return [value for value in definition.op.operands if self._in_ub(value)]
        return list(self._flow.joined(slot))
