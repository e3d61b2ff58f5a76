"""Sums of products: one fused multiply-add for each k, or one rounding of all. Expected values
are exact rational numbers, rounded once."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ptoscope.machine.elements import quietly
from ptoscope.machine.exact_sums import exact_sums
from ptoscope.machine.sums import fused_sums, wrapping_sums
from tests.isa.elements import Element
from tests.isa.precise import fma
from tests.isa.values import edges

F32 = Element("f32")
Term = tuple[int, int]
"""The raw bits of two factors."""


def sequential(start: int, terms: Sequence[Term]) -> int:
    """One fused multiply-add after the other."""
    for a, b in terms:
        start = fma(F32, a, b, start)
    return start


def at_once(start: int, terms: Sequence[Term]) -> int:
    """The exact sum, rounded once; what is not finite as in any order."""
    total, signs, all_negative = Fraction(0), set[int](), True
    for a, b in [(start, F32.round(Fraction(1))), *terms]:
        if F32.is_nan(a) or F32.is_nan(b):
            return F32.nan
        sign = (a ^ b) & F32.sign
        zero = not a & ~F32.sign or not b & ~F32.sign
        if F32.is_inf(a) or F32.is_inf(b):
            if zero:
                return F32.nan
            signs.add(sign)
            continue
        total += Fraction(F32.value(a)) * Fraction(F32.value(b))
        all_negative = all_negative and zero and bool(sign)
    if signs:
        return F32.nan if len(signs) == 2 else F32.infinity | signs.pop()
    return F32.round(total, negative_zero=all_negative)


def raw(values: Any) -> Any:
    return np.array(values, np.uint32).view(np.float32)


def single(sums: Any, start: int, terms: Sequence[Term]) -> int:
    """A sum of one row and one column, as raw bits."""
    left, right = (raw([[term[side] for term in terms]]) for side in (0, 1))
    with quietly():
        made = sums(raw([[start]]), left, right)
    assert made.dtype == np.float32
    return int(made.view(np.uint32)[0, 0])


_MIXED = st.sampled_from(edges(F32)) | st.integers(0, 0xFFFFFFFF)
_NEAR_ONE = st.integers(0x3F000000, 0x40800000)
"""Of which many sums are half-way between two f32."""
_FEW_BITS = st.sampled_from(
    [0x3F800000, 0x3F800001, 0xBF800001, 0x33800000, 0xB3800000, 0x4B800001]
)
_TINY = st.integers(0, 0x00FFFFFF) | st.integers(0x1F000000, 0x21000000)
_WORDS = st.sampled_from([_MIXED, _NEAR_ONE, _FEW_BITS, _TINY]).flatmap(
    lambda words: st.tuples(words, st.lists(st.tuples(words, words), min_size=1, max_size=6))
)
ONE, TINY, LARGEST, INF, MINUS_ZERO = 0x3F800000, 0x00000001, 0x7F7FFFFF, 0x7F800000, 0x80000000


@settings(deadline=None, max_examples=300)
@given(_WORDS)
@example((LARGEST, [(LARGEST, ONE), (0xFF7FFFFF, ONE)]))
@example((MINUS_ZERO, [(MINUS_ZERO, ONE)]))
@example((MINUS_ZERO, [(TINY, 0x80000001)]))
@example((0, [(INF, 0)]))
@example((INF, [(INF, 0xBF800000)]))
@example((0x7F800001, [(0, 0)]))
def test_both_readings(case: tuple[int, list[Term]]) -> None:
    start, terms = case
    assert single(fused_sums, start, terms) == sequential(start, terms)
    assert single(exact_sums, start, terms) == at_once(start, terms)


def test_half_way_after_the_addition() -> None:
    """2**-24 is half of a last place of 1. The product is a little less, by too little for f64:
    rounded there first, the sum would go up to the even neighbour."""
    odd, half, less = 0x3F800001, 0x33800001, 0x3F7FFFFE
    assert single(fused_sums, odd, [(half, less)]) == odd
    assert single(fused_sums, odd | F32.sign, [(half | F32.sign, less)]) == odd | F32.sign
    assert single(fused_sums, odd, [(half - 1, ONE)]) == odd + 1
    # The same where f32 has fewer bits: half of its smallest number, and a little less.
    assert single(fused_sums, 0x007FFFFF, [(0x1A000000, 0x1A000000)]) == 0x00800000
    assert single(fused_sums, 0x007FFFFF, [(0x1A000001, 0x19FFFFFE)]) == 0x007FFFFF


def test_what_cancels_is_exact_at_once_only() -> None:
    """2**60 + 1 - 2**60: the 1 is lost on the way, or not."""
    large, minus = 0x5D800000, 0xDD800000
    terms = [(large, ONE), (ONE, ONE), (minus, ONE)]
    assert single(fused_sums, 0, terms) == 0
    assert single(exact_sums, 0, terms) == ONE


def test_all_of_a_matrix() -> None:
    """Rows, columns and k in their places, with numbers of every size."""
    noise = np.random.default_rng(1)
    m, n, k = 3, 4, 5
    sides = [noise.integers(0, 1 << 32, shape, np.uint32) for shape in ((m, n), (m, k), (n, k))]
    start, left, right = sides
    for sums, expected in ((fused_sums, sequential), (exact_sums, at_once)):
        with quietly():
            made = sums(*[side.view(np.float32) for side in sides]).view(np.uint32)
        for i in range(m):
            for j in range(n):
                terms = [(int(left[i, x]), int(right[j, x])) for x in range(k)]
                assert made[i, j] == expected(int(start[i, j]), terms)


def test_more_products_than_digits_add_at_once() -> None:
    """So many products of the largest digits that f64 could not hold their sum."""
    k = 40000
    side = np.full((1, k), 0x497FFFFF, np.uint32).view(np.float32)
    value = Fraction(float(side[0, 0])) ** 2 * k
    made = exact_sums(np.zeros((1, 1), np.float32), side, side)
    assert made.view(np.uint32)[0, 0] == F32.round(value)


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.integers(-(1 << 31), (1 << 31) - 1)] * 2), min_size=1, max_size=4))
def test_integers_wrap(terms: list[Term]) -> None:
    left, right = (np.array([[term[side] for term in terms]], np.int32) for side in (0, 1))
    start = np.array([[123]], np.int32)
    total = 123 + sum(a * b for a, b in terms)
    assert wrapping_sums(start, left, right)[0, 0] == (total + (1 << 31)) % (1 << 32) - (1 << 31)
