"""Kernels of any length, on any grid, on any values, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoscope
from tests.documents.harness import ROOT, assert_same, blank, clamped

EXAMPLES = ROOT / "examples"
ADDERS = [
    ptoscope.load(EXAMPLES / f"{name}.pto", target)
    for name in ("vector_add", "double_buffer_flags", "double_buffer_bufs")
    for target in ("cpu", "a2a3", "a5")
]
CLAMPS = [ptoscope.load(EXAMPLES / "clamp.pto", target) for target in ("cpu", "a2a3", "a5")]

LENGTHS = st.one_of(st.integers(0, 300), st.integers(0, 20_000))
GRIDS = st.integers(1, 9)
SEEDS = st.integers(0, 2**32 - 1)
# A few values, spread over the whole array: zeros, infinities and NaN come often that way.
POOLS = st.lists(st.floats(width=32), min_size=1, max_size=12)
BOUNDS = st.floats(width=32)


def spread(pool: list[float], n: int, seed: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """An array of n values out of a pool."""
    return np.random.default_rng(seed).choice(np.array(pool, np.float32), n)


@pytest.mark.parametrize("adder", ADDERS, ids=lambda k: f"{k.name}-{k.target.name}")
@settings(max_examples=40, deadline=None)
@given(n=LENGTHS, grid=GRIDS, seed=SEEDS, pools=st.tuples(POOLS, POOLS))
def test_sums(
    adder: ptoscope.Kernel, n: int, grid: int, seed: int, pools: tuple[list[float], list[float]]
) -> None:
    a, b = spread(pools[0], n, seed), spread(pools[1], n, seed + 1)
    out = blank(shape=n)
    adder(a, b, out, n, grid=grid)
    with np.errstate(all="ignore"):
        assert_same(out, a + b)


@pytest.mark.parametrize("clamp", CLAMPS, ids=lambda k: f"{k.name}-{k.target.name}")
@settings(max_examples=60, deadline=None)
@given(n=LENGTHS, grid=GRIDS, seed=SEEDS, pool=POOLS, low=BOUNDS, high=BOUNDS)
def test_clamps(
    clamp: ptoscope.Kernel,
    n: int,
    grid: int,
    seed: int,
    pool: list[float],
    low: float,
    high: float,
) -> None:
    x, lowest, highest = spread(pool, n, seed), np.float32(low), np.float32(high)
    by_scalars, by_vectors = blank(shape=n), blank(shape=n)
    clamp(x, by_scalars, by_vectors, low, high, n, grid=grid)
    _, expected = clamped(x, lowest, highest)
    assert_same(by_scalars, expected)
    assert_same(by_vectors, expected)


@pytest.mark.parametrize("adder", ADDERS, ids=lambda k: f"{k.name}-{k.target.name}")
@settings(max_examples=10, deadline=None)
@given(n=st.integers(1, 3000), short=st.integers(1, 3000), which=st.integers(0, 2))
def test_an_array_that_is_too_short_is_a_fault(
    adder: ptoscope.Kernel, n: int, short: int, which: int
) -> None:
    """Nothing beyond an array is read or written, however far the kernel reaches."""
    arrays = [np.zeros(n, np.float32) for _ in range(3)]
    arrays[which] = np.zeros(max(0, n - short), np.float32)
    with pytest.raises(ptoscope.PtoError):
        adder(*arrays, n)
