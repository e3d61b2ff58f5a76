"""Unaligned store streams.

A stream in memory is some words (how many bytes are pending, the address after them, what kind
of stream it is, its base, the position that its last store gave, and which word of the block's
state counts what that store left pending), then the pending bytes.
"""

from __future__ import annotations

from ptoscope.isa.targets import BLOCK_BYTES
from ptoscope.native.layout import UB, UB_BYTES, UB_TOP
from ptoscope.native.subset import Address, RawMemory, compiled

PENDING_COUNT, END, KIND, BASE, POSITION, MAKER = range(6)
FRESH, STORES, LOADS = range(3)
"""Kinds: a store stream that has not begun, one that has, a load stream."""
PENDING = 64
"""Where the pending bytes begin, in bytes: on a line of the cache, as the whole does."""
STREAM_BYTES = PENDING + BLOCK_BYTES


@compiled
def rt_stream_flush(
    memory: RawMemory, state: Address, stream: Address, address: int, by_base: int
) -> int:
    """Writes what is pending. 1, and nothing is done, if the address is neither where the stream
    ends nor the position that its last store gave nor, by base, that of the stream."""
    kind = memory.word(stream, KIND)
    if kind == LOADS:
        return 1
    if kind == FRESH:
        if address < 0 or address > memory.word(state, UB_BYTES):
            return 1
        return 0
    end = memory.word(stream, END)
    ends = address == end or address == memory.word(stream, POSITION)
    named = by_base != 0 and address == memory.word(stream, BASE)
    if not ends and not named:
        return 1
    count = memory.word(stream, PENDING_COUNT)
    memory.copy(memory.word(state, UB) + end - count, stream + PENDING, count)
    memory.set_word(state, UB_TOP, max(memory.word(state, UB_TOP), end))
    if count != 0:
        maker = memory.word(stream, MAKER)
        memory.set_word(state, maker, memory.word(state, maker) - count)
    return 0
