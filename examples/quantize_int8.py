"""Quantises rows to signed bytes: `python quantize_int8.py [rows] [columns] [grid]`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import ptoscope

KERNEL = Path(__file__).with_suffix(".pto")
LIMIT = np.float32(2.5)
PITCH = 2048
"""Floats from row to row in UB: a longer row would run into the next."""


def main(rows: int = 100, columns: int = 1000, grid: int = 4, *, target: str | None = None) -> int:
    """Runs the kernel on random data; 0 if every byte and every scale is exact, else 1."""
    if not 1 <= columns <= PITCH:
        print(f"quantize_int8: {columns} columns, but a row has room for 1 to {PITCH}")
        return 1
    x = np.random.default_rng(rows).standard_normal((rows, columns), dtype=np.float32)
    x *= np.linspace(0, 2, rows, dtype=np.float32)[:, None]
    q, scales = np.full(x.shape, 99, np.int8), np.full(rows, np.nan, np.float32)
    ptoscope.load(KERNEL, target)(x, q, scales, LIMIT, rows, columns, grid=grid)

    top = np.minimum(np.abs(x).max(axis=1), LIMIT)
    exact_scales = np.maximum(top / np.float32(127), np.finfo(np.float32).tiny)
    exact = np.clip(np.rint(x / exact_scales[:, None]), -128, 127)
    wrong = np.count_nonzero(q != exact) + np.count_nonzero(scales != exact_scales)
    print(f"quantize_int8: {rows} x {columns}, grid {grid}: {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
