"""Functions written in the lane vocabulary, so that every engine gives the same bits."""

from __future__ import annotations

from typing import Literal

from ptoscope.isa.dtypes import F32, F64, I32, I64, DType
from ptoscope.isa.lanes import Lanes, odd_sum

FloatRounding = Literal["to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away"]
"""How a float becomes a narrower one, in the order of MLIR's numbers for it."""

LOG2_E = 1.4426950408889634
# ln 2 in two parts: the upper has enough trailing zeros that k * LN2_HIGH is exact.
LN2_HIGH = 0.6931471803691238
LN2_LOW = 1.9082149292705877e-10

# 1/n!: after the reduction |r| <= ln2/2, where the remainder after degree 12 is far below
# half a unit of f32; degree 11 rounds two f32 inputs wrongly.
ONE_BITS = 0x3FF0000000000000
ROOT_HALF_BITS = 0x3FE6A09E667F3BCD

# 1/(2n + 1): |s| <= 0.1716, so that the remainder is far below half a unit of f32.
_LOG_TERMS = tuple(1.0 / (2 * n + 1) for n in range(14))

_EXP_TERMS = (
    1.0,
    1.0,
    0.5,
    0.16666666666666666,
    0.041666666666666664,
    0.008333333333333333,
    0.001388888888888889,
    0.0001984126984126984,
    2.48015873015873e-05,
    2.7557319223985893e-06,
    2.755731922398589e-07,
    2.505210838544172e-08,
    2.08767569878681e-09,
)


def relu(x: Lanes) -> Lanes:
    """x where it is greater than 0, else 0; NaN gives 0."""
    return (x > 0).select(x, x.const(0))


def leaky_relu(x: Lanes, slope: Lanes) -> Lanes:
    """x where it is at least 0, else slope times x; NaN gives slope times NaN."""
    return (x >= 0).select(x, slope * x)


def narrowed(x: Lanes, dtype: DType, mode: FloatRounding) -> Lanes:
    """A float in a narrower type, rounded once as the mode says; NaN is the canonical one."""
    near = x.cast(dtype)
    back, raw = near.cast(x.dtype), near.as_unsigned()
    is_negative = (raw >> (dtype.bits - 1)).ne(0)
    # Codes without their sign rise with the magnitude, from the largest number to infinity too.
    outward, inward = raw + 1, raw - 1
    match mode:
        case "to_nearest_even":
            return near
        case "toward_zero":
            made = (back.abs() > x.abs()).select(inward, raw)
        case "downward":
            made = (back > x).select(is_negative.select(outward, inward), raw)
        case "upward":
            made = (back < x).select(is_negative.select(inward, outward), raw)
        case "to_nearest_away":
            # Half way, where the even one is nearer to zero.
            size, other = x.abs(), outward.bits(dtype).cast(x.dtype).abs()
            made = (size - back.abs()).eq(other - size).select(outward, raw)
    return made.bits(dtype)


def fma(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """a * b + c of f32, f16 or bf16, rounded once."""
    return a.fused(b, c) if a.dtype is F32 else a.exactly_fused(b, c)


def log(x: Lanes) -> Lanes:
    """The natural logarithm of f16 or f32: evaluated in f64, rounded once to the type of x.

    x = m * 2**k with m in [sqrt(1/2), sqrt(2)); then ln m = 2 atanh(s), s = (m - 1) / (m + 1).
    """
    wide = x.cast(F64)
    raw = wide.bits(I64)
    # Adding the difference to sqrt(1/2) carries into the exponent where m would be too small.
    shifted = raw + (ONE_BITS - ROOT_HALF_BITS)
    k = (shifted >> 52) - 1023
    mantissa = ((shifted & ((1 << 52) - 1)) + ROOT_HALF_BITS).bits(F64)
    s = (mantissa - 1.0) / (mantissa + 1.0)
    square = s * s
    series = square.const(_LOG_TERMS[-1])
    for term in reversed(_LOG_TERMS[:-1]):
        series = series * square + term
    k_wide = k.cast(I32).cast(F64)
    # To odd: some logarithms of f32 lie within 0.03 units of f64 of the middle of two f32.
    value = odd_sum(k_wide * LN2_HIGH, (s + s) * series + k_wide * LN2_LOW)
    result = value.cast(x.dtype)
    result = (x.eq(float("inf"))).select(x, result)
    result = x.eq(0).select(x.const(float("-inf")), result)
    return ((x < 0) | x.isnan()).select(x.nan(), result)


def exp(x: Lanes) -> Lanes:
    """e to the x of f16 or f32: evaluated in f64, rounded once to the type of x."""
    wide = x.cast(F64)
    # Beyond these bounds every f16 and f32 result is 0 or infinite, and 2**k stays an f64.
    bounded = wide.lesser(wide.const(100.0)).greater(wide.const(-120.0))
    k = (bounded * LOG2_E).rint()
    r = (bounded - k * LN2_HIGH) - k * LN2_LOW
    power = r.const(_EXP_TERMS[-1])
    for term in reversed(_EXP_TERMS[:-1]):
        power = power * r + term
    scale = ((k.cast(I32).cast(I64) + 1023) << 52).bits(F64)
    return x.isnan().select(x.nan(), (power * scale).cast(x.dtype))
