"""Clamps an array by scalars and by vectors: `python clamp.py [n] [grid]`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import ptoscope

KERNEL = Path(__file__).with_suffix(".pto")
LOW, HIGH = np.float32(-1.5), np.float32(0.75)


def main(n: int = 20_000, grid: int = 2, *, target: str | None = None) -> int:
    """Runs the kernel on random data; 0 if both results are exact to the bit, else 1."""
    x = np.random.default_rng(n).standard_normal(n, dtype=np.float32)
    special = np.array([-0.0, np.inf, -np.inf, np.nan, LOW, HIGH], np.float32)[:n]
    x[: len(special)] = special
    by_scalars, by_vectors = np.full((2, n), np.nan, np.float32)
    ptoscope.load(KERNEL, target)(x, by_scalars, by_vectors, LOW, HIGH, n, grid=grid)

    # A NaN stays one, as vmax.md and vmin.md say and np.clip does.
    expected = np.clip(x, LOW, HIGH).view(np.uint32)
    wrong = sum(np.count_nonzero(r.view(np.uint32) != expected) for r in (by_scalars, by_vectors))
    print(f"clamp: {n} elements to [{LOW}, {HIGH}] in two ways, grid {grid}: {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
