"""Which accesses of one execution of a vecscope are complete before another one.

The rules are those of `isa.order.memory`. Data in a value that a later access uses counts if it
came from just this execution: another execution of the same load proves nothing, since loads may
complete in any order.

All of one kind that a barrier passes are complete up to it, so that a clock, one bound for
each kind, says what barriers order. Only the first step can be a value that is not the latest
of its kind: for it each execution notes the first access of each kind that uses its data.
"""

from __future__ import annotations

import numpy as np

from ptoscope.isa.order.memory import KINDS, Fences
from ptoscope.races.intervals import Intervals, contains
from ptoscope.races.provenance import Executions, Provenance
from ptoscope.trace.trace import NONE, Column, Trace, barrier_type

KindClock = tuple[int, ...]
"""For each kind the event before which all its accesses are complete."""
_NOTHING: KindClock = (NONE,) * len(KINDS)
_NEVER = int(np.iinfo(np.int64).max)


class TracedScopeOrder:
    """`kinds` are those of the places that access memory; `bars` the events of barriers and
    their types."""

    def __init__(
        self,
        trace: Trace,
        executions: Executions,
        provenance: Provenance,
        kinds: dict[int, str],
        bars: list[tuple[int, int]],
    ) -> None:
        self._trace, self._provenance = trace, provenance
        self._kinds = {place: KINDS.index(kind) for place, kind in kinds.items()}
        self._known: dict[int, Intervals] = {}
        self._clocks: dict[int, KindClock] = {}
        self._used: list[list[int]] = []
        """For each kind: when its accesses first use an execution, by the number of that."""
        if bars:
            events = np.sort(np.concatenate([executions.events(place) for place in kinds]))
            self._pass(events.tolist(), bars)

    def ordered(self, place: int, early: int, user: int, late: int) -> bool:
        """Whether an access of one place is complete before that of another, later one."""
        clock = self._clocks.get(late, _NOTHING)
        if early < clock[self._kinds[place]]:
            return True
        number = self._provenance.number(place, early)
        if number is None:
            return False
        if clock is not _NOTHING and any(
            used[number] < bound for used, bound in zip(self._used, clock, strict=True)
        ):
            return True
        return contains(self._of(user, late), number)

    def fenced(self, place: Column, early: Column, late: Column) -> Column:
        """Whether a barrier lies between: for each event of a place and a later one, whether it
        is complete because all of its kind up to it are."""
        if not self._clocks:
            return np.zeros(len(early), dtype=bool)
        events, at = np.unique(late, return_inverse=True)
        clocks = np.array([self._clocks[event] for event in events.tolist()]).reshape(
            -1, len(KINDS)
        )
        kinds = np.zeros(max(self._kinds) + 1, dtype=np.int64)
        kinds[list(self._kinds)] = list(self._kinds.values())
        return early < clocks[at, kinds[place]]

    def _of(self, place: int, event: int) -> Intervals:
        """The executions from which what a place uses at an event comes."""
        known = self._known.get(event)
        if known is None:
            op, iteration = self._trace.places[place].op, int(self._trace.events.iteration[event])
            known = self._known[event] = self._provenance.of(op, iteration)
        return known

    def _pass(self, events: list[int], bars: list[tuple[int, int]]) -> None:
        """Goes through all accesses and barriers once."""
        fences = Fences(_NOTHING, _join)
        at_number = [_NOTHING] * self._provenance.count
        first_uses = [_FirstUses(len(at_number)) for _ in KINDS]
        places = self._trace.events.place[events].tolist()
        todo = [(event, place, NONE) for event, place in zip(events, places, strict=True)]
        todo += [(event, NONE, token) for event, token in bars]
        for event, place, token in sorted(todo):
            if place == NONE:
                fences.barrier(barrier_type(token))
                continue
            kind = self._kinds[place]
            clock = fences.before(KINDS[kind])
            number = self._provenance.number(place, event)
            if number is not None:
                at_number[number] = clock
            used = self._of(place, event)
            for i in range(1, len(used), 2):
                # Of one place the latest has the barriers of all before it behind it.
                clock = _join(clock, at_number[used[i] - 1])
            first_uses[kind].note(used, event)
            self._clocks[event] = clock
            complete = max(clock[kind], event + 1)
            fences.access(KINDS[kind], (*clock[:kind], complete, *clock[kind + 1 :]))
        self._used = [uses.events for uses in first_uses]


def _join(a: KindClock, b: KindClock) -> KindClock:
    if a is b or b is _NOTHING:
        return a
    return b if a is _NOTHING else tuple(map(max, a, b))


class _FirstUses:
    """For each number the event that noted it first."""

    def __init__(self, count: int) -> None:
        self.events = [_NEVER] * count
        self._next = list(range(count + 1))
        """The next number that is not noted, or one on the way to it."""

    def note(self, numbers: Intervals, event: int) -> None:
        for i in range(0, len(numbers), 2):
            at = self._find(numbers[i])
            while at < numbers[i + 1]:
                self.events[at] = event
                self._next[at] = at + 1
                at = self._find(at)

    def _find(self, number: int) -> int:
        following = self._next
        while following[number] != number:
            following[number] = following[following[number]]
            number = following[number]
        return number
