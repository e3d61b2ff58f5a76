"""The smallest thing that orders two accesses, in words and as a change of the text."""

from __future__ import annotations

import numpy as np

from ptoscope.check.buffers import BufferAccess, overlap_of
from ptoscope.check.flow import Values
from ptoscope.check.positions import place_name
from ptoscope.check.text import Text
from ptoscope.diagnostics import Edit
from ptoscope.isa.order.kinds import NUMBERS
from ptoscope.isa.order.memory import barrier_text
from ptoscope.isa.order.rules import BARRIER, SET, WAIT
from ptoscope.isa.parts import EVENTS, PIPE_NUMBERS
from ptoscope.isa.targets import Target
from ptoscope.isa.types import Space
from ptoscope.program import Loop
from ptoscope.races.core_fixes import CoreRemedies
from ptoscope.races.event_ids import EventIds
from ptoscope.races.race import COPIES_RACE, CORES_RACE, SCOPE_RACE, Race, Remedy, Side
from ptoscope.races.scopes import scope_access
from ptoscope.trace.trace import NONE, OWN_MEMORIES, Place, Trace

FULL_BARRIER = "pto.barrier #pto.pipe<PIPE_ALL>"


class Remedies:
    """Finds remedies in the text of one kernel."""

    def __init__(self, trace: Trace, text: Text, target: Target) -> None:
        self._trace = trace
        self._text = text
        self._values = Values(trace.function)
        self._ids = EventIds(trace.function, target)
        self._cores = CoreRemedies(trace, text, target, self._free_event)

    def of(self, race: Race) -> tuple[Remedy, ...]:
        """What should help against a race of one block, the smallest change first."""
        overlap = self._overlap(race)
        if overlap is not None:
            return (overlap,)
        if race.code == CORES_RACE:
            return self._cores.of(race)
        if race.code == SCOPE_RACE:
            return (self.inside_scope(race.early, race.late),)
        copies = race.code == COPIES_RACE
        smallest = self.between_copies if copies else self.between_pipes
        made = (smallest(race.early, race.late), self._barrier(FULL_BARRIER, race.late))
        return tuple(dict.fromkeys(made))

    def _overlap(self, race: Race) -> Remedy | None:
        """What to do where two buffers share bytes: no order helps."""
        space = OWN_MEMORIES.get(race.space)
        if space is None:
            return None
        one, two = (self._access(side, race.space, space) for side in (race.early, race.late))
        found = overlap_of(self._values, one, two, race.code == SCOPE_RACE)
        return None if found is None else Remedy(f"{found.found}; {found.hint}")

    def _access(self, side: Side, number: int, space: Space) -> BufferAccess:
        a = self._trace.accesses
        rows = np.arange(*np.searchsorted(a.event, [side.event, side.event + 1]))
        rows = rows[(a.space[rows] == number) & (a.writes[rows] == side.writes)]
        low = a.start[rows] + np.minimum(0, (a.count[rows] - 1) * a.stride[rows])
        high = a.start[rows] + np.maximum(0, (a.count[rows] - 1) * a.stride[rows])
        last = int((high + a.length[rows]).max()) - 1
        return BufferAccess(side.place.op, side.writes, space, int(low.min()), last)

    def between_pipes(self, early: Side, late: Side) -> Remedy:
        """A flag from one pipe to the other; a full barrier where none fits."""
        event = self._free_event(early.pipe, late.pipe)
        meet = self._meet(early.anchor, late.anchor)
        if event is None or meet is None or early.pipe == late.pipe:
            return self._barrier(FULL_BARRIER, late)
        signal, wait = (rule.written(early.pipe, late.pipe, event) for rule in (SET, WAIT))
        first, then = meet
        words = f"put {signal} after {place_name(first.op)} and {wait} before {place_name(then.op)}"
        lines = [(first, signal, True), (then, wait, False)]
        if first.index >= then.index:
            loop = self._loop(then)
            if loop is None:
                return self._barrier(FULL_BARRIER, late)
            words += (
                f"; for the first iteration set it once before the loop of line {loop.span.line}, "
                "and after the loop wait for it once"
            )
            lines += [(loop, signal, False), (loop, wait, True)]
        return Remedy(words, self._edits(lines))

    def between_copies(self, _: Side, late: Side) -> Remedy:
        """The barrier of their pipe."""
        return self._barrier(BARRIER.written(late.pipe, ""), late)

    def inside_scope(self, early: Side, late: Side) -> Remedy:
        """The mem_bar of the two kinds."""
        one, two = (scope_access(side.place, side.writes) for side in (early, late))
        bar = barrier_text(one, two)
        return Remedy(f"put {bar} before line {late.line}", self._edits([(late.place, bar, False)]))

    def _barrier(self, line: str, late: Side) -> Remedy:
        where = late.anchor
        return Remedy(
            f"put {line} before {place_name(where.op)}", self._edits([(where, line, False)])
        )

    def _edits(self, lines: list[tuple[Place, str, bool]]) -> tuple[Edit, ...]:
        """All lines put before or after their places; nothing if one of them cannot be."""
        made: list[Edit] = []
        for place, line, after in lines:
            insert = self._text.insert_after if after else self._text.insert_before
            edits = insert(place.op, line)
            if not edits:
                return ()
            made += edits
        return tuple(made)

    def _free_event(self, src: str, dst: str) -> int | None:
        """An event that this pair of pipes does not use, in this run or in the text: of one
        that the kernel computes all that it may be."""
        syncs = self._trace.syncs
        pair = (syncs.src == PIPE_NUMBERS[src]) & (syncs.dst == PIPE_NUMBERS[dst])
        flags = np.isin(syncs.kind, [NUMBERS[rule.name] for rule in (SET, WAIT)])
        used: set[int] = set(np.unique(syncs.id[pair & flags]).tolist())
        for place in self._trace.places:
            attrs = place.op.attrs
            if (attrs.get("src"), attrs.get("dst")) != (src, dst):
                continue
            if "event" in attrs:
                used.add(EVENTS.index(str(attrs["event"])))
                continue
            computed = self._ids.possible(place.op.operands[0])
            if computed is None:
                return None
            used |= computed
        return next((event for event in range(len(EVENTS)) if event not in used), None)

    # Where two places meet: the two operations of one block that they are, or are in.

    def _chain(self, place: Place) -> list[Place]:
        """The place and those around it, outermost first."""
        chain = [place]
        while chain[-1].parent != NONE:
            chain.append(self._trace.places[chain[-1].parent])
        return chain[::-1]

    def _meet(self, early: Place, late: Place) -> tuple[Place, Place] | None:
        pairs = list(zip(self._chain(early), self._chain(late), strict=False))
        met: tuple[Place, Place] | None = None
        for first, then in pairs:
            if (first.parent, first.side) != (then.parent, then.side):
                break
            met = first, then
            if first is not then:
                break
        if met is not None and met[0] is met[1] and isinstance(met[0].op, Loop):
            # In two blocks of one loop: no place is passed once by each.
            return None
        return met

    def _loop(self, place: Place) -> Place | None:
        """The innermost loop around."""
        return self._trace.places[place.loops[-1]] if place.loops else None
