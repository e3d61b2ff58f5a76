"""The critical path: through the pipes, and through the longest vecscope."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ptoscope.isa.parts import PIPES, SCALAR
from ptoscope.native.subset import Ints, compiled
from ptoscope.program import Scope
from ptoscope.timing.pipe_schedule import BY_ISSUE, BY_ORDER, BY_SYNC
from ptoscope.timing.run import TimedRun


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


class PathPiece(NamedTuple):
    """One piece of the critical path: the event of a pipe, or of the scalar unit's issue (-1) up to
    the one at `place`, from a cycle until another, on a core of its block."""

    event: int
    place: int
    start: int
    until: int
    core: int


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


def critical_path(timing: TimedRun) -> list[PathStep]:
    """What decided the end of the slowest block, from its begin; the cycles add up to the
    total."""
    return _joined([step for piece in path_pieces(timing) for step in _steps(timing, piece)])


def path_pieces(timing: TimedRun) -> list[PathPiece]:
    """The same, piece by piece."""
    schedule, events = timing.schedule, timing.events
    unit = slowest(timing)
    first, end = (int(n) for n in events.unit_at[unit : unit + 2])
    found: list[PathPiece] = []
    if first == end:
        return found
    done = schedule.done[first:end]
    until = timing.total_cycles
    at = first + int(np.argmax(done))
    blocked = np.flatnonzero((events.scalar == 1) & (schedule.decided[: len(events)] == BY_SYNC))
    if done[at - first] < until:
        # The scalar unit issued to the end.
        until, at = _back(timing, found, blocked, end, until, end - 1, unit)
    while at >= 0:
        start = int(schedule.start[at])
        if until > start:
            core = int(events.unit[at]) % events.cores
            found.append(PathPiece(at, int(events.place[at]), start, until, core))
        until = min(until, start)
        match int(schedule.decided[at]):
            case value if value == BY_SYNC or (value == BY_ORDER and schedule.by[at] >= 0):
                at = int(schedule.by[at])
            case value if value == BY_ISSUE and until > 0:
                until, at = _back(timing, found, blocked, at, until, at, int(events.unit[at]))
            case _:
                at = -1
    return found[::-1]


def _back(
    timing: TimedRun,
    found: list[PathPiece],
    blocked: np.ndarray,
    before: int,
    until: int,
    shown: int,
    unit: int,
) -> tuple[int, int]:
    """The part of the scalar unit of a core, back to where it waited itself."""
    events = timing.events
    place = int(events.place[shown])
    earlier = int(np.searchsorted(blocked, before)) - 1
    waited = earlier >= 0 and int(blocked[earlier]) >= int(events.unit_at[unit])
    start = int(timing.schedule.start[blocked[earlier]]) if waited else 0
    if until > start:
        found.append(PathPiece(-1, place, start, until, unit % events.cores))
    return start, int(timing.schedule.by[blocked[earlier]]) if waited else -1


def _steps(timing: TimedRun, piece: PathPiece) -> list[PathStep]:
    """A piece in its parts, in order."""
    place, cycles = timing.trace.places[piece.place], piece.until - piece.start
    line, core = place.span.line, core_name(timing, piece.core)
    if piece.event < 0 or timing.events.scalar[piece.event]:
        return [PathStep(line, PIPES[SCALAR], "issue", cycles, core=core)]
    pipe = PIPES[int(timing.events.pipe[piece.event])]
    kind = "" if place.record is None else place.record.cost_kind
    what = "vecscope" if isinstance(place.op, Scope) else _PARTS.get(kind, "work")
    first = min(cycles, _start_up(timing, piece.place)) if kind in _PARTS else 0
    parts = [("start-up", first), (what, cycles - first)]
    steps = [PathStep(line, pipe, *part, core=core) for part in parts if part[1]]
    return [replace(steps[0], waited=_behind(timing, piece.event)), *steps[1:]]


_PARTS = {"copy": "transfer", "product": "product"}
"""By what an instruction costs as: what comes after its start-up."""


def _start_up(timing: TimedRun, place: int) -> int:
    """Cycles before the first byte of a copy, or before the first repeat of a product."""
    used = timing.model.used.get(place)
    named = () if used is None else (used.figures.get(name) for name in ("startup", "head"))
    return sum(figure.cycles for figure in named if figure is not None)


def _behind(timing: TimedRun, event: int) -> int:
    """Cycles from the issue of an event to its start in which its pipe did others."""
    schedule = timing.schedule
    if schedule.decided[event] != BY_ORDER:
        return 0
    return int(schedule.start[event] - schedule.issued[event]) - timing.model.issue.cycles


def _joined(steps: list[PathStep]) -> list[PathStep]:
    found: dict[tuple[int, str, str, str], PathStep] = {}
    for step in steps:
        key = step.line, step.pipe, step.what, step.core
        same = found.get(key)
        found[key] = step if same is None else _sum(same, step)
    return list(found.values())


def _sum(one: PathStep, two: PathStep) -> PathStep:
    return replace(
        one,
        cycles=one.cycles + two.cycles,
        times=one.times + two.times,
        waited=one.waited + two.waited,
    )


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
    at = first + int(np.argmax(scopes.start[first:end] + scopes.latency[first:end]))
    places = len(timing.trace.places)
    cycles = np.zeros(2 * places, dtype=np.int64)
    times = np.zeros(2 * places, dtype=np.int64)
    cycles[code.place[at]] = scopes.latency[at]
    times[code.place[at]] = 1
    _walk(first, at, places, scopes.start, scopes.ready, scopes.bound, code.place, cycles, times)
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
    start: Ints,
    ready: Ints,
    bound: Ints,
    place: Ints,
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
