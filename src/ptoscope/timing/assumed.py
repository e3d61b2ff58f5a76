"""What rests on assumed figures."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from ptoscope.isa.cost import Figure
from ptoscope.timing.critical import PathStep, line
from ptoscope.timing.run import TimedRun
from ptoscope.timing.stalls import waited_for
from ptoscope.timing.vector_core import CAUSE_COUNT, DEPENDENCY


def assumed_cycles(timing: TimedRun, path: list[PathStep]) -> float:
    """Cycles of the critical path that rest on assumed figures."""
    scope_share = _scope_shares(timing)
    by_line = {p.span.line: p.index for p in timing.trace.places if p.scope < 0}
    total = 0.0
    for step in path:
        if step.what == "issue":
            total += step.cycles * timing.model.issue.assumed
        elif step.what == "vecscope":
            total += step.cycles * scope_share.get(step.line, 0.0)
        else:
            used = timing.model.used.get(by_line.get(step.line, -1))
            total += step.cycles * (used is not None and used.assumed)
    return total


def _scope_shares(timing: TimedRun) -> dict[int, float]:
    """By line of a vecscope: which part of its cycles rests on assumed figures."""
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
    for scope, cycles in assumed.items():
        entries = timing.trace.events.entry[timing.events.event[timing.events.place == scope]]
        whole = int(scopes.cycles[entries].sum())
        found[line(timing, scope)] = cycles / whole if whole else 0.0
    return found


def assumed_figures(timing: TimedRun) -> list[tuple[str, str, Figure]]:
    found: dict[tuple[str, str], Figure] = {}
    if timing.model.issue.assumed:
        found["scalar", "issue"] = timing.model.issue
    executed = set(np.unique(timing.trace.events.place).tolist())
    for place, used in timing.model.used.items():
        for name, figure in used.figures.items():
            if figure.assumed and place in executed:
                found[used.title, name] = figure
    return [(title, name, figure) for (title, name), figure in found.items()]
