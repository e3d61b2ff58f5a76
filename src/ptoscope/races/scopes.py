"""Loads and stores of one vecscope: on A5 only a mem_bar orders those of the same bytes.

A place is a load or a store of the body. Two executions of different places race where they
touch the same byte, one writes, neither is complete before the other (`races.scope_order` says
what orders them), and they do not store the same value: one that was made in the same iterations.
Executions of one place that write a byte do it in their order. The rules are those of the check
before a run (`check.synchronisation`), which knows less and is silent where it does not know.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ptoscope.check.synchronisation.scope_values import ScopeValues
from ptoscope.dataflow import Dataflow
from ptoscope.isa.order.memory import ScopeAccess, needs_order
from ptoscope.isa.parts import SCALAR_PIPE
from ptoscope.isa.types import Mask, Type, is_vector_state
from ptoscope.races.cells import Runs
from ptoscope.races.provenance import Executions, Provenance, RunIterations
from ptoscope.races.scope_order import TracedScopeOrder
from ptoscope.trace.trace import MEM_BAR, NONE, Column, Place, Trace


class Hazard(NamedTuple):
    """Two runs (numbers of `Runs`) of one vecscope that nothing orders, and how often their
    places meet so, where this vecscope was executed as often as it was."""

    early: int
    late: int
    times: int


def scope_access(place: Place, writes: bool) -> ScopeAccess:
    """What a place of a vecscope does to UB."""
    return ScopeAccess(writes, place.record is not None and place.record.pipe == SCALAR_PIPE)


def hazards(trace: Trace, runs: Runs) -> Iterator[Hazard]:
    """Those of all vecscopes, one for each two places."""
    inside = np.flatnonzero(trace.events.entry[runs.event] != NONE)
    if not runs.writes[inside].any():
        return
    cuts = np.flatnonzero(np.diff(trace.events.entry[runs.event[inside]])) + 1
    borders = np.flatnonzero(np.diff(trace.events.entry)) + 1
    borders = np.concatenate(([0], borders, [len(trace.events)]))
    bars = trace.syncs.event[trace.syncs.kind == MEM_BAR]
    types = trace.syncs.mode[trace.syncs.kind == MEM_BAR]
    texts = _Texts(trace)
    known: dict[tuple[bytes, ...], dict[tuple[int, int], Hazard]] = {}
    total: dict[tuple[int, int], Hazard] = {}
    for rows in np.split(inside, cuts):
        at = int(np.searchsorted(borders, runs.event[rows[0]], side="right"))
        first, last = int(borders[at - 1]), int(borders[at])
        mine = slice(*np.searchsorted(bars, [first, last]))
        looks = _looks(trace, runs, rows, first, last, bars[mine])
        found = known.get(looks)
        if found is None:
            pairs = list(zip(bars[mine].tolist(), types[mine].tolist(), strict=True))
            scope = _Scope(trace, runs, rows, (first, last), pairs, texts)
            found = known[looks] = scope.hazards()
        for places, hazard in found.items():
            before = total.get(places)
            total[places] = hazard if before is None else _more(before, hazard.times)
    yield from total.values()


def _more(hazard: Hazard, times: int) -> Hazard:
    return hazard._replace(times=hazard.times + times)


def _looks(
    trace: Trace, runs: Runs, rows: Column, first: int, last: int, bars: Column
) -> tuple[bytes, ...]:
    """What the hazards of an execution depend on: steady loops make the same again and again."""
    iteration = trace.events.iteration[first:last]
    inner = iteration[iteration > iteration[0]]
    columns = (
        runs.event[rows] - first,
        trace.events.place[first:last],
        np.where(iteration > iteration[0], iteration - (inner[0] if len(inner) else 0), NONE),
        runs.first[rows],
        runs.last[rows],
        bars - first,
    )
    return tuple(column.tobytes() for column in columns)


class _Texts:
    """What the text says of vecscopes."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self.places = {id(place.op): place.index for place in trace.places}
        self.parents: list[int] = trace.iterations.parent.tolist()
        self._flow = Dataflow(trace.function)
        self._values: dict[tuple[int, ...], ScopeValues] = {}

    def values(self, scope: int, accesses: list[int]) -> ScopeValues:
        """The values of a vecscope of which some places access UB."""
        key = scope, *accesses
        found = self._values.get(key)
        if found is None:
            places = self._trace.places
            ids = {id(places[p].op) for p in accesses}
            found = self._values[key] = ScopeValues(self._flow, places[scope].op, ids)
        return found


