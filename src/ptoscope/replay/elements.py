"""Elements for people: raw lanes as the numbers they stand for, numbers as text."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ptoscope.arguments import array_dtype
from ptoscope.isa.dtypes import UI8, DType
from ptoscope.isa.formats import FORMATS
from ptoscope.machine.elements import storage
from ptoscope.machine.lanes import NumpyLanes

ElementForm = Literal["value", "hex", "bits"]
"""How an element is written: as a number, or its bits as hexadecimal or binary digits."""
FORMS: tuple[ElementForm, ...] = get_args(ElementForm)


def has_numbers(dtype: DType) -> bool:
    """Whether NumPy knows the numbers of a type: not those that share a byte or have a format of
    their own, which stay the bytes that hold them."""
    return dtype.bits >= 8 and not (dtype.is_float and dtype.array == dtype.storage == "uint8")


def numbers(dtype: DType, lanes: NDArray[np.generic]) -> NDArray[Any]:
    """Lanes as they are held, as an array of the type that callers pass."""
    if dtype.storage == dtype.array or not has_numbers(dtype):
        return lanes
    return lanes.view(array_dtype(dtype))


@cache
def code_numbers(dtype: DType) -> NDArray[np.float64]:
    """The numbers that all codes of a float of 8 or 4 bits stand for."""
    codes = NumpyLanes(np.arange(1 << dtype.bits, dtype=np.uint8), UI8, 1 << dtype.bits)
    decoded = FORMATS[dtype].decode(codes)
    assert isinstance(decoded, NumpyLanes)
    return decoded.a.astype(np.float64)


def as_compared(dtype: DType, elements: NDArray[Any]) -> NDArray[Any]:
    """Elements of a caller's array as they are compared: as numbers where NumPy knows them, else
    as the bytes that hold them."""
    return numbers(dtype, elements.view(storage(dtype)))


def element_texts(
    dtype: DType, lanes: NDArray[np.generic], form: ElementForm = "value"
) -> list[str]:
    """Each lane as text."""
    if form == "value" and dtype.bits == 1:
        return [str(int(lane)) for lane in lanes.tolist()]
    if form == "value" and has_numbers(dtype):
        return [number_text(number) for number in numbers(dtype, lanes).tolist()]
    raw = np.ascontiguousarray(lanes).view(f"u{lanes.itemsize}").tolist()
    if form == "bits":
        return [f"{lane:0{8 * lanes.itemsize}b}" for lane in raw]
    return [f"0x{lane:0{2 * lanes.itemsize}x}" for lane in raw]


def number_text(number: int | float) -> str:
    """A number, a float with seven digits at most."""
    return f"{number:.7g}" if isinstance(number, float) else str(number)
