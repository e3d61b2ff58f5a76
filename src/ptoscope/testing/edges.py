"""Elements of every type as bits: the edge values, and which are no ordinary numbers."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ptoscope.isa.dtypes import ELEMENTS, DType, dtype
from ptoscope.isa.formats import FORMATS, Tapered
from ptoscope.machine.elements import raw_dtype, storage
from ptoscope.replay.elements import code_numbers, numbers


def element_type(given: object) -> DType:
    """The element type of a name (`f32`, `bf16`), of a scalar type of `pto`, or itself;
    ValueError for another."""
    found = getattr(given, "dtype", given)
    if isinstance(found, str):
        try:
            found = dtype(found)
        except KeyError:
            found = None
    if isinstance(found, DType) and found in ELEMENTS:
        return found
    known = ", ".join(one.name for one in ELEMENTS)
    raise ValueError(f"{given!r} is no type of elements; there are {known}")


def values_of(element: DType, raw: Any) -> Any:
    """The numbers that bits stand for; of a byte with two elements the lower one."""
    if element.is_int:
        return raw.view(storage(element))
    if element.bits > 8:
        with np.errstate(all="ignore"):
            return numbers(element, raw.view(storage(element))).astype(np.float64)
    return code_numbers(element)[raw & ((1 << element.bits) - 1)]


@cache
def edge_bits(element: DType) -> Any:
    """The bits of the values where things go wrong, the simplest first: zeros, ones, the extremes
    and their neighbours; of floats infinities, NaN and subnormals, too."""
    bits = 8 * element.bytes
    sign = 1 << (bits - 1)
    if element.is_int:
        near = (0, 1, -1, 2, -2, sign, sign - 1, sign + 1, bits - 1, bits, bits + 1)
        found = [bit % (1 << bits) for bit in near]
    elif element.bits == 4:
        found = [low | high << 4 for low in (0, 1, 2, 7, 8, 9, 15) for high in (0, 2, 7, 8, 15)]
    else:
        found = [code | side for code in _float_codes(element) for side in (0, sign)]
    return np.array(list(dict.fromkeys(found)), raw_dtype(element))


def _float_codes(element: DType) -> list[int]:
    """The codes of the positive edges of a float of 8 bits or more."""
    half = 1 << (element.bits - 1)
    format = FORMATS[element]
    if isinstance(format, Tapered):
        # Its codes do not rise with the value.
        values = code_numbers(element)[:half]
        by_size = sorted((c for c in range(half) if np.isfinite(values[c])), key=values.__getitem__)
        one = int(np.flatnonzero(values == 1)[0])
        return [0, one, *by_size[1:4], *by_size[-2:], format.beyond, format.nan & (half - 1)]
    normal, one = 1 << format.mantissa, format.bias << format.mantissa
    around_one = (0, one, one - 1, one + 1, one | normal >> 1)
    small = (1, normal - 1, normal)
    large = (format.highest, format.beyond, format.nan, format.beyond + 1)
    return [code for code in (*around_one, *small, *large) if code < half]
