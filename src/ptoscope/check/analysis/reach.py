"""Which parts of a function are certainly executed, and which values certainly occur."""

from __future__ import annotations

from collections.abc import Iterator

from ptoscope.check.analysis.expr import ONE, ZERO, Expr, Symbol, affine, single
from ptoscope.check.analysis.nodes import BranchNode, LoopNode, Node, ScopeNode, Touch
from ptoscope.check.analysis.walk import AnalysisWalker
from ptoscope.program import For, Function

_FREE = ("param", "launch")


def executed(nodes: list[Node]) -> Iterator[Node]:
    """The nodes that some launch executes: not those below a condition that may never hold."""
    for node in nodes:
        match node:
            case LoopNode():
                if node.trips.bounds()[1] > 0:
                    yield from executed(node.body)
            case ScopeNode():
                yield from executed(node.body)
            case BranchNode():
                if _either(node.condition):
                    yield from executed(node.yes)
                    yield from executed(node.no)
            case _:
                yield node


def certain_touches(nodes: list[Node]) -> Iterator[Touch]:
    """The accesses that some launch makes."""
    for node in executed(nodes):
        if isinstance(node, Touch):
            yield node


def _either(condition: Expr) -> bool:
    """Whether a launch may choose either side: by one of its scalars, or a comparison of it."""
    test = single(condition) or single(ONE - condition)
    if test is None or test.kind not in ("negative", "is_zero"):
        return test is not None and test.kind in _FREE
    return any(len(t) == 1 and t[0].kind in _FREE for a in test.args for t in a.terms)


def settled(value: Expr) -> Expr:
    """It in the first iteration of those loops whose end is not known."""
    open_ended = {s: ZERO for s in value.symbols if s.kind == "iteration" and not s.reached}
    return value.substitute(open_ended)


def greatest(value: Expr) -> int:
    """A number it certainly reaches or exceeds in some run."""
    value = settled(value)
    low, high = value.bounds()
    return high if affine(value) else low


def least(value: Expr) -> int:
    """A number it certainly reaches or falls below in some run."""
    value = settled(value)
    low, high = value.bounds()
    return low if affine(value) else high


def remainder(value: Expr, divisor: int) -> tuple[int, Symbol | None] | None:
    """A remainder other than 0 that it certainly has: in the first iterations of all loops, or in
    the second iteration of one, which is named. None if there is none, or it is not known."""
    value = settled(value)
    loose = [(t, c) for t, c in value.terms.items() if c % divisor]
    if any(len(t) != 1 or not t[0].reached for t, _ in loose):
        return None
    if value.const % divisor:
        return value.const % divisor, None
    for (symbol,), coefficient in loose:
        if symbol.high > 0:
            return coefficient % divisor, symbol
    return None


class Loops:
    """The loops of a function, to say in which iteration something happens."""

    def __init__(self, function: Function, walker: AnalysisWalker) -> None:
        self._names = function.names
        self._walker = walker
        self._by_iteration: dict[Symbol, LoopNode] = {}
        self._add(walker.nodes)

    def _add(self, nodes: list[Node]) -> None:
        for node in nodes:
            if isinstance(node, LoopNode):
                self._by_iteration[node.iteration] = node
                self._add(node.body)
            elif isinstance(node, ScopeNode):
                self._add(node.body)
            elif isinstance(node, BranchNode):
                self._add(node.yes)
                self._add(node.no)

    def where(self, value: Expr, highest: bool) -> str:
        """` (at %i = 64)` for the iterations in which a value is greatest or least."""
        iterations = {
            term[0]: term[0].high if (coefficient > 0) == highest else 0
            for term, coefficient in settled(value).terms.items()
            if len(term) == 1 and term[0].reached
        }
        return self.at(iterations)

    def at(self, iterations: dict[Symbol, int]) -> str:
        """` (at %i = 64)` for given iterations."""
        known = {symbol: Expr(iteration) for symbol, iteration in iterations.items()}
        said: list[str] = []
        for symbol in iterations:
            loop = self._by_iteration.get(symbol)
            if loop is None or not isinstance(loop.op, For):
                continue
            slot = loop.op.index
            number = self._walker.number(slot).substitute(known).number
            if number is not None:
                said.append(f"%{self._names[slot]} = {number}")
        return f" (at {', '.join(said)})" if said else ""
