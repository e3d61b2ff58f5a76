"""What a vecscope executes in a few iterations of its loops, and what barriers order of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ptoscope.check.analysis.expr import Expr, Symbol, of
from ptoscope.check.analysis.nodes import (
    BranchNode,
    LoopNode,
    MemoryBarrier,
    Node,
    ScopeNode,
    Touch,
)
from ptoscope.check.positions import Positions
from ptoscope.check.synchronisation.executions import Conditions, Execution
from ptoscope.isa.order.memory import Fences
from ptoscope.lang.sync.insertion import PlacedMemoryBarrier
from ptoscope.program import If, Loop, Op


class ConditionalFences:
    """What barriers order, each where it is executed."""

    def __init__(self, events: list[Execution]) -> None:
        self._fences: dict[Conditions, Fences[int]] = {
            given: Fences(0, int.__or__) for given in {event.given for event in events}
        }

    def barrier(self, kinds: str, given: Conditions) -> None:
        """A barrier on some conditions."""
        self._fences[given].barrier(kinds)

    def before(self, kind: str, given: Conditions) -> int:
        """What barriers complete before an access on some conditions."""
        found = 0
        for on, fences in self._fences.items():
            if on <= given:
                found |= fences.before(kind)
        return found

    def access(self, kind: str, done: int) -> None:
        """An access."""
        for fences in self._fences.values():
            fences.access(kind, done)


class ScopeEvents:
    """What a vecscope executes, iteration by iteration, with some barriers in place. `trips` says
    how many iterations of a loop are followed, by its id; `made` keeps accesses of iterations for
    the next time."""

    def __init__(
        self,
        scope: ScopeNode,
        trips: Mapping[int, int],
        positions: Positions,
        placed: Sequence[PlacedMemoryBarrier],
        made: dict[tuple[int, tuple[int, ...]], Touch],
    ) -> None:
        self._made = made
        self._scope, self._trips, self._positions = scope, trips, positions
        self._bars: dict[int, list[str]] = defaultdict(list)
        for one in placed:
            self._bars[id(one.op)].append(one.type)
        self._touches: dict[int, Touch] = {}
        self._passed: set[tuple[int, tuple[int, ...]]] = set()
        self.found: list[Execution] = []
        self._follow(scope.body, {}, (), frozenset())

    def touch(self, event: Execution) -> Touch:
        """The access of the text that an event is an execution of."""
        return self._touches[id(event.node)]

    def _follow(
        self,
        nodes: list[Node],
        known: dict[Symbol, Expr],
        iterations: tuple[int, ...],
        given: Conditions,
    ) -> None:
        for node in nodes:
            self._barriers_before(node.op, iterations, given)
            match node:
                case Touch():
                    made = self._made.get((id(node), iterations))
                    if made is None:
                        made = self._made[id(node), iterations] = node.instance(known)
                    self._touches[id(made)] = node
                    self.found.append(Execution(made, self._scope, 1, iterations, given))
                case MemoryBarrier():
                    self.found.append(Execution(node, self._scope, 1, iterations, given))
                case LoopNode(op=Loop()):
                    self._loop(node, known, iterations, given)
                case LoopNode(body=body):
                    self._follow(body, known, iterations, given)
                case BranchNode(condition=condition):
                    for side, holds in ((node.yes, True), (node.no, False)):
                        self._follow(side, known, iterations, given | {(condition, holds)})
                case _:
                    pass

    def _loop(
        self,
        node: LoopNode,
        known: dict[Symbol, Expr],
        iterations: tuple[int, ...],
        given: Conditions,
    ) -> None:
        if node.trips.bounds()[0] < 1:
            # What is inside counts only if it runs at all.
            given |= {(of(Symbol("runs", id(node.op))), True)}
        for number in range(self._trips[id(node.op)]):
            at = (*iterations, number)
            now = {**known, node.iteration: Expr(number)}
            for carried in node.carried:
                now[carried.symbol] = of(Symbol("carried", (carried.symbol.ident, at)))
            self._follow(node.body, now, at, given)

    def _barriers_before(self, op: Op, iterations: tuple[int, ...], given: Conditions) -> None:
        """Those before an operation, or before a branch of which only one side can be taken: once
        for all that is in it."""
        if not self._bars:
            return
        chain: list[Op] = [op]
        while isinstance(owner := self._positions.home(chain[-1]).owner, If):
            chain.append(owner)
        for around in reversed(chain):
            passed = id(around), iterations
            if passed not in self._passed:
                self._passed.add(passed)
                for kind in self._bars.get(id(around), ()):
                    node = MemoryBarrier(around, kind)
                    self.found.append(Execution(node, self._scope, 1, iterations, given))