class _Stored(NamedTuple):
    """The instruction of a store, its data, their iteration, and the bytes that they go to."""

    op: tuple[object, ...]
    data: tuple[int, ...]
    iteration: int
    places: bytes


class _Scope:
    """One execution of a vecscope: the events from the first up to the last (excluded)."""

    def __init__(
        self,
        trace: Trace,
        runs: Runs,
        rows: Column,
        events: tuple[int, int],
        bars: list[tuple[int, int]],
        texts: _Texts,
    ) -> None:
        self._trace, self._runs, self._rows, self._bars = trace, runs, rows, bars
        self._range, self._texts = events, texts
        self._event = runs.event[rows]
        self._values_stored: dict[int, _Stored] = {}
        self._place = trace.events.place[self._event]
        self._writes = runs.writes[rows]
        self._places: list[int] = np.unique(self._place).tolist()
        writing = set(self._place[self._writes].tolist())
        self._does = {p: scope_access(trace.places[p], p in writing) for p in self._places}

    def hazards(self) -> dict[tuple[int, int], Hazard]:
        """By the two places."""
        found: dict[tuple[int, int], Hazard] = {}
        if not self._writes.any() or len(self._places) == 1:
            return found
        self._values = self._texts.values(
            int(self._trace.events.place[self._range[0]]), self._places
        )
        executions = Executions(self._trace, *self._range)
        row, sizes = self._shared(executions)
        if not len(sizes):
            return found
        texts = self._texts
        run = RunIterations(executions, texts.places, texts.parents)
        provenance = Provenance(self._trace, self._values, executions, run, self._places)
        kinds = {p: does.kind for p, does in self._does.items()}
        order = TracedScopeOrder(self._trace, executions, provenance, kinds, self._bars)
        judged: set[tuple[int, int]] = set()
        for accesses in self._unclear(row, sizes, executions, order):
            for early, late in self._loose(accesses, order):
                pair = int(self._event[early]), int(self._event[late])
                if pair not in judged:
                    judged.add(pair)
                    places = int(self._place[early]), int(self._place[late])
                    before = found.get(places)
                    rows = int(self._rows[early]), int(self._rows[late])
                    found[places] = Hazard(*rows, 1) if before is None else _more(before, 1)
        return found

    def _loose(self, accesses: list[int], order: TracedScopeOrder) -> Iterator[tuple[int, int]]:
        """Of the accesses of one cell, each with the latest one of each other place that is not
        ordered before it."""
        earlier: dict[int, list[tuple[int, int, bool]]] = {}
        stored: dict[int, int] = {}
        alone: dict[int, _Stored] = {}
        """What a place stored, where that is all that it did since."""
        columns = (column[accesses].tolist() for column in (self._place, self._event, self._writes))
        for row, place, event, writes in zip(accesses, *columns, strict=True):
            mine = self._does[place]._replace(writes=writes)
            value = self._stored(row) if writes else None
            for other, before in earlier.items():
                if value is not None and alone.get(other) == value:
                    continue
                if not needs_order(self._does[other], mine, other == place):
                    continue
                for early, at, wrote in reversed(before):
                    if not wrote and at < stored.get(place, NONE):
                        # What this place stored before is stored before this: with that the
                        # load has been compared.
                        break
                    if (wrote or writes) and not order.ordered(other, at, place, event):
                        if not (wrote and writes and self._stored(early) == value):
                            yield early, row
                        break
            if value is not None:
                # What this place did before is done before this.
                earlier[place] = [(row, event, True)]
                stored[place] = event
                alone[place] = value
            else:
                earlier.setdefault(place, []).append((row, event, False))
                alone.pop(place, None)

    def _stored(self, row: int) -> _Stored:
        """What a store stores, and where: two that are equal are the same in any order."""
        event = int(self._event[row])
        known = self._values_stored.get(event)
        if known is None:
            op, types = self._trace.places[int(self._place[row])].op, self._trace.function.types
            data = tuple(s for i, s in enumerate(op.operands) if not i or _is_data(types[s]))
            loops = max(self._values.varies(slot) for slot in data)
            mine = self._rows[slice(*np.searchsorted(self._event, [event, event + 1]))]
            known = self._values_stored[event] = _Stored(
                (op.name, *sorted(op.attrs.items())),
                data,
                self._iteration(row, loops),
                self._runs.start[mine].tobytes() + self._runs.stop[mine].tobytes(),
            )
        return known

    def _iteration(self, row: int, loops: int) -> int:
        """The iteration of the innermost of so many loops of the vecscope around an access."""
        iteration = int(self._trace.events.iteration[self._event[row]])
        op = self._trace.places[int(self._place[row])].op
        for _ in range(self._values.depth(op) - loops):
            iteration = self._texts.parents[iteration]
        return iteration

    def _shared(self, executions: Executions) -> tuple[Column, Column]:
        """The accesses of each cell that several places touch and one writes, but for those
        where it is seen at once that the last uses what the others loaded; one cell after the
        other, and how many each has."""
        first, last = self._runs.first[self._rows], self._runs.last[self._rows]
        size = last - first
        row = np.repeat(np.arange(len(size)), size)
        cell = np.arange(len(row)) - np.repeat(np.cumsum(size) - size - first, size)
        order = np.argsort(cell, kind="stable")
        row, cell = row[order], cell[order]
        begin = np.flatnonzero(np.concatenate(([True], cell[1:] != cell[:-1])))
        end = np.concatenate((begin[1:], [len(cell)]))
        only = np.repeat(row[end - 1], end - begin)
        used = row == only
        used[end - 1] = True
        several = ~np.logical_and.reduceat(self._place[row] == self._place[only], begin)
        judged = several & np.logical_or.reduceat(self._writes[row], begin)
        if judged.any():
            used |= self._use(row, only, executions)
            judged &= ~np.logical_and.reduceat(used, begin)
        return row[np.repeat(judged, end - begin)], (end - begin)[judged]

    def _unclear(
        self, row: Column, sizes: Column, executions: Executions, order: TracedScopeOrder
    ) -> Iterator[list[int]]:
        """The accesses of cells, but for those where it is seen at once that each is complete
        before the next, and so before all that follow."""
        end = np.cumsum(sizes)
        begin = end - sizes
        early, late = row[:-1], row[1:]
        events = self._event[early], self._event[late]
        follows = np.ones(len(row), dtype=bool)
        follows[:-1] = (events[0] == events[1]) | order.fenced(self._place[early], *events)
        follows[:-1] |= self._use(early, late, executions)
        follows[end - 1] = True
        for i in np.flatnonzero(~np.logical_and.reduceat(follows, begin)).tolist():
            yield row[begin[i] : end[i]].tolist()

    def _use(self, early: Column, late: Column, executions: Executions) -> Column:
        """Whether a row is a load from which, without a join between, comes what another one
        uses: that is the latest execution of the load before it."""
        used = np.zeros(len(early), dtype=bool)
        order = np.argsort(self._place[late], kind="stable")
        users, begin = np.unique(self._place[late][order], return_index=True)
        for user, at_user in zip(users.tolist(), np.split(order, begin[1:]), strict=False):
            sources = self._values.sources(self._trace.places[user].op.operands)
            for op, _ in sources.accesses:
                load = self._texts.places[id(op)]
                at = at_user[self._place[early[at_user]] == load]
                events = executions.events(load)
                newest = np.searchsorted(events, self._event[late[at]]) - 1
                used[at] = events[newest] == self._event[early[at]]
        return used


def _is_data(kind: Type) -> bool:
    """Whether what is stored depends on an operand of this type: a mask only chooses bytes."""
    return is_vector_state(kind) and not isinstance(kind, Mask)
