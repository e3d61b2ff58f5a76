"""From a trace to the events of the pipes, and their schedule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ptoscope.isa.parts import EVERY, PIPE_NUMBERS, PIPES, SCALAR
from ptoscope.native.subset import Ints
from ptoscope.timing.dependencies import Dependencies
from ptoscope.timing.pipe_schedule import run_pipes
from ptoscope.trace.trace import Trace

PIPE_COUNT = len(PIPES)


@dataclass
class Work:
    """What each event costs its pipe, in cycles; by row of `PipeEvents`."""

    work: Ints
    head: Ints
    tail: Ints


@dataclass
class PipeEvents:
    """The events outside vecscopes, and each vecscope as one. `event` is the row in the trace,
    `pipe` the number of the pipe, `sync` whether it only orders."""

    trace: Trace
    event: Ints
    place: Ints
    block: Ints
    pipe: Ints
    sync: Ints
    scalar: Ints
    kind: Ints
    """Of a synchronisation its kind in the trace's table, else -1."""
    block_at: Ints
    list_at: Ints
    lists: Ints
    dependencies: Dependencies

    def __len__(self) -> int:
        return len(self.event)


@dataclass
class PipeSchedule:
    """When everything happened: arrays as `run_pipes` gives them, by row of `PipeEvents` or by
    block and pipe."""

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
        """Cycles of the slowest block: blocks run side by side, each on a core."""
        return int(self.ends.max(initial=0))


def pipe_events(trace: Trace) -> PipeEvents:
    """The events of the pipes, in order of issue."""
    places = trace.places
    outside = np.array([p.scope < 0 and p.record is not None for p in places], dtype=bool)
    event = np.flatnonzero(outside[trace.events.place])
    place = trace.events.place[event].astype(np.int64)
    block = trace.events.block[event].astype(np.int64)
    numbers = [PIPE_NUMBERS.get(p.pipe, 0) for p in places]
    pipe = np.array(numbers, dtype=np.int64)[place]
    pipe[pipe == EVERY] = SCALAR
    row = np.full(len(trace.events), -1, dtype=np.int64)
    row[event] = np.arange(len(event))
    sync_row = _syncs(trace, row, len(event))
    sync = (sync_row >= 0).astype(np.int64)
    kind = np.where(sync == 1, trace.syncs.kind[sync_row] if len(trace.syncs) else -1, -1)
    blocks = trace.grid
    block_at = np.searchsorted(block, np.arange(blocks + 1)).astype(np.int64)
    scalar = (pipe == 0).astype(np.int64)
    group = block * PIPE_COUNT + pipe
    order = np.argsort(group, kind="stable")
    list_at = np.searchsorted(group[order], np.arange(blocks * PIPE_COUNT + 1)).astype(np.int64)
    dependencies = Dependencies(trace, block, pipe, sync_row)
    return PipeEvents(
        trace, event, place, block, pipe, sync, scalar, kind, block_at, list_at, order, dependencies
    )


def _syncs(trace: Trace, row: Ints, count: int) -> Ints:
    """For each event its row in the table of synchronisations, or -1."""
    found = np.full(count, -1, dtype=np.int64)
    at = row[trace.syncs.event] if len(trace.syncs) else np.zeros(0, dtype=np.int64)
    found[at[at >= 0]] = np.flatnonzero(at >= 0)
    return found


def schedule(
    events: PipeEvents, work: Work, issue_cost: int, without: int | None = None
) -> PipeSchedule:
    """Runs the pipes; `without` leaves out every event of one place."""
    size = max(1, len(events))
    skipped = np.zeros(size, dtype=np.int64)
    if without is not None:
        skipped[: len(events)] = events.place == without
    dep_at, dep = events.dependencies.without(skipped[: len(events)])
    blocks = events.trace.grid

    def fresh(count: int, value: int = 0) -> Ints:
        return np.full(max(1, count), value, dtype=np.int64)

    found = PipeSchedule(
        fresh(size, -1),
        fresh(size, -1),
        fresh(size, -1),
        fresh(size),
        fresh(size),
        fresh(size, -1),
        fresh(blocks * PIPE_COUNT),
        fresh(blocks * PIPE_COUNT),
        fresh(blocks),
    )
    stuck = run_pipes(
        blocks,
        PIPE_COUNT,
        issue_cost,
        events.block_at,
        skipped,
        _some(events.scalar),
        _some(events.sync),
        _some(work.work),
        _some(work.head),
        _some(work.tail),
        dep_at,
        dep,
        events.list_at,
        _some(events.lists),
        *(fresh(PIPE_COUNT) for _ in range(4)),
        *vars(found).values(),
    )
    if stuck:
        line = events.trace.places[int(events.place[stuck - 1])].span.line
        raise RuntimeError(f"nothing can go on at line {line}, though the run ended")
    return found


def _some(column: Ints) -> Ints:
    return column if len(column) else np.zeros(1, dtype=np.int64)
