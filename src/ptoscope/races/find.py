"""Races of a run, judged by what the rules order and not by the order in which it ran."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from ptoscope.check.text import Text
from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.targets import Target
from ptoscope.program import Program
from ptoscope.races.blocks import meetings_of_blocks
from ptoscope.races.board import Meeting
from ptoscope.races.cells import Runs, cut
from ptoscope.races.fixes import Remedies, Remedy
from ptoscope.races.messages import diagnostic
from ptoscope.races.pipes import meetings
from ptoscope.races.race import (
    BLOCKS_RACE,
    COPIES_RACE,
    PIPES_RACE,
    SCOPE_RACE,
    Race,
    side,
)
from ptoscope.races.scopes import hazards
from ptoscope.trace.trace import Column, Trace

BLOCKS_REMEDY = Remedy("give each block bytes of its own: nothing orders blocks")


def find_races(trace: Trace, program: Program, target: Target) -> list[Diagnostic]:
    """The races of a run as findings, in the order of the text."""
    found = [diagnostic(race, trace, program) for race in list_races(trace, program, target)]
    return sorted(found, key=lambda d: (d.span, d.code))


def list_races(trace: Trace, program: Program, target: Target) -> list[Race]:
    """The races of a run: one for each two places that meet without order, with a count."""
    runs = cut(trace)
    remedies = Remedies(trace, Text(program))
    found = _Found(trace, runs)
    meetings(trace, runs, found.add)
    races = [_with(race, _remedy(race, remedies)) for race in found.races()]
    between = _Found(trace, runs, BLOCKS_RACE)
    meetings_of_blocks(trace, runs, between.add)
    races += [_with(race, BLOCKS_REMEDY) for race in between.races()]
    if target.name == "a5":
        races += _in_scopes(trace, runs, remedies)
    return races


def _with(race: Race, remedy: Remedy) -> Race:
    return replace(race, remedy=remedy.text, fix=remedy.fix)


def _remedy(race: Race, remedies: Remedies) -> Remedy:
    if race.code == COPIES_RACE:
        return remedies.between_copies(race.late)
    return remedies.between_pipes(race.early, race.late)


def _in_scopes(trace: Trace, runs: Runs, remedies: Remedies) -> list[Race]:
    races: list[Race] = []
    for early, late, times in hazards(trace, runs):
        race = _race(trace, runs, SCOPE_RACE, early, late, times)
        races.append(_with(race, remedies.inside_scope(race.early, race.late)))
    return races


def _race(trace: Trace, runs: Runs, code: str, early: int, late: int, count: int = 1) -> Race:
    """The race of two runs."""
    sides = [side(trace, int(runs.event[r]), bool(runs.writes[r])) for r in (early, late)]
    first = int(max(runs.start[early], runs.start[late]))
    last = int(min(runs.stop[early], runs.stop[late])) - 1
    return Race(code, sides[0], sides[1], int(runs.space[early]), first, last, count)


@dataclass
class _Found:
    """Meetings by the two places that stand among the synchronisation."""

    trace: Trace
    runs: Runs
    code: str = ""

    def __post_init__(self) -> None:
        self._races: dict[tuple[int, int], Race] = {}
        self._times: Counter[tuple[int, int]] = Counter()

    def add(self, meeting: Meeting) -> None:
        """Counts a meeting; the first one of its places is looked at closely."""
        place = self.trace.events.place
        key = int(place[meeting.early]), int(place[meeting.late])
        self._times[key] += 1
        if key not in self._races:
            self._races[key] = self._look(meeting)

    def races(self) -> list[Race]:
        return [replace(race, count=self._times[key]) for key, race in self._races.items()]

    def _look(self, meeting: Meeting) -> Race:
        early = self._runs_at(meeting.early, meeting.early_writes, meeting.cell)[-1]
        late = self._runs_at(meeting.late, meeting.late_writes, meeting.cell)[0]
        race = _race(self.trace, self.runs, self.code, int(early), int(late))
        if self.code:
            return race
        one_pipe = race.early.pipe == race.late.pipe
        return replace(race, code=COPIES_RACE if one_pipe else PIPES_RACE)

    def _runs_at(self, node: int, writes: bool, cell: int) -> Column:
        """The runs of a node that touch a cell in that way."""
        runs, rows = self.runs, self.runs.of(node)
        touching = (runs.first[rows] <= cell) & (cell < runs.last[rows])
        return rows.start + np.flatnonzero(touching & (runs.writes[rows] == writes))
