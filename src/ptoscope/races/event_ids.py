"""Which numbers a computed event may be, whatever a launch passes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from ptoscope.check.analysis.core import AbstractCore
from ptoscope.check.analysis.expr import Expr
from ptoscope.check.analysis.values import KnownLanes, constant
from ptoscope.dataflow import Dataflow, Fixpoint, Index, OpResult
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import I1, DType
from ptoscope.isa.targets import Target
from ptoscope.isa.types import Scalar
from ptoscope.program import Function, Op, site_of

EventNumbers = frozenset[int] | None
"""Some numbers; None for any."""

_MOST = 64
"""Larger sets are any."""


class EventIds:
    """The numbers of one function."""

    def __init__(self, function: Function, target: Target) -> None:
        self._function, self._target = function, target
        self._definitions = (flow := Dataflow(function)).definitions
        none: EventNumbers = frozenset()
        self._numbers = Fixpoint(flow, none, _either, self._made)

    def possible(self, slot: int) -> EventNumbers:
        """All numbers that a value may be: what a loop carries is followed until it makes
        nothing new."""
        return self._numbers.of(slot)

    def _made(self, slot: int, of: Callable[[int], EventNumbers]) -> EventNumbers:
        match self._definitions[slot]:
            case Index(loop=loop):
                return _index(*(of(bound) for bound in loop.bounds))
            case OpResult(op=op):
                return self._computed(op, of)
            case _:
                return None

    def _computed(self, op: Op, of: Callable[[int], EventNumbers]) -> EventNumbers:
        """What the meaning of an instruction makes of all numbers that its operands may be."""
        dtypes = [self._integer(slot) for slot in (*op.results, *op.operands)]
        if op.name not in TABLE or None in dtypes or len(op.results) != 1:
            return None
        core = AbstractCore()
        rows: list[list[KnownLanes]] = []
        for slot in op.operands:
            dtype, numbers = self._integer(slot), of(slot)
            assert dtype is not None
            if numbers is None and dtype is I1:
                numbers = frozenset((0, 1))
            rows.append(
                [core.unknown(dtype)]
                if numbers is None
                else [constant(dtype, 1, number) for number in sorted(numbers)]
            )
        site = site_of(self._function, op, self._target, "micro")
        run = site.record.meaning(site)
        found: EventNumbers = frozenset()
        for operands in product(*rows):
            made = run(core, *operands)
            found = _either(found, _values(made.expr) if isinstance(made, KnownLanes) else None)
            if found is None:
                return None
        return found

    def _integer(self, slot: int) -> DType | None:
        kind = self._function.types[slot]
        return kind.dtype if isinstance(kind, Scalar) and kind.dtype.is_int else None


def _values(made: Expr | None) -> EventNumbers:
    if made is None:
        return None
    low, high = made.bounds()
    return frozenset(range(low, high + 1)) if high - low < _MOST else None


def _index(lower: EventNumbers, upper: EventNumbers, step: EventNumbers) -> EventNumbers:
    ends = [next(iter(n)) for n in (lower, upper, step) if n is not None and len(n) == 1]
    if len(ends) < 3 or ends[2] <= 0:
        return None
    values = range(*ends)
    return frozenset(values) if len(values) <= _MOST else None


def _either(a: EventNumbers, b: EventNumbers) -> EventNumbers:
    if a is None or b is None:
        return None
    return a | b if len(a | b) <= _MOST else None
