"""Layer norm of each row of a matrix: `python layer_norm.py [rows] [columns] [grid]`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import ptoscope

KERNEL = Path(__file__).with_suffix(".pto")
EPS = np.float32(1e-5)
PITCH = 2048
"""Floats from row to row in UB: a longer row would run into the next."""
# Elements are near 3, their sums' rounding is about 2^-22 of that, and the smallest deviation is
# about one half; results are of the size of gamma and beta, a few units.
TOLERANCE = 1e-5


def main(rows: int = 100, columns: int = 768, grid: int = 4, *, target: str | None = None) -> int:
    """Runs the kernel on random data; 0 if every element is right to rounding, else 1."""
    if not 1 <= columns <= PITCH:
        print(f"layer_norm: {columns} columns, but a row has room for 1 to {PITCH}")
        return 1
    rng = np.random.default_rng(rows)
    x = rng.standard_normal((rows, columns), dtype=np.float32) + np.float32(3)
    gamma, beta = rng.standard_normal((2, columns), dtype=np.float32)
    out = np.full_like(x, np.nan)
    ptoscope.load(KERNEL, target)(x, gamma, beta, out, EPS, rows, columns, grid=grid)

    wide = x.astype(np.float64)
    apart = wide - wide.mean(axis=1, keepdims=True)
    exact = apart / np.sqrt(wide.var(axis=1, keepdims=True) + EPS) * gamma + beta
    error = np.abs(out - exact).max(initial=0)
    print(f"layer_norm: {rows} x {columns}, grid {grid}: error {error:.1e}")
    # Written so that a NaN counts as wrong.
    return int(not error <= TOLERANCE)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
