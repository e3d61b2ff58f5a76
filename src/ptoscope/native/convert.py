"""Casts that LLVM would do lane by lane, or round twice."""

from __future__ import annotations

from ptoscope.isa.dtypes import BF16, F16, F32, F64, I1, UI16, UI32, DType
from ptoscope.native import types
from ptoscope.native.lanes import ARITHMETIC, CANONICAL, NativeLanes
from ptoscope.native.llvm_text import Value


def converted(x: NativeLanes, dtype: DType) -> NativeLanes:
    """Value conversion, as Lanes.cast says."""
    source = x.dtype
    if source is BF16:
        return _widen_bf16(x).cast(dtype)
    if dtype is BF16:
        return _narrow_bf16(_odd_f32(x) if source is F64 else _single(x))
    if source.is_float and dtype.is_float:
        return _between_floats(x, dtype)
    if source.is_float:
        return _to_integer(x, dtype)
    if dtype.is_float:
        return _from_integer(x, dtype)
    return _between_integers(x, dtype)


def _cast(x: NativeLanes, word: str, dtype: DType, nan: int = CANONICAL) -> NativeLanes:
    target = types.row(dtype, x.count)
    made = x.code.emit(target, f"{word} {x.value} to {target}")
    return NativeLanes(x.code, dtype, x.count, made, nans=nan)


def _between_integers(x: NativeLanes, dtype: DType) -> NativeLanes:
    if x.dtype is I1 or dtype.bytes > x.dtype.bytes:
        word = "sext" if x.dtype.signed else "zext"
        if x.count == 1 or x.dtype is I1 or dtype.bits != 64:
            return _cast(x, word, dtype)
        # Addresses of narrow indices: whoever uses them may do without the wide form.
        target = types.row(dtype, x.count)
        wide = NativeLanes(
            x.code,
            dtype,
            x.count,
            make=lambda: x.code.emit(target, f"{word} {x.value} to {target}"),
        )
        wide.scaled = (x, 1)
        return wide
    if dtype.bytes < x.dtype.bytes:
        return _cast(x, "trunc", dtype)
    return NativeLanes(x.code, dtype, x.count, x.value)


def _from_integer(x: NativeLanes, dtype: DType) -> NativeLanes:
    if dtype is F16:
        return _sticky(x).cast(F64).cast(F16) if x.dtype.bits == 64 else x.cast(F64).cast(F16)
    word = "sitofp" if x.dtype.signed else "uitofp"
    return _cast(x, word, dtype)


def _sticky(x: NativeLanes) -> NativeLanes:
    """64-bit integers that f64 can hold and that round to a narrower float as they would:
    of large ones the lowest bits are only remembered as being there."""
    low = 11
    large = (x.abs() if x.dtype.signed else x).as_unsigned() > (1 << 53)
    cut = x >> low
    rest = (x & ((1 << low) - 1)).ne(0).cast(x.dtype)
    row = large.select((cut | rest) << low, x)
    assert isinstance(row, NativeLanes)
    return row


def _to_integer(x: NativeLanes, dtype: DType) -> NativeLanes:
    if x.dtype is F16:
        return x.cast(F32).cast(dtype)
    if dtype.bits <= 32 and dtype is not UI32 and x.rounded is not None and x.dtype is F32:
        # Rounding and converting at once; generated code runs with rounding to nearest.
        kind, source = types.row(UI32, x.count), x.rounded
        name = f"llvm.lrint.{types.suffix(UI32, x.count)}.{types.suffix(F32, x.count)}"
        whole = NativeLanes(x.code, UI32, x.count, x.code.call(kind, name, source.value))
        return whole.bits(dtype) if dtype.bits == 32 else _cast(whole, "trunc", dtype)
    if dtype.bits < 32:
        # In range, so that the sign does not matter; LLVM has no vector form for narrow ones.
        whole = _cast(x, "fptosi", UI32)
        return _cast(whole, "trunc", dtype)
    return _cast(x, "fptosi" if dtype.signed else "fptoui", dtype)


def _between_floats(x: NativeLanes, dtype: DType) -> NativeLanes:
    if {x.dtype, dtype} == {F16, F64}:
        return x.cast(F32).cast(F64) if dtype is F64 else _odd_f32(x).cast(F16)
    # The processor keeps a payload; the canonical NaN stays canonical.
    nan = CANONICAL if x.nans == CANONICAL else ARITHMETIC
    if dtype.bits > x.dtype.bits:
        return _cast(x, "fpext", dtype, nan)
    narrow = _cast(x, "fptrunc", dtype, nan)
    narrow.wide = x
    return narrow


def _single(x: NativeLanes) -> NativeLanes:
    """An f32 that rounds to bf16 as the number itself."""
    if x.dtype in (F32, F16):
        return x.cast(F32)
    wide = _sticky(x).cast(F64) if x.dtype.bits == 64 else x.cast(F64)
    return _odd_f32(wide)


def _odd_f32(wide: NativeLanes) -> NativeLanes:
    """f64 to f32 rounded to odd, so that a second rounding cannot go wrong."""
    near = _cast(wide, "fptrunc", F32, ARITHMETIC)
    back = near.cast(F64)
    # The bits of a NaN do not matter here: whatever they are, it stays one.
    raw_type = types.row(UI32, wide.count)
    raw_value = wide.code.emit(raw_type, f"bitcast {near.value} to {raw_type}")
    raw = NativeLanes(wide.code, UI32, wide.count, raw_value)
    size, true_size = _size(back), _size(wide)
    inexact = back.compare("ne", wide) & ~back.isnan() & size.ne(float("inf"))
    cut = (inexact & (size > true_size)).select(raw - 1, raw)
    odd = inexact.select(cut | 1, cut)
    assert isinstance(odd, NativeLanes)
    made = wide.code.emit(near.type, f"bitcast {odd.value} to {near.type}")
    return NativeLanes(wide.code, F32, wide.count, made, nans=ARITHMETIC)


def _size(x: NativeLanes) -> NativeLanes:
    name = f"llvm.fabs.{types.suffix(x.dtype, x.count)}"
    return NativeLanes(
        x.code, x.dtype, x.count, x.code.call(x.type, name, x.value), nans=ARITHMETIC
    )


def _widen_bf16(x: NativeLanes) -> NativeLanes:
    wide = x.bits(UI16).cast(UI32) << 16
    assert isinstance(wide, NativeLanes)
    target = types.row(F32, x.count)
    made = x.code.emit(target, f"bitcast {wide.value} to {target}")
    return NativeLanes(x.code, F32, x.count, made, nans=ARITHMETIC)


def _narrow_bf16(single: NativeLanes) -> NativeLanes:
    """f32 to bf16 bits, nearest even, NaN canonical."""
    raw_type = types.row(UI32, single.count)
    raw_value = single.code.emit(raw_type, f"bitcast {single.value} to {raw_type}")
    raw = NativeLanes(single.code, UI32, single.count, raw_value)
    rounded = (raw + 0x7FFF + ((raw >> 16) & 1)) >> 16
    narrow = single.isnan().select(raw.const(0x7FC0), rounded).cast(UI16)
    assert isinstance(narrow, NativeLanes)
    return NativeLanes(single.code, BF16, single.count, Value(narrow.type, narrow.value.name))
