"""What a value holds in a plain run, as NumPy has it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ptoscope.arguments import array_dtype
from ptoscope.isa.dtypes import DType
from ptoscope.isa.types import Mask, Scalar, Type, VReg
from ptoscope.machine.elements import storage
from ptoscope.machine.lanes import NumpyLanes
from ptoscope.machine.shown import elements


def contents(kind: Type, handle: object) -> Any:
    """The lanes of a vector, those of a mask as bools, or a scalar of NumPy; None for what has no
    lanes, or is not known before a run."""
    if not isinstance(handle, NumpyLanes):
        return None
    match kind:
        case VReg():
            return as_array(kind.dtype, handle.a)
        case Mask():
            return handle.gate(kind.lanes).a.copy()
        case Scalar():
            return as_array(kind.dtype, np.atleast_1d(handle.a))[0]
        case _:
            return None


def as_array(dtype: DType, lanes: Any) -> Any:
    """A copy of lanes, of the type that a caller's array of these elements has."""
    if dtype.is_float and (dtype.bits < 8 or dtype.array == "uint8"):
        # NumPy has no such type: the numbers that they are.
        return np.array(elements(dtype, lanes))
    return np.array(lanes, storage(dtype)).view(array_dtype(dtype))
