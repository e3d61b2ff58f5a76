"""Copies of the runtime that are deferred: machine code and Python do the same, and when all are
made, memory is what it is if none ever was deferred."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope.native import layout
from ptoscope.native.runtime import copies, deferred, regions

from .runtime_memory import GM_SIZES, UB_SIZE, BlockMemory
from .test_runtime_copies import Copy

_STEPS = 12


def _copies(random: np.random.Generator) -> list[Copy]:
    """Copies between UB and an array, most of them dense."""
    made = [Copy(random) for _ in range(_STEPS)]
    for copy in made:
        copy.source, copy.target = random.choice([("gm", "ub"), ("gm", "ub"), ("ub", "gm")])
        copy.position, copy.padded, copy.mode = 2, 0, 0
        copy.tile = int(random.integers(0, layout.MOST_DEFERRED))
        copy.at = {"gm": int(random.integers(0, 900)), "ub": 32 * int(random.integers(0, 16))}
        copy.to_ub = 32 * int(random.integers(0, 16))
        copy.length = int(random.choice([32, 256, 300, 512]))
        copy.loops = [[1, copy.length, copy.length]]
        if random.random() < 0.2:
            copy.length, copy.loops = 32, [[3, 64, 32]]
    return made


def _run(seed: int, defers: bool) -> BlockMemory:
    """The same steps on the same memory, with and without."""
    it, random = BlockMemory(np.random.default_rng(seed)), np.random.default_rng(seed)
    # Where pieces of memory are depends on its address: what is in them does not.
    for address, size in ((it.ub, UB_SIZE), (it.arrays[2], GM_SIZES[2])):
        it.bytes(address, size)[:] = random.integers(0, 256, size)
    for copy in _copies(random):
        at, count = int(random.integers(0, UB_SIZE - 64)), int(random.integers(1, 64))
        place, value = int(random.integers(0, GM_SIZES[2] // 8)), int(random.integers(0, 99))
        what = random.random()
        copy.tile = copy.tile if defers else -1
        it.both(copies.rt_transfer, *copy.write(it))
        assert not it.asked
        if what < 0.3:
            # A store to UB.
            it.both(deferred.rt_meet, it.state, at, count)
            it.bytes(it.ub + at, count)[:] = value
        elif what < 0.5:
            # A scalar to GM.
            address = it.gm(2, 8 * place)
            found = it.both(regions.rt_gm_scalar, it.state, address, 8, 1)
            it.memory.set_word(found, 0, value)
        elif what < 0.55:
            it.both(deferred.rt_settle, it.state)
    it.both(deferred.rt_settle, it.state)
    assert it.memory.word(it.state, layout.DEFERRED_HIGH) == 0
    return it


@pytest.mark.parametrize("seed", range(100))
def test_memory_is_the_same_in_the_end(seed: int) -> None:
    one, two = _run(seed, True), _run(seed, False)
    assert np.array_equal(one.bytes(one.ub, UB_SIZE), two.bytes(two.ub, UB_SIZE))
    arrays = [it.bytes(it.arrays[2], GM_SIZES[2]) for it in (one, two)]
    assert np.array_equal(*arrays)


def test_some_are_not_made_at_once() -> None:
    it = BlockMemory(np.random.default_rng(0))
    copy = _copies(np.random.default_rng(0))[0]
    copy.source, copy.target, copy.length, copy.loops = "gm", "ub", 256, [[1, 256, 256]]
    copy.at, copy.to_ub = {"gm": 8, "ub": 0}, 64
    before = it.bytes(it.ub, UB_SIZE).copy()
    it.both(copies.rt_transfer, *copy.write(it))
    assert np.array_equal(it.bytes(it.ub, UB_SIZE), before)
    it.both(deferred.rt_meet, it.state, 64 + 255, 1)
    assert np.array_equal(it.bytes(it.ub + 64 + 255, 1), it.bytes(it.arrays[2] + 8 + 255, 1))
    assert np.array_equal(it.bytes(it.ub, 64 + 255), before[: 64 + 255])
    it.both(deferred.rt_settle, it.state)
    assert np.array_equal(it.bytes(it.ub + 64, 256), it.bytes(it.arrays[2] + 8, 256))
