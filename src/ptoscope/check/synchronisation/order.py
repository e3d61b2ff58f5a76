"""What is ordered in a run: what its pipes wait for, and what is done before what."""

from __future__ import annotations

from collections import defaultdict

from ptoscope.budget import spend
from ptoscope.check.analysis.nodes import MemoryBarrier, Touch
from ptoscope.check.synchronisation.executions import Execution, UnrolledRun
from ptoscope.check.synchronisation.races import StaticAccesses, StaticRace
from ptoscope.check.synchronisation.settled import Settled
from ptoscope.isa.order.clocks import Clock, Clocks
from ptoscope.isa.order.pipes import CarryingPipes
from ptoscope.isa.parts import PIPE_NUMBERS, SCALAR, SCALAR_PIPE


class PipeOrder:
    """A run of one core, executed as far as it goes."""

    def __init__(self, run: UnrolledRun) -> None:
        self.events = run.events
        settled = Settled(run.events)
        self.short, self.left = settled.short, settled.left
        self._tickets = settled.tickets
        accesses = StaticAccesses(run.events)
        pipes = CarryingPipes(Clocks(0, accesses.touch), SCALAR)
        executed = self._go(pipes)
        self.races = accesses.races
        """Accesses that nothing orders."""
        self.unflagged = self._unflagged()
        """Stores of the scalar unit, and accesses of other pipes that no flag or barrier orders
        behind them."""
        self.inverted = list(accesses.inverted.values())
        """Accesses that are ordered, but not as in the program."""
        self.stuck = sorted(pipes.stuck(), key=self._may_come)
        """Where pipes are when none of them can go on: those first that wait for what is never
        given, whoever goes on."""
        self.unheld = [i for i in executed if self._tickets[i].unheld]
        """Releases of a buffer that the pipe does not hold."""
        self.again = [i for i in executed if self._tickets[i].again]
        """Acquisitions of a buffer that the pipe holds already."""
        self.kept = [] if self.stuck else self._kept(executed)
        """Acquisitions of a buffer that is not released."""

    def _unflagged(self) -> list[StaticRace]:
        if not any(map(_is_scalar_store, self.events)):
            return []
        accesses = StaticAccesses(self.events)

        def touch(item: int, pipe: int, known: Clock) -> None:
            # A load of the scalar unit is complete: it has its number.
            if pipe != SCALAR or _is_scalar_store(self.events[item]):
                accesses.touch(item, pipe, known)

        self._go(CarryingPipes(Clocks(0, touch, is_store_complete=False), SCALAR))
        return [race for race in accesses.races if _is_scalar_store(race.early)]

    def _go(self, pipes: CarryingPipes[int, int, Clock | None]) -> list[int]:
        """Issues the run; the synchronisations that were executed."""
        issued = 0
        for i, event in enumerate(self.events):
            if isinstance(event.node, MemoryBarrier):
                continue
            spend()
            ticket = self._tickets.get(i)
            pipe = PIPE_NUMBERS[event.node.pipe] if ticket is None else ticket.pipe
            if not pipes.issue(i, pipe, ticket):
                break
            issued = i + 1
        pipes.advance()
        pending = pipes.pending()
        return [i for i in self._tickets if i < issued and i not in pending]

    def _may_come(self, item: int) -> bool:
        """Whether something of the run gives what is awaited there."""
        ticket = self._tickets.get(item)
        gives = {other.gives for other in self._tickets.values()}
        return ticket is None or all(token in gives for token in ticket.awaits)

    def _kept(self, executed: list[int]) -> list[int]:
        """What pipes took hold of and did not give back: they give back the last first."""
        held: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for i in executed:
            ticket = self._tickets[i]
            if ticket.holds is not None:
                held[ticket.holds[0][1:]].append(i)
            elif ticket.gives is not None and held[ticket.gives[0][1:]]:
                held[ticket.gives[0][1:]].pop()
        return [i for indices in held.values() for i in indices]


def _is_scalar_store(event: Execution) -> bool:
    node = event.node
    return isinstance(node, Touch) and node.pipe == SCALAR_PIPE and node.writes
