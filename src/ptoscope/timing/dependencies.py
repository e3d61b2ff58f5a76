"""What synchronisations of the pipes wait for: the rules of order over rows of events."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ptoscope.isa.order.kinds import RULES
from ptoscope.isa.parts import EVERY
from ptoscope.native.subset import Ints
from ptoscope.timing.settled import settle, settle_counted
from ptoscope.trace.trace import Column, Trace

_BY_COUNTS = np.array([*(rule.by_counts for rule in RULES), False])
"""By the kind of a synchronisation in a trace."""


class Dependencies:
    """Of the events of a run (their `unit`, a core of a block, and `pipe`): who waits for whom.
    `sync_row` is the row of each in the trace's table of synchronisations, or -1.

    What is settled of one synchronisation depends only on those of its account (a flag, a
    buffer), so that with an event left out only its account is settled anew.
    """

    def __init__(self, trace: Trace, unit: Ints, pipe: Ints, sync_row: Ints) -> None:
        self._syncs, self._unit, self._pipe, self.sync_row = trace.syncs, unit, pipe, sync_row
        self._cores = trace.cores
        self.tokens, self._places = self._settle(self._rows)
        """Who waits for what whom gives: rows of two events."""

    @property
    def _rows(self) -> Ints:
        """Those that synchronise."""
        return np.flatnonzero(self.sync_row >= 0).astype(np.int32)

    @cached_property
    def account(self) -> Ints:
        """Of each event, -1 of those that do not synchronise."""
        account = np.full(len(self.sync_row), -1, dtype=np.int64)
        rows = self._rows
        if len(rows):
            syncs, at = self._syncs, self.sync_row[rows]
            names = [rule.account for rule in RULES]
            family = np.array([names.index(name) for name in names])
            by_pipes = np.array([rule.by_pipes for rule in RULES])[syncs.kind[at]]
            key = family[syncs.kind[at]]
            for column in (syncs.src, syncs.dst):
                key = key * (EVERY + 2) + np.where(by_pipes, column[at], 0) + 1
            # Counts are of all numbers: cores call one semaphore by different ones.
            number = np.where(_BY_COUNTS[syncs.kind[at]], 0, syncs.id[at])
            account[rows] = (key << 16) + number
        return account

    def without(self, skipped: Column, tokens: Ints | None = None) -> tuple[Ints, Ints]:
        """What each synchronisation waits for, as a ragged array: the events that give what it
        awaits, and the last one before it on each pipe that it stands behind. Events that are
        `skipped` count as if they were not there; `tokens` stand in for those of the run."""
        there = ~skipped
        tokens, places = self.tokens if tokens is None else tokens, self._places
        if not there.all():
            rows = self._rows
            gone = np.unique(self.account[~there])
            anew = rows[np.isin(self.account[rows], gone) & there[rows]]
            others = (
                table[~np.isin(self.account[table[:, 0]], gone)] for table in (tokens, places)
            )
            tokens, places = map(np.vstack, zip(others, self._settle(anew), strict=True))
        pairs = [tokens]
        for pipe in np.unique(places[:, 1]).tolist():
            who = np.sort(places[places[:, 1] == pipe, 0])
            pool = np.flatnonzero(there & (self._pipe == pipe))
            pairs.append(self._before(who, pool).astype(np.int32))
        who, what = np.vstack(pairs).T
        at = np.zeros(len(there) + 1, dtype=np.int32)
        np.add.at(at, who + 1, 1)
        np.cumsum(at, out=at)
        what = what[np.argsort(who, kind="stable")]
        return at, what if len(what) else np.zeros(1, dtype=np.int32)

    def _settle(self, rows: Ints) -> tuple[Ints, Ints]:
        """Who waits for the token of whom, and who stands behind all of which pipe."""
        syncs, at = self._syncs, self.sync_row[rows]
        columns = (syncs.kind, syncs.src, syncs.dst, syncs.id, syncs.mode)
        table = np.column_stack([column[at].astype(np.int16) for column in columns])
        counted = _BY_COUNTS[table[:, 0]]
        others, these = rows[~counted], rows[counted]
        tokens, places = settle(self._unit[others], table[~counted])
        places[:, 0] = others[places[:, 0]]
        signals = settle_counted(self._unit[these], self._cores, table[counted])
        return np.vstack((others[tokens], these[signals])), places.astype(np.int32)

    def _before(self, who: Ints, pool: Ints) -> Ints:
        """For each of `who` the last of the pool before it on its core."""
        found = np.searchsorted(pool, who) - 1
        good = found >= 0
        good[good] = self._unit[pool[found[good]]] == self._unit[who[good]]
        return np.column_stack((who[good], pool[found[good]]))
