"""Sums of products in the order of k, each step rounded once to f32.

A step is one fused multiply-add, `left * right + sum`. NumPy has none: the product of two f32
is exact in f64, the addition there is rounded to odd (its last bit says whether anything was
lost), and only the rounding to f32 that follows counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ptoscope.isa.dtypes import F32
from ptoscope.machine.elements import canonical_nan

Matrix = Any
"""An ndarray of two axes: rows, columns."""

_CUT = np.int64((1 << 29) - 1)
"""The bits of an f64 that an f32 in its normal range does not have."""
_HALF = np.int64(1 << 28)
_SMALLEST_NORMAL = 2.0**-126
_SMALLEST = 2.0**-149
_LAST_BITS = 2.0**-48
"""Of a product of two f32: its last bit, in terms of the product, is at least this."""


def fused_sums(start: Matrix, left: Matrix, right: Matrix) -> Matrix:
    """f32 of m by n: from the start on, for each k in order, left[m, k] * right[n, k] is added.
    A NaN is the canonical one."""
    sums = start.astype(np.float64)
    lefts, rights = (side.T.astype(np.float64, order="C") for side in (left, right))
    fine = _may_be_fine(left, right)
    product, total, cut = np.empty_like(sums), np.empty_like(sums), np.empty(sums.shape, np.int64)
    for column, row in zip(lefts, rights, strict=True):
        np.multiply(column[:, None], row, out=product)
        np.add(product, sums, out=total)
        # f32 rounds twice what is half-way after the addition, and what is not normal there.
        np.bitwise_and(total.view(np.int64), _CUT, out=cut)
        twice = cut == _HALF
        if fine:
            twice |= np.abs(total) < _SMALLEST_NORMAL
        if twice.any():
            total[twice] = odd_sum(product[twice], sums[twice])
        sums[...] = total.astype(np.float32)
    return canonical(sums.astype(np.float32))


def odd_sum(a: Any, b: Any) -> Any:
    """a + b of f64, rounded to odd there (see `isa.lanes.odd_sum`)."""
    total = a + b
    back = total - a
    lost = (a - (total - back)) + (b - back)
    raw = total.view(np.int64)
    outward = np.where((lost > 0) ^ (total < 0), np.int64(1), np.int64(-1))
    inexact = (lost < 0) | (lost > 0)
    return np.where(inexact & (raw & 1 == 0), raw + outward, raw).view(np.float64)


def wrapping_sums(start: Matrix, left: Matrix, right: Matrix) -> Matrix:
    """i32 of m by n: the start and all products, wrapping at 32 bits. Their order is no matter."""
    # 64 bits wrap too, which leaves the lower 32 what they are.
    products = left.astype(np.int64) @ right.astype(np.int64).T
    return (start.astype(np.int64) + products).astype(np.int32)


def canonical(values: Matrix) -> Matrix:
    """f32 with the canonical NaN for any."""
    return np.where(values == values, values, canonical_nan(F32))


def _may_be_fine(left: Matrix, right: Matrix) -> bool:
    """Whether a product may have bits below the smallest f32. Where none has, no sum has: what is
    not normal is exact."""
    least = 1.0
    for side in (left, right):
        size = np.abs(side[(side != 0) & np.isfinite(side)]).astype(np.float64)
        least *= size.min() if size.size else 1.0
    return bool(least * _LAST_BITS < _SMALLEST)
