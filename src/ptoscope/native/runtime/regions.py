"""Where an address is: the table of GM arguments, and a core's own memories before them. `own`
is the number of such a memory (see `layout.own`), 0 for GM."""

from __future__ import annotations

from ptoscope.machine.memory import gm_base, gm_position
from ptoscope.native.layout import (
    REGION_BYTES,
    REGION_COUNT,
    REGION_DATA,
    REGION_SIZE,
    REGION_WRITEABLE,
    REGIONS,
)
from ptoscope.native.runtime.deferred import bring_those_from
from ptoscope.native.subset import Address, RawMemory, compiled


def region_of(memory: RawMemory, state: Address, own: int, address: int) -> Address:
    """The entry of the region that an address is in, or would be; 0 if it is in none."""
    table = memory.word(state, REGIONS)
    if own:
        return table - REGION_BYTES * own
    position = gm_position(address)
    if not 0 <= position < memory.word(state, REGION_COUNT):
        return 0
    entry = table + REGION_BYTES * position
    # An argument that is a number has no bytes.
    return entry if memory.word(entry, REGION_DATA) else 0


def region_offset(own: int, address: int) -> int:
    """Bytes from the start of its region, negative before it."""
    return address if own else address - gm_base(gm_position(address))


@compiled
def rt_gm_scalar(
    memory: RawMemory, state: Address, address: int, count: int, write: int
) -> Address:
    """Where a scalar of so many bytes of GM is, a power of two; 0 if it may not be accessed."""
    return _scalar(memory, state, 0, address, count, write)


@compiled
def rt_own_scalar(
    memory: RawMemory, state: Address, own: int, address: int, count: int, write: int
) -> Address:
    """The same of a memory of the core."""
    return _scalar(memory, state, own, address, count, write)


def _scalar(
    memory: RawMemory, state: Address, own: int, address: int, count: int, write: int
) -> Address:
    region = region_of(memory, state, own, address)
    if region == 0:
        return 0
    offset = region_offset(own, address)
    if not 0 <= offset <= memory.word(region, REGION_SIZE) - count:
        return 0
    if offset & (count - 1) or (write and not memory.word(region, REGION_WRITEABLE)):
        return 0
    at = memory.word(region, REGION_DATA) + offset
    if write and own == 0:
        bring_those_from(memory, state, at, count)
    return at
