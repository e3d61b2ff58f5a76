"""Cycles in which something could not go on, and why."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from ptoscope.isa.order.kinds import RULES
from ptoscope.program import Scope
from ptoscope.timing.critical import PathStep, awaited, line
from ptoscope.timing.run import TimedRun
from ptoscope.timing.vector_core import CAUSE_COUNT, CAUSES, DEPENDENCY


@dataclass(frozen=True)
class Stall:
    """Cycles, summed over all blocks, in which a line could not go on. `on` is the line it
    waited for, 0 if none."""

    cause: str
    line: int
    cycles: int
    on: int = 0


def scope_stalls(timing: TimedRun) -> list[Stall]:
    """Inside vecscopes, by cause; startup and drain too."""
    scopes = timing.scopes
    found: list[Stall] = []
    stall = scopes.stall.reshape(-1, CAUSE_COUNT)
    for place, cause in np.argwhere(stall):
        if cause != DEPENDENCY:
            cycles = int(stall[place, cause])
            found.append(Stall(CAUSES[cause], line(timing, int(place)), cycles))
    found.extend(_dependencies(timing))
    for place in timing.trace.places:
        if isinstance(place.op, Scope):
            entries = int((timing.events.place == place.index).sum())
            for cause, cycles in (("startup", scopes.startup), ("drain", scopes.drain)):
                if entries * cycles:
                    found.append(Stall(cause, place.span.line, entries * cycles))
    return found


def waited_for(timing: TimedRun) -> dict[tuple[int, int], int]:
    """Cycles that a place waited for results of another, by both."""
    scopes, code = timing.scopes, timing.code
    if scopes.waited is None or scopes.bound is None or not len(code):
        return {}
    mine = np.flatnonzero(scopes.waited)
    places = len(timing.trace.places)
    pairs = code.place[mine] * places + code.place[scopes.bound[mine]]
    names, where = np.unique(pairs, return_inverse=True)
    cycles = np.bincount(where, weights=scopes.waited[mine])
    return {(int(n) // places, int(n) % places): int(c) for n, c in zip(names, cycles, strict=True)}


def _dependencies(timing: TimedRun) -> list[Stall]:
    return [
        Stall(CAUSES[DEPENDENCY], line(timing, who), cycles, line(timing, on))
        for (who, on), cycles in waited_for(timing).items()
    ]


def wait_kind(timing: TimedRun, event: int) -> str:
    """What the cycles of a wait are called."""
    return RULES[int(timing.events.kind[event])].stall


def awaited_line(timing: TimedRun, event: int) -> int:
    """The line of the work that a wait was for."""
    (at,) = awaited(timing, np.array([event]))
    return line(timing, int(timing.events.place[at]))


def waited_at(timing: TimedRun) -> dict[int, tuple[int, int]]:
    """By place of a synchronisation: the cycles it waited, and its longest wait's event."""
    wait = timing.schedule.wait[: len(timing.events)]
    found: dict[int, tuple[int, int]] = {}
    held = np.flatnonzero(wait)
    for place in np.unique(timing.events.place[held]):
        mine = held[timing.events.place[held] == place]
        found[int(place)] = int(wait[mine].sum()), int(mine[np.argmax(wait[mine])])
    return found


def wait_stalls(timing: TimedRun) -> list[Stall]:
    """Of the pipes, at synchronisations."""
    return [
        Stall(wait_kind(timing, event), line(timing, place), cycles, awaited_line(timing, event))
        for place, (cycles, event) in waited_at(timing).items()
    ]


def transfers(path: list[PathStep]) -> list[Stall]:
    """Transfers on the critical path."""
    cycles: dict[int, int] = defaultdict(int)
    for step in path:
        if step.what == "transfer":
            cycles[step.line] += step.cycles
    return [Stall("DMA bandwidth", line, count) for line, count in cycles.items()]
