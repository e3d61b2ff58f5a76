"""Accesses, as rules about the contents of memories see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ptoscope.check.analysis.expr import ZERO, Expr, Symbol, affine
from ptoscope.check.analysis.nodes import KnownBytes, Touch, flat
from ptoscope.check.analysis.reach import settled
from ptoscope.check.rule import Context


def touches_of_others(context: Context) -> list[Touch]:
    """What the other cores of the block touch."""
    nodes = (node for other in context.others for node in flat(other.analysis.nodes))
    return [node for node in nodes if isinstance(node, Touch)]


def ends_of_loops(rows: KnownBytes) -> Iterator[tuple[KnownBytes, dict[Symbol, int]]]:
    """The bytes in the iterations in which they lie lowest and highest, where those are known."""
    start = settled(rows.start)
    if not affine(start):
        return
    iterations = [
        (t[0], c) for t, c in start.terms.items() if len(t) == 1 and t[0].kind == "iteration"
    ]
    if not iterations or len(iterations) < len(start.terms):
        return
    for highest in (True, False):
        at = {s: s.high if (c > 0) == highest else 0 for s, c in iterations}
        yield in_iterations(rows, at), at


def in_iterations(rows: KnownBytes, at: Mapping[Symbol, int]) -> KnownBytes:
    """Returns the bytes in some iterations, and in the first of the other loops."""
    first = {s: ZERO for s in rows.start.symbols if s.kind == "iteration"}
    return rows.instance({**first, **{s: Expr(n) for s, n in at.items()}})
