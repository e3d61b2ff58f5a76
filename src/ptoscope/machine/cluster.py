"""The cores of one block: which of them runs, and what they have signalled each other.

Each core has a scalar unit of its own, and nothing orders them but their signals. Here one runs at
a time, until it has to wait for another one: then the next goes on, round and round. A core that
only a pipe of keeps waiting would go on: it does when nobody else can.
"""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable, Container, MutableSequence, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple, Protocol

from ptoscope.isa.order.ledger import Chain
from ptoscope.isa.parts import CoreId
from ptoscope.machine.core_deadlock import StuckCluster
from ptoscope.machine.deadlock import Stuck
from ptoscope.machine.faults import Fault
from ptoscope.machine.turns import COULD_GO_ON, ENDED, RUNS, WAITS


class Abandoned(Exception):
    """Another core of the block has stopped: this one does not go on."""


class Door(Protocol):
    """A lock that is closed: whoever comes waits at it, until another one opens it."""

    def acquire(self) -> object:
        """Goes through it, and closes it again."""
        ...

    def release(self) -> None:
        """Opens it for one; one that is open may raise RuntimeError."""
        ...


def _closed() -> Door:
    door = threading.Lock()
    door.acquire()
    return door


def on_new_thread(work: Callable[[], None]) -> None:
    """Calls something on a thread of its own."""
    # Not a Thread: that would wait until it runs, which takes longer than a short body.
    _thread.start_new_thread(work, ())


class Cluster:
    """The cores of one block. `order` is in which they begin, and take turns. What each core does
    and the door at which it waits for its turn may be kept elsewhere."""

    def __init__(
        self,
        ids: tuple[CoreId, ...],
        order: Sequence[int] | None = None,
        states: MutableSequence[int] | None = None,
        doors: Sequence[Door] | None = None,
    ) -> None:
        self.ids, count = ids, len(ids)
        self._order = list(range(count)) if order is None else list(order)
        self.given: dict[Chain[str], int] = {}
        """How many signals of each kind were given and taken between the cores."""
        self._states = [RUNS] * count if states is None else states
        self._doors = [_closed() for _ in range(count)] if doors is None else doors
        self._over = _closed()
        self.failure: BaseException | None = None
        self.explain: dict[int, Callable[[], Stuck]] = {}
        """By core, what its pipes wait for."""

    def stuck(self, known: dict[int, Stuck]) -> StuckCluster:
        """The cores where none can go on, of which some are known."""
        running = sorted(n for n in self.explain if self._states[n] != ENDED)
        found = {n: known.get(n) or self.explain[n]() for n in running}
        return StuckCluster(self.ids, found, self.given)

    def run(
        self,
        bodies: Sequence[Callable[[], None]],
        start: Callable[[Callable[[], None]], object] = on_new_thread,
    ) -> None:
        """Runs a body for each core, all of them to their ends, on threads: `start` calls
        something on one. Raises what a body raises. A single core needs no cluster."""
        try:
            for number, body in enumerate(bodies):
                start(partial(self._body, number, body))
        except BaseException as failure:
            # Those that wait for their turn end without one.
            self._fail(failure)
            raise
        self._doors[self._order[0]].release()
        try:
            self._over.acquire()
        except BaseException as interrupted:
            self._fail(interrupted)
            self._over.acquire()
        if self.failure is not None:
            raise self.failure

    def _body(self, number: int, body: Callable[[], None]) -> None:
        self._doors[number].acquire()
        try:
            if self.failure is None:
                body()
        except Abandoned:
            pass
        except BaseException as failure:
            if isinstance(failure, Fault):
                failure.core, failure.core_title = number, self.ids[number].title
            self._fail(failure)
        self._states[number] = ENDED
        if all(state == ENDED for state in self._states):
            self._over.release()
        elif self.failure is None:
            following = self._following(number)
            if following is None:
                following = self._first_of(number, (COULD_GO_ON,))
            if following is None:
                # Where the others wait for each other, one of them finds that out.
                following = self._first_of(number, (WAITS,))
            assert following is not None
            self._doors[following].release()

    def _fail(self, failure: BaseException) -> None:
        if self.failure is None:
            self.failure = failure
        self._open_all()

    def _open_all(self) -> None:
        """No core goes on: those that wait find that out."""
        for door in self._doors:
            # One that is open already has been given to its core.
            with suppress(RuntimeError):
                door.release()

    def signalled(self) -> None:
        """A signal was given or taken: those that wait may look again."""
        for number, state in enumerate(self._states):
            if state != ENDED:
                self._states[number] = RUNS

    def wait(self, number: int, could_go_on: bool = False) -> bool:
        """A core cannot go on, or only a pipe of it cannot: others run until there is something
        new. False where there will not be: nobody else can run."""
        following = self._following(number)
        if following is None and not could_go_on:
            following = self._first_of(number, (COULD_GO_ON,))
        if following is None:
            return False
        self._states[number] = COULD_GO_ON if could_go_on else WAITS
        self._hand_over(number, following)
        is_new = self._states[number] == RUNS
        self._states[number] = RUNS
        return is_new

    def pass_turn(self, number: int) -> bool:
        """Another core runs, if one can, until this one has its turn again; False if none can."""
        following = self._following(number)
        if following is not None:
            self._hand_over(number, following)
        return following is not None

    def _hand_over(self, number: int, following: int) -> None:
        """Another core runs until this one has its turn again; Abandoned where it has not."""
        if self.failure is None:
            self._doors[following].release()
            self._doors[number].acquire()
        if self.failure is not None:
            raise Abandoned

    def _following(self, number: int) -> int | None:
        """The next that can run."""
        return self._first_of(number, (RUNS,))

    def _first_of(self, number: int, states: Container[int]) -> int | None:
        """The first other core that does one of these, in the order of turns from one on."""
        start = self._order.index(number)
        turns = self._order[start + 1 :] + self._order[:start]
        return next((core for core in turns if self._states[core] in states), None)


class Seat(NamedTuple):
    """One core's place in its cluster."""

    cluster: Cluster
    number: int

    @property
    def cores(self) -> tuple[CoreId, ...]:
        return self.cluster.ids

    def wait(self, could_go_on: bool = False) -> bool:
        """See `Cluster.wait`."""
        return self.cluster.wait(self.number, could_go_on)

    @property
    def title(self) -> str:
        return self.cores[self.number].title
