"""Loads and stores of one vecscope: on A5 only a mem_bar orders those of the same bytes.

A place is a load or a store of the body. Its clock says for every place up to which event the
accesses of that one are complete when it executes: by barriers, and because what it uses was
made from what they loaded. The rules are those of the check before a run (`check.sync_scopes`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ptoscope.check.flow import Values
from ptoscope.check.sync_scopes import makers, ordered_kinds
from ptoscope.races.cells import Runs
from ptoscope.trace.trace import MEM_BAR, NONE, UB, Column, Place, Trace, barrier_type

Bounds = dict[int, int]
"""For some places, the event before which all their accesses are complete."""


class Hazard(NamedTuple):
    """Two runs (numbers of `Runs`) of one vecscope that nothing orders, and how often their
    places meet so, where this vecscope was executed as often as it was."""

    early: int
    late: int
    times: int


def kind_of(place: Place, writes: bool) -> str:
    """What a mem_bar calls an access."""
    scalar = place.record is not None and place.record.pipe == "PIPE_S"
    return ("" if scalar else "V") + ("ST" if writes else "LD")


def hazards(trace: Trace, runs: Runs) -> Iterator[Hazard]:
    """Those of all vecscopes, one for each two places."""
    inside = np.flatnonzero((trace.events.entry[runs.event] != NONE) & (runs.space == UB))
    if not len(inside):
        return
    entry = trace.events.entry[runs.event[inside]]
    cuts = np.flatnonzero(np.diff(entry)) + 1
    bars = trace.syncs.event[trace.syncs.kind == MEM_BAR]
    types = trace.syncs.mode[trace.syncs.kind == MEM_BAR]
    values = Values(trace.function)
    known: dict[tuple[bytes, ...], dict[tuple[int, int], Hazard]] = {}
    total: dict[tuple[int, int], Hazard] = {}
    for rows in np.split(inside, cuts):
        first, last = (int(runs.event[r]) for r in (rows[0], rows[-1]))
        mine = slice(*np.searchsorted(bars, [first, last]))
        looks = _looks(trace, runs, rows, first, bars[mine], types[mine])
        found = known.get(looks)
        if found is None:
            scope = _Scope(trace, runs, rows, bars[mine], types[mine], values)
            found = known[looks] = scope.hazards()
        for places, hazard in found.items():
            before = total.get(places)
            total[places] = hazard if before is None else _more(before, hazard.times)
    yield from total.values()


def _more(hazard: Hazard, times: int) -> Hazard:
    return hazard._replace(times=hazard.times + times)


def _looks(
    trace: Trace, runs: Runs, rows: Column, first: int, bars: Column, types: Column
) -> tuple[bytes, ...]:
    """What the hazards of an execution depend on: steady loops make the same again and again."""
    event = runs.event[rows]
    columns = (
        event - first,
        trace.events.place[event],
        runs.first[rows],
        runs.last[rows],
        bars - first,
        types,
    )
    return tuple(column.tobytes() for column in columns)


class _Scope:
    """One execution of a vecscope."""

    def __init__(
        self,
        trace: Trace,
        runs: Runs,
        rows: Column,
        bars: Column,
        types: Column,
        values: Values,
    ) -> None:
        self._trace, self._runs, self._rows = trace, runs, rows
        self._event = runs.event[rows]
        self._place = trace.events.place[self._event]
        self._writes = runs.writes[rows]
        places = np.unique(self._place).tolist()
        self._events: dict[int, list[int]] = {
            p: np.unique(self._event[self._place == p]).tolist() for p in places
        }
        writing = {p: bool(self._writes[self._place == p].any()) for p in places}
        self._kinds = {p: kind_of(trace.places[p], writing[p]) for p in places}
        self._loads = _loads(trace, places, values)
        self._bars: list[int] = bars.tolist()
        self._types: list[int] = types.tolist()
        self._fences: list[dict[str, Bounds]] | None = None

    def hazards(self) -> dict[tuple[int, int], Hazard]:
        """By the two places."""
        if not self._writes.any() or len(self._events) == 1:
            return {}
        found: dict[tuple[int, int], Hazard] = {}
        judged: set[tuple[int, int]] = set()
        for accesses in self._shared():
            last: dict[int, int] = {}
            for row in accesses:
                place, event = int(self._place[row]), int(self._event[row])
                for other, early in last.items():
                    pair = int(self._event[early]), event
                    if (
                        other == place
                        or not (self._writes[row] or self._writes[early])
                        or pair in judged
                    ):
                        continue
                    judged.add(pair)
                    if not self._ordered(*pair, other, place) and not self._same(early, row):
                        places = other, place
                        before = found.get(places)
                        rows = int(self._rows[early]), int(self._rows[row])
                        found[places] = Hazard(*rows, 1) if before is None else _more(before, 1)
                last[place] = row
        return found

    def _shared(self) -> Iterator[list[int]]:
        """The accesses of each cell that several places touch and one writes, but for those
        where it is seen at once that the last uses what the others loaded."""
        first, last = self._runs.first[self._rows], self._runs.last[self._rows]
        size = last - first
        row = np.repeat(np.arange(len(size)), size)
        cell = np.arange(len(row)) - np.repeat(np.cumsum(size) - size - first, size)
        order = np.argsort(cell, kind="stable")
        row, cell = row[order], cell[order]
        begin = np.flatnonzero(np.concatenate(([True], cell[1:] != cell[:-1])))
        end = np.concatenate((begin[1:], [len(cell)]))
        place, writes = self._place[row], self._writes[row]
        only = np.repeat(place[end - 1], end - begin)
        at_end = np.zeros(len(row), dtype=bool)
        at_end[end - 1] = True
        used = self._use(place, only) | at_end
        plain = np.logical_and.reduceat(used, begin)
        written = np.logical_or.reduceat(writes, begin)
        several = ~np.logical_and.reduceat(place == only, begin)
        for i in np.flatnonzero(written & several & ~plain).tolist():
            yield row[begin[i] : end[i]].tolist()

    def _use(self, place: Column, user: Column) -> Column:
        """Whether a place is a load from which what another stores is made."""
        names = sorted(self._events)
        table = np.zeros((len(names), len(names)), dtype=bool)
        for j, p in enumerate(names):
            for load in self._loads[p]:
                table[names.index(load), j] = True
        rank = np.zeros(names[-1] + 1, dtype=np.int64)
        rank[names] = range(len(names))
        return table[rank[place], rank[user]]

    def _same(self, early: int, late: int) -> bool:
        """Two stores of one value to one place: in any order the same."""
        if not (self._writes[early] and self._writes[late]):
            return False
        a, b = (self._trace.places[int(self._place[r])].op for r in (early, late))
        runs, (one, two) = self._runs, self._rows[[early, late]]
        return (
            a.name == b.name
            and a.operands[:1] == b.operands[:1]
            and a.attrs == b.attrs
            and bool(runs.start[one] == runs.start[two] and runs.stop[one] == runs.stop[two])
        )

    # Order.

    def _ordered(self, early: int, late: int, place: int, user: int) -> bool:
        kinds = self._kinds[place], self._kinds[user]
        if kinds[0][0] != "V" and kinds[1][0] != "V":
            # The scalar unit keeps its own order.
            return True
        return early < self._clock(user, late).get(place, NONE)

    def _clock(self, place: int, event: int) -> Bounds:
        """What is complete when a place executes at an event."""
        clock = dict(self._fence(place, event))
        for load in self._loads[place]:
            done = self._events[load]
            at = bisect_left(done, event)
            if at:
                _join(clock, self._fence(load, done[at - 1]))
                clock[load] = event
        return clock

    def _fence(self, place: int, event: int) -> Bounds:
        """What barriers alone order before it."""
        if self._fences is None:
            self._fences = self._raise_fences()
        return self._fences[bisect_left(self._bars, event)].get(self._kinds[place], {})

    def _raise_fences(self) -> list[dict[str, Bounds]]:
        """For each number of barriers passed: what they complete, for each kind of access."""
        fences: list[dict[str, Bounds]] = [{}]
        self._fences = fences
        for bar, kind in zip(self._bars, self._types, strict=True):
            before, after = ordered_kinds(barrier_type(kind))
            passed: Bounds = {}
            for place, done in self._events.items():
                at = bisect_left(done, bar)
                if self._kinds[place] in before and at:
                    _join(passed, self._clock(place, done[at - 1]))
                    passed[place] = bar
            now = dict(fences[-1])
            for name in after:
                bounds = dict(now.get(name, {}))
                _join(bounds, passed)
                now[name] = bounds
            fences.append(now)
        return fences


def _join(bounds: Bounds, more: Bounds) -> None:
    for place, event in more.items():
        if bounds.get(place, NONE) < event:
            bounds[place] = event


def _loads(trace: Trace, places: list[int], values: Values) -> dict[int, list[int]]:
    """For each place the others whose results go into its operands."""
    by_op = {id(trace.places[p].op): p for p in places}
    return {p: [by_op[i] for i in makers(values, trace.places[p].op) if i in by_op] for p in places}
