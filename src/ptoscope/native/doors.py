"""Doors of the cores of a block: locks at which generated code waits by itself.

They are Python's own locks, by its C functions: those need no interpreter, so that a core hands
over to another one without it.
"""

from __future__ import annotations

import ctypes
from functools import partial

_WAITING = 1


class NativeDoor:
    """A closed door; `address` is what the functions take."""

    def __init__(self) -> None:
        self.address = _ALLOCATE()
        if not self.address:
            raise MemoryError("no lock for a core")
        self.acquire = partial(_ACQUIRE, self.address, _WAITING)
        self.release = partial(_RELEASE, self.address)
        self.acquire()

    def __del__(self) -> None:
        if self.address:
            _FREE(self.address)


def _address(name: str) -> int:
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


ACQUIRE_ADDRESS = _address("PyThread_acquire_lock")
RELEASE_ADDRESS = _address("PyThread_release_lock")

# Others run while somebody waits: not by `ctypes.pythonapi`, which would keep the interpreter.
_ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p)(_address("PyThread_allocate_lock"))
_ACQUIRE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)(ACQUIRE_ADDRESS)
_RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(RELEASE_ADDRESS)
_FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_address("PyThread_free_lock"))
