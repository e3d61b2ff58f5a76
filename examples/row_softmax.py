"""Softmax of each row of 128 floats: `python row_softmax.py [rows] [grid]`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import ptoscope

KERNEL = Path(__file__).with_suffix(".pto")
COLUMNS = 128
# Differences below 16 are rounded by at most 2^-21, seven levels of the sum by 2^-24 each,
# exp and the quotient by 2^-24 each.
TOLERANCE = 2e-6


def main(rows: int = 300, grid: int = 4, *, target: str | None = None) -> int:
    """Runs the kernel on random data; 0 if every element is right to rounding, else 1."""
    x = np.random.default_rng(rows).standard_normal((rows, COLUMNS), dtype=np.float32)
    y = np.full_like(x, np.nan)
    ptoscope.load(KERNEL, target)(x, y, rows, grid=grid)

    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    exact = powers / powers.sum(axis=1, keepdims=True)
    error = (np.abs(y - exact) / exact).max(initial=0)
    print(f"row_softmax: {rows} x {COLUMNS}, grid {grid}: relative error {error:.1e}")
    # Written so that a NaN counts as wrong.
    return int(not error <= TOLERANCE)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
