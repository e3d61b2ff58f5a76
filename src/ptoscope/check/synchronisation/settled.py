"""What is settled of the synchronisations of a run before it begins, and what is out of balance.

The rules are those of `isa.order`; a number that is not known is taken for another one than those
that are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import replace

from ptoscope.budget import reach, spend
from ptoscope.check.analysis.expr import Expr
from ptoscope.check.analysis.nodes import Sync
from ptoscope.check.synchronisation.executions import Execution
from ptoscope.isa.order.clocks import COUNT
from ptoscope.isa.order.ledger import Chain, Ledger, Ticket
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.order.unit_flags import FREE
from ptoscope.isa.parts import ALONE, EVERY, PIPE_NUMBERS, CoreId

NO_PIPE = -1
"""Stands for all pipes of a core in its barriers."""


class Settled:
    """The tickets of one core, by the position of what synchronises. With `together` the other
    cores of its block are followed too; otherwise they may answer every signal. Its pipes are
    numbered from `first` on."""

    def __init__(
        self, events: list[Execution], core: CoreId = ALONE, first: int = 0, together: bool = False
    ) -> None:
        self.tickets: dict[int, Ticket[int]] = {}
        self.short: list[int] = []
        """Waits for which there are not enough signals; they are let through."""
        self.left: list[int] = []
        """Signals that nobody waits for."""
        self._first = first
        self._ledger = Ledger(range(first, first + COUNT), NO_PIPE, core=core)
        self._doubtful: set[tuple[object, ...]] = set()
        """Pipes between which a signal of an unknown number has no counterpart: it may belong
        to another one."""
        syncs = {i: e.node for i, e in enumerate(events) if isinstance(e.node, Sync)}
        self._settle(syncs, together)
        self._balance({i for i, node in syncs.items() if node.rule.between_cores})

    def pipe(self, name: str) -> int | None:
        """The number of a pipe."""
        number = PIPE_NUMBERS.get(name)
        if number is None or number == EVERY:
            return None if number is None else NO_PIPE
        return self._first + number

    def _settle(self, syncs: Mapping[int, Sync], together: bool) -> None:
        signalled: dict[int, None] = {}
        unknown = {n.rule.account for n in syncs.values() if None in [x.number for x in n.numbers]}
        for i, node in syncs.items():
            reach(node.op)
            spend()
            src, dst = self.pipe(node.src), self.pipe(node.dst)
            assert src is not None
            if node.rule.between_cores and not together:
                # Others may answer what was signalled to them so far.
                self.tickets[i] = _may_await(node.rule, src, tuple(signalled))
                signalled[src] = None
            elif dst is not None and node.rule.account in unknown & {FREE.account}:
                self.tickets[i] = _may_await(node.rule, src, (dst,))
            else:
                numbers = tuple(_known(number) for number in node.numbers)
                self.tickets[i] = node.rule.settle(self._ledger, src, dst, numbers)

    def _balance(self, between: set[int]) -> None:
        """Finds signals and waits of the core's own that have no counterpart."""
        given = self._ledger.counts
        awaited: dict[Chain[int], int] = defaultdict(int)
        signals: dict[int, tuple[Chain[int], int]] = {}
        waits: dict[int, tuple[Chain[int], int]] = {}
        for i, ticket in self.tickets.items():
            if i in between:
                continue
            if ticket.takes is not None:
                (waits[i],) = ticket.awaits
                awaited[waits[i][0]] = waits[i][1]
            elif ticket.gives is not None and not ticket.lasting:
                signals[i] = ticket.gives
        for chain, _ in (*signals.values(), *waits.values()):
            if given[chain] != awaited[chain] and not _certain(chain):
                self._doubtful.add(_pair(chain))
        self.left = self._surplus(signals, awaited)
        self.short = self._surplus(waits, given)
        for i, (chain, number) in waits.items():
            if number > given[chain]:
                # Nothing is concluded from a wait that has no signal: it orders all.
                self.tickets[i] = replace(self.tickets[i], awaits=(), doubt=(_giver(chain),))

    def _surplus(
        self, tokens: dict[int, tuple[Chain[int], int]], counterparts: dict[Chain[int], int]
    ) -> list[int]:
        return [
            i
            for i, (chain, number) in tokens.items()
            if number > counterparts[chain] and _pair(chain) not in self._doubtful
        ]


def _may_await(rule: OrderRule, pipe: int, others: tuple[int, ...]) -> Ticket[int]:
    """What is settled of one that awaits something of which nothing is known, or gives it."""
    return Ticket(pipe, doubt=others) if rule.given_by else Ticket(pipe, signals=True)


def _giver(chain: Chain[int]) -> int:
    """The pipe that gives the signals of a chain."""
    assert chain[1] is not None
    return chain[1]


def _known(number: Expr) -> Hashable:
    return number if number.number is None else number.number


def _certain(chain: Chain[int]) -> bool:
    """Whether all that names a signal is known."""
    return not any(isinstance(part, Expr) for part in _key(chain))


def _pair(chain: Chain[int]) -> tuple[object, ...]:
    """The kind of a signal and its pipes."""
    return *chain[:2], _key(chain)[0]


def _key(chain: Chain[int]) -> tuple[object, ...]:
    key = chain[2]
    assert isinstance(key, tuple)
    return key  # pyright: ignore[reportUnknownVariableType]
