"""Lanes known in part: the vocabulary of instructions, spoken over expressions.

A short row of integers is a tuple of expressions, a long one may be a ramp, a mask may be known
lane by lane or as a prefix, and everything else (floats, other vectors) is unknown and stays so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ptoscope.check.analysis import functions
from ptoscope.check.analysis.expr import ONE, ZERO, Expr
from ptoscope.isa.dtypes import I1, I64, INDEX, DType
from ptoscope.isa.lanes import PREDICATE_BITS, Arith, Bitwise, Compare, Lanes

LONGEST = 8
"""Rows of more lanes are followed as ramps only: eight blocks are the longest that make addresses
of any other kind."""


@dataclass(frozen=True)
class Prefix:
    """The first `limit` of `lanes` lanes are active."""

    limit: Expr
    lanes: int


@dataclass(frozen=True)
class Ramp:
    """Lane i of a long row is `first` + i * `step`."""

    first: Expr
    step: Expr

    def combine(self, op: Arith, other: Ramp) -> Ramp | None:
        """What an operation makes of two, if that is a ramp."""
        match op:
            case "add":
                return Ramp(self.first + other.first, self.step + other.step)
            case "sub":
                return Ramp(self.first - other.first, self.step - other.step)
            case "mul" if other.step == ZERO:
                return Ramp(self.first * other.first, self.step * other.first)
            case "mul" if self.step == ZERO:
                return Ramp(other.first * self.first, other.step * self.first)
            case _:
                return None

    def fits(self, dtype: DType, count: int) -> bool:
        """Whether no lane that is known has to be wrapped."""
        least, most = limits(dtype)
        ends = self.first.number, (self.first + self.step.times(count - 1)).number
        return all(end is None or least <= end <= most for end in ends)


Active = tuple[bool, ...] | Prefix


class KnownLanes(Lanes):
    """A row of lanes. `row` and `ramp` are None where the numbers are not known, `active` where
    the lanes of a mask are not."""

    __slots__ = ("active", "ramp", "row")

    def __init__(
        self,
        dtype: DType,
        count: int,
        row: tuple[Expr, ...] | None = None,
        active: Active | None = None,
        ramp: Ramp | None = None,
    ) -> None:
        self.ramp = ramp
        self.dtype = dtype
        self.count = count
        self.row = row
        self.active = active

    @property
    def expr(self) -> Expr | None:
        """The number that a row of one is, where something is known of it."""
        return self.row[0] if self.row else None

    def _unknown(self, dtype: DType | None = None, count: int | None = None) -> KnownLanes:
        return KnownLanes(dtype or self.dtype, self.count if count is None else count)

    def _ramped(self, dtype: DType, ramp: Ramp | None) -> KnownLanes:
        known = ramp is not None and dtype.is_int and ramp.fits(dtype, self.count)
        return KnownLanes(dtype, self.count, ramp=ramp if known else None)

    def _each(
        self, dtype: DType, other: Lanes, body: Callable[[Expr, Expr], Expr | None]
    ) -> KnownLanes:
        assert isinstance(other, KnownLanes)
        if self.row is None or other.row is None:
            return self._unknown(dtype)
        made = tuple(body(a, b) for a, b in zip(self.row, other.row, strict=True))
        known = tuple(e for e in made if e is not None)
        return KnownLanes(dtype, self.count, known if len(known) == len(made) else None)

    def const(self, value: int | float) -> KnownLanes:
        return constant(self.dtype, self.count, value)

    def arith(self, op: Arith, other: Lanes) -> KnownLanes:
        if self.dtype.is_float or op == "div":
            return self._unknown()
        assert isinstance(other, KnownLanes)
        if self.ramp is not None and other.ramp is not None:
            return self._ramped(self.dtype, self.ramp.combine(op, other.ramp))
        return self._each(self.dtype, other, lambda a, b: _arith(self.dtype, op, a, b))

    def bitwise(self, op: Bitwise, other: Lanes) -> KnownLanes:
        assert isinstance(other, KnownLanes)
        if isinstance(self.active, tuple) and isinstance(other.active, tuple):
            pairs = zip(self.active, other.active, strict=True)
            join = {"and": bool.__and__, "or": bool.__or__, "xor": bool.__xor__}[op]
            return KnownLanes(I1, self.count, active=tuple(join(a, b) for a, b in pairs))
        return self._each(self.dtype, other, lambda a, b: functions.bitwise(op, a, b))

    def shift(self, left: bool, amount: Lanes) -> KnownLanes:
        bits = self.dtype.bits

        def one(value: Expr, by: Expr) -> Expr | None:
            if not left:
                return functions.shifted(value, by)
            if by.number is None or not 0 <= by.number < bits:
                return None
            return _arith(self.dtype, "mul", value, Expr(1 << by.number))

        assert isinstance(amount, KnownLanes)
        if left and self.ramp is not None and amount.ramp is not None:
            by = amount.ramp.first.number
            known = amount.ramp.step == ZERO and by is not None and 0 <= by < bits
            factor = Ramp(Expr(1 << by), ZERO) if known and by is not None else None
            return self._ramped(
                self.dtype, None if factor is None else self.ramp.combine("mul", factor)
            )
        return self._each(self.dtype, amount, one)

    def compare(self, op: Compare, other: Lanes) -> KnownLanes:
        if self.dtype.is_float:
            return self._unknown(I1)
        return self._each(I1, other, lambda a, b: _compare(op, a - b))

    def select(self, yes: Lanes, no: Lanes) -> KnownLanes:
        assert isinstance(yes, KnownLanes)
        assert isinstance(no, KnownLanes)
        if isinstance(self.active, tuple) and all(self.active):
            return yes
        if self.row is None or yes.row is None or no.row is None:
            return yes._unknown()
        lanes = zip(self.row, yes.row, no.row, strict=True)
        return KnownLanes(
            yes.dtype, yes.count, tuple(functions.select(c, a, b) for c, a, b in lanes)
        )

    def cast(self, dtype: DType) -> KnownLanes:
        if self.ramp is not None:
            return self._ramped(dtype, self.ramp)
        if self.row is None or self.dtype.is_float or dtype.is_float:
            return self._unknown(dtype)
        return KnownLanes(dtype, self.count, tuple(_cast(e, dtype) for e in self.row))

    def bits(self, dtype: DType) -> KnownLanes:
        if dtype is self.dtype:
            return self
        count = self.count * self.dtype.bytes // dtype.bytes
        if self.ramp is not None and count == self.count:
            return self._ramped(dtype, self.ramp)
        if self.row is None or self.dtype.is_float or dtype.is_float or count != self.count:
            return self._unknown(dtype, count)
        signed = Expr(int(dtype.signed))
        row = tuple(functions.wrapped(e, Expr(dtype.bits), signed) for e in self.row)
        return KnownLanes(dtype, count, row)

    def rint(self) -> KnownLanes:
        return self._unknown()

    def floor(self) -> KnownLanes:
        return self._unknown()

    def root(self) -> KnownLanes:
        return self._unknown()

    def quotient(self, divisor: Lanes) -> KnownLanes:
        return self._each(self.dtype, divisor, functions.quotient)

    def fmod(self, divisor: Lanes) -> KnownLanes:
        return self._unknown()

    def shuffle(self, order: tuple[int, ...], other: Lanes | None = None) -> KnownLanes:
        row = active = None
        if other is None and self.row is not None and len(order) <= LONGEST:
            row = tuple(ZERO if i < 0 else self.row[i] for i in order)
        elif other is None and self.ramp is not None and len(order) <= LONGEST:
            ramp = self.ramp
            row = tuple(ZERO if i < 0 else ramp.first + ramp.step.times(i) for i in order)
        if other is None and isinstance(self.active, tuple):
            known = self.active
            active = tuple(i >= 0 and known[i] for i in order)
        return KnownLanes(self.dtype, len(order), row, active)

    def image(self) -> KnownLanes:
        if isinstance(self.active, Prefix):
            return KnownLanes(I1, PREDICATE_BITS, active=self.active)
        if self.active is None:
            return KnownLanes(I1, PREDICATE_BITS)
        group = PREDICATE_BITS // self.count
        off = (False,) * (group - 1)
        return KnownLanes(I1, PREDICATE_BITS, active=sum(((a, *off) for a in self.active), ()))

    def gate(self, count: int) -> KnownLanes:
        active = self.active
        if isinstance(active, tuple):
            active = active[:: PREDICATE_BITS // count]
        elif active is not None and active.lanes != count:
            active = None
        return KnownLanes(I1, count, active=active)

    def take(self, index: Lanes) -> KnownLanes:
        return self._unknown(count=index.count)

    def window(self, start: Lanes, count: int) -> KnownLanes:
        return self._unknown(count=count)

    def squeeze(self, active: Lanes) -> KnownLanes:
        return self._unknown()

    def population(self) -> KnownLanes:
        if isinstance(self.active, tuple):
            return KnownLanes(I64, 1, (Expr(sum(self.active)),))
        return KnownLanes(I64, 1)

    def splat(self, count: int) -> KnownLanes:
        if self.row is None or self.dtype.is_float:
            return KnownLanes(self.dtype, count)
        if count > LONGEST:
            return KnownLanes(self.dtype, count, ramp=Ramp(self.row[0], ZERO))
        return KnownLanes(self.dtype, count, self.row * count)


def constant(dtype: DType, count: int, value: int | float) -> KnownLanes:
    """The value in every lane; unknown where it is not an integer."""
    if dtype.is_float or isinstance(value, float) or (dtype is I1 and count > LONGEST):
        return KnownLanes(dtype, count)
    if dtype is I1:
        return KnownLanes(dtype, count, (ONE if value else ZERO,) * count)
    number = functions.wrapped(Expr(value), Expr(dtype.bits), Expr(int(dtype.signed)))
    return KnownLanes(dtype, 1, (number,)).splat(count)


def limits(dtype: DType) -> tuple[int, int]:
    """The least and the greatest number of an integer type."""
    if dtype.signed:
        return -(1 << (dtype.bits - 1)), (1 << (dtype.bits - 1)) - 1
    return 0, (1 << dtype.bits) - 1


def _arith(dtype: DType, op: Arith, a: Expr, b: Expr) -> Expr:
    made = a + b if op == "add" else a - b if op == "sub" else a * b
    if not made.terms:
        return functions.wrapped(made, Expr(dtype.bits), Expr(int(dtype.signed)))
    return made


def _cast(value: Expr, dtype: DType) -> Expr:
    if dtype.bits >= 32 and dtype.signed and value.terms:
        # A number that is not known is taken to fit the types that count and address.
        low, high = value.bounds()
        least, most = limits(dtype)
        if low <= most and high >= least:
            return value
    if dtype is INDEX:
        return functions.wrapped(value, Expr(64), ONE)
    return functions.wrapped(value, Expr(dtype.bits), Expr(int(dtype.signed)))


def _compare(op: Compare, difference: Expr) -> Expr:
    match op:
        case "lt":
            return functions.negative(difference)
        case "ge":
            return ONE - functions.negative(difference)
        case "gt":
            return functions.negative(ZERO - difference)
        case "le":
            return ONE - functions.negative(ZERO - difference)
        case "eq":
            return functions.is_zero(difference)
        case "ne":
            return ONE - functions.is_zero(difference)
