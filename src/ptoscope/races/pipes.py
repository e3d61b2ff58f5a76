"""What the pipes of a block order in a run: the rules of `isa.order` over clocks of events."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import groupby

import numpy as np

from ptoscope.isa.order.clocks import COUNT, Clock, Clocks
from ptoscope.isa.order.kinds import NUMBERS, RULES
from ptoscope.isa.order.ledger import Ledger
from ptoscope.isa.order.pipes import CarryingPipes
from ptoscope.isa.order.unit_flags import CLEAR, PUBLISH
from ptoscope.isa.parts import EVERY, PIPE_NUMBERS, SCALAR, CoreId
from ptoscope.races.cells import Runs
from ptoscope.races.last_accesses import LastAccesses, Meeting
from ptoscope.trace.trace import MEM_BAR, NONE, Column, Trace

_AT_ONCE = 1 << 14
"""How many instructions are taken out of the columns at a time."""
_RULES = [(rule, len(rule.numbers)) for rule in RULES]
_BEHIND = [NUMBERS[rule.name] for rule in (PUBLISH, CLEAR)]
"""What an instruction gives when it is done with the bytes that it touches itself."""
_ALL = -2
"""Stands for all pipes of a core."""

_Item = tuple[int, ...]
"""Event, block, core, pipe, and of a synchronisation its kind, pipes and numbers, of a node the
bounds of its accesses."""


def meetings(trace: Trace, runs: Runs, report: Callable[[Meeting], None]) -> None:
    """Reports nodes of one block that touch the same bytes and that nothing orders: for each
    node and each other pipe the last one. After that the two count as ordered, so that what
    the same remedy orders is not reported again."""
    accesses = LastAccesses(runs, report)
    cores = trace.cores
    if len(cores) > 1:
        for _, items in groupby(_items(trace, runs), key=lambda item: item[1]):
            mine = list(items)
            _Block(mine[0][0], accesses, cores).run(mine)
        return
    block: _Block | None = None
    number = -1
    for item in _items(trace, runs):
        if block is None or item[1] != number:
            number = item[1]
            block = _Block(item[0], accesses, cores)
        block.issue(item)


def _items(trace: Trace, runs: Runs) -> Iterator[_Item]:
    """What the pipes are given, in the order of issue."""
    syncs, events, nodes = trace.syncs, trace.events, runs.nodes
    used = np.flatnonzero(syncs.kind != MEM_BAR)
    order = np.argsort(_moments(trace, used, nodes), kind="stable")
    pipes = np.array([PIPE_NUMBERS.get(place.pipe, 0) for place in trace.places])
    for begin in range(0, len(order), _AT_ONCE):
        some = order[begin : begin + _AT_ONCE]
        sync = some < len(used)
        rows = np.full((9, len(some)), NONE, dtype=np.int64)
        s, n = used[some[sync]], some[~sync] - len(used)
        event, kind, src, dst = syncs.event[s], syncs.kind[s], syncs.src[s], syncs.dst[s]
        numbers = syncs.id[s], syncs.mode[s]
        rows[:, sync] = (
            event, events.block[event], events.core[event], src, kind, src, dst, *numbers
        )  # fmt: skip
        event = nodes[n]
        bounds = runs.bounds[n], runs.bounds[n + 1]
        rows[:4, ~sync] = (
            event, events.block[event], events.core[event], pipes[events.place[event]]
        )  # fmt: skip
        rows[5:7, ~sync] = bounds
        yield from zip(*rows.tolist(), strict=True)


def _moments(trace: Trace, used: Column, nodes: Column) -> Column:
    """When each synchronisation and each node comes, as numbers that rise: what an instruction
    waits for comes before the bytes that it touches, what it gives after them."""
    event, kind = trace.syncs.event[used].astype(np.int64), trace.syncs.kind[used]
    behind = np.isin(kind, _BEHIND)
    return np.concatenate((3 * event + 2 * behind, 3 * nodes.astype(np.int64) + 1))


class _Block:
    """The pipes of all cores of one block. What happened before event `first` is over."""

    def __init__(self, first: int, accesses: LastAccesses, cores: tuple[CoreId, ...]) -> None:
        self._accesses = accesses
        self._bounds: dict[int, tuple[int, int]] = {}
        """Of nodes on their way: their accesses."""
        begins = [COUNT * n for n in range(len(cores))]
        self._ledgers = [
            Ledger(range(begin, begin + COUNT), _ALL, core=core)
            for begin, core in zip(begins, cores, strict=True)
        ]
        self._scalars = [begin + SCALAR for begin in begins]
        self._pipes = CarryingPipes(Clocks(first, self._touch, len(cores)), *self._scalars)

    def run(self, items: list[_Item]) -> None:
        """Cores issue what they did, each as long as its scalar unit goes on."""
        left: dict[int, deque[_Item]] = {}
        for item in items:
            left.setdefault(item[2], deque()).append(item)
        moved = True
        while moved:
            moved = False
            for core, mine in left.items():
                while mine and not self._pipes.waits(self._scalars[core]):
                    if not self.issue(mine[0]):
                        # A barrier that has not passed comes again; what its pipe has waits there.
                        if self._pipes.waits(self._scalars[core]):
                            mine.popleft()
                            moved = True
                        break
                    mine.popleft()
                    moved = True
            self._pipes.advance()

    def issue(self, item: _Item) -> bool:
        """A scalar unit comes to a node or to what orders pipes; False where it cannot go on."""
        event, _, core, pipe, kind, src, dst, *numbers = item
        begin = COUNT * core
        if kind == NONE:
            self._bounds[event] = src, dst
            return self._pipes.issue(event, begin + pipe)
        rule, count = _RULES[kind]
        ticket = rule.settle(
            self._ledgers[core],
            _ALL if src == EVERY else begin + src,
            None if dst == NONE else begin + dst,
            tuple(numbers[:count]),
        )
        # What it gives when it has touched its bytes says that those are complete.
        return self._pipes.issue(event + (kind in _BEHIND), ticket.pipe, ticket)

    def _touch(self, event: int, pipe: int, known: Clock) -> None:
        self._accesses.touch(event, pipe, known, self._bounds.pop(event))
