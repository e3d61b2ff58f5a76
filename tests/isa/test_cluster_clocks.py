"""Clocks of a cluster: what a core learns of another one by a signal."""

from __future__ import annotations

from ptoscope.isa.order.clocks import COUNT, Clock, Clocks
from ptoscope.isa.order.cores import SET_CORE, WAIT_CORE
from ptoscope.isa.order.ledger import Ledger
from ptoscope.isa.order.pipes import CarryingPipes
from ptoscope.isa.order.rules import BARRIER, OrderRule
from ptoscope.isa.parts import PIPE_NUMBERS, SCALAR, core_ids

CORES = core_ids(("cube", "vector", "vector"))
CUBE, FIRST, SECOND = range(3)
FIX, MTE2, V = (PIPE_NUMBERS[f"PIPE_{name}"] for name in ("FIX", "MTE2", "V"))
EVERY = -1


class Cluster:
    """Work and signals of three cores; `known` has the clock of each access."""

    def __init__(self) -> None:
        self.known: dict[int, Clock] = {}
        self._ledgers = [
            Ledger(range(core * COUNT, (core + 1) * COUNT), EVERY, core=name)
            for core, name in enumerate(CORES)
        ]
        clocks = Clocks(0, self._access, len(CORES))
        self.pipes = CarryingPipes(clocks, *(core * COUNT + SCALAR for core in range(len(CORES))))
        self._item = 0

    def _access(self, item: int, pipe: int, clock: Clock) -> None:
        self.known[item] = clock.copy()

    def work(self, core: int, pipe: int) -> int:
        self._item += 1
        self.pipes.issue(self._item, core * COUNT + pipe)
        return self._item

    def sync(self, core: int, rule: OrderRule, pipe: int, *numbers: int) -> bool:
        self._item += 1
        at = EVERY if pipe == EVERY else core * COUNT + pipe
        ticket = rule.settle(self._ledgers[core], at, None, numbers)
        return self.pipes.issue(self._item, ticket.pipe, ticket)

    def after(self, early: int, core: int, pipe: int, late: int) -> bool:
        """Whether an access of a core's pipe is complete before another one."""
        return early < self.known[late][core * COUNT + pipe]


def test_a_signal_brings_what_the_pipe_that_gave_it_did() -> None:
    made = Cluster()
    early, other = made.work(CUBE, FIX), made.work(CUBE, MTE2)
    made.sync(CUBE, SET_CORE, FIX, 3)
    made.sync(FIRST, WAIT_CORE, V, 3)
    late, beside = made.work(FIRST, V), made.work(FIRST, MTE2)
    assert made.after(early, CUBE, FIX, late)
    assert not made.after(other, CUBE, MTE2, late)
    assert not made.after(early, CUBE, FIX, beside)


def test_a_signal_for_the_other_vector_core_is_another_one() -> None:
    made = Cluster()
    made.sync(CUBE, SET_CORE, FIX, 3)
    made.sync(SECOND, WAIT_CORE, V, 3)
    late = made.work(SECOND, V)
    assert made.pipes.waits(SECOND * COUNT + V)
    assert late not in made.known
    made.sync(CUBE, SET_CORE, FIX, 3 + 16)
    assert late in made.known


def test_what_a_core_learned_goes_on_with_its_own_signals() -> None:
    made = Cluster()
    early = made.work(FIRST, V)
    made.sync(FIRST, SET_CORE, V, 0)
    made.sync(CUBE, WAIT_CORE, FIX, 0)
    made.sync(CUBE, SET_CORE, FIX, 16)
    made.sync(SECOND, WAIT_CORE, V, 0)
    late = made.work(SECOND, V)
    # The copy pipe only passes it on: the signal waits for what stands before it.
    assert made.after(early, FIRST, V, late)


def test_a_barrier_of_a_core_waits_for_its_own_pipes() -> None:
    made = Cluster()
    made.sync(FIRST, WAIT_CORE, V, 0)
    assert made.sync(CUBE, BARRIER, EVERY)
    assert not made.sync(FIRST, BARRIER, EVERY)
    early = made.work(CUBE, FIX)
    made.sync(CUBE, SET_CORE, FIX, 0)
    assert made.sync(FIRST, BARRIER, EVERY)
    late = made.work(FIRST, MTE2)
    assert made.after(early, CUBE, FIX, late)
