"""What holds each loop: cycles of an iteration against the least that its work allows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ptoscope.isa.parts import ALL_PIPES
from ptoscope.native.subset import Ints, Ints32, compiled
from ptoscope.program import Loop
from ptoscope.timing.critical import core_name, parts_of
from ptoscope.timing.producers import ints
from ptoscope.timing.run import TimedRun
from ptoscope.timing.scopes import innermost
from ptoscope.trace.trace import Trace


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
    loop_of = _innermost_of(trace)
    places = len(trace.places)
    runs, iterations, spans, chains = (np.zeros(places, dtype=np.int64) for _ in range(4))
    scratch = (np.zeros(places, dtype=np.int64) for _ in range(4))
    sum_runs(
        len(code), loop_of, code.place, code.iteration, ints(trace.iterations.parent),
        code.entry_at, code.dep_at, code.dep, scopes.start, scopes.ideal, scopes.latency,
        runs, iterations, spans, chains, *scratch,
    )  # fmt: skip
    times = np.bincount(code.place, minlength=places)
    found: list[TimedLoop] = []
    for loop in np.flatnonzero(iterations > runs).tolist():
        count = int(iterations[loop])
        inside = np.flatnonzero((loop_of == loop) & (times > 0)).tolist()
        bounds = timing.model.loop_bounds({place: float(times[place]) / count for place in inside})
        bounds["dependency chain"] = float(chains[loop]) / count
        by = max(bounds, key=lambda name: bounds[name])
        pace, line = float(spans[loop]) / count, trace.places[loop].span.line
        found.append(TimedLoop(line, count, pace, bounds[by], by, bounds))
    return found


def _innermost_of(trace: Trace) -> np.ndarray:
    """Of each place the loop that is around it and around no other loop, or -1."""
    inner = innermost(trace)
    around = (place.loops[-1] if place.loops else -1 for place in trace.places)
    return np.array([loop if loop >= 0 and inner[loop] else -1 for loop in around], dtype=np.int64)


@compiled
def sum_runs(
    count: int,
    loop_of: Ints,
    place: Ints32,
    iteration: Ints32,
    parent: Ints,
    entry_at: Ints,
    dep_at: Ints32,
    dep: Ints32,
    start: Ints32,
    ideal: Ints32,
    latency: Ints,
    runs: Ints,
    iterations: Ints,
    spans: Ints,
    chains: Ints,
    run_of: Ints,
    first: Ints,
    last: Ints,
    places: Ints,
) -> int:
    """Of each innermost loop its runs (a run is one entry of the loop), their iterations, the
    cycles from the first start of each run to its last end, and its chains, see `chain_of`;
    all four by place, zeros before. The last four are scratch, by place, zeros before."""
    entry = 0
    number = 0
    loop = -1
    entered = -1
    outer = -1
    now = -1
    begun = 0
    low = 0
    high = 0
    given = 0
    seen = 0
    for i in range(count):
        p = place[i]
        if loop_of[p] < 0:
            continue
        while entry_at[entry + 1] <= i:
            entry += 1
        if loop_of[p] != loop or parent[iteration[i]] != outer or entry != entered:
            if loop >= 0:
                spans[loop] += high - low
                chains[loop] += chain_of(seen, given, places, first, last)
            loop = loop_of[p]
            outer = parent[iteration[i]]
            entered = entry
            number += 1
            runs[loop] += 1
            begun = i
            low = start[i]
            high = 0
            given = 0
            seen = 0
            now = -1
        if iteration[i] != now:
            now = iteration[i]
            iterations[loop] += 1
        low = min(low, start[i])
        high = max(high, start[i] + max(latency[p], 1))
        if run_of[p] != number:
            run_of[p] = number
            places[seen] = p
            seen += 1
            first[p] = ideal[i]
        last[p] = ideal[i]
        for j in range(dep_at[i], dep_at[i + 1]):
            d = dep[j]
            if d < begun or loop_of[place[d]] != loop:
                given = max(given, ideal[d] + latency[place[d]])
    if loop >= 0:
        spans[loop] += high - low
        chains[loop] += chain_of(seen, given, places, first, last)
    return 0


@compiled
def chain_of(seen: int, given: int, places: Ints, first: Ints, last: Ints) -> Any:
    """Cycles by which results alone keep the last start of an instruction in a run behind its
    first, of that instruction for which they are most. Only from when on what comes from outside
    is there, which is `given`, does the loop itself make them wait."""
    most = 0
    for k in range(seen):
        p = places[k]
        most = max(most, last[p] - max(first[p], given))
    return most


def _outer(timing: TimedRun) -> list[TimedLoop]:
    trace, events = timing.trace, timing.events
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
            mine = np.flatnonzero(inside & (events.unit % events.cores == number)).astype(np.int32)
            if len(mine) and iterations[number] and (events.scalar[mine] == 0).any():
                title = core_name(timing, number)
                line, times = place.span.line, int(iterations[number])
                found.append(_around(timing, line, mine, times, title))
    return found


def _around(timing: TimedRun, line: int, mine: np.ndarray, iterations: int, core: str) -> TimedLoop:
    """A loop around work of pipes, of which these are the events on one core of each block."""
    events, schedule = timing.events, timing.schedule
    # What a pipe cannot share; what begins and ends a piece of work may overlap another.
    pipe_of = events.pipe[mine]
    bounds: dict[str, float] = {}
    for pipe in np.unique(pipe_of).tolist():
        spent = timing.work.work if pipe else timing.work.issue
        cycles = int(spent[mine[pipe_of == pipe]].sum(dtype=np.int64))
        bounds[ALL_PIPES[pipe].unit] = cycles / iterations
    span = 0
    # Events stand block after block.
    ends = np.searchsorted(mine, events.unit_at[:: events.cores])
    for here in (mine[first:end] for first, end in pairwise(ends.tolist()) if first < end):
        # A core issues in order.
        last = max(int(schedule.done[here[rows]].max()) for rows in parts_of(len(here)))
        span += last - int(schedule.issued[here[0]])
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
