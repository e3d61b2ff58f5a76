"""Notes that a traced kernel makes of its run."""

from __future__ import annotations

from ptoscope.native.layout import (
    KEPT,
    KEPT_COUNT,
    KEPT_FULL,
    NOTE_COUNT,
    NOTE_WORDS,
    NOTES,
    NOTES_FULL,
    ROOM,
    WORD_BYTES,
)
from ptoscope.native.runtime.issue import rt_service
from ptoscope.native.subset import Address, RawMemory, compiled


@compiled
def rt_note(memory: RawMemory, state: Address, mark: int, a: int, b: int, c: int) -> int:
    """Makes a note; its number."""
    count = memory.word(state, NOTE_COUNT)
    row = memory.word(state, NOTES) + count % ROOM * NOTE_WORDS * WORD_BYTES
    memory.set_word(row, 0, mark)
    memory.set_word(row, 1, a)
    memory.set_word(row, 2, b)
    memory.set_word(row, 3, c)
    memory.set_word(state, NOTE_COUNT, count + 1)
    if (count + 1) % ROOM == 0:
        rt_service(memory, state, NOTES_FULL, 0)
    return count


@compiled
def rt_keep(memory: RawMemory, state: Address, words: Address, size: int) -> int:
    """Keeps words, fewer than ROOM; the number of the first."""
    first = memory.word(state, KEPT_COUNT)
    length = size // WORD_BYTES
    if first % ROOM + length >= ROOM:
        # Words of one note stand together: the rest of the room stays empty.
        first = (first // ROOM + 1) * ROOM
        rt_service(memory, state, KEPT_FULL, 0)
    memory.copy(memory.word(state, KEPT) + first % ROOM * WORD_BYTES, words, size)
    memory.set_word(state, KEPT_COUNT, first + length)
    return first
