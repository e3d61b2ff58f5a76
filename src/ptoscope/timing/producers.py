"""Who made what an instruction reads: registers followed through loops and branches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ptoscope.dataflow import BranchResult, Dataflow, Definition, LoopResult, OpResult, Received
from ptoscope.isa import TABLE
from ptoscope.isa.types import Type, is_vector_state
from ptoscope.native.subset import Ints, Ints32, compiled
from ptoscope.program import Loop, Op
from ptoscope.trace.trace import Trace

NONE = -1


def ints(values: Iterable[int]) -> Ints:
    """An array for compiled loops; never empty, so that it has an address."""
    if isinstance(values, np.ndarray):
        found = values.astype(np.int64)
    else:
        found = np.fromiter(values, dtype=np.int64)
    return found if len(found) else np.zeros(1, dtype=np.int64)


def ragged(rows: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    """Rows of different lengths: where each starts, with the end, and all their numbers."""
    at = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=at[1:])
    return at, ints(number for row in rows for number in row)


def producers(
    trace: Trace,
    events: Ints,
    number: Ints,
    entry: Ints,
    wanted: Callable[[Type], bool] = is_vector_state,
) -> tuple[Ints, Ints]:
    """The producers of each instruction, as a ragged array of instruction numbers: of what it
    reads of the types that are wanted.

    `events` are the rows of `trace.events` inside vecscopes, in order; `number` gives each
    one its number as an instruction, or -1 (scalar code); `entry` the vecscope entered: both int32.
    """
    function = trace.function
    vector = [wanted(kind) for kind in function.types]
    places = [p.op for p in trace.places]
    read_at, reads = ragged([[s for s in op.operands if vector[s]] for op in places])
    write_at, writes = ragged([[s for s in op.results if vector[s]] for op in places])
    flow = Dataflow(function)
    source_at, source = ragged([_names(flow, slot) for slot in range(len(function.types))])
    loops = [_carried(op, vector) for op in places]
    loop_at, argument = ragged([[a for a, _, _ in loop] for loop in loops])
    _, initial = ragged([[i for _, i, _ in loop] for loop in loops])
    _, yielded = ragged([[y for _, _, y in loop] for loop in loops])

    place = trace.events.place[events].astype(np.int32)
    room = (read_at[1:] - read_at[:-1])[place]
    room[number < 0] = 0
    dep_at = np.zeros(len(events) + 1, dtype=np.int32)
    np.cumsum(room, out=dep_at[1:])
    del room
    dep = np.full(max(1, int(dep_at[-1])), NONE, dtype=np.int32)
    parent = ints(trace.iterations.parent)
    _follow(
        len(events),
        place,
        trace.events.iteration[events].astype(np.int32),
        entry,
        number,
        parent,
        ints(trace.iterations.loop),
        _depths(trace.iterations.parent),
        read_at,
        reads,
        write_at,
        writes,
        source_at,
        source,
        loop_at,
        argument,
        initial,
        yielded,
        np.full(max(1, len(function.types)), NONE, dtype=np.int64),
        np.zeros(max(1, len(function.types)), dtype=np.int64),
        dep_at,
        dep,
    )
    return _tidy(dep_at, dep, number)


def _tidy(dep_at: Ints, dep: Ints, number: Ints) -> tuple[Ints, Ints]:
    """Without what is unknown, rows by instruction."""
    dep = dep[: int(dep_at[-1])]
    kept = dep != NONE
    before = np.zeros(len(dep) + 1, dtype=np.int32)
    np.cumsum(kept, out=before[1:])
    at = before[np.append(dep_at[:-1][number >= 0], dep_at[-1])]
    return at, dep[kept] if kept.any() else np.zeros(1, dtype=np.int32)


def _depths(parent: np.ndarray) -> Ints:
    """How many loops are around each iteration, itself included. Parents come before children."""
    depth = np.zeros(max(1, len(parent)), dtype=np.int64)
    if len(parent):
        _count_depths(len(parent), ints(parent), depth)
    return depth


@compiled
def _count_depths(iterations: int, parent: Ints, depth: Ints) -> int:
    for t in range(iterations):
        depth[t] = 1
        if parent[t] >= 0:
            depth[t] = depth[parent[t]] + 1
    return 0


def _carried(op: Op, vector: Sequence[bool]) -> list[tuple[int, int, int]]:
    """Of a loop: the values it carries, as slots of the argument, its start, what is yielded."""
    if not isinstance(op, Loop):
        return []
    rows = zip(op.carried, op.inits, op.yields, strict=True)
    return [row for row in rows if vector[row[0]]]


def _names(flow: Dataflow, slot: int) -> list[int]:
    """The values that a value is only another name of; of a branch's result, those of both."""
    reached = flow.walk((slot,), _named)
    return [value for value, definition in reached if not _named(value, definition)]


