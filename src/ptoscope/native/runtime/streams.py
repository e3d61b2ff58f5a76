"""Unaligned store streams.

A stream in memory is three words (how many bytes are pending, the address after them, whether
it has begun), then the pending bytes, then room for a register.
"""

from __future__ import annotations

from ptoscope.isa.dtypes import VREG_BYTES
from ptoscope.isa.targets import BLOCK_BYTES
from ptoscope.native.layout import UB, UB_BYTES
from ptoscope.native.subset import Address, RawMemory, compiled

PENDING_COUNT, END, BEGUN = range(3)
PENDING = 64
"""Where the pending bytes begin, in bytes: on a line of the cache, as the whole does."""
STREAM_BYTES = PENDING + BLOCK_BYTES + VREG_BYTES


@compiled
def rt_stream_store(
    memory: RawMemory, state: Address, stream: Address, address: int, data: Address, length: int
) -> int:
    """Appends the first bytes of a register at an address: whole blocks reach UB, the rest is
    pending. 1, and nothing is done, if it does not follow or is not inside UB."""
    count = memory.word(stream, PENDING_COUNT)
    if count != 0 and address != memory.word(stream, END):
        return 1
    if address < count or address > memory.word(state, UB_BYTES) - length:
        return 1
    start = address - count
    end = address + length
    pending = stream + PENDING
    memory.copy(pending + count, data, VREG_BYTES)
    written = max(end // BLOCK_BYTES * BLOCK_BYTES - start, 0)
    memory.copy(memory.word(state, UB) + start, pending, written)
    memory.move(pending, pending + written, BLOCK_BYTES)
    memory.set_word(stream, PENDING_COUNT, count + length - written)
    memory.set_word(stream, END, end)
    memory.set_word(stream, BEGUN, 1)
    return 0


@compiled
def rt_stream_flush(memory: RawMemory, state: Address, stream: Address, address: int) -> int:
    """Writes what is pending, up to an address. 1, and nothing is done, if the stream does not
    end there or is not inside UB."""
    if memory.word(stream, BEGUN) != 0 and address != memory.word(stream, END):
        return 1
    count = memory.word(stream, PENDING_COUNT)
    if not count <= address <= memory.word(state, UB_BYTES):
        return 1
    memory.copy(memory.word(state, UB) + address - count, stream + PENDING, count)
    return 0
