"""From a trace to the events of the pipes, and their schedule."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ptoscope.isa.order.kinds import RULES
from ptoscope.isa.parts import EVERY, PIPE_NUMBERS, PIPES, SCALAR
from ptoscope.native.subset import Ints
from ptoscope.timing.dependencies import Dependencies
from ptoscope.timing.pipe_schedule import IS_SCALAR, IS_SKIPPED, IS_SYNC, run_pipes
from ptoscope.trace.trace import Trace

PIPE_COUNT = len(PIPES)


@dataclass
class Work:
    """What each event costs its pipe, in cycles, and the scalar unit (`issue`), by row of
    `PipeEvents`. What comes before and behind the work is the same for many: the `shape` of each
    is a row of `shapes`, which are head, tail and latency. See `pipe_schedule`."""

    work: Ints
    issue: Ints
    shape: Ints
    shapes: Ints


@dataclass
class PipeEvents:
    """The events outside vecscopes, and each vecscope as one. `event` is the row in the trace,
    `unit` its core, counted over all blocks, `pipe` the number of the pipe, `sync` whether it
    only orders. What works and also orders, as products with unit flags do, has a row for each
    wait before it and each signal behind it; `issues` marks the one that is issued. Columns are as
    narrow as they may be, so that very long runs fit."""

    trace: Trace
    event: Ints
    place: Ints
    unit: Ints
    pipe: Ints
    sync: Ints
    scalar: Ints
    issues: Ints
    kind: Ints
    """Of a synchronisation its kind in the trace's table, else -1."""
    unit_at: Ints
    """Where the rows of each unit begin."""
    list_at: Ints
    lists: Ints
    dependencies: Dependencies

    def __len__(self) -> int:
        return len(self.event)

    @property
    def cores(self) -> int:
        """How many a block has."""
        return len(self.trace.cores)

    @property
    def block(self) -> Ints:
        """The block of each."""
        return self.unit // self.cores


@dataclass
class PipeSchedule:
    """When everything happened: arrays as `run_pipes` gives them, by row of `PipeEvents` or by
    unit and pipe."""

    issued: Ints
    start: Ints
    done: Ints
    wait: Ints
    decided: Ints
    by: Ints
    busy: Ints
    waiting: Ints
    ends: Ints

    @property
    def total(self) -> int:
        """Cycles of the slowest block: blocks run side by side, each on cores of its own."""
        return int(self.ends.max(initial=0))


class _Rows(NamedTuple):
    """The rows of `PipeEvents` before anything else is known: the event of each, the row of the
    table of synchronisations or -1, and whether it is the one that is issued."""

    event: Ints
    sync_row: Ints
    issues: Ints


def pipe_events(trace: Trace) -> PipeEvents:
    """The events of the pipes, core after core in order of issue."""
    places = trace.places
    event, sync_row, issues = _rows(trace)
    place = trace.events.place[event]
    unit = trace.events.block[event] * len(trace.cores) + trace.events.core[event]
    numbers = [PIPE_NUMBERS.get(p.pipe, 0) for p in places]
    pipe = np.array([SCALAR if n == EVERY else n for n in numbers], dtype=np.int8)[place]
    sync = (sync_row >= 0).astype(np.int8)
    kind = np.where(sync == 1, trace.syncs.kind[sync_row] if len(trace.syncs) else -1, -1)
    units = trace.grid * len(trace.cores)
    unit_at = np.searchsorted(unit, np.arange(units + 1)).astype(np.int64)
    list_at, lists = _by_pipe(unit_at, pipe)
    return PipeEvents(
        trace,
        event,
        place,
        unit,
        pipe,
        sync,
        (pipe == SCALAR).astype(np.int8),
        issues,
        kind.astype(np.int8),
        unit_at,
        list_at,
        lists,
        Dependencies(trace, unit, pipe, sync_row),
    )


