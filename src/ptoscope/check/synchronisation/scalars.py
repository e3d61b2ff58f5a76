"""Launch scalars chosen so that a loop whose end they say has some iterations."""

from __future__ import annotations

from collections.abc import Sequence

from ptoscope.check.analysis.expr import Expr, Symbol
from ptoscope.check.analysis.nodes import Known, LoopNode


def chosen_scalar(node: LoopNode, known: Known, wanted: Sequence[int]) -> dict[Symbol, Expr]:
    """A launch scalar, or another number that is not known, that gives a loop one of the numbers
    of iterations wanted, the first that can be, or fewer; nothing where there is none."""
    span, step = node.span.substitute(known), node.step.substitute(known)
    single_terms = [(t[0], c) for t, c in span.terms.items() if len(t) == 1]
    for symbol, factor in sorted(single_terms, key=lambda term: term[0].kind != "param"):
        rest = span - Expr(0, {(symbol,): factor})
        if symbol.kind == "launch" or symbol in rest.symbols | step.symbols:
            continue
        for iterations in (*wanted, 2, 1):
            value = (step.times(iterations) - rest).over(factor)
            if value is not None and _possible(value, symbol):
                return {symbol: value}
    return {}


def _possible(value: Expr, symbol: Symbol) -> bool:
    low, high = value.bounds()
    return low <= symbol.high and high >= symbol.low
