"""Compiled kernels in memory, linked with the runtime they call."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from ptoscope.native import cache, jit, runtime
from ptoscope.once import once


@once
def _runtime() -> tuple[Any, dict[str, int]]:
    """The functions that generated code calls, compiled once."""
    host = jit.host()
    return _linked("runtime", lambda: runtime.text(host), runtime.names(host), {})


@once
def _tile_runtime() -> tuple[Any, dict[str, int]]:
    """Those that move and multiply tiles."""
    from ptoscope.native.runtime import tile_functions

    return _linked("tiles", tile_functions.text, tile_functions.FUNCTIONS, _runtime()[1])


def _linked(
    name: str, text: Callable[[], str], exports: Iterable[str], imports: dict[str, int]
) -> tuple[Any, dict[str, int]]:
    # The text follows from this package, whose version is part of every key.
    key = cache.key(name, str(jit.host()))
    code = cache.read(key)
    if code is None:
        code = jit.quickly_optimised(text())
        cache.write(key, code)
    library = jit.linked((code,), exports, {**jit.library_calls(), **imports})
    return library, {name: library[name] for name in exports}


class Loaded:
    """Object files in memory; their functions live as long as this does. `uses_matrix`
    says whether they may call what moves and multiplies tiles."""

    def __init__(self, object_files: tuple[bytes, ...], uses_matrix: bool = False) -> None:
        known = _runtime()[1]
        if uses_matrix:
            known = {**known, **_tile_runtime()[1]}
        self._library = jit.linked(object_files, ("main",), {**jit.library_calls(), **known})
        self._main = self._library["main"]
        kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)
        self._enter = kind(known[runtime.ENTRY])
        words = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64
        loop = ctypes.CFUNCTYPE(ctypes.c_int32, *words)(known[runtime.blocks.LOOP])
        self.blocks = partial(loop, self._main)
        """Runs blocks: a core's words, those that are shared, and how many at most (see
        `runtime.blocks`)."""

    def kernel(self, state: int) -> int:
        """Runs the kernel on the words at an address; 0, or 1 if it stopped."""
        return self._enter(self._main, state)
