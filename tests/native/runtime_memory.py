"""Memory of a block for tests of the runtime, and its functions run twice on it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ptoscope.machine.memory import gm_base
from ptoscope.native import layout
from ptoscope.native.subset import CompiledFunction, RawMemory

UB_SIZE = 1024
GM_SIZES = (600, 0, 2048)
"""Bytes of the arguments; the second is a number."""
READ_ONLY = 600


class BlockMemory:
    """State, UB and arrays with random bytes, and an engine that remembers what it is asked."""

    def __init__(self, random: np.random.Generator, answer: int = 0) -> None:
        self.memory = RawMemory(1 << 18)
        self.asked: list[tuple[int, int]] = []
        self.answer = answer
        allocate = self.memory.allocate
        self.state = allocate(layout.WORD_BYTES * layout.VARIABLES)
        self.args = allocate(layout.WORD_BYTES * 64)
        self.ub = allocate(UB_SIZE, 64)
        self.arrays = [allocate(size, 4) for size in GM_SIZES]
        self.log = allocate(layout.WORD_BYTES * layout.LOG_ROW_WORDS * 64)
        table = allocate(layout.REGION_BYTES * (1 + len(GM_SIZES)))
        self.memory.data[:] = random.integers(0, 256, len(self.memory.data))
        self.words(self.state, layout.VARIABLES)[:] = 0
        self.set_state(layout.UB, self.ub)
        self.set_state(layout.UB_BYTES, UB_SIZE)
        self.set_state(layout.SERVICE, self.memory.function(self._serve))
        self.set_state(layout.REGIONS, table + layout.REGION_BYTES)
        self.set_state(layout.REGION_COUNT, len(GM_SIZES))
        rows = [(self.ub, UB_SIZE, 1)]
        for address, size in zip(self.arrays, GM_SIZES, strict=True):
            rows.append((address if size else 0, size, int(size != READ_ONLY)))
        self.words(table, 3 * len(rows))[:] = np.array(rows).reshape(-1)

    def _serve(self, number: int, args: int) -> int:
        self.asked.append((number, args))
        return self.answer

    def words(self, address: int, count: int) -> Any:
        """Words at an address."""
        first = address - self.memory.start
        return self.memory.data[first : first + 8 * count].view(np.int64)

    def bytes(self, address: int, count: int) -> Any:
        """Bytes at an address."""
        first = address - self.memory.start
        return self.memory.data[first : first + count]

    def set_state(self, index: int, value: int) -> None:
        """A word of the state."""
        self.memory.set_word(self.state, index, value)

    def gm(self, position: int, offset: int) -> int:
        """The address of a byte of an argument."""
        return gm_base(position) + offset

    def both(self, function: CompiledFunction, *values: int) -> int:
        """Runs a function as machine code and in Python, on the same bytes: the results, all
        bytes and the questions to the engine are the same. Leaves what they did."""
        data, memory = self.memory.data, self.memory
        before = data.copy()
        self.asked.clear()
        status = function(memory, *values)
        after, asked = data.copy(), list(self.asked)
        data[:] = before
        self.asked.clear()
        assert function.python(memory, *values) == status
        assert np.array_equal(data, after)
        assert self.asked == asked
        return status
