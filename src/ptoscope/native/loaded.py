"""Compiled kernels in memory, linked with the runtime they call."""

from __future__ import annotations

import ctypes
from functools import cache as once
from typing import Any

from ptoscope.native import cache, jit, runtime


@once
def _runtime() -> tuple[Any, dict[str, int]]:
    """The functions that generated code calls, compiled once."""
    # The text follows from this package, whose version is part of every key.
    key = cache.key("runtime", str(jit.host()))
    code = cache.read(key)
    if code is None:
        x86 = jit.host().triple.startswith("x86_64")
        code = jit.quickly_optimised(runtime.text(x86))
        cache.write(key, code)
    library = jit.linked(code, runtime.NAMES, jit.library_calls())
    return library, {name: library[name] for name in runtime.NAMES}


class Loaded:
    """An object file in memory; its functions live as long as this does."""

    def __init__(self, object_file: bytes) -> None:
        known = _runtime()[1]
        self._library = jit.linked(object_file, ("main",), {**jit.library_calls(), **known})
        self._main = self._library["main"]
        kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)
        self._enter = kind(known[runtime.ENTRY])

    def kernel(self, state: int) -> int:
        """Runs the kernel on the words at an address; 0, or 1 if it stopped."""
        return self._enter(self._main, state)
