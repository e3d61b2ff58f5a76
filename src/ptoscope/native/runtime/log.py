"""The log that a traced kernel keeps of its run."""

from __future__ import annotations

from ptoscope.native.layout import (
    LOG,
    LOG_COUNT,
    LOG_FULL,
    LOG_ROOM,
    LOG_ROW_WORDS,
    LOG_WORDS,
    LOG_WORDS_COUNT,
    LOG_WORDS_FULL,
    WORD_BYTES,
)
from ptoscope.native.runtime.issue import rt_service
from ptoscope.native.subset import Address, RawMemory, compiled


@compiled
def rt_log(memory: RawMemory, state: Address, mark: int, a: int, b: int, c: int) -> int:
    """Writes a row; its number."""
    count = memory.word(state, LOG_COUNT)
    row = memory.word(state, LOG) + count % LOG_ROOM * LOG_ROW_WORDS * WORD_BYTES
    memory.set_word(row, 0, mark)
    memory.set_word(row, 1, a)
    memory.set_word(row, 2, b)
    memory.set_word(row, 3, c)
    memory.set_word(state, LOG_COUNT, count + 1)
    if (count + 1) % LOG_ROOM == 0:
        rt_service(memory, state, LOG_FULL, 0)
    return count


@compiled
def rt_log_words(memory: RawMemory, state: Address, words: Address, size: int) -> int:
    """Writes words that no row has room for, fewer than LOG_ROOM; the number of the first."""
    first = memory.word(state, LOG_WORDS_COUNT)
    length = size // WORD_BYTES
    if first % LOG_ROOM + length >= LOG_ROOM:
        # Words of one row stand together: the rest of the room stays empty.
        first = (first // LOG_ROOM + 1) * LOG_ROOM
        rt_service(memory, state, LOG_WORDS_FULL, 0)
    memory.copy(memory.word(state, LOG_WORDS) + first % LOG_ROOM * WORD_BYTES, words, size)
    memory.set_word(state, LOG_WORDS_COUNT, first + length)
    return first
