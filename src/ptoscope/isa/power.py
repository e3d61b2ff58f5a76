"""Powers in the lane vocabulary, with enough bits that one rounding is all that shows."""

from __future__ import annotations

from fractions import Fraction
from math import factorial
from typing import NamedTuple

from ptoscope.isa.dtypes import F64, I32, I64
from ptoscope.isa.functions import LOG2_E, ONE_BITS, ROOT_HALF_BITS
from ptoscope.isa.lanes import Lanes

_LN2 = Fraction(0xB17217F7D1CF79ABC9E3B398, 1 << 96)
_INFINITE = float("inf")

# Clears the lower 27 bits of an f64.
_HEAD = -(1 << 27)

# Less than this beyond f64 comes from the evaluation alone: the power is a number of f64. The
# error of such a power, whose exponent is small, is an eighth of it; of any, no more than it.
_NOTHING = 2.0**-69

# The first terms are evaluated with a tail, the others are small enough for f64 alone:
# |s| <= 0.1716 of the logarithm, |r| <= ln2/2 of the exponential.
_LOG_TERMS, _LONG_LOG_TERMS = tuple(Fraction(1, 2 * n + 1) for n in range(14)), 4
_EXP_TERMS, _LONG_EXP_TERMS = tuple(Fraction(1, factorial(n)) for n in range(18)), 7


class _Long(NamedTuple):
    """The sum of two f64. The head has 26 bits, so that a product of heads is exact; both
    together have about 78."""

    head: Lanes
    tail: Lanes


def power(x: Lanes, y: Lanes) -> Lanes:
    """x to the y of f16 or f32, with the special values of IEEE 754's pow.

    The nearest number, ties to even, wherever the exact power is half way between two numbers or
    farther than 2**-67 of its size from there.
    """
    base, exponent = x.cast(F64), y.cast(F64)
    size = base.abs()
    log = _log(size)
    lead, rest = log.head * exponent, log.tail * exponent
    # Beyond these bounds every f16 and f32 result is 0 or infinite, and 2**k stays an f64.
    bounded = lead.lesser(lead.const(100.0)).greater(lead.const(-120.0))
    result = _exp(bounded, bounded.eq(lead).select(rest, rest.const(0))).cast(x.dtype)
    is_infinite = size.eq(_INFINITE)
    end = (is_infinite ^ (exponent < 0)).select(x.const(_INFINITE), x.const(0))
    result = (size.eq(0) | is_infinite).select(end, result)
    result = size.eq(1.0).select(x.const(1.0), result)
    # Every infinite exponent counts as even.
    half = exponent * 0.5
    whole, even = exponent.floor().eq(exponent), half.floor().eq(half)
    result = (whole & ~even & (base.bits(I64) < 0)).select(-result, result)
    undefined = (base < 0) & ~is_infinite & ~whole
    result = (undefined | base.isnan() | exponent.isnan()).select(x.nan(), result)
    return (exponent.eq(0) | base.eq(1.0)).select(x.const(1.0), result)


def _log(x: Lanes) -> _Long:
    """The natural logarithm of positive numbers of f32 or f16, by the series of `functions.log`."""
    shifted = x.bits(I64) + (ONE_BITS - ROOT_HALF_BITS)
    k = ((shifted >> 52) - 1023).cast(I32).cast(F64)
    mantissa = ((shifted & ((1 << 52) - 1)) + ROOT_HALF_BITS).bits(F64)
    above, below = mantissa - 1.0, mantissa + 1.0
    head = _head(above / below)
    s = _Long(head, (above - head * below) / below)
    series = _product(s, _series(_split(_product(s, s)), _LOG_TERMS, _LONG_LOG_TERMS))
    twice = _Long(series.head + series.head, series.tail + series.tail)
    ln2 = _constant(x, _LN2)
    return _sum(_Long(k * ln2.head, k * ln2.tail), twice)


def _exp(lead: Lanes, rest: Lanes) -> Lanes:
    """e to the sum, in f64 rounded to odd: a rounding to a narrower type is the only one."""
    k = (lead * LOG2_E).rint()
    ln2 = _constant(lead, _LN2)
    r = _split(_Long(lead - k * ln2.head, rest - k * ln2.tail))
    value = _series(r, _EXP_TERMS, _LONG_EXP_TERMS)
    total = value.head + value.tail
    # What f64 loses; to odd, it is above or below every number of fewer bits.
    lost = value.tail - (total - value.head)
    raw = total.bits(I64)
    odd = (lost < -_NOTHING).select((raw - 1) | 1, raw)
    odd = (lost > _NOTHING).select(raw | 1, odd)
    return odd.bits(F64) * ((k.cast(I32).cast(I64) + 1023) << 52).bits(F64)


def _series(x: _Long, terms: tuple[Fraction, ...], long: int) -> _Long:
    """The polynomial of these coefficients, of which so many are evaluated with a tail."""
    near = x.head + x.tail
    short = near.const(float(terms[-1]))
    for term in reversed(terms[long:-1]):
        short = short * near + float(term)
    value = _Long(short, short.const(0))
    for term in reversed(terms[:long]):
        value = _sum(_constant(near, term), _product(x, value))
    return value


def _head(x: Lanes) -> Lanes:
    return (x.bits(I64) & _HEAD).bits(F64)


def _constant(like: Lanes, exact: Fraction) -> _Long:
    head = round(exact * (1 << 24)) / (1 << 24)
    return _Long(like.const(head), like.const(float(exact - Fraction(head))))


def _split(a: _Long) -> _Long:
    """The same sum with a head of 26 bits."""
    head = _head(a.head)
    return _Long(head, (a.head - head) + a.tail)


def _product(a: _Long, b: _Long) -> _Long:
    """The product; its head has twice the bits."""
    return _Long(a.head * b.head, a.head * b.tail + a.tail * (b.head + b.tail))


def _sum(a: _Long, b: _Long) -> _Long:
    """The sum, with a head of 26 bits, of 0 or a number and one that is no larger."""
    head = _head(a.head + b.head)
    return _Long(head, ((a.head - head) + b.head) + (a.tail + b.tail))
