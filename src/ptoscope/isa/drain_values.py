"""What becomes of a result on its way out of L0C: it is scaled, cut, clipped and converted.

The order is that of the documents: pre_quant, pre_relu, clip, and the conversion to the type of
the destination. All of it up to the conversion is f32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ptoscope.isa.dtypes import (
    BF16,
    F8E4M3,
    F8E5M2,
    F16,
    F32,
    HIF8,
    I16,
    I32,
    INTS8,
    SI8,
    SI16,
    SI32,
    UI8,
    UI16,
    UI32,
    DType,
)
from ptoscope.isa.formats import Rounding, converter
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site

NONE = "none"
RELU_MODES = ("no_relu", "normal_relu", "scalar_relu", "vector_relu")
SAT_MODES = ("sat", "nosat", "sat_preserve_nan")
_INT32, _INT16 = (I32, SI32), (I16, SI16)
_SCALE_BITS = 0xFFFFE000
"""The bits of a parameter that are its scale: those of an f32 with a fraction of 10 bits."""
_OFFSET_AT, _OFFSET_BITS, _SIGN_AT = 37, 9, 46


class QuantMode(NamedTuple):
    """What a mode of pre_quant makes of what. One without a payload of its own only converts;
    one of integers has an offset, and of 8 bits a sign. `half` says that the result is rounded to
    f16 first."""

    sources: tuple[DType, ...]
    targets: tuple[DType, ...]
    scales: bool = True
    vector: bool = False
    half: bool = False

    @property
    def to_integers(self) -> bool:
        return self.targets[0].is_int


_FAMILIES: Mapping[str, QuantMode] = {
    "qf322hif8_pre": QuantMode((F32,), (HIF8,)),
    "deqs32_int": QuantMode(_INT32, _INT32),
    "req8": QuantMode(_INT32, INTS8),
    "deqf16": QuantMode(_INT32, (F16,)),
    "qf322fp8_pre": QuantMode((F32,), (F8E4M3, F8E5M2)),
    "qf322f32_pre": QuantMode((F32,), (F32,)),
    "qf162b8_pre": QuantMode((F32,), INTS8, half=True),
    "qf322b8_pre": QuantMode((F32,), INTS8),
    "deqs16": QuantMode(_INT32, _INT16),
    "qf162s16_pre": QuantMode(_INT32, _INT16, half=True),
    "qf322f16_pre": QuantMode((F32,), (F16,)),
    "qf322bf16_pre": QuantMode((F32,), (BF16,)),
    "qs322bf16_pre": QuantMode(_INT32, (BF16,)),
}
MODES: Mapping[str, QuantMode] = {
    "f32_f16": QuantMode((F32,), (F16,), scales=False),
    "f32_bf16": QuantMode((F32,), (BF16,), scales=False),
    **{
        f"{name}_{kind}": mode._replace(vector=kind == "vec")
        for name, mode in _FAMILIES.items()
        for kind in ("vec", "scalar")
    },
}
"""The modes that a document defines."""
UNDEFINED: Mapping[str, str] = {
    **{
        f"qf322hif8_pre_hybrid_{kind}": "no document says what its hybrid rounding is"
        for kind in ("vec", "scalar")
    },
    **{
        f"{name}_{kind}": "it makes 4-bit integers, which no type of an element is"
        for name in ("qf162s4_pre", "qf322s4_pre", "req4")
        for kind in ("vec", "scalar")
    },
}
"""The modes that cannot be executed, and why."""
PLAIN = {F32: (F32, F16, BF16), I32: _INT32, SI32: _INT32}
"""What a result becomes without pre_quant."""
CLIPPED = (F16, *INTS8, *_INT16)
"""The destinations of which numbers can be clipped."""


def modes_of(source: DType, target: DType) -> tuple[str, ...]:
    """The modes that make one type of another."""
    made = [n for n, m in MODES.items() if source in m.sources and target in m.targets]
    return (*([NONE] if target in PLAIN[source] else []), *made)


class DrainRecipe(NamedTuple):
    """All that decides what becomes of a result before anything runs."""

    source: DType
    target: DType
    quant: str
    relu: str
    clips: bool
    sat: str

    @property
    def mode(self) -> QuantMode | None:
        """What pre_quant does."""
        return MODES.get(self.quant)

    @property
    def scaled_by_column(self) -> bool:
        return self.mode is not None and self.mode.vector

    @property
    def scaled(self) -> bool:
        """Whether one scale serves all."""
        return self.mode is not None and self.mode.scales and not self.mode.vector

    @property
    def asks_outside(self) -> bool:
        """Whether the control register says what becomes of numbers beyond the format."""
        return self.sat == NONE and self.target.is_float and self.target is not F32

    @property
    def moves_bits(self) -> bool:
        """Whether nothing becomes of it."""
        same = self.source.bits == self.target.bits and self.mode is None
        return same and self.relu in (NONE, "no_relu") and not self.clips


def recipe(site: Site, source: DType, target: DType) -> DrainRecipe:
    """What a use says of its results."""
    quant, relu, sat = (
        str(site.attrs[name]) for name in ("pre_quant_mode", "pre_relu_mode", "sat")
    )
    clips = any(keyword == "clip" for keyword, _ in site.segments)
    return DrainRecipe(source, target, quant, relu, clips, sat)


def conversion(how: DrainRecipe) -> Callable[[Lanes, tuple[Lanes, ...]], Lanes]:
    """What becomes of a row of results. The values with it: words of scales and of factors of
    each column, the scale and the factor of all, the clip, and the two fields of the control
    register; each only where the recipe has it."""

    def convert(x: Lanes, given: tuple[Lanes, ...]) -> Lanes:
        values = iter(given)
        words = next(values) if how.scaled_by_column else None
        factors = next(values) if how.relu == "vector_relu" else None
        y = x
        if how.mode is not None:
            y = (x.cast(F16) if how.mode.half else x).cast(F32)
        if words is not None:
            y = _offset(how, y * _scale(words.cast(UI32)), words)
        elif how.scaled:
            y = y * next(values)
        y = _cut(how, y, factors, values)
        if how.clips:
            clip = next(values)
            y = (y > clip).select(clip, y)
        return _converted(how, y, words, values)

    return convert


def _scale(words: Lanes) -> Lanes:
    return (words & _SCALE_BITS).bits(F32)


def _offset(how: DrainRecipe, y: Lanes, words: Lanes) -> Lanes:
    """With the offset of each column, where integers are made."""
    assert how.mode is not None
    if not how.mode.to_integers:
        return y
    above = 32 - _OFFSET_BITS
    field = ((words >> _OFFSET_AT).cast(UI32) << above).bits(SI32) >> above
    return y + field.cast(F32)


def _cut(how: DrainRecipe, y: Lanes, factors: Lanes | None, values: Iterator[Lanes]) -> Lanes:
    """pre_relu."""
    if how.relu == "normal_relu":
        return y.greater(y.const(0))
    if how.relu == "scalar_relu":
        return (y >= 0).select(y, y * next(values))
    if factors is not None:
        return (y >= 0).select(y, y * _scale(factors))
    return y


def _converted(how: DrainRecipe, y: Lanes, words: Lanes | None, values: Iterator[Lanes]) -> Lanes:
    target = how.target
    if target is F32 or y.dtype.is_int:
        return y.bits(target)
    if target.is_int:
        if words is None or target.bits != 8:
            return converter(F32, target, "R", True)(y)
        signed, other = (converter(F32, d, "R", True)(y).bits(UI8) for d in (SI8, UI8))
        return ((words >> _SIGN_AT) & 1).ne(0).select(signed, other).bits(target)
    rounding: Rounding = "A" if target is HIF8 else "R"
    kept = converter(F32, target, rounding, False)(y)
    if how.sat == "nosat":
        return kept
    limited = converter(F32, target, rounding, True)(y)
    if how.sat == "sat":
        return limited
    with_nan = y.isnan().select(kept, limited)
    if how.sat == "sat_preserve_nan":
        return with_nan
    nosat, keeps = next(values), next(values)
    return nosat.ne(0).select(kept, keeps.ne(0).select(with_nan, limited))


def clip_value(clip: Lanes, target: DType) -> Lanes:
    """The clip as f32: one of unsigned numbers has no sign."""
    return (clip.bits(UI16) if target is UI8 and clip.dtype.bits == 16 else clip).cast(F32)
