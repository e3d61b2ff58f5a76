"""All the order that a function lacks, added at once: flags between pipes, barriers of copies."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from ptoscope.check.synchronisation.changes import Alteration, Change, Insert, flag, written
from ptoscope.check.synchronisation.layout import Layout
from ptoscope.check.synchronisation.problems import COPIES, ProblemKey
from ptoscope.check.synchronisation.races import StaticRace, anchor, touch_of
from ptoscope.isa.order.rules import BARRIER
from ptoscope.isa.parts import EVENTS, PIPE_ALL
from ptoscope.program import Loop, Op

PipePair = tuple[str, str]


class _Need(NamedTuple):
    """The one operation has to be complete before the other one of its block; with a loop, in
    its iteration before."""

    pipes: PipePair
    first: Op
    then: Op
    loop: Loop | None


class Missing:
    """Adds order step by step. `events` are those that flags between pipes have; None for one
    that is not known. Where all are in use, those that were added come round again."""

    def __init__(self, layout: Layout, events: dict[PipePair, set[int | None]]) -> None:
        self._layout = layout
        self._free: dict[PipePair, list[int]] = defaultdict(lambda: list(range(len(EVENTS))))
        for pipes, used in events.items():
            self._free[pipes] = [n for n in range(len(EVENTS)) if not {n, None} & used]
        self._again: dict[PipePair, list[int]] = defaultdict(list)
        self._done: set[tuple[object, ...]] = set()

    def added(self, races: dict[ProblemKey, StaticRace]) -> Change:
        """What orders some races, each pair of places once."""
        steps: list[Alteration] = []
        needs: list[_Need] = []
        for (code, _), item in races.items():
            late = anchor(item.late)
            need = self._need(item)
            if code == COPIES:
                steps += self._barrier(touch_of(item.late).pipe, touch_of(item.late).op)
            elif need is None:
                steps += self._barrier(PIPE_ALL, late)
            else:
                needs.append(need)
        for need in self._needed(needs):
            steps += self._flag(need)
        return tuple(steps)

    def _need(self, item: StaticRace) -> _Need | None:
        met = self._layout.positions.meet(anchor(item.early), anchor(item.late))
        if met is None:
            return None
        first, then = met
        back, loop = self._layout.carried(first, then)
        if back and loop is None:
            return None
        return _Need((touch_of(item.early).pipe, touch_of(item.late).pipe), first, then, loop)

    def _needed(self, needs: list[_Need]) -> list[_Need]:
        """Those that no other one covers: a wait for the last of some operations of a pipe is
        one for all of them, and the first to wait does so for all that come after it."""
        index = self._layout.index
        last: dict[tuple[object, ...], _Need] = {}
        for need in needs:
            key = need.pipes, id(need.then), id(need.loop)
            if key not in last or index(need.first) > index(last[key].first):
                last[key] = need
        earliest: dict[tuple[object, ...], _Need] = {}
        for need in last.values():
            key = need.pipes, id(need.first), id(need.loop)
            if key not in earliest or index(need.then) < index(earliest[key].then):
                earliest[key] = need
        return list(earliest.values())

    def _barrier(self, pipe: str, op: Op) -> Change:
        if self._repeats(pipe, id(op)):
            return ()
        return (Insert(written(BARRIER, pipe, ""), op, False),)

    def _flag(self, need: _Need) -> Change:
        src, dst = need.pipes
        if self._repeats(need.pipes, id(need.first), id(need.then)):
            return ()
        free, again = self._free[need.pipes], self._again[need.pipes]
        if not free and not again:
            return self._barrier(PIPE_ALL, need.then)
        number = free.pop(0) if free else again.pop(0)
        if need.loop is None:
            # Only these may come round: that of a loop is set from iteration to iteration.
            again.append(number)
        return flag(src, dst, number, need.first, need.then, need.loop)

    def _repeats(self, *key: object) -> bool:
        repeats = key in self._done
        self._done.add(key)
        return repeats
