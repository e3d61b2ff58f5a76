"""What waits are worth: which of them nothing needs, and how much earlier the run would end
without them.

A wait does not go alone: with it goes what gives what it awaits, and whoever else waits for that.
A wait is needed if without these some two accesses of the run would not be in order any more, or
if `check` would find something in the kernel that it does not find now.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace

import numpy as np

from ptoscope.isa.order.kinds import RULES
from ptoscope.races.cells import Runs, cut
from ptoscope.races.last_accesses import Meeting
from ptoscope.races.pipes import meetings
from ptoscope.timing.critical import line
from ptoscope.timing.run import TimedRun
from ptoscope.timing.stalls import awaited_line, wait_kind, waited_at
from ptoscope.timing.unneeded import is_right_without
from ptoscope.trace.trace import Syncs, Trace

_TOP_WAITS = 5
MOST_ACCESSES, MOST_SYNCS = 250_000, 10_000
"""With more of either nobody looks whether a wait is needed: it takes too long."""


@dataclass(frozen=True)
class TimedWait:
    """A synchronisation that waited: how long in all, and for which line. `removable` if the run
    is in order and shorter without it, and the kernel right: then the total is less by `fewer`
    cycles without the synchronisations of all its `lines`. Of one that is needed, `fewer` is 0."""

    line: int
    kind: str
    cycles: int
    fewer: int
    on: int = 0
    removable: bool = False
    lines: list[int] = field(default_factory=list[int])


def waits(timing: TimedRun) -> list[TimedWait]:
    """The synchronisations that waited most, and what each is worth. All that are removable may
    go together."""
    ranked = sorted(waited_at(timing).items(), key=lambda item: -item[1][0])[:_TOP_WAITS]
    groups = _groups(timing) if ranked and not too_long(timing.trace) else {}
    worth = _worth(timing, {groups[place] for place, _ in ranked if place in groups})
    found: list[TimedWait] = []
    for place, (cycles, event) in ranked:
        group = groups.get(place, frozenset())
        fewer = worth.get(group, 0)
        lines = sorted({line(timing, one) for one in group}) if fewer else []
        kind, on = wait_kind(timing, event), awaited_line(timing, event)
        found.append(TimedWait(line(timing, place), kind, cycles, fewer, on, group in worth, lines))
    return found


def _worth(timing: TimedRun, groups: set[frozenset[int]]) -> dict[frozenset[int], int]:
    """Of those that nothing needs, also if all of them go: the cycles that each takes."""
    found: dict[frozenset[int], int] = {}
    fewer = {g: timing.total_cycles - timing.otherwise(without=g) for g in groups}
    # A cycle is what the instruction itself takes.
    ranked = sorted((g for g in groups if fewer[g] > 1), key=lambda g: (-fewer[g], min(g)))
    runs = cut(timing.trace) if ranked else None
    for group in ranked:
        assert runs is not None
        gone = group.union(*found)
        if in_order(_without(timing.trace, gone), runs) and is_right_without(timing, gone):
            found[group] = fewer[group]
    return found


def too_long(trace: Trace) -> bool:
    """Whether nobody looks what waits and second buffers are worth."""
    return len(trace.accesses) > MOST_ACCESSES or len(trace.syncs) > MOST_SYNCS


def in_order(trace: Trace, runs: Runs) -> bool:
    """Whether no two pipes meet at the same bytes without order."""
    try:
        meetings(trace, runs, _stop)
    except _Met:
        return False
    return True


class _Met(Exception):
    """Two accesses that nothing orders: the first one tells enough."""


def _stop(meeting: Meeting) -> None:
    raise _Met


def _without(trace: Trace, places: frozenset[int]) -> Trace:
    """The same run, had the synchronisations at some places not been there."""
    syncs = trace.syncs
    kept = ~np.isin(trace.events.place[syncs.event], list(places))
    columns = {name: column[kept] for name, column in vars(syncs).items()}
    return replace(trace, syncs=Syncs(**columns))


def _groups(timing: TimedRun) -> dict[int, frozenset[int]]:
    """By place of a synchronisation that is an instruction of its own: the places that go with
    it."""
    events, places = timing.events, timing.trace.places
    at = {
        place.index: {place.index}
        for place in places
        if place.record is not None and place.record.order is not None
    }

    def join(these: list[int]) -> None:
        if all(one in at for one in these):
            whole = set[int]().union(*(at[one] for one in these))
            at.update(dict.fromkeys(whole, whole))
        else:
            # An instruction that works stays, and so does who waits for it.
            for gone in {other for one in these for other in at.get(one, ())}:
                del at[gone]

    pairs = events.place[events.dependencies.tokens]
    for pair in np.unique(pairs, axis=0).tolist():
        join(pair)
    # A buffer is given and taken as a whole, and a line goes with all that it is.
    whole: dict[int, set[int]] = defaultdict(set)
    lines: dict[tuple[int, int], set[int]] = defaultdict(set)
    held = np.array([rule.account != "" and not (rule.by_pipes or rule.by_counts)
                     for rule in RULES])  # fmt: skip
    rows = np.flatnonzero(events.kind >= 0)
    rows = rows[held[events.kind[rows]]]
    keys = np.column_stack((events.dependencies.account[rows], events.place[rows]))
    for account, place in np.unique(keys, axis=0).tolist():
        whole[account].add(place)
    for place in places:
        if place.record is not None and place.record.order is not None:
            lines[place.span.line, place.span.column].add(place.index)
    for together in (*whole.values(), *lines.values()):
        if len(together) > 1:
            join(list(together))
    return {place: frozenset(group) for place, group in at.items()}
