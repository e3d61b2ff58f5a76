"""From a trace to the events of the pipes, and their schedule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ptoscope.isa.pipes import PIPE_NUMBERS, PIPES
from ptoscope.native.subset import Ints
from ptoscope.timing.pipe_schedule import run_pipes
from ptoscope.trace.trace import BARRIER, GET, RELEASE, SET, WAIT, Trace

PIPE_COUNT = len(PIPES)
_ALL = PIPE_NUMBERS["PIPE_ALL"]


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
    key: Ints
    """What sets and waits, or releases and gets, have in common; -1 of others."""
    waits: Ints
    """Whether it waits: not a get of mode 1."""
    block_at: Ints
    list_at: Ints
    lists: Ints

    def __len__(self) -> int:
        return len(self.event)


@dataclass
class Schedule:
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
    # Registers of the DMA engines are set by the scalar unit.
    for p in places:
        if p.record is not None and p.record.short.startswith("set_loop"):
            numbers[p.index] = 0
    pipe = np.array(numbers, dtype=np.int64)[place]
    pipe[pipe == _ALL] = 0
    row = np.full(len(trace.events), -1, dtype=np.int64)
    row[event] = np.arange(len(event))
    kind, key, waits = _syncs(trace, row, len(event))
    sync = (kind >= 0).astype(np.int64)
    blocks = trace.grid
    block_at = np.searchsorted(block, np.arange(blocks + 1)).astype(np.int64)
    scalar = (pipe == 0).astype(np.int64)
    group = block * PIPE_COUNT + pipe
    order = np.argsort(group, kind="stable")
    list_at = np.searchsorted(group[order], np.arange(blocks * PIPE_COUNT + 1)).astype(np.int64)
    return PipeEvents(
        trace, event, place, block, pipe, sync, scalar, kind, key, waits, block_at, list_at, order
    )


def _syncs(trace: Trace, row: Ints, count: int) -> tuple[Ints, Ints, Ints]:
    kind = np.full(count, -1, dtype=np.int64)
    key = np.full(count, -1, dtype=np.int64)
    waits = np.zeros(count, dtype=np.int64)
    syncs = trace.syncs
    at = row[syncs.event] if len(syncs) else np.zeros(0, dtype=np.int64)
    mine = at >= 0
    at = at[mine]
    src, dst, number, mode, kinds = (
        column[mine].astype(np.int64)
        for column in (syncs.src, syncs.dst, syncs.id, syncs.mode, syncs.kind)
    )
    kind[at] = kinds
    flags = np.isin(kinds, (SET, WAIT))
    key[at] = np.where(flags, ((src * (_ALL + 1) + dst) << 8) + number, number)
    buffers = ((kinds == GET) & (mode == 0)) | ((kinds == RELEASE) & (mode == 1))
    waits[at] = (kinds == WAIT) | buffers | (kinds == BARRIER)
    # A barrier of one pipe: the order of that pipe keeps it.
    single = (kinds == BARRIER) & (src != _ALL)
    key[at[kinds == BARRIER]] = -1
    waits[at[single]] = 0
    return kind, key, waits


def dependencies(events: PipeEvents, skipped: Ints) -> tuple[Ints, Ints]:
    """What each synchronisation waits for, as a ragged array: the k-th wait for the k-th set;
    a get for the last release by each pipe before it; a release in mode 1 for the last event on
    each other pipe that holds the buffer; a barrier of all for the last event on each pipe
    before it."""
    there = skipped[: len(events)] == 0
    kind = np.where(there, events.kind, -1)
    pairs = [_matched(events, kind)]
    numbers = np.arange(len(events))
    gets = numbers[(kind == GET) & (events.waits == 1)]
    deferred = numbers[(kind == RELEASE) & (events.waits == 1)]
    barriers = numbers[(kind == BARRIER) & (events.waits == 1)]
    for pipe in range(PIPE_COUNT):
        on = there & (events.pipe == pipe)
        taken, given = numbers[on & (kind == GET)], numbers[on & (kind == RELEASE)]
        pairs.append(_before(events, gets, given, keyed=True))
        held = _times(events, deferred, taken) > _times(events, deferred, given)
        others = deferred[held & (events.pipe[deferred] != pipe)]
        pairs.append(_before(events, others, numbers[on], keyed=False))
        if pipe:
            pairs.append(_before(events, barriers, numbers[on], keyed=False))
    who = np.concatenate([p[0] for p in pairs])
    what = np.concatenate([p[1] for p in pairs])
    order = np.argsort(who, kind="stable")
    at = np.zeros(len(events) + 1, dtype=np.int64)
    np.cumsum(np.bincount(who, minlength=len(events)), out=at[1:])
    return at, what[order] if len(what) else np.zeros(1, dtype=np.int64)


def _matched(events: PipeEvents, kind: Ints) -> tuple[Ints, Ints]:
    sets, waits = np.flatnonzero(kind == SET), np.flatnonzero(kind == WAIT)
    names = events.block * (1 << 20) + events.key
    set_names, set_turn = _counted(names[sets])
    wait_names, wait_turn = _counted(names[waits])
    size = max(1, len(events))
    have = set_names * size + set_turn
    want = wait_names * size + wait_turn
    order = np.argsort(have, kind="stable")
    found = np.searchsorted(have[order], want)
    good = found < len(have)
    good[good] = have[order][found[good]] == want[good]
    return waits[good], sets[order][found[good]]


def _counted(names: Ints) -> tuple[Ints, Ints]:
    """For each name, how often it occurred before."""
    order = np.argsort(names, kind="stable")
    ordered = names[order]
    first = np.searchsorted(ordered, ordered)
    turn = np.empty(len(names), dtype=np.int64)
    turn[order] = np.arange(len(names)) - first
    return names, turn


def _before(events: PipeEvents, who: Ints, pool: Ints, keyed: bool) -> tuple[Ints, Ints]:
    """For each of `who` the last of the pool before it in its block, with the same key."""
    size = max(1, len(events))
    names = events.block * 64 + (events.key if keyed else 0)
    have = np.sort(names[pool] * size + pool)
    want = names[who] * size + who
    found = np.searchsorted(have, want) - 1
    good = found >= 0
    good[good] = have[found[good]] // size == names[who[good]]
    return who[good], have[found[good]] % size


def _times(events: PipeEvents, who: Ints, pool: Ints) -> Ints:
    """For each of `who`, how many of the pool are before it in its block, with its key."""
    size = max(1, len(events))
    names = events.block * 64 + events.key
    have = np.sort(names[pool] * size + pool)
    want = names[who] * size
    return np.searchsorted(have, want + who) - np.searchsorted(have, want)


def schedule(
    events: PipeEvents, work: Work, issue_cost: int, without: int | None = None
) -> Schedule:
    """Runs the pipes; `without` leaves out every event of one place."""
    size = max(1, len(events))
    skipped = np.zeros(size, dtype=np.int64)
    if without is not None:
        skipped[: len(events)] = events.place == without
    dep_at, dep = dependencies(events, skipped)
    blocks = events.trace.grid

    def fresh(count: int, value: int = 0) -> Ints:
        return np.full(max(1, count), value, dtype=np.int64)

    found = Schedule(
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
