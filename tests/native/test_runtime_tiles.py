"""What the runtime does with vectors, as machine code and in Python: the same bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptoscope.native.runtime import sums, transposes
from ptoscope.native.runtime.sums import (
    GROUP,
    GROUP_BYTES,
    RESULT_COLUMNS,
    ROW_BYTES,
    SumsBlock,
    add_integers,
    add_products,
    block,
    columns_at_once,
    rows_at_once,
)
from ptoscope.native.runtime.tile_blocks import move_block
from ptoscope.native.runtime.transposes import (
    pack_columns,
    transpose_halves,
    transpose_words,
)
from ptoscope.native.subset import Address, CompiledFunction, RawMemory, compiled

SIZE = 1 << 16


@compiled
def turn_words(memory: RawMemory, to: Address, step: int, source: Address, by: int) -> None:
    transpose_words(memory, to, step, source, by)


@compiled
def turn_halves(memory: RawMemory, to: Address, step: int, source: Address, by: int) -> None:
    transpose_halves(memory, to, step, source, by)


@compiled
def pack(memory: RawMemory, to: Address, source: Address, step: int, groups: int) -> None:
    pack_columns(memory, to, source, step, groups)


@compiled
def sum_floats(
    memory: RawMemory,
    left: Address,
    step: int,
    right: Address,
    steps: int,
    sums: Address,
    block_step: int,
    adds: int,
) -> None:
    add_products(memory, left, step, right, steps, sums, block_step, adds)


@compiled
def sum_integers(
    memory: RawMemory,
    left: Address,
    step: int,
    right: Address,
    steps: int,
    sums: Address,
    block_step: int,
    adds: int,
) -> None:
    add_integers(memory, left, step, right, steps, sums, block_step, adds)


@compiled
def at_once() -> int:
    return 100 * rows_at_once() + columns_at_once()


class Memory:
    """Random bytes, or floats of usual sizes with some that are not, in two halves."""

    def __init__(self, seed: int = 0, floats: bool = False) -> None:
        noise = np.random.default_rng(seed)
        self.memory = RawMemory(2 * SIZE + 64)
        self.one = self.memory.allocate(SIZE, 64)
        self.other = self.memory.allocate(SIZE, 64)
        self.memory.data[:] = noise.integers(0, 256, len(self.memory.data))
        if floats:
            words = self.memory.data[: -(-len(self.memory.data) // 4) * 4].view(np.float32)
            words[:] = noise.standard_normal(words.size)
            odd = np.array([0, -0.0, 1e-40, 3e38, np.inf, np.nan], np.float32)
            some = noise.integers(0, words.size, words.size // 50)
            words[some] = odd[noise.integers(0, len(odd), some.size)]

    def both(self, function: CompiledFunction, *values: int) -> Any:
        """All bytes after it: the same, whichever way it runs."""
        before = self.memory.data.copy()
        function(self.memory, *values)
        after = self.memory.data.copy()
        self.memory.data[:] = before
        function.python(self.memory, *values)
        assert np.array_equal(self.memory.data, after)
        assert not np.array_equal(before, after)
        return after


@pytest.mark.parametrize(("to_step", "by"), [(32, 32), (64, 40), (1000, 32)])
@pytest.mark.parametrize("function", [turn_words, turn_halves], ids=lambda f: f.name)
def test_transposes(function: CompiledFunction, to_step: int, by: int) -> None:
    memory = Memory()
    memory.both(function, memory.one + 5, to_step, memory.other + 3, by)


def test_a_transpose_element_by_element() -> None:
    memory = Memory()
    words = memory.memory.piece(memory.other, 256).view(np.uint32).reshape(8, 8).copy()
    turn_words(memory.memory, memory.one, 32, memory.other, 32)
    made = memory.memory.piece(memory.one, 256).view(np.uint32).reshape(8, 8)
    assert [[made[j, i] for j in range(8)] for i in range(8)] == words.tolist()


@pytest.mark.parametrize("groups", [1, 3])
def test_columns_are_packed(groups: int) -> None:
    memory = Memory()
    memory.both(pack, memory.one, memory.other, 4096, groups)
    columns = block().columns
    pack(memory.memory, memory.one, memory.other, 4096, groups)
    made = memory.memory.piece(memory.one, 4 * GROUP * columns * groups).view(np.uint32)
    for k, column in ((0, 0), (GROUP - 1, columns - 1), (GROUP * groups - 1, 1)):
        at = memory.other + k // GROUP * 4096 + column * GROUP_BYTES + 4 * (k % GROUP)
        assert made[k * columns + column] == memory.memory.piece(at, 4).view(np.uint32)[0]


@pytest.mark.parametrize("adds", [0, 1])
@pytest.mark.parametrize("steps", [1, 7, 8, 21, 64])
@pytest.mark.parametrize("function", [sum_floats, sum_integers], ids=lambda f: f.name)
def test_sums(function: CompiledFunction, steps: int, adds: int) -> None:
    memory = Memory(steps, floats=function is sum_floats)
    step = block().rows * GROUP_BYTES + 32
    right, end = memory.other, memory.one + SIZE // 2
    block_step = block().rows * ROW_BYTES + 128
    memory.both(function, memory.one, step, right, steps, end, block_step, adds)


BLOCKS = (SumsBlock(8, 2, 16), SumsBlock(4, 2, 8), SumsBlock(4, 4, 4))
"""Those of processors with wide, narrower and other vectors."""


@pytest.mark.parametrize("made", BLOCKS, ids=str)
def test_blocks_of_other_processors(made: SumsBlock, monkeypatch: pytest.MonkeyPatch) -> None:
    """They give the same on any, if not as fast."""
    for module in (sums, transposes):
        monkeypatch.setattr(module, "block", lambda: made)
    memory = Memory(1)
    memory.both(compiled(pack.function), memory.one, memory.other, 4096, 3)
    step = made.rows * GROUP_BYTES
    for function in (sum_floats, sum_integers):
        memory = Memory(2, floats=function is sum_floats)
        end = memory.one + SIZE // 2
        block_step = made.rows * ROW_BYTES
        fresh = compiled(function.function)
        memory.both(fresh, memory.one, step, memory.other, 13, end, block_step, 1)


def test_a_block_is_that_of_this_machine() -> None:
    assert at_once() == 100 * block().rows + block().columns
    assert at_once.python() == at_once()


def test_blocks_fit_the_room_there_is() -> None:
    for made in BLOCKS:
        assert made.rows <= 8
        assert made.columns % RESULT_COLUMNS == 0
        assert made.columns <= 32


@pytest.mark.parametrize("size", [1, 2, 4, 8])
@pytest.mark.parametrize(
    "apart",
    [(40, 1, 41, 1), (1, 40, 1, 39), (40, 1, 1, 40), (1, 40, 40, 1), (3, 120, 2, 90)],
    ids=str,
)
def test_blocks_of_elements(size: int, apart: tuple[int, int, int, int]) -> None:
    """So many elements from row to row and from column to column, where they come from and where
    they go."""
    rows, columns = 37, 35
    steps = [size * step for step in apart]
    memory = Memory(size)
    wanted = memory.memory.data.copy()
    first, second = memory.other - memory.memory.start, memory.one - memory.memory.start
    for r in range(rows):
        for c in range(columns):
            at, to = first + r * steps[0] + c * steps[1], second + r * steps[2] + c * steps[3]
            wanted[to : to + size] = memory.memory.data[at : at + size]
    made = memory.both(
        move_block, memory.other, *steps[:2], memory.one, *steps[2:], rows, columns, size
    )
    assert np.array_equal(made, wanted)
