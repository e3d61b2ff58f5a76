"""Memory between pages that nobody may touch: who reaches beyond it ends with a signal."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np

_libc = ctypes.CDLL(None, use_errno=True)
_PROT_NONE = 0
_kept: list[mmap.mmap] = []


class GuardedArray:
    """Bytes that end where a page begins that nobody may touch, or begin where one ends."""

    def __init__(self, size: int, at_end: bool = True) -> None:
        page = mmap.PAGESIZE
        inside = -(-max(size, 1) // page) * page
        memory = mmap.mmap(-1, inside + 2 * page)
        # It stays mapped: nothing else may come to lie where a stray pointer leads.
        _kept.append(memory)
        start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        for at in (start, start + page + inside):
            if _libc.mprotect(ctypes.c_void_p(at), page, _PROT_NONE):
                raise OSError(ctypes.get_errno(), "mprotect")
        first = page + inside - size if at_end else page
        self.bytes: Any = np.frombuffer(memory, np.uint8, size, first)
        self._around: Any = np.frombuffer(memory, np.uint8, inside, page)
        self._rest = first - page, size

    def fill(self, byte: int) -> None:
        """Sets all bytes, also those of its pages that are not its own."""
        self._around[:] = ~byte & 0xFF
        self.bytes[:] = byte

    def untouched_around(self, byte: int) -> bool:
        """Whether the bytes of its pages that are not its own are as `fill` left them."""
        first, size = self._rest
        rest = np.delete(self._around, slice(first, first + size))
        return bool((rest == (~byte & 0xFF)).all())


def guard_ub() -> None:
    """From now on the engine's own memories of a core lie between such pages."""
    from ptoscope.native import runner

    def guarded(size: int) -> Any:
        return GuardedArray(size, at_end=False).bytes

    runner._aligned = guarded
