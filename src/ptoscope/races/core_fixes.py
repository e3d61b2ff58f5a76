"""What orders accesses of two cores: a signal from one to the other, in words and as a change of
the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ptoscope.check.positions import place_name
from ptoscope.check.text import Text
from ptoscope.diagnostics import Edit
from ptoscope.isa import TABLE
from ptoscope.isa.order.cores import SET_CORE, WAIT_CORE, Channel, channels
from ptoscope.isa.order.kinds import NUMBERS, RULES
from ptoscope.isa.order.rules import SET, WAIT, OrderRule
from ptoscope.isa.parts import ALL_PIPES, PER_CORE, SCALAR_PIPE, CoreId
from ptoscope.isa.targets import Target
from ptoscope.program import If
from ptoscope.races.race import Race, Remedy, Side
from ptoscope.trace.trace import NONE, Place, Trace

_APART = Remedy(
    "give each vector core bytes of its own, by its number in the cluster: they cannot "
    "signal each other, only through the matrix core"
)


class _Line(NamedTuple):
    """A line that is put before a place, or after it."""

    place: Place
    after: bool
    text: str


class CoreRemedies:
    """Finds remedies in the text of one kernel."""

    def __init__(
        self,
        trace: Trace,
        text: Text,
        target: Target,
        free_event: Callable[[str, str], int | None],
    ) -> None:
        self._trace, self._text, self._target = trace, text, target
        self._free_event = free_event
        """An event that two pipes do not use."""
        self._broadcast = target.name == "a2a3"

    def of(self, race: Race) -> tuple[Remedy, ...]:
        """What should help: one awaits what the other signals already; or the one who reads waits
        for the one who writes; or the other way round, where the reader has something already
        that may not be overwritten."""
        kinds = {self._core(side).kind for side in (race.early, race.late)}
        if len(kinds) == 1:
            return (_APART,)
        first, then = race.early, race.late
        if not race.early.writes:
            first, then = then, first
        both = (first, then), (then, first)
        remedies = [remedy for pair in both for remedy in self._awaited(*pair)]
        number = self._free_number()
        if number is not None:
            new = [self._signal(*pair, number, primed) for primed in (False, True) for pair in both]
            remedies += [remedy for remedy in new if remedy is not None]
        if not remedies:
            return (Remedy("let one of the cores wait for a signal of the other"),)
        return tuple(dict.fromkeys(remedies))

    def _awaited(self, giver: Side, taker: Side) -> list[Remedy]:
        """Waits for what one signals when it is done and the other does not await."""
        left = self._left()
        found: list[Remedy] = []
        for number in sorted({channel.semaphore for channel in left}):
            open_ = [c for c in self._channels(giver, taker, number) if left[c] > 0]
            texts = self._written(WAIT_CORE, taker, open_)
            relay = self._relay(taker, True)
            if not texts or relay is None:
                continue
            lines = [_Line(taker.anchor, False, text) for text in (*texts, *relay)]
            words = f"put {' and '.join(line.text for line in lines)} before "
            found.append(Remedy(words + place_name(taker.anchor.op), self._edits(lines)))
        return found

    def _left(self) -> Counter[Channel]:
        """How many signals of each kind nobody awaited in the run."""
        syncs, events = self._trace.syncs, self._trace.events
        left: Counter[Channel] = Counter()
        for rule, sign in ((SET_CORE, 1), (WAIT_CORE, -1)):
            rows = np.flatnonzero(syncs.kind == NUMBERS[rule.name])
            for number, core in zip(
                syncs.id[rows].tolist(), events.core[syncs.event[rows]].tolist(), strict=True
            ):
                for channel in channels(
                    self._trace.cores[core], sign > 0, number, self._broadcast, PER_CORE
                ):
                    left[channel] += sign
        return left

    def _channels(self, giver: Side, taker: Side, number: int) -> list[Channel]:
        """Those by which one signals the other, for each vector core that takes part."""
        to_cube = self._core(giver).kind == "vector"
        vector = giver if to_cube else taker
        return [Channel(to_cube, core, number) for core in self._vectors(vector)]

    def _vectors(self, side: Side) -> list[int]:
        """The vector cores that come to an access."""
        events = self._trace.events
        cores = np.unique(events.core[events.place == side.anchor.index]).tolist()
        return [self._trace.cores[n].number for n in cores]

    def _number(self, side: Side, channel: Channel) -> int:
        """How a core names a channel."""
        is_cube = self._core(side).kind == "cube" and not self._broadcast
        return channel.semaphore + PER_CORE * channel.vector * is_cube

    def _core(self, side: Side) -> CoreId:
        return self._trace.cores[side.core]

    def _free_number(self) -> int | None:
        """A semaphore that no core uses, in this run or as a number of the text."""
        syncs = self._trace.syncs
        kinds = [number for number, rule in enumerate(RULES) if rule.between_cores]
        used = set((syncs.id[np.isin(syncs.kind, kinds)] % PER_CORE).tolist())
        for place in self._trace.places:
            if place.record is not None and place.record.order in (SET_CORE, WAIT_CORE):
                number = place.op.attrs.get("event")
                used.add(number % PER_CORE if isinstance(number, int) else NONE)
        return next((number for number in range(PER_CORE) if number not in used), None)

    def _signal(self, giver: Side, taker: Side, number: int, primed: bool) -> Remedy | None:
        """A signal of one to the other. `primed`, the first is given before the loop, and the last
        taken after it: what is overwritten is free at first."""
        first, then = giver.anchor, taker.anchor
        if self._times(giver) != self._times(taker):
            if primed:
                return None
            first, then = self._outermost(first), self._outermost(then)
        before, after = self._relay(giver, False), self._relay(taker, True)
        if before is None or after is None:
            return None
        between = self._channels(giver, taker, number)
        signals, waits = (
            self._written(rule, side, between)
            for rule, side in ((SET_CORE, giver), (WAIT_CORE, taker))
        )
        gives, takes = [*before, *signals], [*waits, *after]
        lines = [_Line(first, True, text) for text in gives]
        lines += [_Line(then, False, text) for text in takes]
        words = (
            f"put {' and '.join(gives)} after {place_name(first.op)} and {' and '.join(takes)} "
            f"before {place_name(then.op)}"
        )
        if primed:
            loops = [self._loop(place) for place in (first, then)]
            if loops[0] is None or loops[1] is None:
                return None
            lines += [_Line(loops[0], False, text) for text in signals]
            lines += [_Line(loops[1], True, text) for text in waits]
            words += (
                f"; signal once before the loop of line {loops[0].span.line}, and wait once after "
                f"that of line {loops[1].span.line}"
            )
        return Remedy(words, self._edits(lines))

    def _times(self, side: Side) -> int:
        """How often a core comes to a place in a block."""
        events = self._trace.events
        here = (events.place == side.anchor.index) & (events.core == side.core)
        return int(np.count_nonzero(here & (events.block == side.block)))

    def _outermost(self, place: Place) -> Place:
        """What stands around a place among the instructions of its section."""
        while place.parent != NONE:
            parent = self._trace.places[place.parent]
            if parent.parent == NONE and isinstance(parent.op, If) and not parent.op.results:
                return place
            place = parent
        return place

    def _loop(self, place: Place) -> Place | None:
        return self._trace.places[place.loops[-1]] if place.loops else None

    def _pipe(self, rule: OrderRule, side: Side) -> str:
        """The pipe of a core that gives or takes its signals: its own if it can."""
        absent = TABLE[f"pto.{rule.instruction}"].absent.get(self._target.name, {})
        here = [pipe.name for pipe in ALL_PIPES if self._core(side).kind in pipe.cores]
        able = [p for p in here if p not in absent.get("pipe", ()) and p != SCALAR_PIPE]
        return side.pipe if side.pipe in able else able[-1]

    def _relay(self, side: Side, takes: bool) -> list[str] | None:
        """The flag between the pipe of an access and the one that gives or takes the signal,
        where it needs one; None where none is left."""
        other = self._pipe(WAIT_CORE if takes else SET_CORE, side)
        if other == side.pipe:
            return []
        src, dst = (other, side.pipe) if takes else (side.pipe, other)
        event = self._free_event(src, dst)
        return None if event is None else [rule.written(src, dst, event) for rule in (SET, WAIT)]

    def _written(self, rule: OrderRule, side: Side, between: list[Channel]) -> list[str]:
        """The instructions of a core that give or take signals: the matrix core addresses each of
        the vector cores."""
        pipe = self._pipe(rule, side)
        numbers = dict.fromkeys(self._number(side, channel) for channel in between)
        return [rule.written(pipe, "", number) for number in numbers]

    def _edits(self, lines: list[_Line]) -> tuple[Edit, ...]:
        """All lines put where they belong; nothing if one of them cannot be."""
        made: list[Edit] = []
        for place, after in dict.fromkeys((line.place, line.after) for line in lines):
            texts = [line.text for line in lines if (line.place, line.after) == (place, after)]
            insert = self._text.insert_after if after else self._text.insert_before
            edits = insert(place.op, texts[0])
            if not edits:
                return ()
            for edit in edits:
                indent = edit.text.removesuffix(f"{texts[0]}\n")
                made.append(edit._replace(text="".join(f"{indent}{text}\n" for text in texts)))
        return tuple(made)
