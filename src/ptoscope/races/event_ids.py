"""Which numbers a computed event may be, whatever a launch passes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from ptoscope.dataflow import Dataflow, Fixpoint, Index, OpResult
from ptoscope.isa.types import Scalar
from ptoscope.program import Function, Op

EventNumbers = frozenset[int] | None
"""Some numbers; None for any."""

_MOST = 64
"""Larger sets are any."""
_UNCHANGED = ("index_cast", "index_castui", "extsi", "extui", "trunci")


def _quotient(a: int, b: int) -> int:
    """Towards zero, as the scalar unit divides."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if b else 0


_WORKED_OUT: dict[str, Callable[[int, int], int]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "divsi": _quotient,
    "remsi": lambda a, b: a - b * _quotient(a, b),
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "minsi": min,
    "maxsi": max,
}
_UNSIGNED = {"divui": "divsi", "remui": "remsi", "minui": "minsi", "maxui": "maxsi"}
"""The same for numbers that are not negative."""


class EventIds:
    """The numbers of one function."""

    def __init__(self, function: Function) -> None:
        self._types = function.types
        self._definitions = (flow := Dataflow(function)).definitions
        none: EventNumbers = frozenset()
        self._numbers = Fixpoint(flow, none, _either, self._made)

    def possible(self, slot: int) -> EventNumbers:
        """All numbers that a value may be: what a loop carries is followed until it makes
        nothing new."""
        return self._numbers.of(slot)

    def _made(self, slot: int, of: Callable[[int], EventNumbers]) -> EventNumbers:
        found: EventNumbers = None
        match self._definitions[slot]:
            case Index(loop=loop):
                found = _index(*(of(bound) for bound in loop.bounds))
            case OpResult(op=op) if op.name.startswith("arith."):
                found = _computed(op, of)
            case _:
                pass
        kind = self._types[slot]
        if found is None or not isinstance(kind, Scalar):
            return None
        # Beyond its type a number wraps.
        most = 1 << (kind.dtype.bits - 1)
        return found if all(-most <= number < most for number in found) else None


def _computed(op: Op, of: Callable[[int], EventNumbers]) -> EventNumbers:
    name = op.name.removeprefix("arith.")
    if name == "constant":
        value = op.attrs.get("value")
        return frozenset([int(value)]) if isinstance(value, int) else None
    if name in _UNCHANGED:
        return of(op.operands[0])
    if name == "select":
        return _either(of(op.operands[1]), of(op.operands[2]))
    if len(op.operands) == 2:
        return _apply(name, of(op.operands[0]), of(op.operands[1]))
    return None


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


def _apply(name: str, a: EventNumbers, b: EventNumbers) -> EventNumbers:
    signed = _UNSIGNED.get(name, name)
    if a is not None and b is not None:
        negative = signed != name and min(a | b, default=0) < 0
        if signed not in _WORKED_OUT or negative:
            return None
        found = frozenset(_WORKED_OUT[signed](x, y) for x, y in product(a, b))
        return found if len(found) <= _MOST else None
    if name == "andi" and a is None:
        a, b = b, a
    if name == "andi" and a is not None and min(a, default=0) >= 0 and max(a, default=0) < _MOST:
        return frozenset(x & y for x in range(_MOST) for y in a)
    if signed == "remsi" and b is not None and min(b, default=1) > 0 and max(b, default=1) < _MOST:
        below = max(b, default=1)
        return frozenset(range(0 if name == "remui" else 1 - below, below))
    return None
