"""What the values of a host program are: numbers, memory, pointers, variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ptoscope.cases.host.tokens import Unreadable
from ptoscope.cases.host.tree import TypeName
from ptoscope.cases.host.types import NumberType, element, number_type

PAGE = 2 << 20
"""The device hands out memory in huge pages, so that each allocation is followed by slack."""


@dataclass(eq=False)
class HostMemory:
    """Bytes of the host or of the device.

    A device allocation goes on as zeros to the end of its last page; `size` is what was asked
    for. `dtype` is the element type a kernel had for it.
    """

    data: np.ndarray[Any, np.dtype[np.uint8]]
    size: int
    on_device: bool = False
    dtype: Any = None

    @staticmethod
    def host(size: int) -> HostMemory:
        return HostMemory(np.zeros(size, np.uint8), size)

    @staticmethod
    def device(size: int) -> HostMemory:
        return HostMemory(np.zeros(-(-size // PAGE) * PAGE, np.uint8), size, on_device=True)


@dataclass(frozen=True)
class Pointer:
    """A place in memory; `element` is what it points to, None for void."""

    memory: HostMemory
    offset: int = 0
    element: NumberType | None = None

    def bytes(self, count: int, what: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """The bytes from here on, which must be there."""
        if not 0 <= self.offset <= self.offset + count <= self.memory.size:
            raise Unreadable(
                f"{what}: {count} bytes at byte {self.offset} of an allocation of "
                f"{self.memory.size} bytes"
            )
        return self.memory.data[self.offset : self.offset + count]

    def moved(self, elements: int, what: str) -> Pointer:
        if self.element is None:
            raise Unreadable(f"{what}: arithmetic on a pointer of unknown type")
        return Pointer(self.memory, self.offset + elements * self.element.size, self.element)


@dataclass(eq=False)
class Variable:
    """A variable, or what a pointer to one points to; `size` are the bytes of an array."""

    type: TypeName
    value: Any = None
    size: int | None = None

    def set(self, value: Any) -> None:
        """Stores a value as the variable's type has it."""
        numbers = number_type(self.type)
        if numbers is not None:
            value = numbers.convert(value)
        elif isinstance(value, Pointer) and self.type.pointers:
            value = Pointer(value.memory, value.offset, element(self.type))
        self.value = value


@dataclass(frozen=True)
class HostAddress:
    """The address of a variable."""

    variable: Variable


@dataclass(frozen=True)
class Element:
    """One element of an array, as the target of an assignment."""

    pointer: Pointer

    def get(self, what: str) -> Any:
        kind = self._kind(what)
        return kind.decode(self.pointer.bytes(kind.size, what).tobytes())

    def set(self, value: Any, what: str) -> None:
        kind = self._kind(what)
        data = np.frombuffer(kind.encode(value), np.uint8)
        self.pointer.bytes(kind.size, what)[:] = data

    def _kind(self, what: str) -> NumberType:
        if self.pointer.element is None:
            raise Unreadable(f"{what}: the element type is not known")
        return self.pointer.element
