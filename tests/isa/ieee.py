"""IEEE 754 arithmetic on raw bits: exact rational results, rounded once.

A NaN result is the canonical one.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from tests.isa.elements import Element


@cache
def add(e: Element, a: int, b: int) -> int:
    """a + b."""
    if e.is_nan(a) or e.is_nan(b):
        return e.nan
    if e.is_inf(a) or e.is_inf(b):
        if e.is_inf(a) and e.is_inf(b):
            return a if a == b else e.nan
        return a if e.is_inf(a) else b
    total = Fraction(e.value(a)) + Fraction(e.value(b))
    return e.round(total, negative_zero=bool(a & b & e.sign))


def sub(e: Element, a: int, b: int) -> int:
    """a - b."""
    return add(e, a, b ^ e.sign)


@cache
def mul(e: Element, a: int, b: int) -> int:
    """a * b."""
    if e.is_nan(a) or e.is_nan(b):
        return e.nan
    sign = (a ^ b) & e.sign
    zero = e.value(a) == 0 or e.value(b) == 0
    if e.is_inf(a) or e.is_inf(b):
        return e.nan if zero else e.infinity | sign
    product = Fraction(e.value(a)) * Fraction(e.value(b))
    return e.round(product, negative_zero=bool(sign))


@cache
def div(e: Element, a: int, b: int) -> int:
    """a / b."""
    if e.is_nan(a) or e.is_nan(b):
        return e.nan
    sign = (a ^ b) & e.sign
    if e.is_inf(a):
        return e.nan if e.is_inf(b) else e.infinity | sign
    if e.is_inf(b):
        return sign
    if e.value(b) == 0:
        return e.nan if e.value(a) == 0 else e.infinity | sign
    quotient = Fraction(e.value(a)) / Fraction(e.value(b))
    return e.round(quotient, negative_zero=bool(sign))


def fmod(e: Element, a: int, b: int) -> int:
    """The remainder of a division cut toward zero, with the sign of a."""
    if e.is_nan(a) or e.is_nan(b) or e.is_inf(a) or e.value(b) == 0:
        return e.nan
    if e.is_inf(b):
        return a
    left = abs(Fraction(e.value(a))) % abs(Fraction(e.value(b)))
    return e.round(left) | (a & e.sign)
