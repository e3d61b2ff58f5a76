"""A function as one run of it: loops by some of their iterations, branches by one side.

Every run made here is one that a launch can have, as far as can be seen: a loop whose end is
a launch scalar gets the scalar that gives it three iterations, which is enough for two buffers in
iteration to come round. What is cut short is noted, so that nothing is concluded from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ptoscope.check.analysis.expr import ONE, Expr, Symbol, single
from ptoscope.check.analysis.nodes import (
    BranchNode,
    FieldNode,
    LoopNode,
    MemoryBarrier,
    Node,
    ScopeNode,
    Sync,
    Touch,
    flat,
)

ITERATIONS = 3
WHOLE = 12
"""Loops of so many iterations are followed to the end. Longer ones stop early at an iteration
that is a multiple of this number from the last, so that buffers and events in turn end where they
do."""
MOST = 3000

Known = Mapping[Symbol, Expr]


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution of an instruction. `scope` is the vecscope it stands in, `entry` which
    execution of a vecscope that is, `iterations` the iterations of the loops around."""

    node: Touch | Sync | MemoryBarrier
    scope: ScopeNode | None = None
    entry: int = 0
    iterations: tuple[int, ...] = ()


@dataclass
class UnrolledRun:
    """The events in program order (of accesses those that the run surely has), the conditions
    on which synchronisation depends with the side that was taken, and whether something was
    left out that could matter."""

    events: list[Execution] = field(default_factory=list[Execution])
    taken: dict[Expr, tuple[BranchNode, bool]] = field(
        default_factory=dict[Expr, tuple[BranchNode, bool]]
    )
    cut: bool = False


def unroll(nodes: list[Node], sides: Mapping[Expr, bool]) -> UnrolledRun:
    """The run in which each condition goes to the side given, or holds."""
    solved: dict[Symbol, Expr] = {}
    while True:
        unroller = _Unroller(sides, solved)
        unroller.follow(nodes, dict(solved))
        if len(unroller.solved) == len(solved):
            return unroller.run
        # With a scalar chosen, all that was made before it has to be made anew.
        solved = unroller.solved


class _Unroller:
    def __init__(self, sides: Mapping[Expr, bool], solved: Known) -> None:
        self.run = UnrolledRun()
        self.solved: dict[Symbol, Expr] = dict(solved)
        self._sides = sides
        self._scope: ScopeNode | None = None
        self._entry = 0
        self._iterations: tuple[int, ...] = ()

    def follow(self, nodes: list[Node], known: dict[Symbol, Expr], sure: bool = True) -> None:
        """Appends the events of a body. `known` grows by what its loops leave behind."""
        for node in nodes:
            match node:
                case ScopeNode():
                    self._scope = node
                    self._entry += 1
                    self.follow(node.body, known, sure)
                    self._scope = None
                case BranchNode():
                    self._branch(node, known, sure)
                case LoopNode():
                    self._loop(node, known, sure)
                case Touch():
                    # What may be touched or not proves nothing.
                    touch = node.surely(known) if sure else None
                    if touch is not None:
                        self._event(touch)
                case FieldNode():
                    pass
                case _:
                    self._event(node.instance(known))

    def _event(self, node: Touch | Sync | MemoryBarrier) -> None:
        if len(self.run.events) >= MOST:
            self.run.cut = True
            return
        self.run.events.append(Execution(node, self._scope, self._entry, self._iterations))

    def _branch(self, node: BranchNode, known: dict[Symbol, Expr], sure: bool) -> None:
        condition = node.condition.substitute(known)
        if condition.number is not None:
            self.follow(node.yes if condition.number else node.no, known, sure)
        elif not _synchronises([*node.yes, *node.no]):
            self.follow(node.yes, dict(known), False)
            self.follow(node.no, dict(known), False)
        else:
            flipped = single(condition) is None and single(ONE - condition) is not None
            key = ONE - condition if flipped else condition
            holds = self._sides.get(key, True)
            side = holds != flipped
            self.run.taken[key] = (node, side)
            self.follow(node.yes if side else node.no, known, sure)

    def _loop(self, node: LoopNode, known: dict[Symbol, Expr], sure: bool) -> None:
        count = node.trips.substitute(known)
        inner = self._scope is not None or not _synchronises(node.body)
        if not node.counted:
            self.run.cut = self.run.cut or not inner
            sure = False
        if count.number is None and node.counted and not inner:
            self._solve(node, known)
            count = node.trips.substitute({**known, **self.solved})
        iterations, whole = self._choose(node, count, inner)
        values = [c.first.substitute(known) for c in node.carried]
        outer = self._iterations
        last = -1
        for iteration in iterations:
            now = {**known, node.iteration: Expr(iteration)}
            if iteration == last + 1:
                now.update({c.symbol: v for c, v in zip(node.carried, values, strict=True)})
            self._iterations = (*outer, iteration)
            self.follow(node.body, now, sure)
            values = [c.next.substitute(now) for c in node.carried]
            last = iteration
        self._iterations = outer
        if whole:
            known.update({c.after: v for c, v in zip(node.carried, values, strict=True)})

    def _choose(self, node: LoopNode, count: Expr, inner: bool) -> tuple[list[int], bool]:
        """The iterations to follow, of those that a loop can have, and whether they are all."""
        trips, most = count.number, count.bounds()[1]
        if inner:
            if trips is None:
                return list(range(min(most, 2))), False
            few = list(range(min(trips, 2)))
            return (few if trips <= 2 else [*few, trips - 1]), trips <= 2
        if trips is not None and trips <= WHOLE:
            return list(range(trips)), True
        if any(
            isinstance(n, BranchNode) and _synchronises([*n.yes, *n.no]) for n in flat(node.body)
        ):
            # In the iterations left out, or when the loop ends, it may go the other way.
            self.run.cut = True
        if trips is None:
            return list(range(min(most, ITERATIONS))), True
        return list(range(ITERATIONS + (trips - ITERATIONS) % WHOLE)), False

    def _solve(self, node: LoopNode, known: Known) -> None:
        """Chooses a launch scalar, or another number that is not known, so that a loop has
        ITERATIONS iterations, or as many as it can have."""
        span, step = node.span.substitute(known), node.step.substitute(known)
        single_terms = [(t[0], c) for t, c in span.terms.items() if len(t) == 1]
        for symbol, factor in sorted(single_terms, key=lambda term: term[0].kind != "param"):
            rest = span - Expr(0, {(symbol,): factor})
            if symbol.kind == "launch" or symbol in rest.symbols | step.symbols:
                continue
            for iterations in (*range(ITERATIONS, WHOLE + 1), 2, 1):
                value = (step.times(iterations) - rest).over(factor)
                if value is not None and _possible(value, symbol):
                    self.solved[symbol] = value
                    return


def _possible(value: Expr, symbol: Symbol) -> bool:
    low, high = value.bounds()
    return low <= symbol.high and high >= symbol.low


def _synchronises(nodes: list[Node]) -> bool:
    return any(isinstance(n, Sync) for n in flat(nodes))
