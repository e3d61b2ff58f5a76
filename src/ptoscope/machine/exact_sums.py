"""Sums of products as if nothing was rounded but the result, once, to f32.

Every f32 is a whole number of 2**-149, every product one of 2**-298. They are taken apart into
digits of 20 bits: a product of two matrices of digits is exact in f64, so that all products of a
sum are added digit by digit; carries are taken at the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ptoscope.machine.sums import Matrix, canonical

_BITS = 20
_MASK = (1 << _BITS) - 1
_AT_ONCE = 1 << (53 - 2 * _BITS)
"""Products of two digits that f64 adds exactly."""
_LAST = 149
"""An f32 is a whole number of 2 to the minus so many."""
_CARRIES = 4
"""Digits above the highest one that sums of digits, of 64 bits, may carry into."""


def exact_sums(start: Matrix, left: Matrix, right: Matrix) -> Matrix:
    """f32 of m by n: the start and all products left[m, k] * right[n, k] added exactly, rounded
    once to the nearest, ties to even. What is not finite decides as it does in any order: NaN
    for a NaN, for zero times infinity and for infinities of both signs; else infinity. A sum of
    zero is +0 unless all that was added is -0. A NaN is the canonical one."""
    finite = [np.where(np.isfinite(side), side, 0).astype(np.float32) for side in (left, right)]
    digits = _digits(np.where(np.isfinite(start), start, 0).astype(np.float32), 2 * _LAST)
    for i, a in _digits(finite[0], _LAST).items():
        for j, b in _digits(finite[1], _LAST).items():
            products = _whole_products(a, b)
            digits[i + j] = digits[i + j] + products if i + j in digits else products
    sums = _rounded(digits, start.shape)
    if not all(np.isfinite(side).all() for side in (start, left, right)):
        limits = _limits(start, left, right)
        sums = np.where(np.isfinite(limits), sums, limits)
    if np.signbit(start[start == 0]).any():
        sums = np.where(_all_negative_zero(start, left, right), np.float32(-0.0), sums)
    return canonical(sums.astype(np.float32))


def _digits(values: Matrix, last: int) -> dict[int, Matrix]:
    """Finite f32 as sums of digits[i] * 2**(20 * i - last), each digit with the sign of its
    value, as i64; digits that are 0 everywhere are left out."""
    raw = values.view(np.uint32).astype(np.int64)
    exponent, fraction = raw >> 23 & 0xFF, raw & 0x7FFFFF
    whole = np.where(exponent > 0, fraction | 1 << 23, fraction)
    # The value is whole * 2**(shift - last).
    shift = np.maximum(exponent, 1) - 150 + last
    sign = np.where(raw >> 31 != 0, -1, 1)
    made: dict[int, Matrix] = {}
    for digit in range((int(shift.max(initial=0)) + 24) // _BITS + 1):
        by = shift - _BITS * digit
        bits = np.where(by >= 0, whole << by.clip(0, _BITS), whole >> (-by).clip(0, 24)) & _MASK
        if bits.any():
            made[digit] = sign * bits
    return made


def _whole_products(left: Matrix, right: Matrix) -> Matrix:
    """The products of two matrices of digits, as i64."""
    made = np.zeros((len(left), len(right)), np.int64)
    for first in range(0, left.shape[1], _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        a, b = (side[:, part].astype(np.float64) for side in (left, right))
        made += (a @ b.T).astype(np.int64)
    return made


def _rounded(digits: dict[int, Matrix], shape: tuple[int, ...]) -> Matrix:
    """Sums of digits[i] * 2**(20 * i - 298) as f64 that are rounded to odd: rounding them to f32
    is the only one that counts."""
    if not digits:
        return np.zeros(shape)
    low, high = min(digits), max(digits)
    # Three digits are looked at from the highest one on: there are always so many below it.
    limbs = np.zeros((high - low + 1 + 3 + _CARRIES, *shape), np.int64)
    for digit, values in digits.items():
        limbs[digit - low + 3] = values
    _carry(limbs)
    negative = limbs[-1] < 0
    limbs = np.where(negative, -limbs, limbs)
    _carry(limbs)
    some = limbs != 0
    top = np.maximum(len(limbs) - 1 - some[::-1].argmax(axis=0), 3)
    head = np.zeros(shape, np.int64)
    for below in range(3):
        head = head << _BITS | np.take_along_axis(limbs, (top - below)[None], 0)[0]
    rest = np.logical_or.accumulate(some, axis=0)
    lost = np.take_along_axis(rest, (top - 3)[None], 0)[0]
    # At least 33 of its 60 bits are left, and the last says whether there were others.
    odd = head >> 8 | ((head & 0xFF != 0) | lost)
    size = np.ldexp(odd.astype(np.float64), _BITS * (top - 2 - 3 + low) + 8 - 2 * _LAST)
    return np.where(negative, -size, size)


def _carry(limbs: Any) -> None:
    """Makes every limb but the last a digit of 20 bits; the last has the sign."""
    for limb in range(len(limbs) - 1):
        limbs[limb + 1] += limbs[limb] >> _BITS
        limbs[limb] &= _MASK


def _limits(start: Matrix, left: Matrix, right: Matrix) -> Matrix:
    """Infinities and NaN where a sum has them, other numbers elsewhere."""
    sums, *sides = (
        np.where(np.isfinite(side), np.sign(side), side).astype(np.float64)
        for side in (start, left.T, right.T)
    )
    for column, row in zip(*sides, strict=True):
        sums = sums + column[:, None] * row
    return sums


def _all_negative_zero(start: Matrix, left: Matrix, right: Matrix) -> Matrix:
    """Where the start and all products are -0."""
    made = (start == 0) & np.signbit(start)
    for column, row in zip(left.T, right.T, strict=True):
        product = column[:, None].astype(np.float64) * row
        made &= (product == 0) & np.signbit(product)
    return made
