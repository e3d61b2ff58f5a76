"""The k largest numbers of each row: `python top_k.py [rows] [columns] [k] [grid]`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import ptoscope

KERNEL = Path(__file__).with_suffix(".pto")
ROOM = 2048
"""Numbers of a row that UB has room for."""


def main(
    rows: int = 6, columns: int = 1500, k: int = 8, grid: int = 4, *, target: str | None = None
) -> int:
    """Runs the kernel on random data; 0 if every number and column is exact, else 1."""
    if not 1 <= k <= columns <= ROOM:
        print(f"top_k: {k} of {columns} columns, but it is 1 to {ROOM} columns, and k of them")
        return 1
    # Tenths, so that many numbers are equal.
    x = np.random.default_rng(rows).standard_normal((rows, columns)).round(1).astype(np.float32)
    values = np.full((rows, k), np.nan, np.float32)
    indices = np.full((rows, k), -1, np.int32)
    ptoscope.load(KERNEL, target)(x, values, indices, rows, columns, k, grid=grid)

    order = np.argsort(-x, axis=1, kind="stable")[:, :k]
    sorted_values = np.take_along_axis(x, order, axis=1)
    wrong = np.count_nonzero(values != sorted_values) + np.count_nonzero(indices != order)
    print(f"top_k: {k} of {rows} x {columns}, grid {grid}: {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
