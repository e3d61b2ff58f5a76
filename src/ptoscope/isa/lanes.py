"""The lane vocabulary: how the meaning of an instruction is written.

A `Lanes` value is a row of lanes of one element type; a scalar is a row of one. An engine
supplies the primitives (the abstract methods); everything an instruction may say beyond
them is derived here, once, so that all engines agree by construction.

Rules that every engine keeps:
- Integers wrap. Shifts are total: an amount of the width or more (an amount is read as
  unsigned) gives 0, or all sign bits for an arithmetic right shift.
- f16 and bf16 arithmetic goes through f32 and rounds after each operation, which is exact
  for + - * / and the square root.
- A NaN that arithmetic makes is the canonical one (quiet, positive, no payload). Moving a
  value (load, store, select, shuffle, bits) never changes its bits.
- Comparisons are ordered (false on NaN), `!=` is unordered (true on NaN).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

from ptoscope.isa.dtypes import BF16, F16, F32, F64, I1, I64, DType, unsigned

Arith = Literal["add", "sub", "mul", "div"]
Bitwise = Literal["and", "or", "xor"]
Compare = Literal["lt", "le", "gt", "ge", "eq", "ne"]
PREDICATE_BITS = 256


class Lanes(ABC):
    """A row of lanes. Operators take another row of the same type and count, or a number."""

    __slots__ = ("count", "dtype")
    dtype: DType
    count: int

    # Primitives an engine supplies. Operands have equal types and counts.

    @abstractmethod
    def const(self, value: int | float) -> Lanes:
        """The value in every lane, of this type and count."""

    @abstractmethod
    def arith(self, op: Arith, other: Lanes) -> Lanes:
        """Integers, f32, f64. Division: floats only, IEEE."""

    @abstractmethod
    def bitwise(self, op: Bitwise, other: Lanes) -> Lanes:
        """Integers and i1."""

    @abstractmethod
    def shift(self, left: bool, amount: Lanes) -> Lanes:
        """Integers; arithmetic to the right where the type is signed."""

    @abstractmethod
    def compare(self, op: Compare, other: Lanes) -> Lanes:
        """Integers, i1, f32, f64; gives i1."""

    @abstractmethod
    def select(self, yes: Lanes, no: Lanes) -> Lanes:
        """Of i1: a lane of `yes` where set, else of `no`; bits unchanged."""

    @abstractmethod
    def cast(self, dtype: DType) -> Lanes:
        """Value conversion: integers wrap or extend by their own sign; i1 is 0 or 1;
        integers and floats round to nearest, ties to even; a float to integer cast needs
        a value already whole and in range."""

    @abstractmethod
    def bits(self, dtype: DType) -> Lanes:
        """The same bits as another type; the lane count follows from its width."""

    @abstractmethod
    def rint(self) -> Lanes:
        """f32, f64: nearest whole number, ties to even."""

    @abstractmethod
    def floor(self) -> Lanes:
        """f32, f64."""

    @abstractmethod
    def root(self) -> Lanes:
        """f32, f64: the correctly rounded square root."""

    @abstractmethod
    def quotient(self, divisor: Lanes) -> Lanes:
        """Integers: divided and cut toward zero. No divisor lane is 0; MIN / -1 wraps."""

    @abstractmethod
    def fmod(self, divisor: Lanes) -> Lanes:
        """f32, f64: the exact remainder with the sign of the dividend, as C's fmod."""

    @abstractmethod
    def shuffle(self, order: tuple[int, ...], other: Lanes | None = None) -> Lanes:
        """Lane i is lane order[i] of this row (followed by the other row, where given), or
        zero bits where order[i] is -1."""

    @abstractmethod
    def take(self, index: Lanes) -> Lanes:
        """Lane i is lane index[i] of this row; every index is a lane of it."""

    @abstractmethod
    def window(self, start: Lanes, count: int) -> Lanes:
        """So many lanes from the one whose number `start`, a row of one, is; they are all lanes
        of this row."""

    @abstractmethod
    def squeeze(self, active: Lanes) -> Lanes:
        """The active lanes in order, then zeros."""

    @abstractmethod
    def population(self) -> Lanes:
        """Of i1: how many lanes are set, as one lane of i64."""

    @abstractmethod
    def splat(self, count: int) -> Lanes:
        """Of a row of one: the same lane `count` times."""

    # Derived.

    def _lift(self, other: Lanes | int | float) -> Lanes:
        return self.const(other) if isinstance(other, (int, float)) else other

    def _arith(self, op: Arith, other: Lanes | int | float) -> Lanes:
        other = self._lift(other)
        if self.dtype is F16 or self.dtype is BF16:
            return self.cast(F32).arith(op, other.cast(F32)).cast(self.dtype)
        return self.arith(op, other)

    def _compare(self, op: Compare, other: Lanes | int | float) -> Lanes:
        other = self._lift(other)
        if self.dtype is F16 or self.dtype is BF16:
            return self.cast(F32).compare(op, other.cast(F32))
        return self.compare(op, other)

    def __add__(self, other: Lanes | int | float) -> Lanes:
        return self._arith("add", other)

    def __sub__(self, other: Lanes | int | float) -> Lanes:
        return self._arith("sub", other)

    def __mul__(self, other: Lanes | int | float) -> Lanes:
        return self._arith("mul", other)

    def __truediv__(self, other: Lanes | int | float) -> Lanes:
        return self._arith("div", other)

    def __and__(self, other: Lanes | int) -> Lanes:
        return self._bitwise("and", other)

    def __or__(self, other: Lanes | int) -> Lanes:
        return self._bitwise("or", other)

    def __xor__(self, other: Lanes | int) -> Lanes:
        return self._bitwise("xor", other)

    def _bitwise(self, op: Bitwise, other: Lanes | int) -> Lanes:
        other = self._lift(other)
        if self.dtype.is_float:
            raw = unsigned(self.dtype.bits)
            return self.bits(raw).bitwise(op, other.bits(raw)).bits(self.dtype)
        return self.bitwise(op, other)

    def __invert__(self) -> Lanes:
        return self ^ self.const(1) if self.dtype is I1 else self ^ self.const(-1)

    def __lshift__(self, other: Lanes | int) -> Lanes:
        return self.shift(True, self._lift(other))

    def __rshift__(self, other: Lanes | int) -> Lanes:
        return self.shift(False, self._lift(other))

    def __lt__(self, other: Lanes | int | float) -> Lanes:
        return self._compare("lt", other)

    def __le__(self, other: Lanes | int | float) -> Lanes:
        return self._compare("le", other)

    def __gt__(self, other: Lanes | int | float) -> Lanes:
        return self._compare("gt", other)

    def __ge__(self, other: Lanes | int | float) -> Lanes:
        return self._compare("ge", other)

    def eq(self, other: Lanes | int | float) -> Lanes:
        """Lanes that are equal; false on NaN."""
        return self._compare("eq", other)

    def ne(self, other: Lanes | int | float) -> Lanes:
        """Lanes that differ; true on NaN."""
        return self._compare("ne", other)

    def isnan(self) -> Lanes:
        """Lanes that are NaN."""
        return self.ne(self)

    def __neg__(self) -> Lanes:
        if self.dtype.is_float:
            # The sign bit, not 0 - x: -0 and NaN have to come out as C's unary minus does.
            raw = self.bits(unsigned(self.dtype.bits))
            return (raw ^ (1 << (self.dtype.bits - 1))).bits(self.dtype)
        return self.const(0) - self

    def abs(self) -> Lanes:
        """Absolute value; the most negative integer wraps to itself, a float loses its sign."""
        if self.dtype.is_float:
            raw = self.bits(unsigned(self.dtype.bits))
            return (raw & ((1 << (self.dtype.bits - 1)) - 1)).bits(self.dtype)
        return (self < 0).select(-self, self) if self.dtype.signed else self

    def nan(self) -> Lanes:
        """The canonical NaN in every lane."""
        return self.const(float("nan"))

    def greater(self, other: Lanes) -> Lanes:
        """`a > b ? a : b`: the other operand when unordered or equal."""
        return (self > other).select(self, other)

    def lesser(self, other: Lanes) -> Lanes:
        """`a < b ? a : b`: the other operand when unordered or equal."""
        return (self < other).select(self, other)

    def maximum(self, other: Lanes) -> Lanes:
        """Like `greater`, but NaN if either lane is."""
        return self._propagate(other, self.greater(other))

    def minimum(self, other: Lanes) -> Lanes:
        """Like `lesser`, but NaN if either lane is."""
        return self._propagate(other, self.lesser(other))

    def _propagate(self, other: Lanes, result: Lanes) -> Lanes:
        if not self.dtype.is_float:
            return result
        return (self.isnan() | other.isnan()).select(self.nan(), result)

    def masked(self, active: Lanes) -> Lanes:
        """Zero where a lane is not active: the predication of this machine."""
        return active.select(self, self.const(0))

    def image(self) -> Lanes:
        """Of i1 lanes: the predicate register, 256 bits, one per byte of a vector register.
        A lane is the lowest bit of its group; the others are 0."""
        group = PREDICATE_BITS // self.count
        return self.shuffle(tuple(-1 if i % group else i // group for i in range(PREDICATE_BITS)))

    def gate(self, count: int) -> Lanes:
        """Of a predicate register: the lowest bit of each of `count` groups, as lanes."""
        return self.shuffle(tuple(range(0, PREDICATE_BITS, PREDICATE_BITS // count)))

    def fused(self, factor: Lanes, addend: Lanes) -> Lanes:
        """f32: self * factor + addend, rounded once. An engine may have an instruction for it."""
        return self.exactly_fused(factor, addend)

    def exactly_fused(self, factor: Lanes, addend: Lanes) -> Lanes:
        """The same of f32, f16 or bf16 by other means: the product is exact in f64."""
        return odd_sum(self.cast(F64) * factor.cast(F64), addend.cast(F64)).cast(self.dtype)

    def sqrt(self) -> Lanes:
        """The correctly rounded square root of any float type."""
        if self.dtype is F16 or self.dtype is BF16:
            return self.cast(F32).root().cast(self.dtype)
        return self.root()

    def as_unsigned(self) -> Lanes:
        """The same bits as an unsigned integer."""
        return self.bits(unsigned(self.dtype.bits))


def odd_sum(a: Lanes, b: Lanes) -> Lanes:
    """a + b of f64, rounded to odd there: a rounding to a narrower type is then the only one
    that counts."""
    total = a + b
    # What the addition lost, exactly: Knuth's two-sum.
    back = total - a
    lost = (a - (total - back)) + (b - back)
    raw = total.bits(I64)
    even = (raw & 1).eq(0)
    inexact = (lost < 0) | (lost > 0)
    outward = (lost > 0) ^ (total < 0)
    return (even & inexact).select(outward.select(raw + 1, raw - 1), raw).bits(F64)
