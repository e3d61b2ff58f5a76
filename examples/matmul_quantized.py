"""A layer in bytes, with bias and relu: `python matmul_quantized.py [m] [n] [k] [grid]`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import ptoscope

KERNEL = Path(__file__).with_suffix(".pto")
SCALE_BITS = 0xFFFFE000


def main(
    m: int = 200, n: int = 300, k: int = 250, grid: int = 4, *, target: str | None = None
) -> int:
    """Runs the kernel on random data; 0 if every byte is right, else 1."""
    if k < 1:
        print(f"matmul_quantized: k is at least 1, not {k}")
        return 1
    rng = np.random.default_rng(m + n + k)
    a, w = (rng.integers(-128, 128, shape, np.int8) for shape in ((m, k), (n, k)))
    bias = rng.integers(-20_000, 20_000, n, np.int32)
    # So that most results lie between 0 and 255.
    wanted = rng.uniform(0.5, 2, n).astype(np.float32) / np.float32(60 * np.sqrt(k))
    words = wanted.view(np.uint32) & np.uint32(SCALE_BITS)
    out = np.full((m, n), 77, np.uint8)
    ptoscope.load(KERNEL, target)(a, w, bias, words.astype(np.uint64), out, m, n, k, grid=grid)

    sums = a.astype(np.int32) @ w.astype(np.int32).T + bias
    scaled = sums.astype(np.float32) * words.view(np.float32)
    expected = np.clip(np.rint(scaled), 0, 255).astype(np.uint8)
    wrong = np.count_nonzero(out != expected)
    print(f"matmul_quantized: {m} x {k} times {k} x {n}, grid {grid}: {wrong} of {out.size} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