def _by_pipe(unit_at: Ints, pipe: Ints) -> tuple[Ints, Ints]:
    """The rows of each pipe of each unit, one pipe after the other, and where each begins."""
    found: list[Ints] = []
    for first, end in pairwise(unit_at.tolist()):
        mine = pipe[first:end]
        found += [
            (np.flatnonzero(mine == number) + first).astype(np.int32)
            for number in range(PIPE_COUNT)
        ]
    sizes = np.array([0, *(len(rows) for rows in found)])
    return np.cumsum(sizes), np.concatenate(found)


def _rows(trace: Trace) -> _Rows:
    """One for each event outside vecscopes, and more for what works and orders."""
    outside = np.array([p.scope < 0 and p.record is not None for p in trace.places], dtype=bool)
    orders = np.array([p.record is not None and p.record.order is not None for p in trace.places])
    event = np.flatnonzero(outside[trace.events.place]).astype(np.int32)
    place = trace.events.place[trace.syncs.event]
    syncs = np.flatnonzero(outside[place]) if len(place) else np.zeros(0, dtype=np.int64)
    alone = orders[place[syncs]]
    own = np.full(len(trace.events), -1, dtype=np.int32)
    own[trace.syncs.event[syncs[alone]]] = syncs[alone]
    added = syncs[~alone]
    if not len(added):
        return _Rows(event, own[event], np.ones(len(event), dtype=np.int8))
    # Before the work what it waits for, behind it what it gives.
    waits = np.array([bool(rule.given_by) for rule in RULES])[trace.syncs.kind[added]]
    rows = np.concatenate((event, trace.syncs.event[added]))
    which = np.concatenate((own[event], added.astype(np.int32)))
    turn = np.concatenate((np.ones(len(event), dtype=np.int8), np.where(waits, 0, 2)))
    order = np.lexsort((which, turn, rows))
    return _Rows(rows[order], which[order], (turn[order] == 1).astype(np.int8))


def schedule(
    events: PipeEvents,
    work: Work,
    without: Collection[int] = (),
    tokens: Ints | None = None,
) -> PipeSchedule:
    """Runs the pipes; `without` leaves out every event of some places, and `tokens` says who
    waits for whom instead of the run's own."""
    size = max(1, len(events))
    role = np.zeros(size, dtype=np.int32)
    role[: len(events)] = events.scalar * IS_SCALAR + events.sync * IS_SYNC
    if without:
        role[: len(events)][np.isin(events.place, list(without))] |= IS_SKIPPED
    skipped = (role[: len(events)] & IS_SKIPPED) != 0
    dep_at, dep = events.dependencies.without(skipped, tokens)
    blocks, cores = events.trace.grid, events.cores

    def fresh(count: int, value: int = 0, dtype: type[np.signedinteger[Any]] = np.int64) -> Ints:
        return np.full(max(1, count), value, dtype=dtype)

    found = PipeSchedule(
        fresh(size, -1),
        fresh(size, -1),
        fresh(size, -1),
        fresh(size),
        fresh(size, 0, np.int32),
        fresh(size, -1, np.int32),
        fresh(blocks * cores * PIPE_COUNT),
        fresh(blocks * cores * PIPE_COUNT),
        fresh(blocks * cores),
    )
    stuck = run_pipes(
        blocks,
        cores,
        PIPE_COUNT,
        events.unit_at,
        work.issue,
        role,
        work.work,
        work.shape,
        *np.ascontiguousarray(work.shapes.T),
        dep_at,
        dep,
        events.list_at,
        _some(events.lists),
        *(fresh(cores * PIPE_COUNT) for _ in range(5)),
        *(fresh(cores) for _ in range(3)),
        *vars(found).values(),
    )
    if stuck:
        line = events.trace.places[int(events.place[stuck - 1])].span.line
        raise RuntimeError(f"nothing can go on at line {line}, though the run ended")
    return found


def _some(column: Ints) -> Ints:
    return column if len(column) else np.zeros(1, dtype=column.dtype)
