"""Remedies that are tried: the kernel is run again with the change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ptoscope.check import check
from ptoscope.check.synchronisation.doubts import IN_DOUBT
from ptoscope.check.text import Fix
from ptoscope.diagnostics import Diagnostic, PtoError, edited
from ptoscope.isa.targets import Revision, Target
from ptoscope.program import Function, Launchable, Program
from ptoscope.races.find import list_races
from ptoscope.races.race import CORES_RACE, Race, Remedy
from ptoscope.sources import choose_entry, parse
from ptoscope.trace.trace import SPACE_NAMES, Trace

EVENTS = 4_000_000
"""So many events are followed in all that is tried for a run, as far as one can tell before."""
_NOT_ENOUGH = "; that alone does not put this run right"
_TOO_LONG = "; there is too much in this run to try it"


def tried(
    kernel: Launchable, trace: Trace, races: list[Race], again: Callable[[Launchable], Trace]
) -> list[Race]:
    """The races of a run, each with the first of its remedies that helps: the changed kernel is
    without this race, and it has no race, no fault and nothing for `check` to find that was not
    there. Where none helps, or none can be tried, the words of the first are kept, and no fix.

    `again` makes the same run of a changed kernel.
    """
    trials = _Trials(kernel, trace, races, again)
    return [replace(race, remedies=(trials.remedy(race),)) for race in races]


@dataclass
class _Changed:
    """A kernel of another text."""

    program: Program
    function: Function
    target: Target
    revision: Revision
    _made: dict[Any, Any] = field(default_factory=dict[Any, Any])

    def prepared(self, make: Callable[[Any], Any]) -> Any:
        if make not in self._made:
            self._made[make] = make(self)
        return self._made[make]


class _Trials:
    def __init__(
        self,
        kernel: Launchable,
        trace: Trace,
        races: list[Race],
        again: Callable[[Launchable], Trace],
    ) -> None:
        self._kernel, self._trace, self._again = kernel, trace, again
        self._before = _places(races)
        self._room = EVENTS
        self._left: dict[Fix, Counter[_Where] | None] = {}

    def remedy(self, race: Race) -> Remedy:
        """The remedy to tell of."""
        first = race.remedies[0]
        if not first.fix:
            return first
        if self._is_in_doubt(race):
            return Remedy(first.text + IN_DOUBT.format(race.early.line))
        for remedy in race.remedies:
            if remedy.fix not in self._left:
                self._room -= len(self._trace.events.place)
                if self._room < 0:
                    return Remedy(first.text + _TOO_LONG)
                self._left[remedy.fix] = self._races_after(remedy.fix)
            left = self._left[remedy.fix]
            if left is not None and not left[_where(race)] and left <= self._before:
                return remedy
        return Remedy(first.text + _NOT_ENOUGH)

    def _is_in_doubt(self, race: Race) -> bool:
        """Whether a read comes before a write to memory of the core, and nothing has written
        before what is read, or nothing reads afterwards what is written: it may be this write
        that the read is for."""
        if race.kind != "WAR" or race.space not in SPACE_NAMES or race.code == CORES_RACE:
            return False
        a = self._trace.accesses
        moves = (a.count - 1) * a.stride
        low, high = a.start + np.minimum(0, moves), a.start + np.maximum(0, moves) + a.length
        meets = (a.space == race.space) & (low <= race.last) & (race.first < high)
        meets &= self._trace.events.block[a.event] == race.early.block
        filled = meets & a.writes & (a.event < race.early.event)
        used = meets & ~a.writes & (a.event > race.late.event)
        return not (filled.any() and used.any())

    @cached_property
    def _findings(self) -> Counter[str]:
        kernel = self._kernel
        return _codes(check(kernel.program, kernel.target, kernel.revision))

    def _races_after(self, fix: Fix) -> Counter[_Where] | None:
        """Where the changed kernel races, by the lines of the text that it was; None where it
        cannot be run or has something new."""
        kernel = self._kernel
        program, target, revision = kernel.program, kernel.target, kernel.revision
        try:
            text = edited(program.text, fix)
            changed = parse(text, program.file, target.name, revision)
            function = choose_entry(changed, kernel.function.name)
            if not _codes(check(changed, target, revision)) <= self._findings:
                return None
            trace = self._again(_Changed(changed, function, target, revision))
        except PtoError:
            return None
        if _fault(trace) not in ("", _fault(self._trace)):
            return None
        return _places(list_races(trace, changed, target), fix)


_Where = tuple[str, int, int]
"""A code, and the lines of the two accesses."""


def _where(race: Race, added: Fix = ()) -> _Where:
    return race.code, _line(race.early.line, added), _line(race.late.line, added)


def _places(races: Iterable[Race], added: Fix = ()) -> Counter[_Where]:
    return Counter(_where(race, added) for race in races)


def _line(line: int, added: Fix) -> int:
    """The line as it was before lines were put in."""
    for edit in sorted(added):
        if edit.span.line < line:
            line -= edit.text.count("\n")
    return line


def _fault(trace: Trace) -> str:
    return "" if trace.error is None else trace.error.diagnostics[0].code


def _codes(findings: list[Diagnostic]) -> Counter[str]:
    return Counter(d.code for d in findings if d.severity != "note")
