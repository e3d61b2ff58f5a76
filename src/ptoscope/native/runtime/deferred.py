"""Tiles that are not copied to UB since whoever reads them may as well read GM, and tiles that are
written to GM as they are stored in UB. Where anything else may see the difference, the copy is made
first, or what is left of it. `layout.DEFERRED` and `layout.THROUGH` say what words there are.
"""

from __future__ import annotations

from ptoscope.native.layout import (
    DEFERRED_HIGH,
    DEFERRED_LOW,
    DEFERRED_TILES,
    MOST_DEFERRED,
    THROUGH_BASE,
    THROUGH_DONE,
    THROUGH_DUE,
    THROUGH_END,
    THROUGH_FROM,
    THROUGH_LARGE,
    THROUGH_NEXT,
    TILE_AT,
    TILE_BASE,
    TILE_SIZE,
    TILE_WORDS,
    UB,
    WORD_BYTES,
)
from ptoscope.native.runtime.past_cache import copy_past_cache
from ptoscope.native.subset import Address, RawMemory, compiled, rarely_called

_AT_ONCE = 4096
"""Bytes that are written when they are stored: while they are in the cache nearest to the core."""
_NOWHERE = 1 << 62


def defer(
    memory: RawMemory, state: Address, number: int, write: int, at: Address, run: int
) -> None:
    """Takes a checked copy to UB as a deferred one."""
    tile = _deferred_tile(state, number)
    begin = memory.word(tile, TILE_AT)
    if write <= begin and begin + memory.word(tile, TILE_SIZE) <= write + run:
        # It is overwritten: nobody has wanted it.
        memory.set_word(tile, TILE_SIZE, 0)
    make_those_in(memory, state, write, run)
    _make(memory, state, tile)
    memory.set_word(tile, TILE_AT, write)
    memory.set_word(tile, TILE_SIZE, run)
    memory.set_word(tile, TILE_BASE, at - write)
    _bound_deferred(memory, state)


def delivered_from(
    memory: RawMemory, state: Address, read: int, at: Address, to: Address, run: int
) -> Address:
    """Where bytes of UB, `read` there and `at` in this process, are read that are about to go to
    GM: where they came from, if they were not copied."""
    if memory.word(state, DEFERRED_HIGH) == 0:
        return at
    make_those_from(memory, state, to, run)
    for number in range(MOST_DEFERRED):
        tile = _deferred_tile(state, number)
        begin = memory.word(tile, TILE_AT)
        if begin <= read and read + run <= begin + memory.word(tile, TILE_SIZE):
            return memory.word(tile, TILE_BASE) + read
    make_those_in(memory, state, read, run)
    return at


def written_through(memory: RawMemory, state: Address, read: int, to: Address, run: int) -> int:
    """How many of the first bytes that go from UB to GM are there already."""
    base = memory.word(state, THROUGH_BASE)
    stop_writing(memory, state)
    if base == 0 or base + read != to or memory.word(state, THROUGH_FROM) != read:
        return 0
    if memory.word(state, THROUGH_END) != read + run:
        return 0
    return memory.word(state, THROUGH_DONE) - read


def write_through(
    memory: RawMemory, state: Address, read: int, to: Address, run: int, large: int
) -> None:
    """A tile of UB that is stored next goes to GM, all of it."""
    if not _is_read_there(memory, state, to, run):
        memory.set_word(state, THROUGH_BASE, to - read)
        memory.set_word(state, THROUGH_FROM, read)
        memory.set_word(state, THROUGH_DONE, read)
        memory.set_word(state, THROUGH_NEXT, read)
        memory.set_word(state, THROUGH_DUE, read + _AT_ONCE)
        memory.set_word(state, THROUGH_END, read + run)
        memory.set_word(state, THROUGH_LARGE, large)


def stop_writing(memory: RawMemory, state: Address) -> None:
    """Nothing more is written through."""
    memory.set_word(state, THROUGH_BASE, 0)
    memory.set_word(state, THROUGH_NEXT, -1)
    memory.set_word(state, THROUGH_DUE, _NOWHERE)


@compiled
def rt_write(memory: RawMemory, state: Address) -> int:
    """Writes what of a tile has been stored."""
    base = memory.word(state, THROUGH_BASE)
    if base == 0:
        stop_writing(memory, state)
        return 0
    done = memory.word(state, THROUGH_DONE)
    upto = min(memory.word(state, THROUGH_NEXT), memory.word(state, THROUGH_END))
    if upto > done:
        source = memory.word(state, UB) + done
        if memory.word(state, THROUGH_LARGE):
            copy_past_cache(memory, base + done, source, upto - done)
        else:
            memory.copy(base + done, source, upto - done)
        memory.set_word(state, THROUGH_DONE, upto)
    memory.set_word(state, THROUGH_DUE, upto + _AT_ONCE)
    return 0


