"""Counts the values of any number of bytes: `python histogram.py [n] [grid]`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import ptoscope

KERNEL = Path(__file__).with_suffix(".pto")


def main(n: int = 100_000, grid: int = 4, *, target: str | None = None) -> int:
    """Runs the kernel on random data; 0 if every count is exact, else 1."""
    # Most samples are near the middle, so that equal ones meet in a register, and some are not.
    samples = np.random.default_rng(n).normal(128, 30, n).clip(0, 255).astype(np.uint8)
    counts = np.zeros(256, np.int32)
    ptoscope.load(KERNEL, target)(samples, counts, n, grid=grid)
    wrong = np.count_nonzero(counts != np.bincount(samples, minlength=256))
    print(f"histogram: {n} samples, grid {grid}: {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
