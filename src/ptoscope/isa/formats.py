"""Number formats: exact values, rounded once, in the lane vocabulary.

Every conversion goes the same way. A source becomes a `Number`: a whole significand and
exponents, exact. A `Format` says how many bits of it survive and how they are written. The
only place where anything is rounded is `round_off` (and `whole`, to a whole float).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ptoscope.isa.dtypes import (
    BF16,
    F4E1M2,
    F4E2M1,
    F8E4M3,
    F8E5M2,
    F16,
    F32,
    HIF8,
    I32,
    SI32,
    SI64,
    UI8,
    UI32,
    UI64,
    DType,
    signed,
    unsigned,
)
from ptoscope.isa.lanes import Lanes

Rounding = Literal["R", "A", "F", "C", "Z", "O"]
"""Nearest with ties to even, nearest with ties away from zero, floor, ceiling, toward zero,
to odd."""
ROUNDINGS: tuple[Rounding, ...] = ("R", "A", "F", "C", "Z", "O")


@dataclass(frozen=True)
class Number:
    """Finite lanes taken apart: (-1)^negative * significand * 2^unit, exactly.

    `top` is the exponent of the leading bit. For an f32 subnormal it is that of the smallest
    normal, which is below or at the smallest normal of every format here. All but `negative`
    are integers of one width, the significand unsigned, the exponents signed.
    """

    negative: Lanes
    significand: Lanes
    unit: Lanes
    top: Lanes


def of_float(x: Lanes) -> Number:
    """The parts of f32 lanes. Infinities and NaN come out as large finite numbers."""
    raw = x.bits(UI32)
    biased = ((raw >> 23) & 0xFF).bits(SI32)
    normal = biased > 0
    exponent = normal.select(biased, biased.const(1))
    hidden = normal.select(raw.const(1 << 23), raw.const(0))
    return Number((raw >> 31).ne(0), (raw & 0x7FFFFF) | hidden, exponent - 150, exponent - 127)


def of_integer(x: Lanes) -> Number:
    """The parts of integers up to si64."""
    wide = x.cast(SI64)
    size = wide.abs().bits(UI64)
    # f32 may round up to the next power of two: then the leading bit is one below.
    near = (size.cast(F32).bits(UI32) >> 23).cast(SI64) - 127
    beyond = (size.const(1) << near.bits(UI64)) > size
    return Number(wide < 0, size, wide.const(0), beyond.select(near - 1, near))


def round_off(value: Lanes, places: Lanes, rnd: Rounding, negative: Lanes) -> Lanes:
    """An unsigned value without its lowest places, rounded. `places` is of the same type and
    may be any number, also more than the width."""
    kept = value >> places
    inexact = (kept << places).ne(value)
    if rnd == "Z":
        return kept
    if rnd == "O":
        return kept | inexact.cast(value.dtype)
    if rnd == "F":
        up = inexact & negative
    elif rnd == "C":
        up = inexact & ~negative
    else:
        # Without places to drop, `below` wraps to a huge amount and the half is 0.
        below = places - 1
        half = ((value >> below) & 1).ne(0)
        if rnd == "A":
            up = half
        else:
            rest = (value & ((value.const(1) << below) - 1)).ne(0)
            up = half & (rest | (kept & 1).ne(0))
    return kept + up.cast(value.dtype)


@dataclass(frozen=True)
class Format:
    """A float format whose magnitudes are codes that rise with the value.

    `highest` is the code of the largest finite magnitude, `beyond` what overflow gives
    (infinity; NaN or the largest number in formats without one), `nan` what NaN gives.
    """

    dtype: DType
    mantissa: int
    bias: int
    highest: int
    beyond: int
    nan: int

    @property
    def lowest(self) -> int:
        """The exponent of the smallest normal."""
        return 1 - self.bias

    @property
    def limit(self) -> float:
        """The largest finite number."""
        stored, fraction = divmod(self.highest, 1 << self.mantissa)
        return (1 + fraction / (1 << self.mantissa)) * 2.0 ** (stored - self.bias)

    @property
    def raw(self) -> DType:
        """The unsigned integer that holds a code; of a 4-bit format a byte."""
        return unsigned(8 * self.dtype.bytes)

    def encode(self, number: Number, rnd: Rounding) -> Lanes:
        """Codes of finite numbers, as `raw` lanes. Overflow goes to `beyond` where the mode
        rounds away from zero, else to the largest finite number, as IEEE 754 says."""
        exponent = number.top.greater(number.top.const(self.lowest))
        mantissa = self.width(exponent)
        places = exponent - mantissa - number.unit
        none = places.const(0)
        kind = number.significand.dtype
        kept = round_off(
            number.significand, places.greater(none).bits(kind), rnd, number.negative
        ) << (none - places).greater(none).bits(kind)
        code, over = self.assemble(exponent, mantissa, kept)
        code = over.select(self._overflow(code, rnd, number.negative), code).cast(self.raw)
        return code | self.sign(number.negative, code)

    def width(self, exponent: Lanes) -> Lanes:
        """How many mantissa bits a number of that exponent keeps."""
        return exponent.const(self.mantissa)

    def assemble(self, exponent: Lanes, mantissa: Lanes, kept: Lanes) -> tuple[Lanes, Lanes]:
        """The code of kept * 2^(exponent - mantissa), and where that is too large."""
        # The hidden bit of a normal, and a carry out of the mantissa, add one to the exponent.
        code = ((exponent - self.lowest).bits(kept.dtype) << self.mantissa) + kept
        return code, code > self.highest

    def _overflow(self, code: Lanes, rnd: Rounding, negative: Lanes) -> Lanes:
        away, cut = code.const(self.beyond), code.const(self.highest)
        if rnd in ("R", "A"):
            return away
        if rnd in ("Z", "O"):
            return cut
        return negative.select(away, cut) if rnd == "F" else negative.select(cut, away)

    def sign(self, negative: Lanes, code: Lanes) -> Lanes:
        """The sign bit of a code."""
        return negative.cast(code.dtype) << (self.dtype.bits - 1)

    def decode(self, code: Lanes) -> Lanes:
        """The f32 that each `raw` code of a format narrower than f16 stands for, exactly."""
        bits = self.dtype.bits
        wide = code.cast(UI32)
        size = wide & ((1 << (bits - 1)) - 1)
        # As an f32 of the same fields the number is off by the biases alone, subnormals too.
        value = (size << (23 - self.mantissa)).bits(F32) * 2.0 ** (127 - self.bias)
        last = self.highest
        if self.beyond not in (self.highest, self.nan):
            value = size.eq(self.beyond).select(value.const(float("inf")), value)
            last = self.beyond
        value = (value.bits(UI32) | ((wide >> (bits - 1)) << 31)).bits(F32)
        return (size > last).select(value.nan(), value)


@dataclass(frozen=True)
class Band:
    """Codes of a tapered format: a prefix, then the sign and lower bits of the exponent's
    magnitude (whose leading 1 is not stored), then the mantissa."""

    prefix: int
    exponent: int
    mantissa: int

    @property
    def first(self) -> int:
        """The smallest magnitude of an exponent in it."""
        return 1 << (self.exponent - 1) if self.exponent else 0

    @property
    def last(self) -> int:
        """The largest one."""
        return (1 << self.exponent) - 1

    @property
    def taken(self) -> int:
        """The bits of a code that are not the prefix."""
        return (1 << (self.exponent + self.mantissa)) - 1


@dataclass(frozen=True)
class Tapered(Format):
    """HiFloat8: fewer mantissa bits the farther the exponent is from 0.

    Below the bands come the powers of two from 2^(1 - bias) up, numbered from 1. There is one
    zero; the code that would be the negative one is NaN.
    """

    bands: tuple[Band, ...] = ()

    @property
    def limit(self) -> float:
        return 2.0 ** self.bands[0].last

    def width(self, exponent: Lanes) -> Lanes:
        size, width = exponent.abs(), exponent.const(0)
        for band in self.bands:
            inside = (size >= band.first) & (size <= band.last)
            width = inside.select(width.const(band.mantissa), width)
        return width

    def assemble(self, exponent: Lanes, mantissa: Lanes, kept: Lanes) -> tuple[Lanes, Lanes]:
        kind = kept.dtype
        wide = mantissa.bits(kind)
        # A carry out of the mantissa leaves its bits zero in whatever band it ends.
        exponent = exponent + (kept >> (wide + 1)).bits(signed(kind.bits))
        fraction = kept & ((kept.const(1) << wide) - 1)
        size, negative = exponent.abs().bits(kind), (exponent < 0).cast(kind)
        code = kept.ne(0).select((exponent + self.bias).bits(kind), kept)
        for band in self.bands:
            inside = (size >= band.first) & (size <= band.last)
            written = fraction | band.prefix
            if band.exponent:
                stored = (size - band.first) | (negative << (band.exponent - 1))
                written = written | (stored << band.mantissa)
            code = inside.select(written, code)
        over = (exponent > self.bands[0].last) | code.eq(self.beyond)
        return code, over

    def sign(self, negative: Lanes, code: Lanes) -> Lanes:
        return super().sign(negative & code.ne(0), code)

    def decode(self, code: Lanes) -> Lanes:
        wide = code.cast(UI32)
        size = wide & 0x7F
        number = size.bits(I32)
        value = _float(number - self.bias, number.const(0))
        for band in self.bands:
            exponent = number.const(0)
            if band.exponent:
                low = (number >> band.mantissa) & (band.first - 1)
                negative = ((number >> (band.mantissa + band.exponent - 1)) & 1).ne(0)
                exponent = low + band.first
                exponent = negative.select(-exponent, exponent)
            fraction = (number & ((1 << band.mantissa) - 1)) << (23 - band.mantissa)
            inside = (size & (0x7F ^ band.taken)).eq(band.prefix)
            value = inside.select(_float(exponent, fraction), value)
        value = size.eq(0).select(value.const(0), value)
        value = size.eq(self.beyond).select(value.const(float("inf")), value)
        value = (value.bits(UI32) | ((wide >> 7) << 31)).bits(F32)
        return wide.eq(self.nan).select(value.nan(), value)


def _float(exponent: Lanes, fraction: Lanes) -> Lanes:
    """The normal f32 of an exponent and its stored 23 mantissa bits."""
    return (((exponent + 127) << 23) | fraction).bits(F32)


FORMATS: dict[DType, Format] = {
    f.dtype: f
    for f in (
        Format(F32, 23, 127, 0x7F7FFFFF, 0x7F800000, 0x7FC00000),
        Format(F16, 10, 15, 0x7BFF, 0x7C00, 0x7E00),
        Format(BF16, 7, 127, 0x7F7F, 0x7F80, 0x7FC0),
        Format(F8E5M2, 2, 15, 0x7B, 0x7C, 0x7E),
        # No infinity: the one code left above the largest number is NaN.
        Format(F8E4M3, 3, 7, 0x7E, 0x7F, 0x7F),
        # Neither infinity nor NaN.
        Format(F4E2M1, 1, 1, 0x7, 0x7, 0),
        Format(F4E1M2, 2, 1, 0x7, 0x7, 0),
        Tapered(
            HIF8,
            mantissa=3,
            bias=23,
            highest=0x6E,
            beyond=0x6F,
            nan=0x80,
            bands=(
                Band(0x60, 4, 1),
                Band(0x40, 3, 2),
                Band(0x20, 2, 3),
                Band(0x10, 1, 3),
                Band(0x08, 0, 3),
            ),
        ),
    )
}
NATIVE = (F32, F16, BF16)
"""Formats whose casts to nearest even are primitives of the lane vocabulary."""


def whole(x: Lanes, rnd: Rounding) -> Lanes:
    """f32 lanes rounded to whole numbers that keep their sign; NaN is the canonical one."""
    if rnd == "R":
        return x.rint()
    if rnd == "F":
        return x.floor()
    ceiling = -((-x).floor())
    if rnd == "C":
        return x.isnan().select(x.nan(), ceiling)
    negative = x < 0
    cut = negative.select(ceiling, x.floor())
    if rnd == "Z":
        return cut
    away = cut + negative.select(x.const(-1), x.const(1))
    if rnd == "A":
        return ((x - cut).abs() >= 0.5).select(away, cut)
    half = cut * 0.5
    return (cut.ne(x) & half.eq(half.floor())).select(away, cut)


def bounds(element: DType) -> tuple[int, int]:
    """The smallest and largest number of an integer type."""
    if element.signed:
        return -(1 << (element.bits - 1)), (1 << (element.bits - 1)) - 1
    return 0, (1 << element.bits) - 1


def _to_integer(x: Lanes, target: DType, rnd: Rounding, saturate: bool) -> Lanes:
    """f32 to an integer type. Saturated: the nearer end, NaN as 0. Otherwise the low bits of
    the rounded number; of infinities and NaN as of every large power of two, 0."""
    least, most = bounds(target)
    if saturate and target.bits <= 16:
        # f32 holds both ends, and no rounding leads out of them again.
        ends = x.const(float(least)), x.const(float(most))
        inside = x.isnan().select(x.const(0), x.greater(ends[0]).lesser(ends[1]))
        return whole(inside, rnd).cast(target)
    number = whole(x, rnd)
    if not saturate:
        modulus = 2.0**target.bits
        # Exact: powers of two scale, and the difference is the lower bits of the number.
        low = number - whole(number * (1 / modulus), "Z") * modulus
        low = low.isnan().select(low.const(0), low)
        size = low.abs().cast(UI64)
        return (low < 0).select(-size, size).cast(target)
    low, high = float(least), float(most + 1)
    inside = (number >= low) & (number < high)
    wide = SI32 if most < 1 << 31 else SI64
    value = inside.select(number, number.const(0)).cast(wide).cast(target)
    value = (number >= high).select(value.const(most), value)
    return (number < low).select(value.const(least), value)


def _between_integers(x: Lanes, target: DType, saturate: bool) -> Lanes:
    if saturate:
        # The common range: its ends are numbers of the source type.
        (least, most), (low, high) = bounds(x.dtype), bounds(target)
        x = x.greater(x.const(max(least, low))).lesser(x.const(min(most, high)))
    return x.cast(target)


def _to_float(x: Lanes, target: Format, rnd: Rounding, saturate: bool) -> Lanes:
    """f32 to any format. Saturated: NaN is 0 and the rest stays within the finite numbers."""
    nan = x.isnan()
    if saturate:
        x = nan.select(x.const(0), x)
        x = x.lesser(x.const(target.limit)).greater(x.const(-target.limit))
    if rnd == "R" and target.dtype in NATIVE:
        return x.cast(target.dtype)
    code = target.encode(of_float(x), rnd)
    if not saturate:
        beyond = code.const(target.beyond) | target.sign(x < 0, code.const(target.beyond))
        code = x.abs().eq(float("inf")).select(beyond, code)
        code = nan.select(code.const(target.nan), code)
    return code.bits(target.dtype) if target.dtype.bits >= 8 else code


def converter(
    source: DType, target: DType, rnd: Rounding, saturate: bool
) -> Callable[[Lanes], Lanes]:
    """The conversion of lanes one by one. A 4-bit float is a byte with its code here."""
    if source.is_int and target.is_int:
        return lambda x: _between_integers(x, target, saturate)
    if source.is_int:
        form = FORMATS[target]
        if rnd == "R":
            return lambda x: x.cast(target)
        return lambda x: form.encode(of_integer(x), rnd).bits(target)
    decode = _decoder(source)
    if target.is_int:
        return lambda x: _to_integer(decode(x), target, rnd, saturate)
    return lambda x: _to_float(decode(x), FORMATS[target], rnd, saturate)


def _decoder(source: DType) -> Callable[[Lanes], Lanes]:
    if source in NATIVE:
        return lambda x: x.cast(F32)
    return lambda x: FORMATS[source].decode(x.bits(UI8))
