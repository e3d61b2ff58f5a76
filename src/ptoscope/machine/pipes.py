"""Pipes of the reference engine: queues of work.

The scalar unit issues instructions in program order; each pipe executes its own in order,
but for copies to GM, which may overtake each other. In program order a pipe runs as soon as
it can; one that has to wait keeps its later instructions queued until another pipe lets it
go on. Another order (see `schedule`) queues everything and chooses. When nothing can go on
and something is still queued, that is a deadlock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from itertools import islice

from ptoscope.isa.order.ledger import Ticket
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.parts import PIPES
from ptoscope.isa.record import Site
from ptoscope.machine.cluster import Seat
from ptoscope.machine.core_deadlock import CoreDeadlock, semaphore_full
from ptoscope.machine.deadlock import Deadlock, IterationText, Queued, Stuck, Wait, overflow
from ptoscope.machine.faults import Fault
from ptoscope.machine.given import Given
from ptoscope.machine.schedule import Order
from ptoscope.machine.signals import Buffer, Signal

Thunk = Callable[[], object]

DEPTH = 1024
"""Instructions that an order may hold back on a pipe. Chosen: it bounds the memory of a run."""
MOST_QUEUED = 1 << 14
"""Instructions that wait on a pipe at most. Chosen: it bounds the memory of a kernel that goes on
issuing to a pipe that never does."""
OVERTAKEN = 64
"""Instructions that a copy may overtake at once. Chosen: it bounds the time to look for one."""


class Pipes:
    """The pipes of one core and what orders them.

    `order` decides what runs when; None is program order. `iterations` is the engine's own list
    of the iterations of the loops that the scalar unit is in, outermost first; None where it does
    not tell. An engine accounts for every set_flag here or in `restore`, so that a deadlock
    can say what has happened.
    """

    def __init__(
        self,
        order: Order | None = None,
        iterations: list[IterationText] | None = None,
        seat: Seat | None = None,
    ) -> None:
        # In the order of the pipes, so that what is reported does not depend on history.
        self._queues: dict[str, deque[Queued]] = {pipe: deque() for pipe in PIPES}
        self._order = order
        self._iterations = iterations
        self._issued = 0
        self._given = Given(seat)
        self._seat = seat
        self._waits: dict[str, Wait] = {}
        self._at: Site | None = None
        """Where the scalar unit waits, of a core that lets others run."""
        if seat is not None:
            seat.cluster.explain[seat.number] = self.stuck_now
        self.around: Callable[[Site, Thunk], Thunk] | None = None
        """What is put around every instruction that is issued, for whoever records it."""

    @property
    def busy(self) -> bool:
        """Whether anything is queued."""
        return any(self._queues.values())

    def waiting(self) -> list[str]:
        """The pipes on which something is queued."""
        return [pipe for pipe, queue in self._queues.items() if queue]

    def words(self) -> tuple[list[int], list[int]]:
        """All flags and all buffers, as `Given` says."""
        return self._given.words()

    def restore(self, flags: list[int], held: list[int]) -> None:
        """Sets all flags and buffers, in the order of `words`, where nothing is queued."""
        self._given.restore(flags, held)

    @property
    def given(self) -> Given:
        """What they have given each other."""
        return self._given

    def left_set(self) -> dict[Signal, int]:
        """The signals that are given and not taken, and how often."""
        return self._given.left()

    def held(self) -> dict[Buffer, int]:
        """The buffers that pipes hold, and how often."""
        return self._given.held()

    def idle(self, pipe: str) -> bool:
        """Whether an instruction given to a pipe now is certain to run at once."""
        return self._order is None and not self._queues[pipe]

    def issue(
        self,
        pipe: str,
        site: Site,
        thunk: Thunk,
        ticket: Ticket[str] | None = None,
        swaps: bool = False,
    ) -> None:
        """Gives an instruction to a pipe. A thunk that returns False has to wait.

        `ticket` is what a synchronisation awaits and gives. Nothing orders those that `swap`
        on their pipe, but for barriers and what waits there (see `_chosen`).
        """
        if self.around is not None:
            thunk = self.around(site, thunk)
        if self._order is not None:
            self._defer(self._order, pipe, self._entry(site, thunk, ticket, swaps))
            return
        queue = self._queues[pipe]
        if not queue and thunk() is not False:
            if any(self._queues.values()):
                self._advance()
            return
        queue.append(self._entry(site, thunk, ticket, swaps))
        if pipe == "PIPE_S":
            # The scalar unit itself waits: nobody is left to issue what it waits for.
            self._await(lambda: not queue, site)
        elif self._seat is not None and len(queue) == 1:
            # A pipe that has to wait for another core: that one may run first.
            while queue and self._seat.wait(could_go_on=True):
                self._advance()
        self._limit(pipe, site)

    def _await(self, done: Callable[[], bool], site: Site | None, full: str | None = None) -> None:
        """The scalar unit waits until something is so, while other cores run; a deadlock where
        it never will be."""
        while not done():
            self._at = site
            if self._seat is None or not self._seat.wait():
                raise self._stuck(site, full)
            self._advance()

    def then(self, pipe: str, look: Callable[[], None]) -> None:
        """Looks at the machine when a pipe has executed what was issued last, and that was to it:
        now if it has. Whoever looks changes nothing, and is queued with that instruction."""
        queue = self._queues.get(pipe)
        # Another order may have executed it before what was issued earlier.
        if not queue or (self._order is not None and queue[-1].number != self._issued):
            look()
            return
        thunk = queue[-1].thunk

        def both() -> object:
            ended = thunk()
            if ended is not False:
                look()
            return ended

        queue[-1] = replace(queue[-1], thunk=both)

    def _entry(self, site: Site, thunk: Thunk, ticket: Ticket[str] | None, swaps: bool) -> Queued:
        self._issued += 1
        iterations = None if self._iterations is None else tuple(self._iterations)
        return Queued(site, thunk, self._issued, iterations, ticket, swaps)

    def _defer(self, order: Order, pipe: str, entry: Queued) -> None:
        queue = self._queues[pipe]
        queue.append(entry)
        order.settle(self)
        if len(queue) > DEPTH:
            self.pull(pipe)
        if pipe == "PIPE_S" and not self.pull(pipe) and queue:
            # What else was held back has no part in this.
            self._advance()
            self._await(lambda: not queue, entry.site)
        elif self._seat is not None and order.passes():
            self._seat.cluster.pass_turn(self._seat.number)
        self._limit(pipe, entry.site)

    def _limit(self, pipe: str, site: Site) -> None:
        """A deadlock if the queue of a pipe is full: the scalar unit waits there, too."""
        queue = self._queues[pipe]
        if len(queue) < MOST_QUEUED:
            return
        self._advance()
        self._await(lambda: len(queue) < MOST_QUEUED, site, full=pipe)

    def step(self, pipe: str) -> bool:
        """Runs the first instruction queued on a pipe, or a copy that overtakes it; False if
        there is none or it waits."""
        queue = self._queues[pipe]
        if not queue:
            return False
        place = self._chosen(queue)
        entry = queue[place]
        try:
            if self._run(entry) is False:
                return False
        except Fault as fault:
            # The loops that run now are not those that issued it.
            fault.queued = True
            fault.iterations[:0] = entry.iteration_texts()
            raise
        del queue[place]
        return True

    def _run(self, entry: Queued) -> object:
        """Runs what was queued, in the iterations that issued it."""
        now = self._iterations
        if now is None or entry.iterations is None:
            return entry.thunk()
        around = now.copy()
        now[:] = entry.iterations
        try:
            return entry.thunk()
        finally:
            now[:] = around

    def _chosen(self, queue: deque[Queued]) -> int:
        """Which one of a queue runs. A copy may overtake copies and what only signals."""
        if self._order is None or len(queue) < 2:
            return 0
        choices = [0]
        for place, entry in enumerate(islice(queue, OVERTAKEN + 1)):
            if entry.swaps and place > 0:
                choices.append(place)
            elif not entry.swaps and not (entry.ticket and entry.ticket.signals):
                break
        return 0 if len(choices) == 1 else self._order.choose(choices)

    def pull(self, pipe: str, asking: frozenset[str] = frozenset()) -> bool:
        """Runs the first instruction queued on a pipe, and before it what it waits for; False
        if there is none, or what it waits for cannot happen now."""
        if pipe in asking or not self._queues[pipe]:
            return False
        while not self.step(pipe):
            others = self._waits[pipe].pipes
            if not any(self.pull(other, asking | {pipe}) for other in others):
                return False
        return True

    def _advance(self) -> None:
        moved = True
        while moved:
            moved = False
            for pipe in self._queues:
                while self.step(pipe):
                    moved = True

    def drain(self, site: Site | None = None) -> None:
        """Waits for all pipes, at a barrier or at the end; a deadlock if one cannot finish."""
        self._finish()
        while self.busy:
            self._at = site
            if self._seat is None or not self._seat.wait():
                raise self._stuck(site)
            self._finish()

    def _finish(self) -> None:
        """Runs all that can run now."""
        if self._order is None:
            self._advance()
        while self._order is not None and self.busy:
            self._order.settle(self)
            heads = {pipe: self._queues[pipe][0].number for pipe in self.waiting()}
            if heads and not any(self.pull(pipe) for pipe in self._order.rank(heads)):
                break

    def _stuck(self, at: Site | None, full: str | None = None) -> Fault:
        blocked = {pipe: (self._queues[pipe][0], self._waits[pipe]) for pipe in self.waiting()}
        for entry, wait in blocked.values():
            if wait.full and entry.ticket:
                return overflow(entry.site, wait.full, entry.ticket.most, entry)
        mine = self.stuck(at, full)
        if self._seat is None:
            return Deadlock(mine)
        between = self._seat.cluster.stuck({self._seat.number: mine})
        if next(between.awaited(), None) is not None:
            return CoreDeadlock(between)
        full_ones = (semaphore_full(entry) for entry, _ in blocked.values())
        return next((fault for fault in full_ones if fault is not None), Deadlock(mine))

    def stuck(self, at: Site | None, full: str | None = None) -> Stuck:
        """What waits, where the scalar unit stands somewhere."""
        blocked = {pipe: (self._queues[pipe][0], self._waits[pipe]) for pipe in self.waiting()}
        queued = {pipe: list(queue) for pipe, queue in self._queues.items()}
        left, totals = self.left_set(), self._given.totals()
        return Stuck(blocked, queued, left, totals, self.held(), at, full)

    def stuck_now(self) -> Stuck:
        """The same where it stands now."""
        return self.stuck(self._at)

    def synchronise(
        self, site: Site, rule: OrderRule, src: str, dst: str, numbers: tuple[int, ...]
    ) -> None:
        """Issues a synchronisation to its pipe. A barrier of all pipes drains them; that of one
        is kept by its order."""
        sync = self._given.issue(site, rule, src, dst, numbers, self._issued)
        ticket = sync.ticket
        pipe = ticket.pipe
        if ticket.drains:
            self.drain(site)
            return
        if ticket.behind == (pipe,) and self._order is None:
            return

        def execute() -> bool:
            wait = self._given.execute(sync, self._owes, faults=self._order is None)
            if wait is not None:
                self._waits[pipe] = wait
            return wait is None

        self.issue(pipe, site, execute, ticket)

    def _owes(self, pipe: str, number: int) -> bool:
        """Whether anything up to a number is still queued on a pipe. The first is the oldest:
        what overtakes it runs at once."""
        queue = self._queues[pipe]
        return bool(queue) and queue[0].number <= number
