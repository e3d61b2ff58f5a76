"""Elements on NumPy: what holds them, numbers as elements, and roundings that NumPy lacks."""

from __future__ import annotations

import struct
from functools import cache
from typing import Any

import numpy as np

from ptoscope.isa.dtypes import BF16, F16, F32, F64, I1, DType

QUIET_NAN = {F16: 0x7E00, BF16: 0x7FC0, F32: 0x7FC00000, F64: 0x7FF8000000000000}
"""The canonical NaN: what arithmetic makes."""

LaneArray = Any
"""An ndarray of the dtype's storage, or for a row of one, a NumPy scalar of it."""


def quietly() -> np.errstate:
    """Wrapping and IEEE exceptions are what the instructions mean, not warnings."""
    return np.errstate(all="ignore")


@cache
def storage(dtype: DType) -> np.dtype[Any]:
    """The NumPy dtype that holds the lanes."""
    return np.dtype(dtype.storage)


@cache
def raw_dtype(dtype: DType) -> np.dtype[Any]:
    """The unsigned NumPy dtype of the same width."""
    return np.dtype(f"uint{8 * storage(dtype).itemsize}")


@cache
def canonical_nan(dtype: DType) -> Any:
    """The canonical NaN as a lane."""
    raw = np.array([QUIET_NAN[dtype]], dtype=f"uint{dtype.bits}")
    return raw.view(storage(dtype))[0]


def encode(dtype: DType, value: int | float) -> Any:
    """One lane holding a Python number: integers wrap, floats round to nearest even."""
    if dtype is I1:
        return np.bool_(value)
    if dtype.is_int:
        wrapped = int(value) & ((1 << dtype.bits) - 1)
        return np.array(wrapped, dtype=f"uint{dtype.bits}").view(storage(dtype))[()]
    if value != value:
        return _encode_nan(dtype, value)
    if dtype is BF16:
        return narrow_bf16(odd_f32(np.float64(value)))
    with np.errstate(over="ignore"):
        return storage(dtype).type(value)


_FRACTION_BITS = {F16: 10, BF16: 7, F32: 23, F64: 52}


def _encode_nan(dtype: DType, value: float) -> Any:
    """A NaN with the sign and the payload it was written with."""
    (wide,) = struct.unpack("<Q", struct.pack("<d", value))
    fraction = _FRACTION_BITS[dtype]
    payload = (wide & ((1 << 52) - 1)) >> (52 - fraction)
    exponent = ((1 << (dtype.bits - 1 - fraction)) - 1) << fraction
    raw = (wide >> 63) << (dtype.bits - 1) | exponent | (payload or 1 << (fraction - 1))
    return np.array(raw, dtype=f"uint{dtype.bits}").view(storage(dtype))[()]


def odd_f32(wide: LaneArray) -> LaneArray:
    """f64 to f32 rounded to odd, so that a second rounding cannot go wrong."""
    near = wide.astype(np.float32)
    back = near.astype(np.float64)
    raw = near.view(np.uint32)
    inexact = (back != wide) & (back == back) & (np.abs(back) != np.inf)
    # One step toward zero where rounding went away from it, then the last bit set.
    away = np.abs(back) > np.abs(wide)
    cut = np.where(inexact & away, raw - np.uint32(1), raw)
    odd = np.where(inexact, cut | np.uint32(1), cut)
    return (
        odd.astype(np.uint32).view(np.float32) if np.ndim(odd) else np.uint32(odd).view(np.float32)
    )


def narrow_bf16(single: LaneArray) -> LaneArray:
    """f32 to bf16 bits, nearest even, NaN canonical."""
    raw = single.view(np.uint32)
    rounded = (raw + np.uint32(0x7FFF) + ((raw >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    narrow = np.where(single != single, np.uint32(QUIET_NAN[BF16]), rounded)
    return narrow.astype(np.uint16)[()]


def int_to_odd_f64(value: int) -> float:
    """The f64 next to an integer on the side of zero, with its last bit set if inexact."""
    near = float(value)
    if int(near) == value:
        return near
    bits = np.float64(near).view(np.uint64)
    if abs(int(near)) > abs(value):
        bits -= np.uint64(1)
    return float((bits | np.uint64(1)).view(np.float64))
