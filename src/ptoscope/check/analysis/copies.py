"""What copies and lanes touch, in expressions."""

from __future__ import annotations

from functools import cache

from ptoscope.check.analysis.expr import Expr, Symbol, of
from ptoscope.check.analysis.nodes import KnownBytes
from ptoscope.isa.distributions import Access
from ptoscope.isa.footprint import Bursts, Footprint, lanes


class Expressions:
    """Expressions as the numbers of a copy."""

    def known(self, number: Expr) -> int | None:
        return number.number

    def of(self, value: int) -> Expr:
        return Expr(value)

    def unknown(self) -> Expr:
        return UNKNOWN


UNKNOWN = of(Symbol("any", "row", low=0))
"""The bytes of a row that may be padded, or not known how far."""
EXPRESSIONS = Expressions()


def at(address: Expr, bursts: Bursts[Expr]) -> KnownBytes:
    """Rows at an address."""
    return KnownBytes(address + bursts.start, bursts.length, bursts.loops)


def row_starts(rows: KnownBytes) -> tuple[Expr, ...]:
    """The first row, and one a step further in every loop."""
    steps = (stride for count, stride in rows.loops if (count.number or 0) > 1)
    return (rows.start, *(rows.start + stride for stride in steps))


@cache
def lanes_of(access: Access, active: tuple[bool, ...] | None = None) -> Footprint:
    """What active lanes touch, or all."""
    if active is None:
        return lanes(access)
    return lanes(access, [lane for lane, on in enumerate(active) if on])


def touched(footprint: Footprint, address: Expr) -> tuple[KnownBytes, KnownBytes]:
    """Some bytes at an address: what may be touched, and what surely is. Where they are not
    one regular run, the first is all of them with the gaps, the other the first run."""
    first = footprint[0]
    start = address + Expr(first.start)
    loops = ((Expr(first.runs), Expr(first.stride)),) if first.runs > 1 else ()
    sure = KnownBytes(start, Expr(first.length), loops)
    if len(footprint) == 1:
        return sure, sure
    return KnownBytes(start, Expr(footprint[-1].end - first.start)), sure
