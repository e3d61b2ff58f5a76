"""The lane vocabulary on NumPy: the reference for every bit."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ptoscope.isa.dtypes import BF16, F16, F32, I1, I64, DType
from ptoscope.isa.lanes import PREDICATE_BITS, Arith, Bitwise, Compare, Lanes
from ptoscope.machine.elements import (
    LaneArray,
    canonical_nan,
    encode,
    int_to_odd_f64,
    narrow_bf16,
    odd_f32,
    storage,
)

_ARITH = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}
_BITWISE = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
_COMPARE = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}


@cache
def _const(dtype: DType, count: int, kind: type, value: int | float) -> NumpyLanes:
    # `kind` keeps 0, 0.0 and False apart in the cache; -0.0 never comes here.
    single = encode(dtype, value)
    if count == 1:
        return NumpyLanes(single, dtype, 1)
    array = np.full(count, single, dtype=storage(dtype))
    array.flags.writeable = False
    return NumpyLanes(array, dtype, count)


def constant(dtype: DType, count: int, value: int | float) -> NumpyLanes:
    """The value in every lane."""
    if isinstance(value, float) and (value == 0 or value != value):
        single = encode(dtype, value)
        row = single if count == 1 else np.full(count, single, dtype=storage(dtype))
        return NumpyLanes(row, dtype, count)
    return _const(dtype, count, type(value), value)


class NumpyLanes(Lanes):
    """Lanes held in a NumPy array of the dtype's storage; never changed in place."""

    __slots__ = ("_active", "_full", "_gated", "_others", "_splat", "a")

    def __init__(self, a: LaneArray, dtype: DType, count: int) -> None:
        self.a = a
        self.dtype = dtype
        self.count = count
        self._full: bool | None = None
        self._splat: NumpyLanes | None = None
        self._active: LaneArray | None = None
        self._others: LaneArray | None = None
        self._gated: dict[int, NumpyLanes] | None = None

    def const(self, value: int | float) -> NumpyLanes:
        return constant(self.dtype, self.count, value)

    def _made(self, a: LaneArray) -> NumpyLanes:
        """A row of this type that arithmetic made: NaN becomes the canonical one."""
        if self.dtype.is_float:
            if self.count == 1:
                return NumpyLanes(a if a == a else canonical_nan(self.dtype), self.dtype, 1)
            # A sum of squares is NaN only if a lane is: the cheapest test there is.
            squares = a.dot(a)
            if squares != squares:
                a[a != a] = canonical_nan(self.dtype)
        return NumpyLanes(a, self.dtype, self.count)

    def arith(self, op: Arith, other: Lanes) -> NumpyLanes:
        assert isinstance(other, NumpyLanes)
        return self._made(_ARITH[op](self.a, other.a))

    def bitwise(self, op: Bitwise, other: Lanes) -> NumpyLanes:
        assert isinstance(other, NumpyLanes)
        return NumpyLanes(_BITWISE[op](self.a, other.a), self.dtype, self.count)

    def shift(self, left: bool, amount: Lanes) -> NumpyLanes:
        assert isinstance(amount, NumpyLanes)
        bits = self.dtype.bits
        raw = np.dtype(f"uint{bits}").type
        by = amount.a.view(raw)
        inside = np.minimum(by, raw(bits - 1))
        # NumPy's own result for an amount of the width or more depends on the host.
        if not left and self.dtype.signed:
            return NumpyLanes(self.a >> inside.view(self.a.dtype), self.dtype, self.count)
        unsigned = self.a.view(raw)
        shifted = unsigned << inside if left else unsigned >> inside
        total = np.where(by < bits, shifted, raw(0))
        return NumpyLanes(
            self._shaped(total, raw).view(storage(self.dtype)), self.dtype, self.count
        )

    def _shaped(self, a: LaneArray, kind: Any) -> LaneArray:
        """np.where iterations scalars into 0-d arrays; a row of one stays a scalar."""
        return kind(a) if self.count == 1 else a

    def compare(self, op: Compare, other: Lanes) -> NumpyLanes:
        assert isinstance(other, NumpyLanes)
        return NumpyLanes(_COMPARE[op](self.a, other.a), I1, self.count)

    def is_full(self) -> bool:
        """Of a mask: whether every lane is active; remembered."""
        if self._full is None:
            self._full = bool(np.count_nonzero(self.a) == self.count)
        return self._full

    def masked(self, active: Lanes) -> NumpyLanes:
        """As derived, but by numbers of lanes, which a mask that is used many times knows."""
        assert isinstance(active, NumpyLanes)
        if active.is_full():
            return self
        if self.count == 1:
            return self if active.a else self.const(0)
        row = self.a.copy()
        row[active.others()] = 0
        return NumpyLanes(row, self.dtype, self.count)

    def active(self) -> LaneArray:
        """Of a mask: the numbers of the active lanes, rising; remembered."""
        if self._active is None:
            self._active = np.flatnonzero(self.a)
        return self._active

    def others(self) -> LaneArray:
        """Of a mask: the numbers of the lanes that are not active; remembered."""
        if self._others is None:
            self._others = np.flatnonzero(np.logical_not(self.a))
        return self._others

    def select(self, yes: Lanes, no: Lanes) -> NumpyLanes:
        assert isinstance(yes, NumpyLanes)
        assert isinstance(no, NumpyLanes)
        if self.count == 1:
            return yes if self.a else no
        if self.is_full():
            return yes
        return NumpyLanes(np.where(self.a, yes.a, no.a), yes.dtype, yes.count)

    def cast(self, dtype: DType) -> NumpyLanes:
        if dtype is self.dtype:
            return self
        return NumpyLanes(self._convert(dtype), dtype, self.count)

    def _convert(self, dtype: DType) -> LaneArray:
        source = self.dtype
        if source is BF16:
            wide = self._as(np.uint32, self.a) << np.uint32(16)
            single = NumpyLanes(wide.view(np.float32), F32, self.count)
            return single._made(single.a).cast(dtype).a
        if dtype is BF16:
            if source.is_float:
                exact = self.a if source is F32 else odd_f32(self._as(np.float64, self.a))
            else:
                # 64-bit integers do not fit f64: round to odd by hand first.
                exact = odd_f32(self._odd_f64())
            return narrow_bf16(exact)
        if source.is_int and dtype is F16:
            # NumPy goes through f32 here and would round twice.
            return self._as(np.float16, self._odd_f64())
        converted = self._as(storage(dtype).type, self.a)
        if source.is_float and dtype.is_float:
            return NumpyLanes(converted, dtype, self.count)._made(converted).a
        return converted

    def _odd_f64(self) -> LaneArray:
        """Integers as f64 rounded to odd: exact up to 32 bits, safe to round again beyond."""
        if self.dtype.bits < 64:
            return self._as(np.float64, self.a)
        odd = np.array([int_to_odd_f64(int(v)) for v in np.atleast_1d(self.a)])
        return odd[0] if self.count == 1 else odd

    def _as(self, kind: Any, a: LaneArray) -> LaneArray:
        return a.astype(kind)

    def bits(self, dtype: DType) -> NumpyLanes:
        if dtype is self.dtype:
            return self
        target = storage(dtype)
        if dtype.bytes == self.dtype.bytes:
            return NumpyLanes(self.a.view(target), dtype, self.count)
        row = self.a.view(target)
        return NumpyLanes(row, dtype, len(row))

    def rint(self) -> NumpyLanes:
        return self._made(np.rint(self.a))

    def floor(self) -> NumpyLanes:
        return self._made(np.floor(self.a))

    def root(self) -> NumpyLanes:
        return self._made(np.sqrt(self.a))

    def quotient(self, divisor: Lanes) -> NumpyLanes:
        assert isinstance(divisor, NumpyLanes)
        floor = self.a // divisor.a
        if not self.dtype.signed:
            return NumpyLanes(floor, self.dtype, self.count)
        # NumPy rounds down; toward zero is one more where signs differ and it is not exact.
        one = storage(self.dtype).type(1)
        down = (floor * divisor.a != self.a) & ((self.a < 0) != (divisor.a < 0))
        cut = np.where(down, floor + one, floor)
        return NumpyLanes(self._shaped(cut, storage(self.dtype).type), self.dtype, self.count)

    def fmod(self, divisor: Lanes) -> NumpyLanes:
        assert isinstance(divisor, NumpyLanes)
        return self._made(np.fmod(self.a, divisor.a))

    def image(self) -> NumpyLanes:
        bits = np.zeros(PREDICATE_BITS, dtype=bool)
        bits[:: PREDICATE_BITS // self.count] = self.a
        register = NumpyLanes(bits, I1, PREDICATE_BITS)
        register._gated = {self.count: self}
        return register

    def gate(self, count: int) -> NumpyLanes:
        # Remembered, with all that its lanes remember: a mask governs many instructions.
        if self._gated is None:
            self._gated = {}
        lanes = self._gated.get(count)
        if lanes is None:
            lanes = NumpyLanes(self.a[:: PREDICATE_BITS // count], I1, count)
            self._gated[count] = lanes
        return lanes

    def take(self, index: Lanes) -> NumpyLanes:
        assert isinstance(index, NumpyLanes)
        return NumpyLanes(self.a[index.a], self.dtype, index.count)

    def window(self, start: Lanes, count: int) -> NumpyLanes:
        first = number(start)
        return NumpyLanes(self.a[first : first + count], self.dtype, count)

    def squeeze(self, active: Lanes) -> NumpyLanes:
        assert isinstance(active, NumpyLanes)
        row = np.zeros_like(self.a)
        kept = self.a[active.a]
        row[: len(kept)] = kept
        return NumpyLanes(row, self.dtype, self.count)

    def population(self) -> NumpyLanes:
        return NumpyLanes(np.int64(np.count_nonzero(self.a)), I64, 1)

    def shuffle(self, order: tuple[int, ...], other: Lanes | None = None) -> NumpyLanes:
        index, absent = _order(order)
        source = np.atleast_1d(self.a)
        if other is not None:
            assert isinstance(other, NumpyLanes)
            source = np.concatenate((source, other.a))
        row = source[index]
        if absent is not None:
            row[absent] = 0
        return NumpyLanes(row, self.dtype, len(order))

    def splat(self, count: int) -> NumpyLanes:
        # A loop splats the same scalar again and again.
        if self._splat is None or self._splat.count != count:
            row = np.full(count, self.a, dtype=storage(self.dtype))
            self._splat = NumpyLanes(row, self.dtype, count)
        return self._splat


def number(value: Lanes) -> int:
    """A row of one as a Python integer."""
    assert isinstance(value, NumpyLanes)
    return int(value.a)


@cache
def _order(order: tuple[int, ...]) -> tuple[LaneArray, LaneArray | None]:
    index = np.array(order)
    absent = index < 0
    return np.where(absent, 0, index), absent if absent.any() else None