@rarely_called
def rt_rewrite(memory: RawMemory, state: Address, at: int) -> int:
    """Bytes of a tile are stored again that were written: from there on all is to be written."""
    again = max(at, memory.word(state, THROUGH_FROM))
    memory.set_word(state, THROUGH_DONE, again)
    memory.set_word(state, THROUGH_NEXT, again)
    memory.set_word(state, THROUGH_DUE, again + _AT_ONCE)
    return 0


def _is_read_there(memory: RawMemory, state: Address, to: Address, run: int) -> bool:
    """Whether a deferred copy is yet to read some of these bytes of this process."""
    for number in range(MOST_DEFERRED):
        tile = _deferred_tile(state, number)
        size = memory.word(tile, TILE_SIZE)
        source = memory.word(tile, TILE_BASE) + memory.word(tile, TILE_AT)
        if size != 0 and source < to + run and to < source + size:
            return True
    return False


@rarely_called
def rt_settle(memory: RawMemory, state: Address) -> int:
    """Makes all deferred copies; what is written through goes no further."""
    if memory.word(state, DEFERRED_HIGH) != 0:
        for number in range(MOST_DEFERRED):
            _make(memory, state, _deferred_tile(state, number))
        _bound_deferred(memory, state)
    stop_writing(memory, state)
    return 0


@rarely_called
def rt_meet(memory: RawMemory, state: Address, at: int, count: int) -> int:
    """Bytes of UB are about to be read or written: makes what is deferred there and before it, or
    where they reach its end, from there on."""
    for number in range(MOST_DEFERRED):
        tile = _deferred_tile(state, number)
        begin = memory.word(tile, TILE_AT)
        end = begin + memory.word(tile, TILE_SIZE)
        if at < end and begin < at + count:
            if at + count < end:
                first = begin
                last = at + count
                memory.set_word(tile, TILE_AT, last)
                memory.set_word(tile, TILE_SIZE, end - last)
            else:
                first = max(at, begin)
                last = end
                memory.set_word(tile, TILE_SIZE, first - begin)
            base = memory.word(tile, TILE_BASE)
            memory.copy(memory.word(state, UB) + first, base + first, last - first)
    _bound_deferred(memory, state)
    return 0


def make_those_in(memory: RawMemory, state: Address, at: int, count: int) -> None:
    """Makes the deferred copies to any of these bytes of UB."""
    if memory.word(state, DEFERRED_LOW) < at + count and at < memory.word(state, DEFERRED_HIGH):
        for number in range(MOST_DEFERRED):
            tile = _deferred_tile(state, number)
            begin = memory.word(tile, TILE_AT)
            if begin < at + count and at < begin + memory.word(tile, TILE_SIZE):
                _make(memory, state, tile)
        _bound_deferred(memory, state)


def make_those_from(memory: RawMemory, state: Address, to: Address, count: int) -> None:
    """Makes the deferred copies of any of these bytes of this process, which are about to be
    written."""
    if memory.word(state, DEFERRED_HIGH) != 0:
        for number in range(MOST_DEFERRED):
            tile = _deferred_tile(state, number)
            size = memory.word(tile, TILE_SIZE)
            source = memory.word(tile, TILE_BASE) + memory.word(tile, TILE_AT)
            if source < to + count and to < source + size:
                _make(memory, state, tile)
        _bound_deferred(memory, state)


@compiled
def _make(memory: RawMemory, state: Address, tile: Address) -> None:
    """Makes a deferred copy, if there is one."""
    size = memory.word(tile, TILE_SIZE)
    if size != 0:
        at = memory.word(tile, TILE_AT)
        memory.copy(memory.word(state, UB) + at, memory.word(tile, TILE_BASE) + at, size)
        memory.set_word(tile, TILE_SIZE, 0)


@compiled
def _bound_deferred(memory: RawMemory, state: Address) -> None:
    """Says again which bytes of UB have all deferred copies."""
    low = _NOWHERE
    high = 0
    for number in range(MOST_DEFERRED):
        tile = _deferred_tile(state, number)
        size = memory.word(tile, TILE_SIZE)
        if size != 0:
            low = min(low, memory.word(tile, TILE_AT))
            high = max(high, memory.word(tile, TILE_AT) + size)
    memory.set_word(state, DEFERRED_LOW, low)
    memory.set_word(state, DEFERRED_HIGH, high)


def _deferred_tile(state: Address, number: int) -> Address:
    return state + WORD_BYTES * (DEFERRED_TILES + TILE_WORDS * number)
