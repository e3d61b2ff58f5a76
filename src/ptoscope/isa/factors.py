"""What the matrix unit multiplies: elements as factors, with their scales, made finite."""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.isa.dtypes import F32, I32, UI32, DType
from ptoscope.isa.formats import FORMATS, converter
from ptoscope.isa.lanes import Lanes

_CUT = 13
"""Bits of the mantissa of an f32 that one of TF32 does not have."""
_TF32_LIMIT = (2 - 2.0**-10) * 2.0**127


def factor(dtype: DType, tf32: str, finite: bool) -> Callable[[Lanes], Lanes]:
    """The factor of each element: i32 of integers, else f32. `tf32` is how f32 is rounded first
    ("off": not at all); `finite`, infinities become the largest number of the type and NaN 0."""
    if dtype.is_int:
        return lambda x: x.cast(I32)
    value = converter(dtype, F32, "R", False)
    limit = FORMATS[dtype].limit
    if tf32 != "off":
        limit = _TF32_LIMIT

    def made(x: Lanes) -> Lanes:
        number = value(x)
        if tf32 != "off":
            number = _tf32(number, away=tf32 == "round_away")
        return _finite(number, limit) if finite else number

    return made


def scaled(value: Callable[[Lanes], Lanes]) -> Callable[[Lanes, Lanes], Lanes]:
    """The same times a scale, a byte for each element: 2 to the byte less 127, 255 is NaN."""

    def made(x: Lanes, scales: Lanes) -> Lanes:
        code = scales.cast(UI32)
        # The smallest power is no normal f32.
        raw = code.eq(0).select(code.const(1 << 22), code << 23)
        scale = raw.bits(F32)
        return value(x) * code.eq(255).select(scale.nan(), scale)

    return made


def finite_result(x: Lanes) -> Lanes:
    """A sum of which infinities become the largest number and NaN 0."""
    return _finite(x, FORMATS[F32].limit)


def _finite(x: Lanes, limit: float) -> Lanes:
    within = x.lesser(x.const(limit)).greater(x.const(-limit))
    return x.isnan().select(x.const(0), within)


def _tf32(x: Lanes, away: bool) -> Lanes:
    """Rounded to the nearest of 10 bits of mantissa, ties to even or away from zero."""
    raw = x.bits(UI32)
    half = 1 << (_CUT - 1)
    more = raw.const(half) if away else ((raw >> _CUT) & 1) + (half - 1)
    rounded = (((raw + more) >> _CUT) << _CUT).bits(F32)
    return x.isnan().select(x.nan(), rounded)
