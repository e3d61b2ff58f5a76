"""Whose streams are: the base that the first store of a stream gave it, through loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ptoscope.check.streams.ends import (
    ANY,
    Ends,
    StreamAddress,
    among,
    does,
    named_operands,
    step_of,
)
from ptoscope.dataflow import Fixpoint
from ptoscope.isa import TABLE
from ptoscope.program import Op


@dataclass(frozen=True)
class Began:
    """A stream that a store began with a base."""

    op: Op | None
    base: StreamAddress


_UNKNOWN = Began(None, (None, 0))
"""One of several, or one that registers of the machine say."""


class Bases:
    """The bases of the streams of a function."""

    def __init__(self, ends: Ends) -> None:
        self._ends, self._values, self._context = ends, ends.values, ends.context
        unbegun: Began | None = None
        self._bases = Fixpoint(self._values, unbegun, _either, self._began, in_order=True)

    def of(self, align: int) -> Began | None:
        """How a stream began, if there is but one base that it may have."""
        began = self._bases.of(align)
        return None if began is _UNKNOWN else began

    def goes_on(self, op: Op) -> bool:
        """Whether a store surely goes on with the stream that it takes: where nothing is pending,
        it may begin another one elsewhere."""
        align = named_operands(op)["align_in"]
        if step_of(self._context, op).place == "state":
            return True
        start = self._ends.start(op)
        if start is not None and start == self._ends.end(align):
            return True
        return self._ends.residue(align) not in (None, ANY, 0)

    def _began(self, slot: int, of: Callable[[int], Began | None]) -> Began | None:
        op = self._values.made(slot)
        if op is None or not does(TABLE.get(op.name), "stores"):
            return None
        if not self._ends.is_store(op) or step_of(self._context, op).place == "registers":
            return _UNKNOWN
        named = named_operands(op)
        align, base = named["align_in"], named[step_of(self._context, op).base]
        own = Began(op, self._ends.address(named.get("dest", base)))
        if self._ends.is_fresh(align):
            return own
        begins = among(self._values.makers(align), "begins") or not self.goes_on(op)
        return _either(own, of(align)) if begins else of(align)


def _either(one: Began | None, other: Began | None) -> Began | None:
    if one is None or other is None:
        return other if one is None else one
    if _UNKNOWN in (one, other) or one.base != other.base:
        return _UNKNOWN
    return one
