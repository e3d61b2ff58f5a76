"""Where the cycles went: stalls, the critical path, waits, and what assumed figures carry."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ptoscope.isa.cost import Figure
from ptoscope.isa.pipes import PIPES
from ptoscope.timing import loops
from ptoscope.timing.assumed import assumed_cycles, assumed_figures
from ptoscope.timing.critical import PathStep, chain, critical_path, slowest
from ptoscope.timing.pipes import PIPE_COUNT
from ptoscope.timing.run import TimedRun
from ptoscope.timing.stalls import Stall, TimedWait, scope_stalls, transfers, wait_stalls, waits


@dataclass(frozen=True)
class PipeUse:
    """Cycles of one pipe in the slowest block; they add up to the total."""

    pipe: str
    busy: int
    waiting: int
    idle: int


@dataclass(frozen=True)
class Reasons:
    """All of it. `path` is the critical path by line, in order of first appearance; its cycles
    add up to the total. `chain` is the path through the longest vecscope entry, from its first
    instruction to its last retirement: `result` cycles of a line that others waited for, `room`
    cycles in which the line itself found no room."""

    pipes: list[PipeUse]
    stalls: list[Stall]
    path: list[PathStep]
    chain: list[PathStep]
    loops: list[loops.TimedLoop]
    waits: list[TimedWait]
    assumed_cycles: float
    assumed: list[tuple[str, str, Figure]]


def find(timing: TimedRun) -> Reasons:
    """The reasons of a schedule."""
    path = critical_path(timing)
    stalls = sorted(
        [*scope_stalls(timing), *wait_stalls(timing), *transfers(path)],
        key=lambda s: (-s.cycles, s.line, s.cause),
    )
    return Reasons(
        _pipes(timing),
        stalls,
        path,
        chain(timing),
        loops.find(timing),
        waits(timing),
        assumed_cycles(timing, path),
        assumed_figures(timing),
    )


def _pipes(timing: TimedRun) -> list[PipeUse]:
    block, total = slowest(timing), timing.total_cycles
    used = set(np.unique(timing.events.pipe).tolist())
    found: list[PipeUse] = []
    for number, name in enumerate(PIPES):
        if number and number not in used:
            continue
        busy = int(timing.schedule.busy[block * PIPE_COUNT + number])
        waiting = int(timing.schedule.waiting[block * PIPE_COUNT + number])
        found.append(PipeUse(name, busy, waiting, total - busy - waiting))
    return found
