"""A product of two f16 matrices, summed in f32: `python matmul.py [m] [n] [k] [grid]`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import ptoscope

KERNEL = Path(__file__).with_suffix(".pto")
# Each step of a sum is rounded once, by at most 2^-24 of what the sum has come to.
STEP = 2.0**-24


def main(
    m: int = 200, n: int = 300, k: int = 250, grid: int = 4, *, target: str | None = None
) -> int:
    """Runs the kernel on random data; 0 if every sum is right to rounding, else 1."""
    if k < 1:
        print(f"matmul: k is at least 1, not {k}")
        return 1
    rng = np.random.default_rng(m + n + k)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
    c = np.full((m, n), np.nan, np.float32)
    ptoscope.load(KERNEL, target)(a, b, c, m, n, k, grid=grid)

    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    room = (k + 1) * STEP * (np.abs(wide_a) @ np.abs(wide_b))
    # Written so that a NaN counts as wrong.
    wrong = np.count_nonzero(~(np.abs(c - wide_a @ wide_b) <= room))
    print(f"matmul: {m} x {k} times {k} x {n}, grid {grid}: {wrong} of {c.size} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
