"""Where the cycles went: stalls, the critical path, waits, and what assumed figures carry."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from ptoscope.isa.parts import PIPES
from ptoscope.native.subset import Ints
from ptoscope.program import Scope
from ptoscope.timing import loops
from ptoscope.timing.critical import (
    PathStep,
    chain,
    core_name,
    critical_path,
    cycles_on_path,
    path_pieces,
    slowest,
)
from ptoscope.timing.double_buffers import DoubleBuffer, double_buffers
from ptoscope.timing.holds import Hold, holds
from ptoscope.timing.model import NamedFigure
from ptoscope.timing.pipes import PIPE_COUNT
from ptoscope.timing.run import TimedRun
from ptoscope.timing.stalls import Stall, scope_stalls, transfers, wait_stalls, waited_for
from ptoscope.timing.vector_core import CAUSE_COUNT, DEPENDENCY
from ptoscope.timing.waits import TimedWait, too_long, waits


@dataclass(frozen=True)
class PipeUse:
    """Cycles of one pipe in the slowest block; they add up to the total. `core` is the core of a
    cluster, else empty."""

    pipe: str
    busy: int
    waiting: int
    idle: int
    core: str = ""


@dataclass(frozen=True)
class Reasons:
    """All of it. `holds` is what stopped the dispatch of the vector core. `path` is the critical
    path by line, in order of first appearance; its cycles add up to the total. `chain` is the path
    through the longest vecscope entry, from its first instruction to its last retirement: `result`
    cycles of a line that others waited for, `room` cycles in which the line itself found no room.
    `assumed` are figures as in `all_figures`."""

    pipes: list[PipeUse]
    stalls: list[Stall]
    holds: list[Hold]
    path: list[PathStep]
    chain: list[PathStep]
    loops: list[loops.TimedLoop]
    waits: list[TimedWait]
    double_buffers: list[DoubleBuffer]
    advised: bool
    """Whether somebody looked what waits and second buffers are worth: not in very long runs."""
    assumed_cycles: float
    assumed: dict[str, NamedFigure]


def find(timing: TimedRun) -> Reasons:
    """The reasons of a schedule."""
    pieces = path_pieces(timing)
    path, on_path = critical_path(timing, pieces), cycles_on_path(timing, pieces)
    # As large as the run: what is looked for below has to do without them.
    del pieces
    stalls = sorted(
        [*scope_stalls(timing), *wait_stalls(timing), *transfers(path)],
        key=lambda s: (-s.cycles, s.line, s.cause),
    )
    return Reasons(
        _pipes(timing),
        stalls,
        holds(timing),
        path,
        chain(timing),
        loops.find(timing),
        waits(timing),
        double_buffers(timing),
        not too_long(timing.trace),
        _assumed_cycles(timing, *on_path),
        _assumed_figures(timing),
    )


def _pipes(timing: TimedRun) -> list[PipeUse]:
    events, total = timing.events, timing.total_cycles
    first = slowest(timing) // events.cores * events.cores
    found: list[PipeUse] = []
    for core in range(events.cores):
        used = set(np.unique(events.pipe[events.unit % events.cores == core]).tolist())
        for number, name in enumerate(PIPES):
            if number and number not in used:
                continue
            at = (first + core) * PIPE_COUNT + number
            busy, waiting = (int(c[at]) for c in (timing.schedule.busy, timing.schedule.waiting))
            title = core_name(timing, core)
            found.append(PipeUse(name, busy, waiting, total - busy - waiting, title))
    return found


def _assumed_cycles(timing: TimedRun, issued: int, worked: Ints) -> float:
    """Returns the cycles of the critical path that rest on assumed figures, of those in which the
    scalar unit issued and those of the pipes by place."""
    places, used, shares = timing.trace.places, timing.model.used, _scope_shares(timing)
    total = float(issued) * timing.model.issue.assumed
    for index in np.flatnonzero(worked).tolist():
        figures = used.get(index)
        share = float(figures is not None and figures.assumed)
        if isinstance(places[index].op, Scope):
            share = shares.get(index, 0.0)
        total += int(worked[index]) * share
    return total


def _scope_shares(timing: TimedRun) -> dict[int, float]:
    """Returns for each vecscope, by place, the part of its cycles that rests on assumed figures."""
    scopes, used = timing.scopes, timing.model.used
    assumed: dict[int, float] = defaultdict(float)
    stall = scopes.stall.reshape(-1, CAUSE_COUNT)
    for place in timing.trace.places:
        figures = used.get(place.index)
        if place.scope >= 0 and figures is not None and figures.assumed:
            own = int(scopes.busy[place.index] + stall[place.index].sum())
            assumed[place.scope] += own - int(stall[place.index, DEPENDENCY])
    for (_, on), cycles in waited_for(timing).items():
        figures = used.get(on)
        if figures is not None and figures.assumed:
            assumed[timing.trace.places[on].scope] += cycles
    found: dict[int, float] = {}
    for place in timing.trace.places:
        if not isinstance(place.op, Scope):
            continue
        entries = timing.trace.events.entry[timing.events.event[timing.events.place == place.index]]
        figures = used.get(place.index)
        launch = figures.figures["launch"] if figures is not None else None
        launches = 0 if launch is None else len(entries) * launch.cycles
        whole = int(scopes.cycles[entries].sum()) + launches
        cycles = assumed.get(place.index, 0.0)
        if launch is not None and launch.assumed:
            cycles += launches
        found[place.index] = cycles / whole if whole else 0.0
    return found


def _assumed_figures(timing: TimedRun) -> dict[str, NamedFigure]:
    """Those that the run uses."""
    return {name: found for name, found in timing.figures.items() if found[2].assumed}
