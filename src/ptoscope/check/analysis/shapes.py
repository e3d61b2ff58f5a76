"""Which bytes the lanes of an access touch, relative to its address."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from ptoscope.check.analysis.expr import Expr
from ptoscope.check.analysis.nodes import Bytes
from ptoscope.isa.distributions import NOTHING, Access


class Shape(NamedTuple):
    """Runs of `length` bytes from `first` on, `runs` of them, `stride` apart. Where the
    lanes are not so regular, `hull` is the length of all of them and the rest the first run."""

    first: int
    length: int
    runs: int
    stride: int
    hull: int

    @property
    def regular(self) -> bool:
        return (self.runs - 1) * self.stride + self.length == self.hull

    def touched(self, start: Expr) -> tuple[Bytes, Bytes]:
        """At an address: what may be touched, and what surely is."""
        at = start + Expr(self.first)
        levels = ((Expr(self.runs), Expr(self.stride)),) if self.runs > 1 else ()
        sure = Bytes(at, Expr(self.length), levels)
        return (sure, sure) if self.regular else (Bytes(at, Expr(self.hull)), sure)


@cache
def shape(access: Access, active: tuple[bool, ...] | None = None) -> Shape | None:
    """The bytes of the active lanes, or of all; None where there are none."""
    width = access.width
    offsets = sorted(
        {
            offset
            for lane, offset in enumerate(access.offsets)
            if offset != NOTHING and (active is None or active[lane])
        }
    )
    if not offsets:
        return None
    runs: list[list[int]] = []
    for offset in offsets:
        if runs and offset <= runs[-1][1]:
            runs[-1][1] = offset + width
        else:
            runs.append([offset, offset + width])
    first, end = runs[0]
    hull = runs[-1][1] - first
    if len(runs) == 1:
        return Shape(first, hull, 1, 0, hull)
    stride = runs[1][0] - first
    regular = all(run == [first + i * stride, end + i * stride] for i, run in enumerate(runs))
    return Shape(first, end - first, len(runs) if regular else 1, stride if regular else 0, hull)
