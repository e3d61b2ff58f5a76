"""The vecscopes of a trace as arrays of instructions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ptoscope.isa.types import Ptr, is_vector_state
from ptoscope.native.subset import Ints, Ints32, compiled
from ptoscope.program import Loop
from ptoscope.timing.producers import producers
from ptoscope.timing.vector_queues import ANOTHER_LOOP
from ptoscope.trace.trace import Place, Trace

MIN_GAP = 7
"""Least cycles between the begins of two loops, of the vector core's table."""
OVERHEAD = 5
"""Entering a loop again costs so many cycles more than its iterations; seen in the points."""


@dataclass
class Instructions:
    """Dynamic instructions of all vecscope entries, in order. What there is of each takes 32 bits,
    so that very long runs fit.

    `event` is the row of each in the trace, `place` its place, `iteration` its iteration; those of
    entry e are `entry_at[e]` to `entry_at[e + 1]`. `gap`, `looped`, `depth` and `moves` are as the
    vector core takes them, `moved` is the instruction that advanced the pointer of each, or -1.
    """

    event: Ints
    place: Ints
    iteration: Ints
    entry_at: Ints
    gap: Ints
    looped: Ints
    depth: Ints
    moves: Ints
    dep_at: Ints
    dep: Ints
    moved: Ints

    def __len__(self) -> int:
        return len(self.event)

    @property
    def entry(self) -> Ints:
        """The entry of each."""
        return np.repeat(np.arange(len(self.entry_at) - 1), np.diff(self.entry_at))

    def uses(self) -> Ints:
        """How many instructions read the result of each, as a fresh array."""
        found = np.zeros(max(1, len(self)), dtype=np.int32)
        _count_uses(int(self.dep_at[-1]), self.dep, found)
        return found


@compiled
def _count_uses(count: int, dep: Ints32, uses: Ints32) -> int:
    for j in range(count):
        uses[dep[j]] += 1
    return 0


def is_instruction(trace: Trace, place: Place) -> bool:
    """Whether the vector core executes it: scalar code inside a vecscope only makes addresses
    and is not counted."""
    if place.scope < 0 or place.record is None or place.record.cost_kind == "free":
        return False
    types = trace.function.types
    slots = (*place.op.operands, *place.op.results)
    return place.record.cost_kind == "barrier" or any(
        is_vector_state(types[slot]) for slot in slots
    )


def instructions(trace: Trace) -> Instructions:
    """Those of all vecscopes of a trace."""
    counted = np.array([is_instruction(trace, p) for p in trace.places], dtype=bool)
    inside = np.array([p.scope >= 0 for p in trace.places], dtype=bool)
    events = np.flatnonzero(inside[trace.events.place]).astype(np.int32)
    place = trace.events.place[events]
    kept = counted[place]
    number = np.where(kept, np.cumsum(kept, dtype=np.int32) - 1, -1).astype(np.int32)
    entry = trace.events.entry[events].astype(np.int32)
    dep_at, dep = producers(trace, events, number, entry)
    mine = events[kept]
    entries = int(trace.events.entry.max(initial=-1)) + 1
    entry_at = np.zeros(entries + 1, dtype=np.int64)
    np.cumsum(np.bincount(entry[kept], minlength=entries), out=entry_at[1:])
    iteration = trace.events.iteration[mine].astype(np.int32)
    gap, looped = _gaps(trace, iteration, entry[kept])
    depth, moves = _entrances(trace, gap, iteration, entry[kept], entries)
    return Instructions(
        mine,
        trace.events.place[mine].astype(np.int32),
        iteration,
        entry_at,
        gap,
        looped,
        depth,
        moves,
        dep_at,
        dep,
        _moved(trace, events, number, entry, counted),
    )


def _moved(trace: Trace, events: Ints, number: Ints, entry: Ints, counted: np.ndarray) -> Ints:
    """The instruction that advanced the pointer of each, by post-update."""
    none = np.full(max(1, int((number >= 0).sum())), -1, dtype=np.int32)
    types = trace.function.types
    made = (s for p in trace.places if counted[p.index] for s in p.op.results)
    if not any(isinstance(types[slot], Ptr) for slot in made):
        return none
    at, found = producers(trace, events, number, entry, lambda kind: isinstance(kind, Ptr))
    some = np.flatnonzero(np.diff(at))
    none[some] = found[at[some + 1] - 1]
    return none


