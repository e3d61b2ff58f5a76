"""All iterations of loops that do not synchronise, as one access."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ptoscope.check.analysis.expr import ZERO, Expr, Symbol
from ptoscope.check.analysis.nodes import BranchNode, KnownBytes, LoopNode, MemoryBarrier, flat


class Repeat(NamedTuple):
    """A loop around an access: what counts its iterations, and how many there are."""

    iteration: Symbol
    trips: int


def summarised(touched: KnownBytes, loops: Sequence[Repeat]) -> KnownBytes | None:
    """What an access touches in all iterations of the loops around it, innermost first. None
    where its place is not always so many bytes further in the next iteration."""
    start, rows = touched.start, list(touched.loops)
    numbers = (touched.length, *(number for row in touched.loops for number in row))
    for iteration, trips in loops:
        by = start.terms.get((iteration,), 0)
        rest = start - Expr(0, {(iteration,): by}) if by else start
        if iteration in rest.symbols or any(iteration in number.symbols for number in numbers):
            return None
        start = rest
        if by:
            rows.append((Expr(trips), Expr(by)))
    return KnownBytes(start, touched.length, tuple(rows))


def alike(node: LoopNode) -> bool:
    """Whether the iterations of a loop differ only in the places of accesses: not in what they
    carry, choose or how often they do something."""
    return not node.carried and not any(
        (isinstance(inner, BranchNode) and node.iteration in inner.condition.symbols)
        or (isinstance(inner, LoopNode) and node.iteration in inner.trips.symbols)
        for inner in flat(node.body)
    )


def same_barriers(node: LoopNode) -> bool:
    """Whether every iteration of a loop has the same mem_bars."""
    varying = {node.iteration, *(number.symbol for number in node.carried)}
    for inner in flat(node.body):
        if isinstance(inner, (BranchNode, LoopNode)):
            depends = inner.condition if isinstance(inner, BranchNode) else inner.trips
            if depends.symbols & varying and any(
                isinstance(n, MemoryBarrier) for n in flat([inner])
            ):
                return False
    return True


def possible_trips(count: Expr) -> int:
    """How many iterations a loop has; two, if it can, where that is not known."""
    if count.number is not None:
        return count.number
    most = count.bounds()[1]
    by_loops = all(symbol.kind == "iteration" for symbol in count.symbols)
    return most if by_loops else min(most, 2)


def few(trips: int) -> list[int]:
    """Iterations that stand for all: the first two and the last."""
    return [*range(min(trips, 2)), *range(max(2, trips - 1), trips)]


def at_start(touched: KnownBytes, loops: Sequence[Repeat]) -> KnownBytes:
    """It in the first iterations of some loops."""
    return touched.instance({loop.iteration: ZERO for loop in loops})
