"""The critical path: through the pipes, and through the longest vecscope."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ptoscope.isa.parts import PIPES, SCALAR
from ptoscope.native.subset import Ints, Ints32, compiled
from ptoscope.program import Scope
from ptoscope.timing.pipe_schedule import BY_ISSUE, BY_ORDER, BY_SYNC
from ptoscope.timing.run import TimedRun
from ptoscope.trace.trace import Column


@dataclass(frozen=True)
class PathStep:
    """A part of a path: the cycles a line contributed on a pipe, in so many pieces, and by what:
    `issue` of the scalar unit, `start-up` and `transfer` of a copy, `start-up` and `product` of
    the matrix unit, `vecscope`, or other `work`. `waited` are the cycles that it stood behind
    others on its pipe before, in which those are on the path. `core` is the core of a cluster,
    else empty."""

    line: int
    pipe: str
    what: str
    cycles: int
    times: int = 1
    core: str = ""
    waited: int = 0


def line(timing: TimedRun, place: int) -> int:
    """The source line of a place."""
    return timing.trace.places[place].span.line


def core_name(timing: TimedRun, core: int) -> str:
    """A core of a cluster as tables write it; empty where a block has one."""
    cores = timing.trace.cores
    return cores[core].short if len(cores) > 1 else ""


def slowest(timing: TimedRun) -> int:
    """The unit, a core of a block, that ends last."""
    return int(np.argmax(timing.schedule.ends))


@dataclass(frozen=True, eq=False)
class PathPieces:
    """The critical path piece by piece, in order: the `event` of a pipe, or where the scalar unit
    issued up to an event e, -1 - e; each begins where the one before ends, in cycle `until`."""

    event: Ints
    until: Ints


_PART = 1 << 14


def parts_of(count: int) -> Iterator[slice]:
    """Columns of so many rows a part at a time, so that what is made of them on the way is small
    beside them."""
    for first in range(0, count, _PART):
        yield slice(first, min(first + _PART, count))


def awaited(timing: TimedRun, waits: Ints) -> Ints:
    """The events of the work that waits were for: what came before the signal on its pipe, or
    what that waited for in turn."""
    schedule, events = timing.schedule, timing.events
    at = schedule.by[waits].astype(np.int64)
    while True:
        behind = (
            (events.sync[at] == 1) & (schedule.decided[at] != BY_ISSUE) & (schedule.by[at] >= 0)
        )
        if not behind.any():
            return at
        at = np.where(behind, schedule.by[at], at)


def critical_path(timing: TimedRun, pieces: PathPieces) -> list[PathStep]:
    """What decided the end of the slowest block, from its begin; the cycles add up to the
    total."""
    parts = [_parts(timing, n) for n in range(len(timing.trace.places))]
    start_ups = np.array([start_up for start_up, _ in parts])
    found: dict[tuple[int, str, str, str], PathStep] = {}
    for rows in parts_of(len(pieces.event)):
        _add_steps(timing, pieces, rows, start_ups, [what for _, what in parts], found)
    return list(found.values())


def cycles_on_path(timing: TimedRun, pieces: PathPieces) -> tuple[int, Ints]:
    """Returns the cycles of the critical path in which the scalar unit issued, and those of the
    pipes by place. They add up to the total."""
    places = len(timing.trace.places)
    issued, worked = 0, np.zeros(places, dtype=np.int64)
    for rows in parts_of(len(pieces.event)):
        event = pieces.event[rows]
        cycles = _lengths(pieces, rows)
        issue = _issues(timing, event)
        issued += int(cycles[issue].sum())
        place = timing.events.place[event[~issue]]
        worked += np.bincount(place, weights=cycles[~issue], minlength=places).astype(np.int64)
    return issued, worked


def _lengths(pieces: PathPieces, rows: slice) -> Ints:
    before = pieces.until[rows.start - 1] if rows.start else 0
    return np.diff(pieces.until[rows], prepend=before)


def _issues(timing: TimedRun, event: Ints) -> Column:
    """Returns which pieces of the path are issue by the scalar unit."""
    return (event < 0) | (timing.events.scalar[event] == 1)


def _add_steps(
    timing: TimedRun,
    pieces: PathPieces,
    rows: slice,
    start_ups: Ints,
    after: list[str],
    found: dict[tuple[int, str, str, str], PathStep],
) -> None:
    """Adds some pieces to what is `found`. Of each place: the cycles of its start-up, and what
    comes after."""
    events, event = timing.events, pieces.event[rows]
    shown = np.where(event < 0, -1 - event, event)
    cycles = _lengths(pieces, rows)
    issue = _issues(timing, event)
    first = np.minimum(cycles, start_ups[events.place[shown]])
    first[issue] = 0
    waited = np.where(issue, 0, _behind(timing, np.maximum(event, 0)))
    pipe = np.where(issue, SCALAR, events.pipe[event])
    keys = np.column_stack((events.place[shown], pipe, events.unit[shown] % events.cores, issue))
    groups, begins, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    group = group.reshape(-1)
    numbers = [np.bincount(group, weights=w) for w in (first, cycles - first, waited)]
    times = [np.bincount(group, weights=part > 0) for part in (first, cycles - first)]
    for n in np.argsort(begins).tolist():
        place, number, core, issued = groups[n].tolist()
        whats = ("", "issue") if issued else ("start-up", after[place])
        for part, what in enumerate(whats):
            took, pieces_of = int(numbers[part][n]), int(times[part][n])
            if took:
                # What it stood behind others comes before its first part.
                late = int(numbers[2][n]) if part == 0 or not numbers[0][n] else 0
                where = line(timing, place), PIPES[number], what, core_name(timing, core)
                same = found.get(where, PathStep(*where[:3], 0, 0, where[3]))
                found[where] = replace(
                    same,
                    cycles=same.cycles + took,
                    times=same.times + pieces_of,
                    waited=same.waited + late,
                )


_AFTER = {"copy": "transfer", "product": "product"}
"""By what an instruction costs as: what comes after its start-up."""


def _parts(timing: TimedRun, index: int) -> tuple[int, str]:
    """Of a place: the cycles before the first byte of a copy or the first repeat of a product, and
    what comes then."""
    place, used = timing.trace.places[index], timing.model.used.get(index)
    kind = "" if place.record is None else place.record.cost_kind
    if isinstance(place.op, Scope):
        return 0, "vecscope"
    if kind not in _AFTER or used is None:
        return 0, _AFTER.get(kind, "work")
    named = (used.figures.get(name) for name in ("startup", "head"))
    return sum(figure.cycles for figure in named if figure is not None), _AFTER[kind]


def _behind(timing: TimedRun, events: Ints) -> Ints:
    """Cycles from the issue of events to their start in which their pipe did others."""
    schedule = timing.schedule
    waited = schedule.start[events] - schedule.issued[events] - timing.model.issue.cycles
    return np.where(schedule.decided[events] == BY_ORDER, waited, 0)


def path_pieces(timing: TimedRun) -> PathPieces:
    """The same, piece by piece."""
    schedule, events = timing.schedule, timing.events
    unit = slowest(timing)
    first, end = (int(n) for n in events.unit_at[unit : unit + 2])
    narrow = (np.int32, np.int64)
    found = [np.zeros(0, dtype=dtype) for dtype in narrow]
    if first < end:
        last = first + int(np.argmax(schedule.done[first:end]))
        given = (
            events.scalar.astype(np.int32),
            schedule.start,
            schedule.done,
            schedule.decided,
            schedule.by,
            events.unit_at,
            events.unit,
        )
        room = [np.zeros(1, dtype=dtype) for dtype in narrow]
        count = _back_from(last, unit, timing.total_cycles, 0, *given, *room)
        found = [np.zeros(max(1, count), dtype=dtype) for dtype in narrow]
        _back_from(last, unit, timing.total_cycles, 1, *given, *found)
        found = [column[:count][::-1] for column in found]
    return PathPieces(*found)


@compiled
def _back_from(
    last: int,
    unit: int,
    total: int,
    kept: int,
    scalar: Ints32,
    start: Ints,
    done: Ints,
    decided: Ints32,
    by: Ints32,
    unit_at: Ints,
    units: Ints32,
    event: Ints32,
    end: Ints,
) -> int:
    """Goes back from the event of a unit that is done last, by what decided the start of each;
    how many pieces there are. If they are `kept`, gives of each, the last first, its event as in
    `PathPieces`, and where it ends."""
    count = 0
    until = total
    at = last
    # Where the scalar unit issues: before this event, of this unit; -1 while a pipe works.
    before = -1
    if done[at] < until:
        # The scalar unit issued to the end.
        before = unit_at[unit + 1]
        at = unit_at[unit + 1] - 1
    while at >= 0:
        if before >= 0:
            # Back to where it waited itself.
            earlier = before - 1
            low = unit_at[units[at]]
            while earlier >= low and not (scalar[earlier] and decided[earlier] == BY_SYNC):
                earlier -= 1
            since = 0
            if earlier >= low:
                since = start[earlier]
            if until > since:
                if kept:
                    event[count] = -1 - at
                    end[count] = until
                count += 1
            until = since
            before = -1
            at = by[earlier] if earlier >= low else -1
            continue
        since = start[at]
        if until > since:
            if kept:
                event[count] = at
                end[count] = until
            count += 1
        until = min(until, since)
        if decided[at] == BY_SYNC or (decided[at] == BY_ORDER and by[at] >= 0):
            at = by[at]
        elif decided[at] == BY_ISSUE and until > 0:
            before = at
        else:
            at = -1
    return count


def chain(timing: TimedRun) -> list[PathStep]:
    """The path through the longest vecscope entry, the most cycles first."""
    scopes, code = timing.scopes, timing.code
    if scopes.start is None or scopes.ready is None or scopes.bound is None or not len(code):
        return []
    assert scopes.latency is not None
    entry = int(np.argmax(scopes.cycles))
    first, end = (int(n) for n in code.entry_at[entry : entry + 2])
    if first == end:
        return []
    latency = scopes.latency[code.place[first:end]]
    at = first + int(np.argmax(scopes.start[first:end] + latency))
    places = len(timing.trace.places)
    cycles = np.zeros(2 * places, dtype=np.int64)
    times = np.zeros(2 * places, dtype=np.int64)
    cycles[code.place[at]] = latency[at - first]
    times[code.place[at]] = 1
    mine = slice(first, at + 1)
    columns = scopes.start[mine], scopes.ready[mine], scopes.bound[mine] - first, code.place[mine]
    _walk(0, at - first, places, *(c.astype(np.int32) for c in columns), cycles, times)
    found = [
        PathStep(
            line(timing, int(i) % places),
            "PIPE_V",
            "result" if i < places else "room",
            int(cycles[i]),
            int(times[i]),
        )
        for i in np.flatnonzero(cycles)
    ]
    return sorted(found, key=lambda s: -s.cycles)


@compiled
def _walk(
    first: int,
    last: int,
    places: int,
    start: Ints32,
    ready: Ints32,
    bound: Ints32,
    place: Ints32,
    cycles: Ints,
    times: Ints,
) -> int:
    """Goes back from an instruction by what its start waited for, and adds up the cycles of
    each place: first those others waited for its results, then those it found no room."""
    at = last
    while at > first:
        now = start[at]
        before = bound[at]
        shown = places + place[at]
        if before >= 0 and ready[at] == now:
            shown = place[before]
        else:
            # It found no room: time goes back with the latest start before it in the program.
            before = at - 1
            while before > first and start[before] > now:
                before -= 1
        if now > start[before]:
            cycles[shown] += now - start[before]
            times[shown] += 1
        at = before
    return 0
