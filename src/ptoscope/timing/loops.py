"""What holds each loop: cycles of an iteration against the least that its work allows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ptoscope.isa.parts import ALL_PIPES
from ptoscope.program import Loop
from ptoscope.timing.critical import core_name
from ptoscope.timing.run import TimedRun
from ptoscope.timing.scopes import loop_runs


@dataclass(frozen=True)
class TimedLoop:
    """A loop: how many iterations, cycles of one, and the bound: the least cycles of an
    iteration, by what. `bounds` has all that were considered.

    Inside a vecscope, cycles of one are those of a loop that has settled: the mean between the
    first iteration and the last, but the bound where a loop ends before its first loads have met
    its stores. Of a loop around work of pipes that several cores of a cluster execute, there is
    one for each `core`.
    """

    line: int
    iterations: int
    cycles_per_iteration: float
    bound: float
    by: str
    bounds: dict[str, float]
    core: str = ""


def find(timing: TimedRun) -> list[TimedLoop]:
    """Innermost loops of vecscopes, and loops around work of pipes."""
    found = [*_inner(timing), *_outer(timing)]
    return sorted(found, key=lambda loop: loop.line)


def _inner(timing: TimedRun) -> list[TimedLoop]:
    scopes, code, trace = timing.scopes, timing.code, timing.trace
    if scopes.start is None or scopes.ideal is None or not len(code):
        return []
    mine, run, iterations = loop_runs(trace, code.iteration, code.entry)
    if not len(mine):
        return []
    loop = trace.iterations.loop[code.iteration[mine]]
    loop_of_run = loop[np.flatnonzero(np.diff(run, prepend=-1))]
    steps = iterations - 1
    span = _pace(scopes.start[mine], run, code.place[mine])
    chain = _pace(scopes.ideal[mine], run, code.place[mine])
    found: list[TimedLoop] = []
    for place in np.unique(loop):
        runs = np.flatnonzero((loop_of_run == place) & (steps > 0))
        inside = mine[loop == place]
        count = int(iterations[loop_of_run == place].sum())
        if not len(runs):
            continue
        moved = int(steps[runs].sum())
        places, times = np.unique(code.place[inside], return_counts=True)
        per_iteration = {int(p): float(n) / count for p, n in zip(places, times, strict=True)}
        bounds = timing.model.loop_bounds(per_iteration)
        bounds["dependency chain"] = float(chain[runs].sum()) / moved
        by = max(bounds, key=lambda name: bounds[name])
        pace = max(bounds[by], float(span[runs].sum()) / moved)
        line = trace.places[int(place)].span.line
        found.append(TimedLoop(line, count, pace, bounds[by], by, bounds))
    return found


def _pace(start: np.ndarray, run: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Of each run: cycles from the first start of an instruction to its last, of that
    instruction for which they are most."""
    key = run * (int(place.max()) + 1) + place
    order = np.argsort(key, kind="stable")
    first = np.flatnonzero(np.diff(key[order], prepend=-1))
    last = np.append(first[1:], len(order)) - 1
    spans = start[order[last]] - start[order[first]]
    runs = run[order[first]]
    return np.maximum.reduceat(spans, np.flatnonzero(np.diff(runs, prepend=-1)))


def _outer(timing: TimedRun) -> list[TimedLoop]:
    trace, events = timing.trace, timing.events
    core = events.unit % events.cores
    counted = _iteration_cores(timing)
    found: list[TimedLoop] = []
    for place in trace.places:
        if place.scope >= 0 or not isinstance(place.op, Loop):
            continue
        inside = np.array([place.index in p.loops for p in trace.places], dtype=bool)[events.place]
        iterations = np.bincount(
            counted[trace.iterations.loop == place.index], minlength=events.cores
        )
        for number in range(events.cores):
            mine = np.flatnonzero(inside & (core == number))
            if len(mine) and iterations[number] and (events.scalar[mine] == 0).any():
                title = core_name(timing, number)
                line, times = place.span.line, int(iterations[number])
                found.append(_around(timing, line, mine, times, title))
    return found


def _around(timing: TimedRun, line: int, mine: np.ndarray, iterations: int, core: str) -> TimedLoop:
    """A loop around work of pipes, of which these are the events on one core of each block."""
    events, schedule = timing.events, timing.schedule
    spent = np.where(events.sync[mine] == 1, 0, schedule.done[mine] - schedule.start[mine])
    bounds: dict[str, float] = {}
    for pipe in np.unique(events.pipe[mine]):
        cycles = float(spent[events.pipe[mine] == pipe].sum())
        if not pipe:
            cycles = float(timing.work.issue[: len(events)][mine].sum())
        bounds[ALL_PIPES[int(pipe)].unit] = cycles / iterations
    span = 0
    for block in np.unique(events.block[mine]):
        here = mine[events.block[mine] == block]
        span += int(schedule.done[here].max() - schedule.issued[here].min())
    by = max(bounds, key=lambda name: bounds[name])
    return TimedLoop(line, iterations, span / iterations, bounds[by], by, bounds, core)


def _iteration_cores(timing: TimedRun) -> np.ndarray:
    """By iteration, the core that executed it; of one without any event the first."""
    events, iterations = timing.trace.events, timing.trace.iterations
    found = np.zeros(len(iterations), dtype=np.int64)
    if timing.events.cores == 1:
        return found
    inside = events.iteration >= 0
    found[events.iteration[inside]] = events.core[inside]
    # An iteration comes after the one around it.
    for row in range(len(iterations) - 1, -1, -1):
        if iterations.parent[row] >= 0:
            found[iterations.parent[row]] = found[row]
    return found
