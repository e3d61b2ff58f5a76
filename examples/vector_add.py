"""Adds two arrays of any length on a grid of blocks: `python vector_add.py [n] [grid]`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import ptoscope

KERNEL = Path(__file__).with_suffix(".pto")


def main(n: int = 50_000, grid: int = 4, *, target: str | None = None) -> int:
    """Runs the kernel on random data; 0 if every sum is exact, else 1."""
    rng = np.random.default_rng(n)
    a, b = rng.standard_normal((2, n), dtype=np.float32)
    out = np.full(n, np.nan, np.float32)
    ptoscope.load(KERNEL, target)(a, b, out, n, grid=grid)
    wrong = np.count_nonzero(out != a + b)
    print(f"vector_add: {n} elements, grid {grid}: {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
