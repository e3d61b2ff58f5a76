"""Which numbers a computed event may be, whatever a launch passes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from ptoscope.check.flow import Values
from ptoscope.isa.types import Scalar
from ptoscope.program import Function, Op

Numbers = frozenset[int] | None
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
        self._values = Values(function)
        loops = (op for op in function.ops() if op.name == "scf.for")
        self._loops = {op.blocks[0].args[0]: op for op in loops}
        self._assumed: dict[int, Numbers] = {}
        self._open: set[int] = set()

    def possible(self, slot: int) -> Numbers:
        """All numbers that a value may be: what a loop carries is followed until it makes
        nothing new."""
        while True:
            before = dict(self._assumed)
            found = self._of(slot)
            if self._assumed == before:
                return found

    def _of(self, slot: int) -> Numbers:
        found = self._made(slot)
        kind = self._values.types[slot]
        if found is None or not isinstance(kind, Scalar):
            return None
        # Beyond its type a number wraps.
        most = 1 << (kind.dtype.bits - 1)
        return found if all(-most <= number < most for number in found) else None

    def _made(self, slot: int) -> Numbers:
        if slot in self._values.joined:
            return self._joined(slot)
        if slot in self._loops:
            return self._index(self._loops[slot])
        op = self._values.made.get(slot)
        if op is None or not op.name.startswith("arith."):
            return None
        name = op.name.removeprefix("arith.")
        if name == "constant":
            value = op.attrs.get("value")
            return frozenset([int(value)]) if isinstance(value, int) else None
        if name in _UNCHANGED:
            return self._of(op.operands[0])
        if name == "select":
            return _either(self._of(op.operands[1]), self._of(op.operands[2]))
        if len(op.operands) == 2:
            return _apply(name, self._of(op.operands[0]), self._of(op.operands[1]))
        return None

    def _joined(self, slot: int) -> Numbers:
        found = self._assumed.setdefault(slot, frozenset())
        if slot not in self._open:
            self._open.add(slot)
            for source in self._values.joined[slot]:
                found = _either(found, self._of(source))
            self._open.remove(slot)
            self._assumed[slot] = found
        return found

    def _index(self, loop: Op) -> Numbers:
        bounds = [self._of(slot) for slot in loop.operands[:3]]
        ends = [next(iter(b)) for b in bounds if b is not None and len(b) == 1]
        if len(ends) < len(bounds) or ends[2] <= 0:
            return None
        values = range(*ends)
        return frozenset(values) if len(values) <= _MOST else None


def _either(a: Numbers, b: Numbers) -> Numbers:
    if a is None or b is None:
        return None
    return a | b if len(a | b) <= _MOST else None


def _apply(name: str, a: Numbers, b: Numbers) -> Numbers:
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
