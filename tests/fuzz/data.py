"""What a random kernel is called with: arrays of edge values and random bits, and numbers."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ptoscope.arguments import array_dtype
from ptoscope.isa.dtypes import BF16, F8E4M3, F8E5M2, F16, F32, F64, DType

Fill = Literal["values", "index", "permutation", "blocks"]
"""Edge values and random bits; numbers below a limit; every number below a limit once, again
and again; byte offsets of 32-byte blocks."""

_FRACTION = {F32: 23, F16: 10, BF16: 7, F64: 52, F8E4M3: 3, F8E5M2: 2}


@dataclass(frozen=True)
class Array:
    """A pointer argument. `patch` replaces single elements: positions and values."""

    name: str
    dtype: DType
    count: int
    fill: Fill = "values"
    limit: int = 0
    writeable: bool = True
    patch: tuple[tuple[int, int], ...] = ()

    def make(self, seed: int, position: int) -> Any:
        """A fresh array, the same for the same seed and position."""
        rng = np.random.default_rng((seed, position))
        bits = self._bits(rng)
        for at, value in self.patch:
            bits[at] = value % (1 << (8 * self.dtype.bytes))
        array = bits.view(array_dtype(self.dtype))
        array.flags.writeable = self.writeable
        return array

    def _bits(self, rng: np.random.Generator) -> Any:
        raw = np.dtype(f"uint{8 * self.dtype.bytes}")
        match self.fill:
            case "values":
                return _values(self.dtype, self.count, rng).astype(raw)
            case "index":
                return rng.integers(0, self.limit, self.count).astype(raw)
            case "permutation":
                return np.resize(rng.permutation(self.limit), self.count).astype(raw)
            case "blocks":
                return (rng.integers(0, self.limit, self.count) * 32).astype(raw)


@dataclass(frozen=True)
class Number:
    """A scalar argument."""

    name: str
    dtype: DType
    value: int | float


def edges(dtype: DType) -> list[int]:
    """Raw bits of the values where things go wrong."""
    bits = 8 * dtype.bytes
    full, sign = (1 << bits) - 1, 1 << (bits - 1)
    fraction = _FRACTION.get(dtype)
    if fraction is None:
        small = (0, 1, 2, 3, 7, bits - 1, bits, bits + 1)
        return [v & full for v in (*small, sign - 1, sign, sign + 1, full - 1, full)]
    normal = 1 << fraction
    infinity = (sign - 1) & ~(normal - 1)
    one = infinity >> 1 & infinity
    positive = (
        *(0, 1, normal - 1, normal, one - 1, one, one + 1, one | normal >> 1),
        *(infinity - 1, infinity, infinity | 1, infinity | normal >> 1),
        (infinity | normal >> 1) + 1 & (sign - 1),
    )
    return [v | s for v in positive for s in (0, sign)]


def _values(dtype: DType, count: int, rng: np.random.Generator) -> Any:
    """A third edges, a third ordinary numbers, a third random bits."""
    bits = 8 * dtype.bytes
    mask = np.uint64((1 << bits) - 1)
    scattered = rng.integers(0, 1 << 64, count, dtype=np.uint64) & mask
    corners = rng.choice(np.array(edges(dtype), dtype=np.uint64), count)
    with np.errstate(all="ignore"):
        ordinary = _ordinary(dtype, count, rng).view(f"uint{bits}").astype(np.uint64)
    which = rng.integers(0, 3, count)
    return np.where(which == 0, corners, np.where(which == 1, ordinary, scattered))


def _ordinary(dtype: DType, count: int, rng: np.random.Generator) -> Any:
    kind = array_dtype(dtype)
    if dtype.is_int or kind.kind in "iu":
        return rng.integers(-100, 100, count).astype(f"int{8 * dtype.bytes}")
    return (rng.standard_normal(count) * 4).astype(kind)


def pick(dtype: DType, rng: random.Random) -> int:
    """Raw bits of one scalar: an edge, a small number or random bits."""
    if dtype.bits == 1:
        return rng.getrandbits(1)
    match rng.randrange(3):
        case 0:
            return rng.choice(edges(dtype))
        case 1 if dtype.is_int:
            return rng.randrange(64)
        case _:
            return rng.getrandbits(dtype.bits)


def number(dtype: DType, bits: int) -> int | float:
    """The number that raw bits stand for, as a caller passes it."""
    if dtype.is_float:
        raw = np.array([bits], dtype=f"uint{dtype.bits}")
        with np.errstate(all="ignore"):
            return float(raw.view(array_dtype(dtype))[0])
    if dtype.bits == 1:
        return bits
    return bits - (1 << dtype.bits) if bits >> (dtype.bits - 1) else bits
