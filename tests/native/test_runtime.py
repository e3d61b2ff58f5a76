"""The runtime of generated code: machine code and Python do the same, and it is right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptoscope.isa.parts import BUFFERS, EVENTS, MOST_PENDING
from ptoscope.native import layout
from ptoscope.native.runtime import issue, log, regions, streams, ub_transpose
from ptoscope.native.subset import CompiledFunction

from .runtime_memory import GM_SIZES, UB_SIZE, BlockMemory

SEEDS = pytest.mark.parametrize("seed", range(60))
EXIT = 77
ROOM = layout.LOG_ROOM


def block(seed: int) -> tuple[np.random.Generator, BlockMemory]:
    random = np.random.default_rng(seed)
    return random, BlockMemory(random, answer=int(random.integers(0, 2)))


# Bodies.


@pytest.mark.parametrize("busy", [0, 1])
@pytest.mark.parametrize("fails", [0, 1])
@pytest.mark.parametrize("answer", [0, 1])
def test_a_body_runs_unless_something_is_queued(busy: int, fails: int, answer: int) -> None:
    it = BlockMemory(np.random.default_rng(0), answer)
    ran: list[tuple[int, int]] = []

    def body(state: int, captured: int) -> int:
        ran.append((state, captured))
        return fails

    it.set_state(layout.QUEUED, busy)
    it.memory.set_word(it.args, 0, it.memory.function(body))
    asks = bool(busy or fails)
    assert it.both(issue.rt_issue, it.state, EXIT, it.args) == (answer if asks else 0)
    # Once by each of the two that are compared.
    assert ran == ([] if busy else [(it.state, it.args + 8)] * 2)
    assert it.asked == ([(EXIT, it.args)] if asks else [])


# Flags and buffers: the function, how many there are, what it adds, where it has to ask.

_COUNTERS = [
    (issue.rt_raise, len(EVENTS), 1, MOST_PENDING),
    (issue.rt_consume, len(EVENTS), -1, 0),
    (issue.rt_acquire, BUFFERS, 1, 1),
    (issue.rt_release, BUFFERS, -1, 0),
]


@SEEDS
@pytest.mark.parametrize(("function", "limit", "step", "end"), _COUNTERS)
def test_counters(function: CompiledFunction, limit: int, step: int, end: int, seed: int) -> None:
    random, it = block(seed)
    busy = int(random.random() < 0.2)
    number = int(random.choice([0, 1, limit - 1, limit, -1, 1 << 40]))
    pending = int(random.choice(np.array([end, random.integers(0, MOST_PENDING + 1)])))
    it.set_state(layout.QUEUED, busy)
    first = layout.FLAGS + 8
    inside = 0 <= number < limit
    if inside:
        it.set_state(first + number, pending)
    given, place = 123, 2
    status = it.both(function, it.state, EXIT, it.args, first, number, given, place)
    if busy or not inside or pending == end:
        assert it.asked == [(EXIT, it.args)]
        assert status == it.answer
        assert it.memory.word(it.args, place) == given
        if inside:
            assert it.memory.word(it.state, first + number) == pending
    else:
        assert (status, it.asked) == (0, [])
        word = it.memory.word(it.state, first + number)
        assert word & layout.COUNT == pending + step
        assert word >> 32 == (function is issue.rt_raise)


# Scalars.


@SEEDS
def test_scalars(seed: int) -> None:
    random, it = block(seed)
    position = int(random.integers(-1, len(GM_SIZES) + 1))
    size = GM_SIZES[position] if 0 <= position < len(GM_SIZES) else 0
    offset = int(random.choice([0, 4, size - 8, size - 4, size, -4, 3]))
    count = int(random.choice([1, 2, 4, 8]))
    write = int(random.integers(0, 2))
    found = it.both(regions.rt_gm_scalar, it.state, it.gm(position, offset), count, write)
    legal = offset >= 0 and offset + count <= size and offset % count == 0
    if legal and not (write and position == 0):
        assert found == it.arrays[position] + offset
    else:
        assert found == 0


@pytest.mark.parametrize("address", [0, UB_SIZE - 4, UB_SIZE, -4, (1 << 63) - 4, -(1 << 63)])
def test_scalars_of_ub(address: int) -> None:
    _, it = block(0)
    found = it.both(regions.rt_own_scalar, it.state, layout.own("ub"), address, 4, 1)
    assert found == (it.ub + address if 0 <= address <= UB_SIZE - 4 else 0)


# Streams.

MAKER = layout.VARIABLES
"""The word that counts what a store left pending."""


def _stream(it: Any, kind: int, end: int, count: int) -> int:
    """A stream with its base at 64, whose last store gave the position 128."""
    stream = it.memory.allocate(streams.STREAM_BYTES, 64)
    it.words(stream, 6)[:] = [count, end, kind, 64, 128, MAKER]
    it.set_state(MAKER, count)
    return stream


@SEEDS
def test_a_flush_writes_what_is_pending(seed: int) -> None:
    random, it = block(seed)
    count = int(random.integers(0, 32))
    end = int(random.integers(count, UB_SIZE + 1))
    stream = _stream(it, streams.STORES, end, count)
    expected = it.bytes(it.ub, UB_SIZE).copy()
    for address, by_base in ((end + 1, 0), (end + 1, 1), (64 if end != 64 else 65, 0)):
        assert it.both(streams.rt_stream_flush, it.state, stream, address, by_base) == 1
    assert np.array_equal(it.bytes(it.ub, UB_SIZE), expected)
    address, by_base = ((end, 0), (128, 0), (64, 1))[seed % 3]
    assert it.both(streams.rt_stream_flush, it.state, stream, address, by_base) == 0
    expected[end - count : end] = it.bytes(stream + streams.PENDING, count)
    assert np.array_equal(it.bytes(it.ub, UB_SIZE), expected)
    assert it.memory.word(it.state, MAKER) == 0


@pytest.mark.parametrize("address", [-1, UB_SIZE + 1, (1 << 63) - 1, -(1 << 63)])
def test_a_flush_outside_ub(address: int) -> None:
    """Of a stream that has not begun: any other is where it was stored to."""
    _, it = block(0)
    stream = _stream(it, streams.FRESH, 0, 0)
    assert it.both(streams.rt_stream_flush, it.state, stream, address, 0) == 1
    assert it.both(streams.rt_stream_flush, it.state, stream, UB_SIZE, 0) == 0
    it.words(stream, 6)[streams.KIND] = streams.LOADS
    assert it.both(streams.rt_stream_flush, it.state, stream, 0, 0) == 1


# Transposing.


SHAPES = [(1, 1, 4), (1, 9, 8), (5, 3, 1), (19, 9, 1), (16, 16, 2), (16, 9, 2), (9, 17, 2),
          (8, 8, 4), (9, 12, 4), (16, 8, 4), (5, 9, 8)]  # fmt: skip


@pytest.mark.parametrize(("rows", "columns", "size"), SHAPES)
def test_matrices_are_transposed(rows: int, columns: int, size: int) -> None:
    """Where they lie apart; where not, nothing is done."""
    _, it = block(size)
    length = rows * columns * size
    to = UB_SIZE - length
    expected = it.bytes(it.ub, UB_SIZE).copy()
    kind = np.dtype(f"u{size}")
    for dest, source, given in ((to + size, 0, size), (0, to + size, size), (-size, 0, size),
                                (length - size, 0, size), (to, to - length + size, size),
                                (to + 1, 8, 2)):  # fmt: skip
        asked = (it.state, dest, source, rows, columns, given)
        assert it.both(ub_transpose.rt_transpose, *asked) == 1
    assert np.array_equal(it.bytes(it.ub, UB_SIZE), expected)
    matrix = expected[:length].copy().view(kind).reshape(rows, columns)
    expected[to:] = np.frombuffer(matrix.T.tobytes(), np.uint8)
    assert it.both(ub_transpose.rt_transpose, it.state, to, 0, rows, columns, size) == 0
    assert np.array_equal(it.bytes(it.ub, UB_SIZE), expected)


# The log.


@pytest.mark.parametrize("count", [0, 5, ROOM - 1, ROOM, 3 * ROOM - 1])
def test_log_rows(count: int) -> None:
    _, it = block(0)
    # The room is where its row is: the rows before it do not exist here.
    row = count % ROOM
    it.set_state(layout.LOG, it.log - row * 8 * layout.LOG_ROW_WORDS)
    it.set_state(layout.LOG_COUNT, count)
    assert it.both(log.rt_log, it.state, 1, -2, 3, 4) == count
    assert it.words(it.log, 4).tolist() == [1, -2, 3, 4]
    assert it.memory.word(it.state, layout.LOG_COUNT) == count + 1
    assert it.asked == ([(layout.LOG_FULL, 0)] if row == ROOM - 1 else [])


@pytest.mark.parametrize("count", [0, 5, ROOM - 4, ROOM - 3, ROOM - 1])
def test_words_beside_rows_stand_together(count: int) -> None:
    _, it = block(0)
    full = count + 3 >= ROOM
    first = ROOM if full else count
    it.set_state(layout.LOG_WORDS, it.log - first % ROOM * 8)
    it.set_state(layout.LOG_WORDS_COUNT, count)
    words = it.words(it.args, 3).copy()
    assert it.both(log.rt_log_words, it.state, it.args, 24) == first
    assert np.array_equal(it.words(it.log, 3), words)
    assert it.memory.word(it.state, layout.LOG_WORDS_COUNT) == first + 3
    assert it.asked == ([(layout.LOG_WORDS_FULL, 0)] if full else [])
