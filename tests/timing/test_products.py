"""Cycles of the matrix unit, against what was published of runs on the machines."""

from __future__ import annotations

import pytest

from ptoscope.isa.cost import product
from ptoscope.isa.cost_tables import transfer

FRACTAL_ROWS, BLOCK_BYTES = 16, 32


def _cycles(target: str, dtype: str, size: int, shape: tuple[int, int, int]) -> float:
    """By the formula of the public cost model: head + repeats of 16 x 32 bytes from each side."""
    head, each = product(target, dtype, manual=False)
    m, n, k = shape
    repeats = -(-m // FRACTAL_ROWS) * -(-n // FRACTAL_ROWS) * -(-k * size // BLOCK_BYTES)
    return head.value + each.value * repeats


@pytest.mark.parametrize(("dtype", "size", "expected"), [("f16", 2, 18), ("f32", 4, 46)])
def test_points_of_the_public_cost_model(dtype: str, size: int, expected: int) -> None:
    """31 x 17 x 33: 12 repeats of one cycle, 20 of two, and 6 to begin."""
    assert _cycles("a2a3", dtype, size, (31, 17, 33)) == expected


def test_a_published_run_on_a3() -> None:
    """6144 in each direction, f16, 24 cores at 1.85 GHz: 86.7% of 1.506 ms. Tiles of 128 x 256,
    64 along k. The models have no more than 3% to go."""
    tile = (128, 256, 64)
    tiles = 6144**3 // (tile[0] * tile[1] * tile[2])
    modelled = _cycles("a2a3", "f16", 2, tile) * tiles / 24
    measured = 0.867 * 1.506e-3 * 1.85e9
    assert modelled == pytest.approx(measured, rel=0.03)


def test_loads_beside_products_in_a_published_run_on_a5() -> None:
    """f8, tiles of 128 x 256, 128 along k: loads from L1 work for 57.3% of the time, the matrix
    unit for 91.6% of it. Clocks do not matter."""
    tile = (128, 256, 128)
    rates = [transfer(f"l1_to_{side}", "a5", manual=False)[0].value for side in ("l0a", "l0b")]
    loads = tile[0] * tile[2] / rates[0] + tile[1] * tile[2] / rates[1]
    assert loads / _cycles("a5", "f8e4m3", 1, tile) == pytest.approx(0.573 / 0.916, rel=0.02)


@pytest.mark.parametrize(
    ("target", "manual", "source"),
    [("a2a3", False, "measured"), ("a2a3", True, "assumed"), ("a5", False, "assumed")],
)
def test_sources(target: str, manual: bool, source: str) -> None:
    assert [figure.source for figure in product(target, "f16", manual)] == [source] * 2
