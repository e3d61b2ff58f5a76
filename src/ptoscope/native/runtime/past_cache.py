"""Copies to arrays that are too large for the cache."""

from __future__ import annotations

from ptoscope.native.subset import Address, RawMemory
from ptoscope.native.subset.memory import LINE_BYTES

PAST_CACHE = 12 << 20
"""Bytes of an array in GM from which on copies to it go past the cache: it would not stay
there, and a line that is only written need not be read first."""
LEAST_PAST_CACHE = 1024
"""Bytes of a copy from which on that is worth it."""


def copy_past_cache(memory: RawMemory, to: Address, source: Address, count: int) -> None:
    """Copies bytes, at least a line, without bringing what is written into the cache."""
    done = -to % LINE_BYTES
    memory.copy(to, source, done)
    while count - done >= LINE_BYTES:
        memory.copy_line_past_cache(to + done, source + done)
        done += LINE_BYTES
    memory.copy(to + done, source + done, count - done)
