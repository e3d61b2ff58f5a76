"""Functions of one value, two or three, from exact numbers or 50 decimal digits, rounded once.

A NaN result is the canonical one.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import isqrt, log2

from tests.isa.elements import Element

DIGITS = 50


def _words(text: str) -> tuple[int, ...]:
    return tuple(int(word, 16) for word in text.split())


# The f32 inputs whose exponential is nearest to the middle of two f32: within 1e-7 of a unit
# in the last place. Found by trying them all.
HARDEST_EXP = _words(
    """
    C16912CD BBF0EDF1 C2B2E798 377EFF81 38E69CC1 39C6BE5B B3000000 BAE0E25C
    383A3EF1 3D1A274E 4001B249 40315B33 36FDFFC1 39E5BB1D 337FFFFF 33800000
    343FFFFF 34DFFFFD 356FFFF9 35F7FFF1 367BFFE1 4288942B 3FE67199 BC2A461A
    C0781533 38AD9E29 41CBF87B BBB70EE8 C13D6631 4034D02B 3A7BCD08 3C608A0E
    3C971AAA 3CAFFE2E BCB8F40F 3B18F346 40DD70CB BFBFA14B 3F5BC24C B7C9C09F
    B7F4C0EA 3B8C972E B2FFFFFF BF81EADF 4178966E BA7242A6 BF76FD92 38643E69
    4283070F 337FFFFE BDB393EB C2B27DD9 3DFB09D6 C0382E72 C159FA1E C2B43FB7
    3D7010DE BEE0E6CD B3000001 B3C00001 B4200001 B4B00002 B5D4000B B616000B
    """
)

# The positive f32 whose logarithm is within eight units of f64 of the middle of two f32: found
# by trying them all. An evaluation that errs by less is right on all others.
HARDEST_LN = _words(
    """
    022AE487 064CB44B 07C060FA 0B265D7B 0DC8BBA4 0F61FF63 111C87F8 11B257E3
    13FCD84A 145CB6D4 14907055 158772EB 16C5EE7A 18B06F2A 1A8446CB 1AAC80DC
    1B81AB52 1DC9E7C1 1F116AB8 22925AD4 22F6D580 2423C085 24A8FB14 25BE734F
    25F12E61 2758EEC4 27A51454 28E3FA26 29E6126B 29FD22F8 2C4C24B7 2E492984
    2E7A6221 3418949B 38DCBE38 39C31348 39C7B1F9 3BF86EF0 3C413D3A 3E2B3421
    3FD364D7 41178FEB 44BC4360 464D5B2B 4665A9A6 46CA6C75 4B77325A 4BF70DB3
    4C08FF78 4C5D65A5 4D604EBE 4E85F412 4FE4AB24 526A304F 54AF989D 5B98E163
    5BF9890B 5D800341 5D8B2D5B 5EE8984E 5EFBCAAE 5F64C24A 62B467BA 63B134D9
    64E27FA3 65D890D3 66A8C860 66ABBD63 6914CB96 6D1F23EB 6E7054F2 6F31A8EC
    736CC271 7405DEE8 74896A73 79E7EC37 7D98B8F4
    """
)

# Pairs of f32 whose power is within two units of f64 of the middle of two f32, of results from
# e**-80 to e**80: found among 1.5 thousand million.
HARDEST_POWERS = tuple(
    zip(
        _words("44CE2212 39E29F67 38507EDE 3C511DC9 3C90DC68 35AA29F1 3D36D3B3 48180C53 4484E9E9"),
        _words("409FB0C6 BEDC8A05 3E0B9C19 C1900456 BFE9E064 403FCB94 C1397BD6 BDBC3E43 40E0BAD8"),
        strict=True,
    )
)


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


def _rational_power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """A power whose exponent is a fraction of a power of two; None where it is irrational, or
    takes a power beyond the 1000th."""
    places = exponent.denominator
    while places > 1:
        up, down = isqrt(base.numerator), isqrt(base.denominator)
        if up * up != base.numerator or down * down != base.denominator:
            return None
        base, places = Fraction(up, down), places // 2
    return base**exponent.numerator if abs(exponent.numerator) <= 1000 else None


@cache
def power(e: Element, a: int, b: int) -> int:
    """a to the b, with the special values of C's pow (annex F)."""
    x, y = e.value(a), e.value(b)
    one = e.round(Fraction(1))
    if y == 0 or a == one:
        return one
    if x != x or y != y:
        return e.nan
    is_whole = e.is_inf(b) or y == int(y)
    is_odd = is_whole and not e.is_inf(b) and int(y) % 2 == 1
    sign = a & e.sign if is_odd else 0
    size = abs(x)
    if size == 0 or e.is_inf(a) or (e.is_inf(b) and size != 1):
        return (e.infinity if (size > 1) != (y < 0) else 0) | sign
    if x < 0 and not is_whole:
        return e.nan
    if size == 1:
        return one | sign
    if abs(log2(size) * y) > 400:  # far beyond overflow and underflow
        return (e.infinity if (size > 1) != (y < 0) else 0) | sign
    exact = _rational_power(Fraction(size), Fraction(y))
    if exact is None:
        with localcontext() as context:
            context.prec = DIGITS
            exact = Fraction((Decimal(y) * Decimal(size).ln()).exp())
    return e.round(exact) | sign


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
