"""Arguments as the words that generated code takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ctypes import addressof, c_char, c_float, c_int32
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ptoscope.arguments import Argument, array_dtype, integer_range
from ptoscope.isa.dtypes import F32, DType
from ptoscope.isa.types import Ptr, Scalar
from ptoscope.machine.elements import encode, quietly
from ptoscope.machine.memory import gm_base
from ptoscope.program import Function

_BEYOND_F32 = 2.0**128 - 2.0**103
"""The least number that f32 rounds to infinity."""


class Packed(NamedTuple):
    """Address, bytes and whether they may be written, of each argument, one after the other; what
    each parameter holds; and the arguments themselves, for whoever asks."""

    regions: Sequence[int]
    variables: Sequence[int]
    arguments: Callable[[], list[Argument]]


def packed(arguments: list[Argument]) -> Packed:
    """Any arguments."""
    regions = [word for argument in arguments for word in _region(argument)]
    return Packed(regions, [_word(argument) for argument in arguments], lambda: arguments)


def _region(argument: Argument) -> tuple[int, int, int]:
    """Address, bytes, and whether they may be written; nothing for a scalar."""
    if argument.data is None:
        return 0, 0, 0
    return _address(argument.data), argument.data.nbytes, argument.writeable


def _word(argument: Argument) -> int:
    if argument.value is None:
        return gm_base(argument.position)
    if isinstance(argument.value, int) and argument.dtype.is_int:
        return (argument.value + (1 << 63)) % (1 << 64) - (1 << 63)
    with quietly():
        lane = np.asarray(encode(argument.dtype, argument.value))
    return int.from_bytes(lane.tobytes().ljust(8, b"\0"), "little", signed=True)


class Packer:
    """Packs the arguments of one function that are as most are: arrays of NumPy that are dense and
    have the very type of their parameter, Python's integers, and its floats for f32."""

    def __init__(self, function: Function) -> None:
        self._kinds: list[tuple[Any, int, int]] = []
        """Of each parameter: the type of an array and its base; else None and the least and
        greatest integer, or c_float."""
        for position, slot in enumerate(function.params):
            kind = function.types[slot]
            assert isinstance(kind, (Ptr, Scalar))
            if isinstance(kind, Ptr):
                self._kinds.append((array_dtype(kind.dtype), gm_base(position), 0))
            else:
                self._kinds.append(_scalar(kind.dtype))

    def pack(
        self, given: Sequence[Any], bind: Callable[[Sequence[Any]], list[Argument]]
    ) -> Packed | None:
        """The words; None where an argument is anything else, or wrong. `bind` is asked for the
        arguments where they are needed."""
        kinds = self._kinds
        if len(given) != len(kinds):
            return None
        regions: list[int] = []
        variables: list[int] = []
        for value, (kind, low, high) in zip(given, kinds, strict=True):
            if type(value) is np.ndarray:
                # An array of no elements may be nowhere.
                if value.dtype is not kind and value.dtype != kind:
                    return None
                if not value.flags.c_contiguous or not value.size:
                    return None
                regions += _address(value), value.nbytes, value.flags.writeable
                variables.append(low)
                continue
            regions += 0, 0, 0
            if kind is None:
                if type(value) is not int or not low <= value <= high:
                    return None
                variables.append(value if value < 1 << 63 else value - (1 << 64))
            elif kind is c_float:
                # Infinities and NaN are no numbers less themselves.
                if type(value) is not float or (
                    not -_BEYOND_F32 < value < _BEYOND_F32 and value - value == 0
                ):
                    return None
                variables.append(c_int32.from_buffer(c_float(value)).value & 0xFFFFFFFF)
            else:
                return None
        return Packed(regions, variables, partial(bind, given))


def _address(array: Any) -> int:
    try:
        return addressof(c_char.from_buffer(array))
    except (TypeError, ValueError):
        # It is read-only, or of a type that no other library knows. This takes longer.
        return array.__array_interface__["data"][0]


def _scalar(dtype: DType) -> tuple[Any, int, int]:
    if dtype.is_int:
        return None, *integer_range(dtype)
    return (c_float if dtype is F32 else False), 0, 0
