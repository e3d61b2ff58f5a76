"""Element types and numbers as LLVM writes them."""

from __future__ import annotations

import struct
from functools import cache
from typing import Any

import numpy as np

from ptoscope.isa.dtypes import F16, F32, F64, I1, DType
from ptoscope.machine.elements import QUIET_NAN, storage
from ptoscope.machine.lanes import NumpyLanes

_FLOATS = {F32: "float", F64: "double"}
_SUFFIXES = {"float": "f32", "double": "f64"}


def element(dtype: DType) -> str:
    """The LLVM type of one lane. Floats below 32 bits are their bits: of bf16 LLVM would call a
    function for each lane, and a sign of f16 that changes it may change through f32, which makes
    a signalling NaN quiet."""
    if dtype is I1:
        return "i1"
    return _FLOATS.get(dtype) or f"i{8 * dtype.bytes}"


@cache
def row(dtype: DType, count: int) -> str:
    """The LLVM type of a row: a scalar for one lane, else a vector."""
    return element(dtype) if count == 1 else f"<{count} x {element(dtype)}>"


@cache
def converted_row(dtype: DType, count: int) -> str:
    """The LLVM type of a row that is converted from or to another float."""
    if dtype is not F16:
        return row(dtype, count)
    return "half" if count == 1 else f"<{count} x half>"


def is_native_float(dtype: DType) -> bool:
    """Returns True for floats with which LLVM computes as such."""
    return dtype in _FLOATS


def tracks_nans(dtype: DType) -> bool:
    """Returns True for floats whose rows remember what their NaNs hold (`nans`). Those of every
    other type are made canonical where a number is rounded to it."""
    return dtype is F16 or is_native_float(dtype)


def suffix(dtype: DType, count: int) -> str:
    """How an overloaded intrinsic names the type."""
    one = element(dtype)
    one = _SUFFIXES.get(one, one)
    return one if count == 1 else f"v{count}{one}"


def raw_bits(lane: NumpyLanes) -> int:
    """The bits of a row of one."""
    if lane.dtype is I1:
        return int(bool(lane.a))
    width = storage(lane.dtype).itemsize
    return int.from_bytes(np.asarray(lane.a).tobytes()[:width], "little")


def is_nan(dtype: DType, raw: int) -> bool:
    """Returns True if the bits of a float whose NaNs are tracked are a NaN."""
    magnitude = raw & ((1 << (dtype.bits - 1)) - 1)
    return magnitude > QUIET_NAN[dtype] - (QUIET_NAN[dtype] & -QUIET_NAN[dtype])


@cache
def literal(dtype: DType, raw: int) -> str:
    """Bits as an LLVM constant of the element type."""
    if dtype is I1:
        return "true" if raw else "false"
    if not is_native_float(dtype):
        return str(raw)
    if is_nan(dtype, raw):
        return f"bitcast (i{dtype.bits} {raw} to {element(dtype)})"
    if dtype is F32:
        (number,) = struct.unpack("<f", struct.pack("<I", raw))
        (raw,) = struct.unpack("<Q", struct.pack("<d", number))
    return f"0x{raw:016X}"


@cache
def constant(dtype: DType, count: int, raw: int) -> str:
    """The same bits in every lane, as an LLVM constant."""
    if count == 1:
        return literal(dtype, raw)
    if raw == 0:
        return "zeroinitializer"
    return f"splat ({element(dtype)} {literal(dtype, raw)})"


def listed(dtype: DType, raws: Any) -> str:
    """A constant vector, lane by lane."""
    one = element(dtype)
    return "<" + ", ".join(f"{one} {literal(dtype, int(r))}" for r in raws) + ">"


@cache
def indices(order: tuple[int, ...]) -> str:
    """The mask of a shuffle; -1 is a lane nobody reads."""
    lanes = ", ".join("i32 poison" if i < 0 else f"i32 {i}" for i in order)
    return f"<{len(order)} x i32> <{lanes}>"
