"""Adds a bias to a matrix and scales it: `python bias_scale.py [rows] [columns] [grid]`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import ptoscope

KERNEL = Path(__file__).with_suffix(".pto")
BIAS, SCALE = np.float32(0.1), np.float32(1 / 3)
PITCH = 1024
"""Floats from row to row in UB: a longer row would run into the next."""


def main(rows: int = 100, columns: int = 300, grid: int = 2, *, target: str | None = None) -> int:
    """Runs the kernel on random data; 0 if every element is exact, else 1."""
    if columns > PITCH:
        print(f"bias_scale: {columns} columns, but a row has room for {PITCH}")
        return 1
    x = np.random.default_rng(rows).standard_normal((rows, columns), dtype=np.float32)
    out = np.full_like(x, np.nan)
    ptoscope.load(KERNEL, target)(x, out, BIAS, SCALE, rows, columns, grid=grid)
    wrong = np.count_nonzero(out != (x + BIAS) * SCALE)
    print(f"bias_scale: {rows} x {columns}, grid {grid}: {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
