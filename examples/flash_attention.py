"""Attention in one pass over the keys: `python flash_attention.py [queries] [keys] [grid]`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import ptoscope

KERNEL = Path(__file__).with_suffix(".pto")
DEPTH = 64
# Weights are rounded to f16: by 2^-11 of themselves, or where they are tiny by 2^-25.
ROUNDED, TINY = 2.0**-11, 2.0**-25
# Differences below 16 are rounded by at most 2^-21; sums and products add less than that.
REST = 2.0**-18


def main(queries: int = 300, keys: int = 500, grid: int = 2, *, target: str | None = None) -> int:
    """Runs the kernel on random data; 0 if every element is right to rounding, else 1."""
    if keys < 1:
        print(f"flash_attention: at least 1 key, not {keys}")
        return 1
    rng = np.random.default_rng(queries + keys)
    shapes = (queries, DEPTH), (keys, DEPTH), (keys, DEPTH)
    q, k, v = (rng.standard_normal(shape).astype(np.float16) for shape in shapes)
    out = np.full((queries, DEPTH), np.nan, np.float32)
    ptoscope.load(KERNEL, target)(q, k, v, out, queries, keys, grid=grid)

    wide_q, wide_k, wide_v = (x.astype(np.float64) for x in (q, k, v))
    scores = wide_q @ wide_k.T / 8
    powers = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-np.inf))
    weights = powers / powers.sum(axis=1, keepdims=True)
    room = (ROUNDED + REST) * (weights @ np.abs(wide_v)) + TINY * np.abs(wide_v).sum(axis=0)
    # Written so that a NaN counts as wrong.
    wrong = np.count_nonzero(~(np.abs(out - weights @ wide_v) <= room))
    print(f"flash_attention: {queries} x {keys}, grid {grid}: {wrong} of {out.size} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
