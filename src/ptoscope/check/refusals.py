"""Refusals: faults of a run whose numbers are known before it."""

from __future__ import annotations

from collections.abc import Iterator

from ptoscope.check.analysis.expr import Expr, Symbol
from ptoscope.check.analysis.nodes import RefusalNode
from ptoscope.check.analysis.reach import Loops, executed
from ptoscope.check.rule import Context, Finding, Rule

_NUMBERS = ("PTO0906", "PTO0910")
"""The faults of numbers that instructions take."""


def refused(context: Context, codes: tuple[str, ...]) -> Iterator[Finding]:
    """Yields a finding for each fault with one of these codes that is known before a run."""
    loops = Loops(context.function, context.analysis.walker)
    for node in executed(context.analysis.nodes):
        if not isinstance(node, RefusalNode) or node.code not in codes:
            continue
        iterations = _first_refusal(node.condition)
        if iterations is None:
            continue
        at = node.instance({symbol: Expr(number) for symbol, number in iterations.items()})
        value = None if at.found is None else at.found.number
        yield Finding(
            node.op.span,
            f"{node.op.name}: {node.message}{loops.at(iterations)}",
            found="" if value is None else str(value),
            expected=node.expected,
            hint=f"a run that gets here stops with {node.code}: change this number",
        )


def _first_refusal(condition: Expr) -> dict[Symbol, int] | None:
    """Returns iterations in which a condition is known to hold: the first or the last ones."""
    iterations = [symbol for symbol in condition.symbols if symbol.kind == "iteration"]
    first = dict.fromkeys(iterations, 0)
    last = {symbol: symbol.high if symbol.reached else 0 for symbol in iterations}
    for chosen in (first, last):
        known = {symbol: Expr(number) for symbol, number in chosen.items()}
        if condition.substitute(known).number == 1:
            return chosen
    return None


def _numbers(context: Context) -> Iterator[Finding]:
    yield from refused(context, _NUMBERS)


RULES = (Rule("PTO0513", "the numbers that an instruction takes are in range", _numbers),)
