"""Races of a run, judged by what the rules order and not by the order in which it ran."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from ptoscope.check.built import as_python
from ptoscope.check.text import Text
from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.order.memory import needs_memory_barriers
from ptoscope.isa.targets import Target
from ptoscope.program import Program
from ptoscope.races.blocks import meetings_of_blocks
from ptoscope.races.cells import Runs, cut
from ptoscope.races.fixes import Remedies
from ptoscope.races.last_accesses import Meeting
from ptoscope.races.messages import diagnostic
from ptoscope.races.pipes import meetings
from ptoscope.races.race import (
    BLOCKS_RACE,
    COPIES_RACE,
    CORES_RACE,
    PIPES_RACE,
    SCOPE_RACE,
    Race,
    Remedy,
    side,
)
from ptoscope.races.scopes import hazards
from ptoscope.trace.trace import Column, Trace, run_starts

_End = tuple[int, bool]
"""An event, and whether what it writes is meant or what it reads."""

BLOCKS_REMEDY = Remedy("give each block bytes of its own: nothing orders blocks")


def find_races(trace: Trace, program: Program, target: Target) -> list[Diagnostic]:
    """The races of a run as findings, in the order of the text."""
    return tell(list_races(trace, program, target), trace, program)


def tell(races: list[Race], trace: Trace, program: Program) -> list[Diagnostic]:
    """Races as findings, in the order of the text."""
    found = [diagnostic(race, trace, program) for race in races]
    return sorted(found, key=lambda d: (d.span, d.code))


def list_races(trace: Trace, program: Program, target: Target) -> list[Race]:
    """The races of a run: one for each two places that meet without order, with a count."""
    runs = cut(trace)
    remedies = Remedies(trace, Text(program), target)
    found = _Found(trace, runs)
    meetings(trace, runs, found.add)
    races = [replace(race, remedies=remedies.of(race)) for race in found.races()]
    between = _Found(trace, runs, BLOCKS_RACE)
    meetings_of_blocks(trace, runs, between.add)
    races += [replace(race, remedies=(BLOCKS_REMEDY,)) for race in between.races()]
    if needs_memory_barriers(target):
        races += _in_scopes(trace, runs, remedies)
    return [_of_python(race) for race in races] if program.built else races


def _of_python(race: Race) -> Race:
    return replace(race, remedies=tuple(Remedy(as_python(r.text)) for r in race.remedies))


def _in_scopes(trace: Trace, runs: Runs, remedies: Remedies) -> list[Race]:
    races: list[Race] = []
    for early, late, times in hazards(trace, runs):
        first, then = ((int(runs.event[run]), bool(runs.writes[run])) for run in (early, late))
        race = _race(trace, SCOPE_RACE, first, then, int(runs.space[early]), times)
        races.append(replace(race, remedies=remedies.of(race)))
    return races


def _race(trace: Trace, code: str, early: _End, late: _End, space: int, count: int = 1) -> Race:
    """The race of two events in a space."""
    low, high = _shared(_bytes(trace, early, space), _bytes(trace, late, space))
    sides = side(trace, *early), side(trace, *late)
    return Race(code, *sides, space, int(low[0]), int(high[-1]) - 1, len(low), count)


def _bytes(trace: Trace, end: _End, space: int) -> tuple[Column, Column]:
    """What an event reads or writes in a space: runs of bytes that do not touch each other, by
    their starts and stops."""
    a, (event, writes) = trace.accesses, end
    rows = np.arange(*np.searchsorted(a.event, [event, event + 1]))
    rows = rows[(a.space[rows] == space) & (a.writes[rows] == writes)]
    start, row = run_starts(a, rows)
    order = np.argsort(start)
    start, reach = start[order], np.maximum.accumulate((start + a.length[row])[order])
    begins = np.flatnonzero(np.concatenate(([True], start[1:] > reach[:-1])))
    return start[begins], reach[np.append(begins[1:], len(start)) - 1]


def _shared(one: tuple[Column, Column], two: tuple[Column, Column]) -> tuple[Column, Column]:
    """The runs of bytes that are in both."""
    at = np.concatenate((one[0], two[0], one[1], two[1]))
    step = np.repeat([1, -1], len(at) // 2)
    # What stops at a byte has stopped before another starts there.
    order = np.lexsort((step, at))
    begins = np.flatnonzero(np.cumsum(step[order]) == 2)
    return at[order][begins], at[order][begins + 1]


@dataclass
class _Found:
    """Meetings by the two places that stand among the synchronisation."""

    trace: Trace
    runs: Runs
    code: str = ""

    def __post_init__(self) -> None:
        self._races: dict[tuple[int, int, bool], Race] = {}
        self._times: Counter[tuple[int, int, bool]] = Counter()

    def add(self, meeting: Meeting) -> None:
        """Counts a meeting; the first one of its places is looked at closely."""
        place, core = self.trace.events.place, self.trace.events.core
        between = bool(core[meeting.early] != core[meeting.late])
        first, last = int(place[meeting.early]), int(place[meeting.late])
        if between and not self.code:
            # Of two cores either may be the first.
            first, last = sorted((first, last))
        key = first, last, between
        self._times[key] += 1
        if key not in self._races:
            self._races[key] = self._look(meeting)

    def races(self) -> list[Race]:
        return [replace(race, count=self._times[key]) for key, race in self._races.items()]

    def _look(self, meeting: Meeting) -> Race:
        space, byte = self.runs.byte(meeting.cell)
        early = self._events_at(meeting.early, meeting.early_writes, space, byte)[-1]
        late = self._events_at(meeting.late, meeting.late_writes, space, byte)[0]
        ends = (int(early), meeting.early_writes), (int(late), meeting.late_writes)
        race = _race(self.trace, self.code, *ends, space)
        if self.code:
            return race
        if race.early.core != race.late.core:
            return replace(race, code=CORES_RACE)
        one_pipe = race.early.pipe == race.late.pipe
        return replace(race, code=COPIES_RACE if one_pipe else PIPES_RACE)

    def _events_at(self, node: int, writes: bool, space: int, byte: int) -> Column:
        """The events of a node that read or write a byte."""
        a, rows = self.trace.accesses, self.runs.accesses(node)
        there = (a.space[rows] == space) & (a.writes[rows] == writes)
        after = byte - a.start[rows]
        run = np.clip(after // np.maximum(a.stride[rows], 1), 0, a.count[rows] - 1)
        after -= run * a.stride[rows]
        return a.event[rows][there & (after >= 0) & (after < a.length[rows])]
