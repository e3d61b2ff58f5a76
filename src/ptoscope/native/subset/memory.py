"""Memory by address, as compiled functions see it.

A compiled function that works on memory takes it as a parameter annotated `RawMemory`. In
machine code that parameter is nothing: the memory is the process's own. In Python it is a piece
of that memory with its true addresses, so that both can be run on the same bytes, and every
access outside the piece is an error.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

Address = int
"""An address in bytes: an integer like any other, `ptr` in the signature of the machine code."""

LINE_BYTES = 64
"""What `copy_line_past_cache` copies."""

FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64)
"""What `call` calls."""

_WORD = 8
_SIGN = 1 << 63


class RawMemory:
    """So many bytes, zeroed."""

    def __init__(self, size: int) -> None:
        self.data = np.zeros(size, dtype=np.uint8)
        self.start = int(self.data.ctypes.data)
        self._used = 0
        self._functions: dict[Address, Callable[[int, int], int]] = {}
        self._kept: list[Any] = []

    # What compiled functions may call; `lowering` says the same in LLVM.

    def word(self, base: Address, index: int) -> int:
        """The word of 64 bits, signed, so many words after an address of any alignment."""
        piece = self.piece(base + _WORD * index, _WORD)
        return int.from_bytes(piece.tobytes(), "little", signed=True)

    def set_word(self, base: Address, index: int, value: int) -> None:
        """The reverse, modulo 2**64."""
        number = (value + _SIGN) % (2 * _SIGN) - _SIGN
        piece = self.piece(base + _WORD * index, _WORD)
        piece[:] = np.frombuffer(number.to_bytes(_WORD, "little", signed=True), dtype=np.uint8)

    def set_byte(self, at: Address, value: int) -> None:
        """The lowest byte of a number."""
        self.piece(at, 1)[0] = value & 0xFF

    def copy(self, to: Address, source: Address, count: int) -> None:
        """Copies bytes to others that do not overlap them."""
        assert count == 0 or to + count <= source or source + count <= to
        self.piece(to, count)[:] = self.piece(source, count)

    def move(self, to: Address, source: Address, count: int) -> None:
        """Copies bytes to others that may overlap them."""
        self.piece(to, count)[:] = self.piece(source, count).copy()

    def copy_line_past_cache(self, to: Address, source: Address) -> None:
        """Copies LINE_BYTES bytes to a multiple of LINE_BYTES, past the cache."""
        assert to % LINE_BYTES == 0
        self.copy(to, source, LINE_BYTES)

    def call(self, function: Address, first: int, second: int) -> int:
        """Calls a C function of two words that gives an int of 32 bits."""
        return self._functions[function](first, second)

    # For those who set it up.

    def allocate(self, count: int, alignment: int = _WORD) -> Address:
        """The address of bytes nobody has yet."""
        at = self.start + self._used
        at += -at % alignment
        self._used = at + count - self.start
        self.piece(at, count)
        return at

    def function(self, python: Callable[[int, int], int]) -> Address:
        """The address of a Python function, for `call`."""
        native = FUNCTION(python)
        self._kept.append(native)
        address = ctypes.cast(native, ctypes.c_void_p).value or 0
        self._functions[address] = python
        return address

    def piece(self, at: Address, count: int) -> Any:
        """So many bytes at an address, to be read and written."""
        first = at - self.start
        if count < 0 or first < 0 or first + count > len(self.data):
            raise IndexError(f"{count} bytes at byte {first} of {len(self.data)}")
        return self.data[first : first + count]
