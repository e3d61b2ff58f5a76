"""What is ordered in a run of all cores of a block: their signals, and what they do meanwhile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ptoscope.check.analysis.nodes import MemoryBarrier, Sync, Touch
from ptoscope.check.synchronisation.executions import Execution, UnrolledRun
from ptoscope.check.synchronisation.races import StaticAccesses, StaticRace, overlap, touch_of
from ptoscope.check.synchronisation.settled import Settled
from ptoscope.isa.order.clocks import COUNT, Clock, Clocks
from ptoscope.isa.order.cores import Channel, channel_of
from ptoscope.isa.order.ledger import Chain
from ptoscope.isa.order.pipes import CarryingPipes
from ptoscope.isa.parts import SCALAR, CoreId


class CoreEvent(NamedTuple):
    """One execution, and the core that has it."""

    core: CoreId
    event: Execution


class SignalBetween(NamedTuple):
    """A signal to another core, or a wait for one: the tokens that it gives or awaits."""

    at: CoreEvent
    gives: tuple[tuple[Chain[int], int], ...]
    awaits: tuple[tuple[Chain[int], int], ...]

    @property
    def channels(self) -> list[Channel]:
        tokens = (*self.gives, *self.awaits)
        return [channel for token in tokens if (channel := channel_of(token)) is not None]


class CoreRace(NamedTuple):
    """Two accesses that nothing orders, and the cores that make them."""

    race: StaticRace
    early: CoreId
    late: CoreId


def comparable(runs: Sequence[UnrolledRun]) -> bool:
    """Whether signals of the cores can be counted against each other: all is known of them, and
    loops that are not followed to the end are alike on all cores that signal."""
    seen: list[list[tuple[object, int]]] = []
    for run in runs:
        syncs = [e.node for e in run.events if isinstance(e.node, Sync)]
        between = [node for node in syncs if node.rule.between_cores]
        if any(node.number is None for node in between):
            return False
        if between:
            seen.append([(count, followed) for count, followed in run.shortened])
    return not seen or all(loops == seen[0] for loops in seen)


class ClusterOrder:
    """The runs of all cores of a block, executed as far as they go."""

    def __init__(self, runs: Sequence[UnrolledRun], cores: Sequence[CoreId]) -> None:
        self._cores = cores
        self._runs = runs
        self._first = [sum(len(run.events) for run in runs[:c]) for c in range(len(runs))]
        """Where the events of each core begin, among all."""
        self._events = [event for run in runs for event in run.events]
        self._settled = [
            Settled(run.events, core, number * COUNT, together=True)
            for number, (run, core) in enumerate(zip(runs, cores, strict=True))
        ]
        self.is_local = any(settled.short for settled in self._settled)
        """Whether a core lacks signals of its own: then it is not known how far others come."""
        self.signals = list(self._between())
        """What the cores signal each other, and what they wait for."""
        self.short, self.left = self._balance()
        """Waits that no core signals often enough, and signals that no core waits for."""
        self.stuck: list[CoreEvent] = []
        """Where cores and their pipes are when none of them can go on."""
        self.races: list[CoreRace] = []
        if not self.short and not self.is_local:
            self._run()

    def of_channel(self, channel: Channel, giving: bool) -> list[CoreEvent]:
        """The signals of a channel, or the waits for them."""
        return [
            made.at
            for made in self.signals
            if any(chain[2] == channel for chain, _ in (made.gives if giving else made.awaits))
        ]

    def _between(self) -> Iterator[SignalBetween]:
        for core, settled, run in zip(self._cores, self._settled, self._runs, strict=True):
            for i, ticket in settled.tickets.items():
                event = run.events[i]
                if isinstance(event.node, Sync) and event.node.rule.between_cores:
                    gives = () if ticket.gives is None else (ticket.gives,)
                    yield SignalBetween(CoreEvent(core, event), gives, ticket.awaits)

    def _balance(self) -> tuple[list[SignalBetween], list[SignalBetween]]:
        given: dict[Chain[int], int] = defaultdict(int)
        awaited: dict[Chain[int], int] = defaultdict(int)
        for made in self.signals:
            for counts, tokens in ((given, made.gives), (awaited, made.awaits)):
                for chain, number in tokens:
                    counts[chain] = max(counts[chain], number)
        short = [m for m in self.signals if any(n > given[chain] for chain, n in m.awaits)]
        left = [m for m in self.signals if any(n > awaited[chain] for chain, n in m.gives)]
        return short, left

    def _run(self) -> None:
        accesses = StaticAccesses(self._events)
        clocks = Clocks(0, accesses.touch, len(self._runs))
        scalars = [number * COUNT + SCALAR for number in range(len(self._runs))]
        pipes = CarryingPipes(clocks, *scalars)
        at = [0] * len(self._runs)
        moved = True
        while moved:
            moved = False
            for core in range(len(self._runs)):
                before = at[core]
                at[core] = self._go(core, before, pipes)
                moved = moved or at[core] > before
            pipes.advance()
        self._stop(pipes.stuck())
        cores = {
            id(event): core
            for core, run in zip(self._cores, self._runs, strict=True)
            for event in run.events
        }
        for race in accesses.races:
            made = CoreRace(race, cores[id(race.early)], cores[id(race.late)])
            if made.early == made.late or not self._same_twice(made):
                self.races.append(self._as_meant(made))

    def _same_twice(self, made: CoreRace) -> bool:
        """Whether two vector cores do the same to the same bytes: so they are taken to write the
        same, which a run can tell."""
        early, late = touch_of(made.race.early), touch_of(made.race.late)
        if made.early.kind != made.late.kind or not (early.writes and late.writes):
            return False
        return all(
            any(event.node == touch for event in self._runs[self._cores.index(core)].events)
            for touch, core in ((early, made.late), (late, made.early))
        )

    def _as_meant(self, made: CoreRace) -> CoreRace:
        """A read and a write of two cores may come in any order. The write comes first where
        nothing else writes what is read, and the read where an earlier write is what it is for."""
        race = made.race
        early, late = touch_of(race.early), touch_of(race.late)
        if made.early == made.late or early.writes == late.writes:
            return made
        is_meant = race.filled is False if early.writes else self._is_written(race)
        if is_meant:
            return made
        return CoreRace(
            StaticRace(race.late, race.early, *race[2:]), early=made.late, late=made.early
        )

    def _is_written(self, race: StaticRace) -> bool:
        """Whether another instruction than the later one of a race writes the same bytes."""
        late = touch_of(race.late)
        for event in self._events:
            node = event.node
            if not isinstance(node, Touch) or not isinstance(late, Touch):
                continue
            if not node.writes or node.op is late.op or node.memory != late.memory:
                continue
            shared = overlap(node.may.rows(), [(race.first, race.last + 1)])
            if node.may.start.variable == race.base and shared is not None:
                return True
        return False

    def _go(self, core: int, at: int, pipes: CarryingPipes[int, int, Clock | None]) -> int:
        """Issues what a core has from a place on, as far as its scalar unit goes."""
        events, settled = self._runs[core].events, self._settled[core]
        while at < len(events) and not pipes.waits(core * COUNT + SCALAR):
            event, ticket = events[at], settled.tickets.get(at)
            if not isinstance(event.node, MemoryBarrier):
                pipe = settled.pipe(event.node.pipe) if ticket is None else ticket.pipe
                assert pipe is not None
                goes_on = pipes.issue(self._first[core] + at, pipe, ticket)
                if not goes_on and ticket is not None and ticket.drains:
                    return at
            at += 1
        return at

    def _stop(self, waiting: list[int]) -> None:
        for number, core in enumerate(self._cores):
            first, events = self._first[number], self._runs[number].events
            mine = [i for i in waiting if first <= i < first + len(events)]
            self.stuck += [CoreEvent(core, self._events[i]) for i in mine]
