"""Conversions of raw bits from exact numbers, with none of the product's arithmetic.

A float format is the list of its values. A number between two of them goes where the mode
says: the comparison of its distances is exact, because all sources here are f32 values held
in f64 and every gap but the lowest is at most as wide as its lower end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from tests.isa.elements import NARROW, Element

MODES = ("R", "A", "F", "C", "Z", "O")
FORMATS = ("f32", "f16", "bf16", *NARROW)

_ML = {
    "bf16": ml_dtypes.bfloat16,
    "f8e4m3": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2,
    "f4e2m1": ml_dtypes.float4_e2m1fn,
}
_DOTS = {"11": 4, "10": 3, "01": 2, "001": 1, "0001": 0}


def hif8_magnitude(code: int) -> float:
    """The white paper's definition: dot, exponent and mantissa fields of seven bits."""
    bits = f"{code:07b}"
    if code == 0b1101111:
        return float("inf")
    if bits.startswith("0000"):
        return 2.0 ** (code - 23) if code else 0.0
    dot = next(d for d in _DOTS if bits.startswith(d))
    width = _DOTS[dot]
    exponent, mantissa = bits[len(dot) :][:width], bits[len(dot) + width :]
    # The sign of the exponent, then its magnitude without the leading 1.
    size = int("1" + exponent[1:], 2) if exponent else 0
    power = -size if exponent.startswith("1") else size
    return 2.0**power * (1 + int(mantissa, 2) / 2 ** len(mantissa))


@cache
def numbers(name: str) -> Any:
    """What every code of a format narrower than f32 stands for, as f64."""
    if name == "hif8":
        sizes = np.array([hif8_magnitude(c) for c in range(128)])
        signed = np.concatenate([sizes, -sizes])
        signed[128] = np.nan
        return signed
    if name == "f4e1m2":
        sizes = np.arange(8) / 4
        return np.concatenate([sizes, -sizes])
    width = Element(name).bits
    codes = np.arange(16 if name.startswith("f4") else 1 << width).astype(f"uint{width}")
    with np.errstate(invalid="ignore"):
        return codes.view(_ML.get(name, np.float16)).astype(np.float64)


@dataclass(frozen=True)
class Grid:
    """The non-negative values of a format in rising order with their codes, then the next one
    that its last step would lead to."""

    values: Any
    codes: Any
    odd: Any
    sign: int
    beyond: int
    nan: int
    one_zero: bool = False

    @property
    def limit(self) -> float:
        """The largest finite number."""
        return float(self.values[-3])


@cache
def grid(name: str) -> Grid:
    """The values of a format narrower than f32."""
    known = numbers(name)
    half = len(known) // 2
    sizes = known[:half]
    finite = np.flatnonzero(np.isfinite(sizes))
    codes = finite[np.argsort(sizes[finite], kind="stable")]
    values = sizes[codes]
    # hif8 has one mantissa bit at its top, where its largest number is a power of two.
    step = 2.0**14 if name == "hif8" else values[-1] - values[-2]
    special = np.flatnonzero(np.isinf(sizes))
    nans = {"f16": 0x7E00, "bf16": 0x7FC0, "f8e4m3": 0x7F, "f8e5m2": 0x7E, "hif8": 0x80}
    overflow = {"f8e4m3": 0x7F, "f4e1m2": 7, "f4e2m1": 7}
    # The powers of two below its bands have one bit, the leading 1.
    odd = codes % 2 == 1 if name != "hif8" else (codes % 2 == 1) | ((codes > 0) & (codes < 8))
    return Grid(
        np.append(values, [values[-1] + step, np.inf]),
        np.append(codes, [0, 0]),
        np.append(odd, [True, True]),
        half,
        int(special[0]) if len(special) else overflow[name],
        nans.get(name, 0),
        name == "hif8",
    )


def _goes_up(mode: str, negative: Any, odd: Any, below: Any, above: Any) -> Any:
    """Whether a magnitude goes to the value above it; `below` and `above` are its distances
    from its neighbours, `odd` whether the lower one ends in a 1. Of numbers or of arrays."""
    inexact = below > 0
    if mode == "R":
        return (below > above) | ((below == above) & odd)
    if mode == "A":
        return below >= above
    if mode == "O":
        return inexact & (odd ^ True)
    return inexact & {"F": negative, "C": negative ^ True, "Z": False}[mode]


def to_float(x: Any, name: str, mode: str, saturate: bool) -> Any:
    """f32 values as f64, to the codes of a narrower format."""
    g = grid(name)
    negative = np.signbit(x)
    nan = np.isnan(x)
    size = np.where(nan, 0.0, np.abs(x))
    infinite = np.isinf(size)
    finite = np.where(infinite, 0.0, size)
    last = len(g.values) - 3
    index = np.minimum(np.searchsorted(g.values, finite, side="right") - 1, last + 1)
    with np.errstate(invalid="ignore"):
        below, above = finite - g.values[index], g.values[index + 1] - finite
    index = index + _goes_up(mode, negative, g.odd[index], below, above)
    over = (index > last) | infinite
    cut = {"R": False, "A": False, "Z": True, "O": True, "F": ~negative, "C": negative}[mode]
    stays = np.full(x.shape, True) if saturate else cut & ~infinite
    code = g.codes[np.minimum(index, last)]
    code = np.where(over, np.where(stays, g.codes[last], g.beyond), code)
    signed = negative & (code != 0) if g.one_zero else negative
    code = np.where(signed, code | g.sign, code)
    return np.where(nan, 0 if saturate else g.nan, code)


def whole(x: float, mode: str) -> int:
    """A finite number rounded to an integer."""
    n, d = abs(x).as_integer_ratio()
    size, rest = divmod(n, d)
    size += bool(_goes_up(mode, x < 0, size % 2 == 1, 2 * rest, 2 * (d - rest)))
    return -size if x < 0 else size


def bounds(e: Element) -> tuple[int, int]:
    """The ends of an integer type."""
    return (-e.sign, e.sign - 1) if e.signed else (0, e.full)


def fit(numbers: Sequence[int], e: Element, saturate: bool) -> list[int]:
    """Integers as raw bits of a type."""
    low, high = bounds(e)
    full = e.full
    if saturate:
        numbers = [low if n < low else min(n, high) for n in numbers]
    return [n & full for n in numbers]


def to_integers(numbers: list[float], mode: str) -> list[int]:
    """Rounded integers. NaN is 0, and infinity a power of two larger than any type."""
    huge = {float("inf"): 1 << 200, float("-inf"): -1 << 200}
    return [0 if x != x else huge[x] if x in huge else whole(x, mode) for x in numbers]


def from_integer(number: int, precision: int, mode: str) -> float:
    """An integer rounded to so many bits."""
    unit = 1 << max(abs(number).bit_length() - precision, 0)
    size, rest = divmod(abs(number), unit)
    size += bool(_goes_up(mode, number < 0, size % 2 == 1, rest, unit - rest))
    return float(-size * unit if number < 0 else size * unit)
