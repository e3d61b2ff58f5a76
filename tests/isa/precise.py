"""Functions of one value or three, from exact numbers or 50 decimal digits, rounded once.

A NaN result is the canonical one.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import isqrt

from tests.isa.elements import Element

DIGITS = 50


@cache
def exp(e: Element, raw: int) -> int:
    """e to the value."""
    if e.is_nan(raw):
        return e.nan
    if abs(e.value(raw)) > 200:  # far beyond overflow and underflow, also of the decimals
        return 0 if raw & e.sign else e.infinity
    with localcontext() as context:
        context.prec = DIGITS
        return e.round(Fraction(Decimal(e.value(raw)).exp()))


@cache
def ln(e: Element, raw: int) -> int:
    """The natural logarithm: -infinity at either zero, NaN below."""
    x = e.value(raw)
    if x == 0:
        return e.infinity | e.sign
    if x != x or x < 0:
        return e.nan
    if e.is_inf(raw):
        return raw
    with localcontext() as context:
        context.prec = DIGITS
        return e.round(Fraction(Decimal(x).ln()))


def _root(number: Fraction, bits: int = 200) -> Fraction:
    """The square root cut to so many bits after the point, odd at the end where inexact: on
    the right side of every value and of every middle between two."""
    scaled = number * (1 << 2 * bits)
    whole = scaled.numerator // scaled.denominator
    root = isqrt(whole)
    exact = root * root == scaled
    return Fraction(root if exact else root | 1, 1 << bits)


def sqrt(e: Element, raw: int) -> int:
    """The square root: -0 stays, NaN below."""
    x = e.value(raw)
    if x == 0:
        return raw
    if x != x or x < 0:
        return e.nan
    return raw if e.is_inf(raw) else e.round(_root(Fraction(x)))


def rsqrt(e: Element, raw: int) -> int:
    """One divided by the square root: infinity of a zero's sign, NaN below."""
    x = e.value(raw)
    if x == 0:
        return e.infinity | (raw & e.sign)
    if x != x or x < 0:
        return e.nan
    return 0 if e.is_inf(raw) else e.round(_root(1 / Fraction(x)))


def fma(e: Element, a: int, b: int, c: int) -> int:
    """a * b + c, rounded once."""
    if e.is_nan(a) or e.is_nan(b) or e.is_nan(c):
        return e.nan
    sign = (a ^ b) & e.sign
    if e.is_inf(a) or e.is_inf(b):
        invalid = e.value(a) == 0 or e.value(b) == 0
        product = e.infinity | sign
        return e.nan if invalid or (e.is_inf(c) and c != product) else product
    if e.is_inf(c):
        return c
    product = Fraction(e.value(a)) * Fraction(e.value(b))
    # A sum of zeros is -0 only if both are; numbers that cancel give +0.
    negative_zero = product == 0 and sign != 0 and c == e.sign
    return e.round(product + Fraction(e.value(c)), negative_zero)
