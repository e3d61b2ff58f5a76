"""Waits of a loop for what the iteration before gave, and the same with one more buffer between."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ptoscope.isa.order.kinds import RULES
from ptoscope.native.subset import Ints
from ptoscope.program import Loop
from ptoscope.timing.buffers import LoopEvents
from ptoscope.timing.run import TimedRun
from ptoscope.trace.trace import Column, Syncs


def back_edges(timing: TimedRun) -> dict[int, BackEdges]:
    """By place of a loop outside vecscopes: its waits for what another pipe of the same core gave
    in an iteration before."""
    trace, events = timing.trace, timing.events
    tokens = events.dependencies.tokens
    if not len(tokens):
        return {}
    loop_of = np.full(len(trace.places), -1)
    for place in trace.places:
        if place.loops and place.scope < 0 and place.record is not None:
            loop_of[place.index] = place.loops[-1]
    waiter, giver = tokens.T
    own = np.array([not rule.by_counts for rule in RULES])[events.kind[waiter]]
    iteration = trace.events.iteration[events.event]
    mine = own & (events.unit[waiter] == events.unit[giver])
    mine &= events.pipe[waiter] != events.pipe[giver]
    loop = loop_of[events.place[waiter]]
    mine &= (loop >= 0) & (loop == loop_of[events.place[giver]])
    mine &= iteration[waiter] != iteration[giver]
    return {
        int(place): BackEdges(timing, np.flatnonzero(mine & (loop == place)))
        for place in np.unique(loop[mine])
        if isinstance(trace.places[int(place)].op, Loop)
    }


@dataclass(frozen=True, eq=False)
class BackEdges:
    """Those of one loop: `rows` of the tokens of a run."""

    timing: TimedRun
    rows: Ints

    @property
    def _pairs(self) -> tuple[Ints, Ints]:
        waiter, giver = self.timing.events.dependencies.tokens[self.rows].T
        return waiter, giver

    def between(self, pipes: frozenset[int]) -> Column:
        """Which of them order two of some pipes."""
        ends = (self.timing.events.pipe[end] for end in self._pairs)
        return np.logical_and(*(np.isin(end, list(pipes)) for end in ends))

    def further_back(self, chosen: Column) -> Ints:
        """The tokens of the run, but of those chosen each waits for what the wait before it at
        its place waited for."""
        events = self.timing.events
        waiter, giver = (end[chosen] for end in self._pairs)
        order = np.lexsort((waiter, events.pipe[giver], events.unit[waiter], events.place[waiter]))
        waiter, giver = waiter[order], giver[order]
        keys = events.place[waiter], events.unit[waiter], events.pipe[giver]
        same = np.logical_and.reduce([key[1:] == key[:-1] for key in keys])
        moved = np.column_stack((waiter[1:][same], giver[:-1][same]))
        tokens = events.dependencies.tokens
        # What a pipe gave itself is of the other buffer now; its own order is kept anyway.
        own = np.isin(tokens[:, 0], waiter) & (
            events.pipe[tokens[:, 0]] == events.pipe[tokens[:, 1]]
        )
        own[self.rows[chosen]] = True
        return np.vstack((tokens[~own], moved))

    def syncs(self, loop: LoopEvents, chosen: Column) -> Syncs | None:
        """The synchronisations of the run with two buffers. Signals have one more on its way: it
        is given before the first, and taken before the first behind the loop. A buffer id has
        another one in every other iteration. None where the loop does not use them in turns,
        or where all numbers are taken."""
        events, trace = self.timing.events, self.timing.trace
        syncs, sync_row = trace.syncs, events.dependencies.sync_row
        waiters = self._pairs[0][chosen]
        more: list[int] = []
        number = syncs.id.copy()
        for place in np.unique(events.place[waiters]).tolist():
            mine = np.flatnonzero((events.place == place) & (events.kind >= 0))
            rows = sync_row[mine]
            fresh = _unused(syncs, int(rows[0]))
            if fresh is None:
                return None
            for unit in np.unique(events.unit[mine]).tolist():
                here = mine[events.unit[mine] == unit]
                block, core = divmod(unit, events.cores)
                if len(here) != loop.count(block, core):
                    return None
                if RULES[int(syncs.kind[rows[0]])].by_pipes:
                    added = self._one_more(here, unit)
                    if added is None:
                        return None
                    more += added
            if not RULES[int(syncs.kind[rows[0]])].by_pipes:
                number[self._of_buffer(int(rows[0])) & loop.odd(syncs.event)] = fresh
        index = np.sort(np.concatenate((np.arange(len(syncs)), np.array(more, dtype=np.int64))))
        columns = {name: column[index] for name, column in vars(syncs).items()}
        return Syncs(**{**columns, "id": number[index]})

    def _one_more(self, here: Ints, unit: int) -> list[int] | None:
        """The rows of synchronisations to be doubled for the waits of a place on one core: what
        the first of them takes, and the next wait of the same flag behind the last. None if
        others stand in between."""
        events = self.timing.events
        dependencies = events.dependencies
        tokens, account = dependencies.tokens, dependencies.account
        taken = tokens[:, 0]
        same = taken[(account[taken] == account[here[0]]) & (events.unit[taken] == unit)]
        chain = np.sort(same)
        first, last = np.searchsorted(chain, [here[0], here[-1]])
        if last - first + 1 != len(here):
            return None
        giver = int(tokens[taken == here[0], 1][0])
        found = [int(dependencies.sync_row[giver])]
        if last + 1 < len(chain):
            found.append(int(dependencies.sync_row[chain[last + 1]]))
        return found

    def _of_buffer(self, row: int) -> Column:
        """Which synchronisations are about the same buffer as the one in a row."""
        syncs = self.timing.trace.syncs
        account = RULES[int(syncs.kind[row])].account
        kinds = [n for n, rule in enumerate(RULES) if rule.account == account]
        return np.isin(syncs.kind, kinds) & (syncs.id == syncs.id[row])


def _unused(syncs: Syncs, row: int) -> int | None:
    """A number that no synchronisation like the one in a row uses; None if there is none."""
    rule = RULES[int(syncs.kind[row])]
    kinds = [n for n, other in enumerate(RULES) if other.account == rule.account]
    like = np.isin(syncs.kind, kinds)
    if rule.by_pipes:
        like &= (syncs.src == syncs.src[row]) & (syncs.dst == syncs.dst[row])
    used = set(syncs.id[like].tolist())
    most = rule.numbers[0][1]
    assert most is not None
    return next((number for number in range(most) if number not in used), None)
