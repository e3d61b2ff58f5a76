"""Copies of the runtime: machine code and Python do the same, which is what loops over rows
would do; where a copy is not legal, the engine is asked and nothing is written."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from ptoscope.native import layout
from ptoscope.native.runtime import copies, past_cache
from ptoscope.native.subset import Address, CompiledFunction, RawMemory, compiled

from .runtime_memory import GM_SIZES, UB_SIZE, BlockMemory

EXIT = 77
ELEMENT = 4
STRIDE_BITS = {"gm": 40, "ub": 21}


class Copy:
    """A random copy: mostly legal."""

    def __init__(self, random: np.random.Generator) -> None:
        choice, chance = random.choice, random.random
        self.source, self.target = choice([("gm", "ub"), ("ub", "gm"), ("ub", "ub")])
        self.position = int(choice([2, 2, 2, 2, 0, 1, 5]))
        self.length = int(choice([32, 64, 40, 4, 0, 7]))
        self.loops: list[list[int]] = []
        for _ in range(int(random.integers(1, 4))):
            strides = choice([32, 64, 96, 128, 0, 32, self.length], 2)
            self.loops.append([int(choice([1, 2, 3, 1, 0])), *map(int, strides)])
        self.padded = int(self.source == "gm" and chance() < 0.6)
        self.left, self.right = (int(n) for n in random.integers(0, 4, 2))
        self.at = {"gm": int(choice([0, 4, 64, 512])), "ub": int(choice([0, 32, 96, 512]))}
        self.to_ub = int(choice([0, 256, 512]))
        self.mode = 0
        self.tile = -1
        """Under which number it may be deferred."""
        if chance() < 0.25:
            self.disturb(random)

    def disturb(self, random: np.random.Generator) -> None:
        """One number that is most likely not legal."""
        huge = int(random.choice([-1, -32, 1 << 16, 1 << 21, 1 << 40, (1 << 63) - 32, -(1 << 63)]))
        loop = self.loops[int(random.integers(0, len(self.loops)))]
        match int(random.integers(0, 6)):
            case 0:
                self.length = huge
            case 1:
                loop[int(random.integers(0, 3))] = huge
            case 2:
                self.left = huge
            case 3:
                self.at["ub"] = self.to_ub = huge
            case 4:
                self.at["gm"] = -4
            case _:
                self.at["ub"] += 4

    def write(self, it: BlockMemory) -> tuple[int, ...]:
        """As generated code hands it over."""
        gm = it.gm(self.position, self.at["gm"])
        src = gm if self.source == "gm" else self.at["ub"]
        dst = gm if self.target == "gm" else self.to_ub
        words = [src, dst, self.length, self.padded, self.left, self.right]
        words += [0x1122334411223344, self.mode]
        words += [*itertools.chain(*self.loops), *[9] * len(self.loops)]
        it.words(it.args, len(words))[:] = words
        ends = layout.own(self.source), layout.own(self.target)
        alignments = (32 if own else 1 for own in ends)
        fields = (16, STRIDE_BITS[self.source], STRIDE_BITS[self.target])
        rest = (*fields, *alignments, self.tile, 1)
        return it.state, EXIT, it.args, len(self.loops), *ends, ELEMENT, *rest

    def expected(self, it: BlockMemory) -> Any:
        """The bytes of UB and of all arrays after it, None if the engine has to look at it."""
        memories = {"ub": it.bytes(it.ub, UB_SIZE).copy(), "gm": np.zeros(0, np.uint8)}
        if 0 <= self.position < len(GM_SIZES):
            size = GM_SIZES[self.position]
            memories["gm"] = it.bytes(it.arrays[self.position], size).copy()
        if not 0 <= self.length < 1 << 16:
            return None
        if not 0 <= self.loops[0][0] < 1 << 16 or any(
            not 0 <= loop[0] < 1 << 21 for loop in self.loops[1:]
        ):
            return None
        for _, *strides in self.loops:
            for stride, space in zip(strides, (self.source, self.target), strict=True):
                if not 0 <= stride < 1 << STRIDE_BITS[space]:
                    return None
        if any(count == 0 for count, _, _ in self.loops) or not (self.length or self.padded):
            return memories
        left = right = 0
        row = self.length
        if self.padded:
            if not 0 <= self.left < 256 or not 0 <= self.right < 256:
                return None
            left, right = self.left * ELEMENT, self.right * ELEMENT
            row = max(-(-(left + row + right) // 32) * 32, self.loops[0][2])
        src = self.at[self.source]
        dst = self.at["gm"] if self.target == "gm" else self.to_ub
        counts = [n if a or b else 1 for n, a, b in self.loops]
        if np.prod([float(n) for n in counts]) > 1000:
            return None
        fill = np.frombuffer(bytes.fromhex("44332211"), np.uint8)
        for index in itertools.product(*(range(n) for n in reversed(counts))):
            steps = list(zip(reversed(index), self.loops, strict=True))
            read = src + sum(i * loop[1] for i, loop in steps)
            write = dst + sum(i * loop[2] for i, loop in steps)
            for space, at, size in (
                (self.source, read, self.length),
                (self.target, write, row),
            ):
                if at < 0 or at + size > len(memories[space]) or (space == "ub" and at % 32):
                    return None
            data = memories[self.source][read : read + self.length].copy()
            if self.padded:
                after = np.resize(fill, row - left - self.length)
                data = np.concatenate((np.resize(fill, left), data, after))
            memories[self.target][write : write + row] = data
        if self.target == "gm" and self.position == 0:
            return None
        return memories


@pytest.mark.parametrize("seed", range(600))
def test_copies(seed: int) -> None:
    random = np.random.default_rng(seed)
    it, copy = BlockMemory(random), Copy(random)
    values = copy.write(it)
    expected = copy.expected(it)
    before = it.memory.data.copy()
    it.both(copies.rt_transfer, *values)
    if expected is None:
        assert it.asked == [(EXIT, it.args)]
        # All but the counts of loops that do not move.
        first = it.args - it.memory.start
        same = before == it.memory.data
        same[first : first + 8 * 64] = True
        assert same.all()
        return
    if it.asked:
        # Nothing is done at an address that is nowhere: the engine may say so.
        assert it.asked == [(EXIT, it.args)]
        assert copy.position in (0, 1, 5)
        return
    assert np.array_equal(it.bytes(it.ub, UB_SIZE), expected["ub"])
    if len(expected["gm"]):
        array = it.bytes(it.arrays[copy.position], len(expected["gm"]))
        assert np.array_equal(array, expected["gm"])


def test_the_random_copies_are_of_all_kinds() -> None:
    kinds = {"asked": 0, "padded": 0, "loops": 0, "nothing": 0, "run": 0}
    for seed in range(600):
        random = np.random.default_rng(seed)
        it, copy = BlockMemory(random), Copy(random)
        expected = copy.expected(it)
        if expected is None:
            kinds["asked"] += 1
        elif np.array_equal(expected["ub"], it.bytes(it.ub, UB_SIZE)) and copy.target == "ub":
            kinds["nothing"] += 1
        elif copy.padded:
            kinds["padded"] += 1
        elif len(copy.loops) > 1:
            kinds["loops"] += 1
        else:
            kinds["run"] += 1
    assert min(kinds.values()) > 20, kinds


def test_a_copy_behind_queued_work_is_left_to_the_engine() -> None:
    it = BlockMemory(np.random.default_rng(0), answer=1)
    it.set_state(layout.QUEUED, 1)
    values = Copy(np.random.default_rng(0)).write(it)
    assert it.both(copies.rt_transfer, *values) == 1
    assert it.asked == [(EXIT, it.args)]


def test_an_atomic_store_is_left_to_the_engine() -> None:
    it = BlockMemory(np.random.default_rng(0), answer=1)
    copy = Copy(np.random.default_rng(0))
    copy.source, copy.target, copy.position, copy.padded, copy.mode = "ub", "gm", 2, 0, 9
    copy.length, copy.loops, copy.at = 32, [[1, 32, 32]], {"ub": 0, "gm": 0}
    assert it.both(copies.rt_transfer, *copy.write(it)) == 1
    assert it.asked == [(EXIT, it.args)]


def test_the_end_of_all_addresses_is_not_in_ub() -> None:
    """An address and a length whose sum leaves 64 bits."""
    it = BlockMemory(np.random.default_rng(0))
    copy = Copy(np.random.default_rng(0))
    copy.source, copy.target, copy.position, copy.padded = "gm", "ub", 2, 0
    copy.length, copy.loops, copy.to_ub = 32, [[1, 32, 32]], (1 << 63) - 32
    it.both(copies.rt_transfer, *copy.write(it))
    assert it.asked == [(EXIT, it.args)]


@pytest.mark.parametrize("answer", [0, 1])
def test_the_engine_is_asked_now_and_then(answer: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After more rows than 2**20; in Python only, with that number made small."""
    monkeypatch.setattr(copies, "_POLLED", 4)
    it = BlockMemory(np.random.default_rng(0), answer)
    copy = Copy(np.random.default_rng(0))
    copy.source, copy.target, copy.position, copy.padded = "gm", "ub", 2, 0
    copy.length, copy.to_ub, copy.at["gm"] = 32, 0, 0
    copy.loops = [[2, 64, 32], [3, 128, 64]]
    twin = CompiledFunction(copies.rt_transfer.function)
    assert twin.python(it.memory, *copy.write(it)) == answer
    assert it.asked == [(-1, 0)]


@compiled
def _past(memory: RawMemory, to: Address, source: Address, count: int) -> None:
    past_cache.copy_past_cache(memory, to, source, count)


@pytest.mark.parametrize("to", [0, 1, 63, 32])
@pytest.mark.parametrize("count", [64, 65, 1024, 1151])
def test_copies_past_the_cache(to: int, count: int) -> None:
    it = BlockMemory(np.random.default_rng(to + count))
    source, target = it.memory.allocate(2048), it.memory.allocate(2048, 64)
    before = it.bytes(target, 2048).copy()
    before[to : to + count] = it.bytes(source + 5, count)
    it.both(_past, target + to, source + 5, count)
    assert np.array_equal(it.bytes(target, 2048), before)
