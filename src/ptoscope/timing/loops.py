"""What holds each loop: cycles of an iteration against the least that its work allows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ptoscope.isa.parts import ALL_PIPES
from ptoscope.program import Loop
from ptoscope.timing.run import TimedRun
from ptoscope.timing.scopes import loop_runs


@dataclass(frozen=True)
class TimedLoop:
    """A loop: how many iterations, cycles of one, and the bound: the least cycles of an
    iteration, by what. `bounds` has all that were considered.

    Inside a vecscope, cycles of one are those of a loop that has settled: the mean between the
    first iteration and the last, but the bound where a loop ends before its first loads have met
    its stores.
    """

    line: int
    iterations: int
    cycles_per_iteration: float
    bound: float
    by: str
    bounds: dict[str, float]


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
    trace, events, schedule = timing.trace, timing.events, timing.schedule
    found: list[TimedLoop] = []
    done, start = (column[: len(events)] for column in (schedule.done, schedule.start))
    spent = np.where(events.sync == 1, 0, done - start)
    spent[events.scalar == 1] = timing.model.issue.cycles
    for place in trace.places:
        if place.scope >= 0 or not isinstance(place.op, Loop):
            continue
        inside = np.array([place.index in p.loops for p in trace.places], dtype=bool)
        mine = np.flatnonzero(inside[events.place])
        iterations = int((trace.iterations.loop == place.index).sum())
        if not len(mine) or not iterations or not (events.scalar[mine] == 0).any():
            continue
        bounds: dict[str, float] = {}
        for pipe in np.unique(events.pipe[mine]):
            on = mine[events.pipe[mine] == pipe]
            cycles = float(spent[on].sum())
            if not pipe:
                cycles = float(len(mine) * timing.model.issue.cycles)
            bounds[ALL_PIPES[int(pipe)].unit] = cycles / iterations
        span = 0
        for block in np.unique(events.block[mine]):
            here = mine[events.block[mine] == block]
            span += int(schedule.done[here].max() - schedule.issued[here].min())
        by = max(bounds, key=lambda name: bounds[name])
        found.append(
            TimedLoop(place.span.line, iterations, span / iterations, bounds[by], by, bounds)
        )
    return found
