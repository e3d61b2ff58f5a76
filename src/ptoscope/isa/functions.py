"""Functions written in the lane vocabulary, so that every engine gives the same bits."""

from __future__ import annotations

from ptoscope.isa.dtypes import F64, I32, I64
from ptoscope.isa.lanes import Lanes

LOG2_E = 1.4426950408889634
# ln 2 in two parts: the upper has enough trailing zeros that k * LN2_HIGH is exact.
LN2_HIGH = 0.6931471803691238
LN2_LOW = 1.9082149292705877e-10

# 1/n!: after the reduction |r| <= ln2/2, where the remainder after degree 12 is far below
# half a unit of f32; degree 11 rounds two f32 inputs wrongly.
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
