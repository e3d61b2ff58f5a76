"""What the pipes of a core order in a run: the rules of `isa.order` over clocks of events."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ptoscope.isa.order.clocks import Clock, Clocks
from ptoscope.isa.order.kinds import RULES
from ptoscope.isa.order.ledger import Ledger
from ptoscope.isa.order.pipes import CarryingPipes
from ptoscope.isa.parts import EVERY, PIPE_NUMBERS, PIPES, SCALAR
from ptoscope.races.cells import Runs
from ptoscope.races.last_accesses import LastAccesses, Meeting
from ptoscope.trace.trace import MEM_BAR, NONE, Trace

_AT_ONCE = 1 << 14
"""How many instructions are taken out of the columns at a time."""
_RULES = [(rule, len(rule.numbers)) for rule in RULES]


def meetings(trace: Trace, runs: Runs, report: Callable[[Meeting], None]) -> None:
    """Reports nodes of one block that touch the same bytes and that nothing orders: for each
    node and each other pipe the last one. After that the two count as ordered, so that what
    the same remedy orders is not reported again."""
    accesses = LastAccesses(runs, report)
    core: _Core | None = None
    block = -1
    for event, now, pipe, kind, src, dst, first, second in _items(trace, runs):
        if now != block:
            block = now
            core = _Core(event, accesses)
        assert core is not None
        if kind == NONE:
            core.access(event, pipe, (src, dst))
        else:
            core.synchronise(event, kind, src, dst, (first, second))


def _items(trace: Trace, runs: Runs) -> Iterator[tuple[int, ...]]:
    """What the pipes are given, in the order of issue: event, block, pipe, and of a
    synchronisation its kind, pipes and numbers, of a node the bounds of its accesses."""
    syncs, events, nodes = trace.syncs, trace.events, runs.nodes
    used = np.flatnonzero(syncs.kind != MEM_BAR)
    order = np.argsort(np.concatenate((syncs.event[used], nodes)), kind="stable")
    pipes = np.array([PIPE_NUMBERS.get(place.pipe, 0) for place in trace.places])
    for begin in range(0, len(order), _AT_ONCE):
        some = order[begin : begin + _AT_ONCE]
        sync = some < len(used)
        rows = np.full((8, len(some)), NONE, dtype=np.int64)
        s, n = used[some[sync]], some[~sync] - len(used)
        event, kind, src, dst = syncs.event[s], syncs.kind[s], syncs.src[s], syncs.dst[s]
        numbers = syncs.id[s], syncs.mode[s]
        rows[:, sync] = event, events.block[event], src, kind, src, dst, *numbers
        event = nodes[n]
        bounds = runs.bounds[n], runs.bounds[n + 1]
        rows[:3, ~sync] = event, events.block[event], pipes[events.place[event]]
        rows[4:6, ~sync] = bounds
        yield from zip(*rows.tolist(), strict=True)


class _Core:
    """The pipes of one block. What happened before event `first` is over."""

    def __init__(self, first: int, accesses: LastAccesses) -> None:
        self._accesses = accesses
        self._bounds: dict[int, tuple[int, int]] = {}
        """Of nodes on their way: their accesses."""
        self._ledger = Ledger(range(len(PIPES)), EVERY)
        self._pipes = CarryingPipes(Clocks(first, self._touch), SCALAR)

    def access(self, event: int, pipe: int, bounds: tuple[int, int]) -> None:
        """The scalar unit comes to a node."""
        self._bounds[event] = bounds
        self._pipes.issue(event, pipe)

    def _touch(self, event: int, pipe: int, known: Clock) -> None:
        self._accesses.touch(event, pipe, known, self._bounds.pop(event))

    def synchronise(
        self, event: int, kind: int, src: int, dst: int, numbers: tuple[int, int]
    ) -> None:
        """The scalar unit comes to what orders pipes."""
        rule, count = _RULES[kind]
        ticket = rule.settle(self._ledger, src, dst, numbers[:count])
        self._pipes.issue(event, ticket.pipe, ticket)
