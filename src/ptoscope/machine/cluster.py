"""The cores of one block: which of them runs, and what they have signalled each other.

Each core has a scalar unit of its own, and nothing orders them but their signals. Here one runs at
a time, until it has to wait for another one: then the next goes on, round and round. A core that
only a pipe of keeps waiting would go on: it does when nobody else can.
"""

from __future__ import annotations

import _thread
import operator
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from ptoscope.isa.order.ledger import Chain
from ptoscope.isa.parts import CoreId
from ptoscope.machine.core_deadlock import StuckCluster
from ptoscope.machine.deadlock import Stuck
from ptoscope.machine.faults import Fault


class Abandoned(Exception):
    """Another core of the block has stopped: this one does not go on."""


def _closed() -> threading.Lock:
    """A door that whoever has it waits at, until another one opens it."""
    door = threading.Lock()
    door.acquire()
    return door


class Cluster:
    """The cores of one block. `order` is in which they begin, and take turns."""

    def __init__(self, ids: tuple[CoreId, ...], order: Sequence[int] | None = None) -> None:
        self.ids, count = ids, len(ids)
        self._order = list(range(count)) if order is None else list(order)
        self.given: dict[Chain[str], int] = {}
        """How many signals of each kind were given and taken between the cores."""
        self._turns = [_closed() for _ in range(count)]
        self._waits: dict[int, bool] = {}
        """Those that wait, and whether they could go on all the same; the others could run."""
        self._ended: set[int] = set()
        self._over = _closed()
        self.failure: BaseException | None = None
        self.explain: dict[int, Callable[[], Stuck]] = {}
        """By core, what its pipes wait for."""

    def stuck(self, known: dict[int, Stuck]) -> StuckCluster:
        """The cores where none can go on, of which some are known."""
        running = sorted(n for n in self.explain if n not in self._ended)
        found = {n: known.get(n) or self.explain[n]() for n in running}
        return StuckCluster(self.ids, found, self.given)

    def run(
        self,
        bodies: Sequence[Callable[[], None]],
        start: Callable[[Callable[[], object]], object] = operator.call,
    ) -> None:
        """Runs a body for each core, all of them to their ends, on threads of which `start` calls
        what starts one; raises what one raises. A single core needs no cluster."""
        for number, body in enumerate(bodies):
            # Not a Thread: that would wait until it runs, which takes longer than a short body.
            start(partial(_thread.start_new_thread, self._body, (number, body)))
        self._turns[self._order[0]].release()
        try:
            self._over.acquire()
        except BaseException as interrupted:
            self._fail(interrupted)
            self._over.acquire()
        if self.failure is not None:
            raise self.failure

    def _body(self, number: int, body: Callable[[], None]) -> None:
        self._turns[number].acquire()
        try:
            if self.failure is None:
                body()
        except Abandoned:
            pass
        except BaseException as failure:
            if isinstance(failure, Fault):
                failure.core, failure.core_title = number, self.ids[number].title
            self._fail(failure)
        self._ended.add(number)
        if len(self._ended) == len(self._turns):
            self._over.release()
        elif self.failure is None:
            following = self._following(number)
            if following is None:
                following = self._first_of(number, self._willing())
            # Where the others wait for each other, one of them finds that out.
            self._wake(self._first_of(number, self._waits) if following is None else following)

    def _fail(self, failure: BaseException) -> None:
        if self.failure is None:
            self.failure = failure
        for turn in self._turns:
            # One that is open already has been given to its core.
            with suppress(RuntimeError):
                turn.release()

    def signalled(self) -> None:
        """A signal was given or taken: those that wait may look again."""
        self._waits.clear()

    def wait(self, number: int, could_go_on: bool = False) -> bool:
        """A core cannot go on, or only a pipe of it cannot: others run until there is something
        new. False where there will not be: nobody else can run."""
        following = self._following(number)
        if following is None and not could_go_on:
            following = self._first_of(number, self._willing())
        if following is None:
            return False
        self._waits[number] = could_go_on
        self._wake(following)
        self._turns[number].acquire()
        if self.failure is not None:
            raise Abandoned
        return self._waits.pop(number, None) is None

    def pass_turn(self, number: int) -> bool:
        """Another core runs, if one can, until this one has its turn again; False if none can."""
        following = self._following(number)
        if following is not None:
            self._wake(following)
            self._turns[number].acquire()
            if self.failure is not None:
                raise Abandoned
        return following is not None

    def _wake(self, number: int | None) -> None:
        assert number is not None
        self._turns[number].release()

    def _following(self, number: int) -> int | None:
        """The next that can run."""
        out = self._ended | self._waits.keys() | {number}
        return self._first_of(number, set(self._order) - out)

    def _willing(self) -> set[int]:
        """Those that wait and could go on all the same."""
        return {core for core, could in self._waits.items() if could}

    def _first_of(self, number: int, cores: object) -> int | None:
        """The first of some cores in the order of turns, from one on."""
        start = self._order.index(number)
        turns = self._order[start + 1 :] + self._order[:start]
        return next((core for core in turns if core in cores), None)  # type: ignore[operator]


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
