"""What is ordered in a run: what its pipes wait for, and what is done before what.

The rules are those of `isa.order`, over clocks of positions in the run; a number that is not
known is taken for another one than those that are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import replace

from ptoscope.check.analysis.expr import Expr
from ptoscope.check.analysis.nodes import MemoryBarrier, Sync
from ptoscope.check.synchronisation.executions import UnrolledRun
from ptoscope.check.synchronisation.races import StaticAccesses
from ptoscope.isa.order.clocks import Clock, Clocks
from ptoscope.isa.order.ledger import Chain, Ledger, Ticket
from ptoscope.isa.order.pipes import CarryingPipes
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.order.unit_flags import FREE
from ptoscope.isa.parts import EVERY, PIPE_NUMBERS, PIPES, SCALAR


class PipeOrder:
    """A run, executed as far as it goes."""

    def __init__(self, run: UnrolledRun) -> None:
        self.events = run.events
        self.short: list[int] = []
        """Waits for which there are not enough signals."""
        self.left: list[int] = []
        """Signals that nobody waits for."""
        self._ledger = Ledger(range(len(PIPES)), EVERY)
        self._tickets: dict[int, Ticket[int]] = {}
        self._doubtful: set[tuple[object, ...]] = set()
        """Pipes between which a signal of an unknown number has no counterpart: it may belong
        to another one."""
        self._settle()
        self._balance()
        accesses = StaticAccesses(run.events)
        pipes = CarryingPipes(Clocks(0, accesses.touch), SCALAR)
        executed = self._go(pipes)
        self.races = accesses.races
        """Accesses that nothing orders."""
        self.inverted = list(accesses.inverted.values())
        """Accesses that are ordered, but not as in the program."""
        self.stuck = pipes.stuck()
        """Where pipes are when none of them can go on."""
        self.unheld = [i for i in executed if self._tickets[i].unheld]
        """Releases of a buffer that the pipe does not hold."""
        self.kept = [] if self.stuck else self._kept(executed)
        """Acquisitions of a buffer that is not released."""

    def _settle(self) -> None:
        signalled: dict[int, None] = {}
        syncs = {i: e.node for i, e in enumerate(self.events) if isinstance(e.node, Sync)}
        unknown = {n.rule.account for n in syncs.values() if None in [x.number for x in n.numbers]}
        for i, node in syncs.items():
            src, dst = PIPE_NUMBERS[node.src], PIPE_NUMBERS.get(node.dst)
            if node.rule.between_cores:
                # Others may answer what was signalled to them so far.
                self._tickets[i] = _may_await(node.rule, src, tuple(signalled))
                signalled[src] = None
            elif dst is not None and node.rule.account in unknown & {FREE.account}:
                self._tickets[i] = _may_await(node.rule, src, (dst,))
            else:
                numbers = tuple(_known(number) for number in node.numbers)
                self._tickets[i] = node.rule.settle(self._ledger, src, dst, numbers)

    def _balance(self) -> None:
        """Finds signals and waits that have no counterpart; such waits are let through."""
        given = self._ledger.counts
        awaited: dict[Chain[int], int] = defaultdict(int)
        signals: dict[int, tuple[Chain[int], int]] = {}
        waits: dict[int, tuple[Chain[int], int]] = {}
        for i, ticket in self._tickets.items():
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
                self._tickets[i] = replace(self._tickets[i], awaits=(), doubt=(chain[1],))

    def _surplus(
        self, tokens: dict[int, tuple[Chain[int], int]], counterparts: dict[Chain[int], int]
    ) -> list[int]:
        return [
            i
            for i, (chain, number) in tokens.items()
            if number > counterparts[chain] and _pair(chain) not in self._doubtful
        ]

    def _go(self, pipes: CarryingPipes[int, int, Clock | None]) -> list[int]:
        """Issues the run; the synchronisations that were executed."""
        issued = 0
        for i, event in enumerate(self.events):
            if isinstance(event.node, MemoryBarrier):
                continue
            ticket = self._tickets.get(i)
            pipe = PIPE_NUMBERS[event.node.pipe] if ticket is None else ticket.pipe
            if not pipes.issue(i, pipe, ticket):
                break
            issued = i + 1
        pipes.advance()
        pending = pipes.pending()
        return [i for i in self._tickets if i < issued and i not in pending]

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


def _may_await(rule: OrderRule, pipe: int, others: tuple[int, ...]) -> Ticket[int]:
    """What is settled of one that awaits something of which nothing is known, or gives it."""
    return Ticket(pipe, doubt=others) if rule.given_by else Ticket(pipe, signals=True)


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