def innermost(trace: Trace) -> np.ndarray:
    """Which places are loops inside a vecscope without another loop in them."""
    found = np.array([p.scope >= 0 and isinstance(p.op, Loop) for p in trace.places], dtype=bool)
    for place in trace.places:
        if isinstance(place.op, Loop):
            found[list(place.loops)] = False
    return found


def loop_runs(trace: Trace, iteration: Ints, entry: Ints) -> tuple[np.ndarray, Ints, Ints]:
    """The instructions inside innermost loops; for each the number of its run (one entry of a
    loop); and the iterations of each run."""
    none = np.zeros(0, dtype=np.int64)
    if not len(trace.iterations):
        return none, none, none
    loop = trace.iterations.loop[iteration]
    mine = np.flatnonzero((iteration >= 0) & innermost(trace)[loop])
    if not len(mine):
        return none, none, none
    key = (loop[mine], trace.iterations.parent[iteration[mine]], entry[mine])
    changed = np.ones(len(mine), dtype=bool)
    changed[1:] = np.any([k[1:] != k[:-1] for k in key], axis=0)
    run = np.cumsum(changed) - 1
    begins = np.ones(len(mine), dtype=bool)
    begins[1:] = iteration[mine][1:] != iteration[mine][:-1]
    return mine, run, np.bincount(run[begins])


def _gaps(trace: Trace, iteration: Ints, entry: Ints) -> tuple[Ints, Ints]:
    """The gap of each instruction, and whether it is in a loop. Loops of one iteration are
    folded into the one around them; what is left of a single iteration is no loop."""
    gap, looped = np.zeros((2, max(1, len(iteration))), dtype=np.int32)
    mine, run, iterations = loop_runs(trace, iteration, entry)
    if not len(mine):
        return gap, looped
    begins = np.ones(len(mine), dtype=bool)
    begins[1:] = iteration[mine][1:] != iteration[mine][:-1]
    gap[mine[begins]] = -1
    first = np.flatnonzero(np.diff(run, prepend=-1))
    where = entry[mine][first]
    again = np.zeros(len(first), dtype=bool)
    again[1:] = where[1:] == where[:-1]
    folded = np.zeros(len(first), dtype=bool)
    folded[1:] = again[1:] & (iterations[1:] == 1) & (iterations[:-1] == 1)
    loop = trace.iterations.loop[iteration[mine[first]]]
    same = np.append(False, loop[1:] == loop[:-1])
    before = np.where(same, np.maximum(MIN_GAP, np.roll(iterations, 1) + OVERHEAD), ANOTHER_LOOP)
    gap[mine[first]] = np.where(folded & same, -1, np.where(again, before, 1))
    alone = np.bincount(where, weights=iterations) == 1
    gap[mine[first[alone[where]]]] = 0
    looped[mine[~alone[entry[mine]]]] = 1
    return gap, looped


def _entrances(
    trace: Trace, gap: Ints, iteration: Ints, entry: Ints, entries: int
) -> tuple[Ints, Ints]:
    """Of each entry how many loops are around what its first loop does, those that are folded
    left out, and how many numbers loops carry in scalar registers."""
    depth, moves = np.zeros((2, max(1, entries)), dtype=np.int64)
    carried = np.array([_carries(trace, place) for place in trace.places] or [0])
    inside = np.flatnonzero(iteration >= 0)
    where, at = np.unique(entry[inside], return_index=True)
    looping = np.zeros(max(1, entries), dtype=bool)
    looping[entry[np.flatnonzero(gap[: len(entry)] > 0)]] = True
    again = np.bincount(entry[np.flatnonzero(gap[: len(entry)] > 1)], minlength=max(1, entries)) > 0
    depth[where] = looping[where] * (1 + again[where])
    # Outwards from the first iteration, as far as loops are in the vecscope.
    inner = np.array([p.scope >= 0 for p in trace.places] or [False])
    row = iteration[inside[at]]
    while len(where):
        loop = trace.iterations.loop[row]
        kept = inner[loop]
        where, row, loop = where[kept], row[kept], loop[kept]
        moves[where] += carried[loop]
        row = trace.iterations.parent[row].astype(np.int64)
        where, row = where[row >= 0], row[row >= 0]
    return depth, moves


def _carries(trace: Trace, place: Place) -> int:
    """The pointers and numbers that a loop hands from one iteration to the next."""
    if not isinstance(place.op, Loop):
        return 0
    types = trace.function.types
    return sum(not is_vector_state(types[slot]) for slot in place.op.carried)
