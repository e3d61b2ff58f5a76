"""Kernels of the matrix core give what their formulas say: on each engine and as plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope import pto
from ptoscope.diagnostics import UsageError
from tests.lang.matrix import kernels
from tests.lang.matrix.kernels import f16, product, ways

ALL = (
    kernels.tiled,
    kernels.fused,
    kernels.chained,
    kernels.in_parts,
    kernels.exponentials,
    kernels.halved,
)


@pytest.mark.parametrize("kernel", ALL, ids=lambda k: k.function.__name__)
def test_nothing_is_wrong_with_them(kernel: pto.PythonKernel) -> None:
    assert [str(found) for found in kernel.findings] == []


@pytest.mark.parametrize("sizes", [(64, 64, 96), (40, 50, 70), (1, 17, 33), (33, 16, 1)])
@pytest.mark.parametrize("grid", [1, 2])
def test_a_product_of_any_size(sizes: tuple[int, int, int], grid: int) -> None:
    m, n, k = sizes
    a, b = f16((m, k), 1), f16((k, n), 2)
    for run in ways(kernels.tiled):
        y = np.full((m, n), np.nan, np.float32)
        run(a, b, y, m, n, k, grid=grid)
        assert np.array_equal(y, product(a, b))


def test_biases_scales_and_bytes() -> None:
    a, b = f16((64, 64), 3), f16((64, 64), 4)
    bias = np.arange(64, dtype=np.float32) / 4 - 8
    sums = product(a, b, np.tile(bias, (64, 1))) * np.float32(3.5)
    expected = np.clip(np.rint(np.maximum(sums, 0)), -128, 127).astype(np.int8)
    for run in ways(kernels.fused):
        y = np.zeros((64, 64), np.int8)
        run(a, b, bias, y, 3.5)
        assert np.array_equal(y, expected)


def test_a_product_goes_back_through_l1() -> None:
    a, b, d = f16((32, 64), 5), f16((64, 48), 6), f16((48, 48), 7)
    expected = product(product(a, b).astype(np.float16), d)
    for run in ways(kernels.chained):
        y = np.zeros((32, 48), np.float32)
        run(a, b, d, y)
        assert np.array_equal(y, expected)


def test_parts_of_what_is_in_l1() -> None:
    a, b = f16((64, 64), 8), f16((64, 64), 9)
    for run in ways(kernels.in_parts):
        y = np.zeros((64, 32), np.float32)
        run(a, b, y)
        assert np.array_equal(y, product(a, b[32:].T))


def test_products_go_to_both_vector_cores() -> None:
    a, b = f16((128, 64), 10), f16((64, 64), 11) / 16
    found = []
    for run in ways(kernels.exponentials):
        y = np.zeros((128, 64), np.float32)
        run(a, b.astype(np.float16), y)
        found.append(y)
    assert np.allclose(found[0], np.exp(product(a, b)), rtol=1e-5)
    assert all(y.tobytes() == found[0].tobytes() for y in found)


def test_vector_cores_make_a_factor() -> None:
    a, b = f16((64, 64), 12), f16((64, 64), 13)
    for run in ways(kernels.halved):
        y = np.zeros((64, 64), np.float32)
        run(a, b, y)
        assert np.array_equal(y, product(a / 2, b))


def test_sections_that_only_some_cores_come_to_are_no_plain_run() -> None:
    @pto.kernel(target="a5")
    def some(y: pto.gm[pto.i64]):
        if pto.get_subblock_idx() == 1:
            with pto.vector():
                y[0] = 1
        with pto.cube():
            y[1] = 1

    with pytest.raises(UsageError, match="all cores come to in one order"):
        some.eager(np.zeros(2, np.int64))
