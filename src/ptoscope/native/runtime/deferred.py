"""Tiles of UB whose bytes are in GM: they have not been copied to UB, since whoever loads them may
as well read GM; or they are written to GM at once instead of being copied there later. Where
anybody else may see the difference they are brought to UB first. `layout.DEFERRED` says what words
there are.
"""

from __future__ import annotations

from ptoscope.native.layout import (
    ALL_DEFERRED,
    DEFERRED_HIGH,
    DEFERRED_LOW,
    DEFERRED_TILES,
    MOST_DEFERRED,
    PIECE_BYTES,
    TILE_AT,
    TILE_BASE,
    TILE_SIZE,
    TILE_WORDS,
    UB,
    WORD_BYTES,
    WRITTEN,
    WRITTEN_BEFORE,
    WRITTEN_END,
    WRITTEN_PAST_CACHE,
)
from ptoscope.native.subset import Address, RawMemory, compiled, rarely_called

_NOWHERE = 1 << 62


def defer(
    memory: RawMemory, state: Address, number: int, write: int, at: Address, run: int
) -> None:
    """Takes a checked copy to UB as a deferred one."""
    tile = _tile_words(state, number)
    begin = memory.word(tile, TILE_AT)
    if begin == write and memory.word(tile, TILE_SIZE) == run:
        # The same bytes of UB as before, which no other tile has.
        memory.set_word(tile, TILE_BASE, at - write)
        return
    if write <= begin and begin + memory.word(tile, TILE_SIZE) <= write + run:
        # It is overwritten: nobody has wanted it.
        memory.set_word(tile, TILE_SIZE, 0)
    bring_those_in(memory, state, write, run)
    _bring(memory, state, tile)
    memory.set_word(tile, TILE_AT, write)
    memory.set_word(tile, TILE_SIZE, run)
    memory.set_word(tile, TILE_BASE, at - write)
    _bound_tiles(memory, state)


def start_writing(
    memory: RawMemory, state: Address, read: int, to: Address, run: int, is_large: int
) -> None:
    """A tile of UB is stored next, and then copied to GM, all of it: its rows may go there, past
    the cache where the array `is_large`. Those of the last such tile that are stored again need
    never be in UB."""
    stop_writing(memory, state)
    old = _tile_words(state, WRITTEN_BEFORE)
    new = _tile_words(state, WRITTEN)
    memory.set_word(old, TILE_AT, memory.word(new, TILE_AT))
    memory.set_word(old, TILE_SIZE, memory.word(new, TILE_SIZE))
    memory.set_word(old, TILE_BASE, memory.word(new, TILE_BASE))
    memory.set_word(new, TILE_SIZE, 0)
    if not _is_in_use(memory, state, read, to, run):
        memory.set_word(new, TILE_AT, read)
        memory.set_word(new, TILE_BASE, to - read)
        memory.set_word(state, WRITTEN_END, read + run)
        past_cache = is_large if to & (PIECE_BYTES - 1) == 0 else 0
        memory.set_word(state, WRITTEN_PAST_CACHE, past_cache)
        low = memory.word(state, DEFERRED_LOW)
        high = memory.word(state, DEFERRED_HIGH)
        memory.set_word(state, DEFERRED_LOW, min(low, read) if high else read)
        memory.set_word(state, DEFERRED_HIGH, max(high, read + run))


def stop_writing(memory: RawMemory, state: Address) -> None:
    """No further row goes to GM instead of UB."""
    memory.set_word(state, WRITTEN_END, -1)
    _bring_rest(memory, state)


def _is_in_use(memory: RawMemory, state: Address, read: int, to: Address, run: int) -> bool:
    """Whether another tile is in these bytes of UB, but for the one that was written before, or
    has its bytes in these of this process."""
    for number in range(WRITTEN):
        tile = _tile_words(state, number)
        size = memory.word(tile, TILE_SIZE)
        begin = memory.word(tile, TILE_AT)
        there = memory.word(tile, TILE_BASE) + begin
        if size != 0 and there < to + run and to < there + size:
            return True
        if number < MOST_DEFERRED and begin < read + run and read < begin + size:
            return True
    return False


def delivered(memory: RawMemory, state: Address, read: int, to: Address, run: int) -> bool:
    """Makes a checked copy of UB to GM, where that is the one whose tile was written already: what
    is left of it. Whether it was."""
    end = memory.word(state, WRITTEN_END)
    if end <= 0:
        return False
    stop_writing(memory, state)
    new = _tile_words(state, WRITTEN)
    begin = memory.word(new, TILE_AT)
    upto = begin + memory.word(new, TILE_SIZE)
    if end != read + run or memory.word(new, TILE_BASE) + read != to or not read <= begin < upto:
        return False
    for number in range(MOST_DEFERRED):
        tile = _tile_words(state, number)
        if _is_at(memory, tile, read, run) or _is_from(memory, tile, to, run):
            _bring(memory, state, tile)
    at = memory.word(state, UB) + read
    if begin > read:
        memory.copy(to, at, begin - read)
    if end > upto:
        memory.copy(to + upto - read, at + upto - read, end - upto)
    return True


