"""The kernels of the matrix table: right results, and nothing to find fault with."""

from __future__ import annotations

import numpy as np
import pytest
from tests.machine.test_sums import sequential

from bench.matrix import SIZE, TYPES, arguments, load


@pytest.mark.parametrize("name", sorted(TYPES))
def test_products(name: str) -> None:
    """Of all elements nearly those of wide numbers, of some each step by itself."""
    left, right, made = arguments(name)
    load(name)(left, right, made, grid=1, engine="native")
    wide = left.astype(np.float64) @ right.astype(np.float64)
    assert np.abs(made - wide).max() < 1e-3
    bits = [side.astype(np.float32).view(np.uint32) for side in (left, right)]
    for row, column in ((0, 0), (127, 128), (300, 17), (SIZE - 1, SIZE - 1)):
        factors = list(zip(bits[0][row].tolist(), bits[1][:, column].tolist(), strict=True))
        assert made[row, column : column + 1].view(np.uint32) == sequential(0, factors)