def _named(slot: int, definition: Definition) -> Sequence[int]:
    """One step of it. What a loop carries is a value of its own: it is written anew in every
    iteration."""
    match definition:
        case LoopResult(final=value) | Received(passed=value):
            return () if value is None else (value,)
        case BranchResult(sides=sides):
            return [value for value in sides if value is not None]
        case OpResult(op=op) if op.name in TABLE and TABLE[op.name].cost_kind == "free":
            return op.operands[:1]
        case _:
            return ()


@compiled
def _writer(slot: int, source_at: Ints, source: Ints, last: Ints) -> Any:
    """The instruction that wrote a slot last; of several names, the latest."""
    found = NONE
    for j in range(source_at[slot], source_at[slot + 1]):
        found = max(found, last[source[j]])
    return found


@compiled
def _iteration(
    loop: int,
    begins: int,
    source_at: Ints,
    source: Ints,
    loop_at: Ints,
    argument: Ints,
    initial: Ints,
    yielded: Ints,
    last: Ints,
    fresh: Ints,
) -> int:
    """Gives a loop's arguments the writers of their values for the iteration that begins."""
    for j in range(loop_at[loop], loop_at[loop + 1]):
        if begins:
            fresh[j - loop_at[loop]] = _writer(initial[j], source_at, source, last)
        else:
            fresh[j - loop_at[loop]] = _writer(yielded[j], source_at, source, last)
    for j in range(loop_at[loop], loop_at[loop + 1]):
        last[argument[j]] = fresh[j - loop_at[loop]]
    return 0


@compiled
def _follow(
    count: int,
    place: Ints32,
    iteration: Ints32,
    entry: Ints32,
    number: Ints32,
    parent: Ints,
    loop: Ints,
    depth: Ints,
    read_at: Ints,
    reads: Ints,
    write_at: Ints,
    writes: Ints,
    source_at: Ints,
    source: Ints,
    loop_at: Ints,
    argument: Ints,
    initial: Ints,
    yielded: Ints,
    last: Ints,
    fresh: Ints,
    dep_at: Ints32,
    dep: Ints32,
) -> int:
    now = NONE
    first = 0
    for e in range(count):
        if e == 0 or entry[e] != entry[e - 1]:
            # What another vecscope wrote is not seen here.
            first = number[e]
            k = e
            while first < 0 and k < count and entry[k] == entry[e]:
                first = number[k]
                k += 1
            now = NONE
        if iteration[e] != now:
            # Climb from both to loops that stand in the same iteration of the next outside.
            a = now
            b = iteration[e]
            while b >= 0 and a != b:
                if a < 0 or depth[a] < depth[b]:
                    if a == parent[b]:
                        break
                    b = parent[b]
                elif depth[a] > depth[b]:
                    a = parent[a]
                elif parent[a] == parent[b] and loop[a] == loop[b]:
                    break
                else:
                    a = parent[a]
                    b = parent[b]
            level = 0
            if b >= 0 and a != b and a >= 0 and depth[a] == depth[b]:
                _iteration(
                    loop[b], 0, source_at, source, loop_at, argument, initial, yielded, last, fresh
                )
                level = depth[b]
            elif b >= 0 and a == b:
                level = depth[b]
            elif b >= 0:
                level = depth[b] - 1
            down = 0
            if iteration[e] >= 0:
                down = depth[iteration[e]]
            while level < down:
                level += 1
                c = iteration[e]
                while depth[c] > level:
                    c = parent[c]
                _iteration(
                    loop[c], 1, source_at, source, loop_at, argument, initial, yielded, last, fresh
                )
            now = iteration[e]
        if number[e] >= 0:
            at = dep_at[e]
            for j in range(read_at[place[e]], read_at[place[e] + 1]):
                found = _writer(reads[j], source_at, source, last)
                for k in range(dep_at[e], at):
                    if dep[k] == found:
                        found = NONE
                if found >= first:
                    dep[at] = found
                at += 1
            for j in range(write_at[place[e]], write_at[place[e] + 1]):
                last[writes[j]] = number[e]
    return 0
