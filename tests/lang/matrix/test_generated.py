"""Kernels of many shapes, stages and ways between the cores: plain Python, the reference engine and
native code agree with the formula bit for bit, nothing is found in them, and no order of the
pipes and cores gives anything else."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lang.matrix.kernels import Array, tiled, ways
from tests.lang.matrix.mixed import mixed


def _integers(shape: tuple[int, int], seed: int) -> Array:
    """So small that all sums are whole numbers of f16."""
    return np.random.default_rng(seed).integers(-2, 3, shape).astype(np.float16)


def _agrees(kernel: Any, inputs: list[Array], expected: Array, *sizes: int, **named: Any) -> None:
    fixed = {name: value for name, value in named.items() if name != "grid"}
    assert [str(found) for found in kernel.check(**fixed)] == []
    for run in ways(kernel):
        y = np.full(expected.shape, np.nan, np.float32)
        run(*inputs, y, *sizes, **named)
        assert y.tobytes() == expected.astype(np.float32).tobytes()
    y = np.zeros(expected.shape, np.float32)
    seen = kernel.watch(*inputs, y, *sizes, schedules=8, **named)
    assert [str(found) for found in seen.diagnostics] == []


@settings(max_examples=12, deadline=None)
@given(
    st.integers(1, 70),
    st.integers(1, 70),
    st.integers(1, 70),
    st.sampled_from((16, 32, 48)),
    st.integers(1, 3),
    st.integers(1, 2),
    st.integers(0, 9),
)
def test_products(m: int, n: int, k: int, size: int, stages: int, grid: int, seed: int) -> None:
    a, b = _integers((m, k), seed), _integers((k, n), seed + 1)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    _agrees(tiled, [a, b], expected, m, n, k, size=size, stages=stages, grid=grid)


@settings(max_examples=12, deadline=None)
@given(
    st.integers(1, 4),
    st.sampled_from((32, 64, 96)),
    st.sampled_from((16, 32, 80)),
    st.sampled_from((16, 32)),
    st.integers(1, 3),
    st.integers(1, 3),
    st.sampled_from(("split_m", "split_n", "both")),
    st.booleans(),
)
def test_data_between_the_cores(
    tiles: int, n: int, k: int, step: int, outer: int, inner: int, way: str, back: bool
) -> None:
    m = 32 * tiles
    a, b = _integers((m, k), tiles), _integers((k, n), n)
    expected = 2 * (a.astype(np.float32) @ b.astype(np.float32)) + 1
    if back:
        expected = np.tile(expected.sum(1, keepdims=True), (1, 16))
    right = np.concatenate([b.ravel(), np.ones(16 * n, np.float16)])
    fixed = {"m": m, "n": n, "k": k, "step": step, "outer": outer, "inner": inner}
    _agrees(mixed, [a, right], expected, **fixed, way=way, back=back)
