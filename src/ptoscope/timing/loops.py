"""What holds each loop: cycles of an iteration against the least that its work allows."""

from __future__ import annotations

from dataclasses import dataclass, replace

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

    Cycles of one are those from the first start in the loop to its last end, over its iterations:
    no less than the bound, whatever the loop. Of a loop around work of pipes that several cores
    of a cluster execute, there is one for each `core`, or one for those that agree.
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
    found = [*_inner(timing), *_joined(_outer(timing))]
    return sorted(found, key=lambda loop: loop.line)


def _joined(loops: list[TimedLoop]) -> list[TimedLoop]:
    """Those of cores that agree as one."""
    found: dict[tuple[object, ...], TimedLoop] = {}
    for loop in loops:
        key = loop.line, loop.iterations, round(loop.cycles_per_iteration, 1), loop.bound, loop.by
        same = found.get(key)
        found[key] = replace(same, core=f"{same.core}, {loop.core}") if same else loop
    return list(found.values())


def _inner(timing: TimedRun) -> list[TimedLoop]:
    scopes, code, trace = timing.scopes, timing.code, timing.trace
    if scopes.start is None or scopes.ideal is None or not len(code):
        return []
    assert scopes.latency is not None
    mine, run, iterations = loop_runs(trace, code.iteration, code.entry)
    if not len(mine):
        return []
    loop = trace.iterations.loop[code.iteration[mine]]
    begin = np.flatnonzero(np.diff(run, prepend=-1))
    loop_of_run = loop[begin]
    ends = scopes.start[mine] + np.maximum(scopes.latency[mine], 1)
    span = np.maximum.reduceat(ends, begin) - np.minimum.reduceat(scopes.start[mine], begin)
    chain = _chains(timing, mine, run, begin)
    found: list[TimedLoop] = []
    for place in np.unique(loop):
        runs = np.flatnonzero(loop_of_run == place)
        inside = mine[loop == place]
        count = int(iterations[runs].sum())
        if count == len(runs):
            continue
        places, times = np.unique(code.place[inside], return_counts=True)
        per_iteration = {int(p): float(n) / count for p, n in zip(places, times, strict=True)}
        bounds = timing.model.loop_bounds(per_iteration)
        bounds["dependency chain"] = float(chain[runs].sum()) / count
        by = max(bounds, key=lambda name: bounds[name])
        pace = float(span[runs].sum()) / count
        line = trace.places[int(place)].span.line
        found.append(TimedLoop(line, count, pace, bounds[by], by, bounds))
    return found


def _chains(timing: TimedRun, mine: np.ndarray, run: np.ndarray, begin: np.ndarray) -> np.ndarray:
    """Of each run of a loop: cycles by which results alone keep the last start of an instruction
    behind its first, of that instruction for which they are most."""
    scopes, code = timing.scopes, timing.code
    assert scopes.ideal is not None
    key = run * (int(code.place.max()) + 1) + code.place[mine]
    order = np.argsort(key, kind="stable")
    first = np.flatnonzero(np.diff(key[order], prepend=-1))
    last = np.append(first[1:], len(order)) - 1
    runs = run[order[first]]
    ideal = scopes.ideal[mine[order]]
    # Only from when on what comes from outside is there does the loop itself make them wait.
    since = np.maximum(ideal[first], _given(timing, mine, run, len(begin))[runs])
    spans = np.maximum(ideal[last] - since, 0)
    return np.maximum.reduceat(spans, np.flatnonzero(np.diff(runs, prepend=-1)))


def _given(timing: TimedRun, mine: np.ndarray, run: np.ndarray, runs: int) -> np.ndarray:
    """Of each run of a loop: when the results of others that it reads are there at the latest,
    if results alone had to be waited for."""
    scopes, code = timing.scopes, timing.code
    assert scopes.ideal is not None
    assert scopes.latency is not None
    run_of = np.full(len(code), -1, dtype=np.int32)
    run_of[mine] = run
    reader = np.repeat(run_of, np.diff(code.dep_at[: len(code) + 1]))
    read = code.dep[: len(reader)]
    outside = np.flatnonzero((reader >= 0) & (run_of[read] != reader))
    read = read[outside]
    found = np.zeros(runs, dtype=np.int64)
    np.maximum.at(found, reader[outside], scopes.ideal[read] + scopes.latency[read])
    return found


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
    # What a pipe cannot share; what begins and ends a piece of work may overlap another.
    spent = timing.work.work[mine]
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
    at = np.flatnonzero(events.iteration >= 0)
    iteration = events.iteration[at]
    core = events.core[at]
    while len(iteration):
        found[iteration] = core
        # The iteration of the next loop outside, where nothing has to be in it itself.
        iteration = iterations.parent[iteration]
        core, iteration = core[iteration >= 0], iteration[iteration >= 0]
    return found
