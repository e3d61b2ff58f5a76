"""The manual's own kernel, absolute values of 32 x 32 floats: `python abs_kernel.py`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import ptoscope

KERNEL = Path(__file__).with_suffix(".pto")
SHAPE = (32, 32)


def main(seed: int = 0, *, target: str | None = None) -> int:
    """Runs the kernel on random data; 0 if every value is exact to the bit, else 1."""
    x = np.random.default_rng(seed).standard_normal(SHAPE, dtype=np.float32)
    x[0, :3] = -0.0, -np.inf, np.inf
    out = np.full(SHAPE, np.nan, np.float32)
    ptoscope.load(KERNEL, target)(x, out)
    wrong = np.count_nonzero(out.view(np.uint32) != np.abs(x).view(np.uint32))
    print(f"abs_kernel: {x.size} elements: {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
