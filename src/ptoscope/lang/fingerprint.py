"""Fingerprints of Python values: values with equal fingerprints compile to the same kernel.

Python's `==` does not serve: it calls `2`, `2.0` and `True` equal, and `0.0` and `-0.0`. A
fingerprint holds the type beside each number and the bits of each float, at every depth. Of an
object it holds what `pickle` would store; of a function its code, defaults and closure; of a class
or module which one it is.
"""

from __future__ import annotations

import struct
from enum import Enum
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    MappingProxyType,
    MethodType,
    ModuleType,
)
from typing import Any, cast

import numpy as np

from ptoscope.diagnostics import UsageError

_PLAIN = frozenset({int, bool, str, bytes, type(None), type(...)})
"""Types whose equal values are the same."""
_BY_IDENTITY = (type, ModuleType, property)
_PICKLE_PROTOCOL = 4


class Identity:
    """One object, and no other that is equal to it; it stays alive."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


def fingerprint(value: Any) -> Any:
    """The fingerprint of a value, which is hashable. UsageError for one that is nested too
    deeply."""
    kind = cast(type, type(value))
    if kind in _PLAIN:
        return kind, value
    try:
        return _Reading().read(value)
    except RecursionError:
        raise UsageError(f"a value of type {kind.__name__} is nested too deeply") from None


def is_immutable(value: Any) -> bool:
    """True if a value never changes in place: the same object has the same fingerprint."""
    kind = cast(type, type(value))
    if kind in _PLAIN or kind in (float, complex, range):
        return True
    if kind in (tuple, frozenset):
        return all(map(is_immutable, value))
    if isinstance(value, Enum):
        return is_immutable(value.value)
    if isinstance(value, np.generic):
        return not isinstance(value, np.void)
    return isinstance(value, (*_BY_IDENTITY, BuiltinFunctionType))


MISSING = Identity(None)
"""Stands for the value of a name that has none."""


def in_cell(cell: CellType) -> Any:
    """The value of a name of a function around; MISSING if it has none."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


class _Reading:
    """The fingerprint of one value. An object that is met again is told by the number of its
    first place: a list that contains itself ends, and two equal lists differ from one list at
    two places, as a kernel can change them."""

    def __init__(self) -> None:
        self._met: dict[int, int] = {}
        self._kept: list[Any] = []
        """What was met: an object that is gone would give its id to another."""

    def read(self, value: Any) -> Any:
        """The fingerprint of a part."""
        kind = cast(type, type(value))
        if kind in _PLAIN:
            return kind, value
        if kind is float:
            return kind, struct.pack("d", value)
        if kind is complex:
            return kind, struct.pack("dd", value.real, value.imag)
        if kind is tuple:
            return kind, *map(self.read, value)
        if kind is range:
            return kind, value.start, value.stop, value.step
        if value is MISSING or kind is object or isinstance(value, _BY_IDENTITY):
            return Identity(value)
        if isinstance(value, MethodType):
            return kind, self.read(value.__self__), self.read(value.__func__)
        if isinstance(value, BuiltinFunctionType):
            # A bound one is made anew each time that it is read of its object.
            return kind, value.__qualname__, Identity(value.__self__)
        if id(value) in self._met:
            return "again", self._met[id(value)]
        self._met[id(value)] = len(self._met)
        self._kept.append(value)
        return kind, *self._contents(value, kind)

    def _contents(self, value: Any, kind: type) -> tuple[Any, ...]:
        if kind in (list, set, frozenset):
            # A kernel sees the order of a set.
            return tuple(map(self.read, value))
        if kind in (dict, MappingProxyType):
            return tuple(self.read(each) for item in value.items() for each in item)
        if kind is memoryview:
            return value.format, value.shape, value.tobytes()
        if (kind is np.ndarray or isinstance(value, np.generic)) and not value.dtype.hasobject:
            return value.dtype.char, value.dtype, value.shape, value.tobytes()
        if isinstance(value, FunctionType):
            cells = tuple(map(in_cell, value.__closure__ or ()))
            parts = value.__defaults__, value.__kwdefaults__, cells
            return value.__code__, Identity(value.__globals__), *map(self.read, parts)
        try:
            stored = value.__reduce_ex__(_PICKLE_PROTOCOL)
        except RecursionError:
            raise
        except Exception:
            # It cannot be stored: a lock, an open file.
            return (Identity(value),)
        if isinstance(stored, str):
            return (Identity(value),)
        self._kept.append(stored)
        # Behind the state come iterators over items.
        parts = [*stored[:3], *(list(items) for items in stored[3:5] if items is not None)]
        return tuple(map(self.read, parts))