def delivered_from(
    memory: RawMemory, state: Address, read: int, at: Address, to: Address, run: int
) -> Address:
    """Where bytes of UB, `read` there and `at` in this process, are read that are about to go to
    GM: where they are instead, if they are not in UB."""
    if memory.word(state, DEFERRED_HIGH) == 0:
        return at
    bring_those_from(memory, state, to, run)
    for number in range(ALL_DEFERRED):
        tile = _tile_words(state, number)
        begin = memory.word(tile, TILE_AT)
        if begin <= read and read + run <= begin + memory.word(tile, TILE_SIZE):
            return memory.word(tile, TILE_BASE) + read
    bring_those_in(memory, state, read, run)
    return at


@rarely_called
def rt_settle(memory: RawMemory, state: Address) -> int:
    """Brings all tiles to UB."""
    if memory.word(state, DEFERRED_HIGH) != 0:
        stop_writing(memory, state)
        for number in range(ALL_DEFERRED):
            _bring(memory, state, _tile_words(state, number))
        _bound_tiles(memory, state)
    return 0


@rarely_called
def rt_meet(memory: RawMemory, state: Address, at: int, count: int) -> int:
    """Bytes of UB are about to be read or written: brings the tiles that are there. Of one whose
    end they reach only what is there: the last row of a tile may be short."""
    _bring_rest(memory, state)
    for number in range(ALL_DEFERRED):
        tile = _tile_words(state, number)
        begin = memory.word(tile, TILE_AT)
        end = begin + memory.word(tile, TILE_SIZE)
        if _is_at(memory, tile, at, count):
            if begin < at and end <= at + count:
                base = memory.word(tile, TILE_BASE)
                memory.copy(memory.word(state, UB) + at, base + at, end - at)
                memory.set_word(tile, TILE_SIZE, at - begin)
            else:
                _bring(memory, state, tile)
    _bound_tiles(memory, state)
    return 0


def bring_those_in(memory: RawMemory, state: Address, at: int, count: int) -> None:
    """Brings the tiles that have any of these bytes of UB."""
    if memory.word(state, DEFERRED_LOW) < at + count and at < memory.word(state, DEFERRED_HIGH):
        stop_writing(memory, state)
        for number in range(ALL_DEFERRED):
            tile = _tile_words(state, number)
            if _is_at(memory, tile, at, count):
                _bring(memory, state, tile)
        _bound_tiles(memory, state)


def bring_those_from(memory: RawMemory, state: Address, to: Address, count: int) -> None:
    """Brings the tiles that are in any of these bytes of this process, which are about to be
    written."""
    if memory.word(state, DEFERRED_HIGH) != 0:
        stop_writing(memory, state)
        for number in range(ALL_DEFERRED):
            tile = _tile_words(state, number)
            if _is_from(memory, tile, to, count):
                _bring(memory, state, tile)
        _bound_tiles(memory, state)


def _is_at(memory: RawMemory, tile: Address, at: int, count: int) -> bool:
    """Whether a tile has any of these bytes of UB."""
    begin = memory.word(tile, TILE_AT)
    size = memory.word(tile, TILE_SIZE)
    return size != 0 and begin < at + count and at < begin + size


def _is_from(memory: RawMemory, tile: Address, at: Address, count: int) -> bool:
    """Whether a tile is in any of these bytes of this process."""
    size = memory.word(tile, TILE_SIZE)
    there = memory.word(tile, TILE_BASE) + memory.word(tile, TILE_AT)
    return size != 0 and there < at + count and at < there + size


@compiled
def _bring_rest(memory: RawMemory, state: Address) -> None:
    """Brings of the tile that was written before what was not stored again."""
    old = _tile_words(state, WRITTEN_BEFORE)
    size = memory.word(old, TILE_SIZE)
    if size != 0:
        new = _tile_words(state, WRITTEN)
        begin = memory.word(old, TILE_AT)
        first = memory.word(new, TILE_AT)
        upto = first + memory.word(new, TILE_SIZE)
        if first <= begin < upto:
            again = min(upto - begin, size)
            memory.set_word(old, TILE_AT, begin + again)
            memory.set_word(old, TILE_SIZE, size - again)
        _bring(memory, state, old)


@compiled
def _bring(memory: RawMemory, state: Address, tile: Address) -> None:
    """Brings a tile to UB, if there is one."""
    size = memory.word(tile, TILE_SIZE)
    if size != 0:
        at = memory.word(tile, TILE_AT)
        memory.copy(memory.word(state, UB) + at, memory.word(tile, TILE_BASE) + at, size)
        memory.set_word(tile, TILE_SIZE, 0)


@compiled
def _bound_tiles(memory: RawMemory, state: Address) -> None:
    """Says again which bytes of UB have all tiles, with what the one that is written may get. Said
    once, more of them do no harm."""
    low = _NOWHERE
    high = 0
    for number in range(ALL_DEFERRED):
        tile = _tile_words(state, number)
        size = memory.word(tile, TILE_SIZE)
        if size != 0:
            low = min(low, memory.word(tile, TILE_AT))
            high = max(high, memory.word(tile, TILE_AT) + size)
    end = memory.word(state, WRITTEN_END)
    if end > 0:
        low = min(low, memory.word(_tile_words(state, WRITTEN), TILE_AT))
        high = max(high, end)
    memory.set_word(state, DEFERRED_LOW, low)
    memory.set_word(state, DEFERRED_HIGH, high)


def _tile_words(state: Address, number: int) -> Address:
    return state + WORD_BYTES * (DEFERRED_TILES + TILE_WORDS * number)
