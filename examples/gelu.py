"""GELU, in the form with tanh, of any number of floats: `python gelu.py [n] [grid]`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import ptoscope

KERNEL = Path(__file__).with_suffix(".pto")
# The exponent is below 16 and rounded by about 2^-22 of itself, which is how far the power of
# it is off; the sum and the quotient add 2^-24 each.
TOLERANCE = 4e-6


def main(n: int = 50_000, grid: int = 4, *, target: str | None = None) -> int:
    """Runs the kernel on random data; 0 if every element is right to rounding, else 1."""
    x = np.random.default_rng(n).standard_normal(n, dtype=np.float32)
    out = np.full_like(x, np.nan)
    ptoscope.load(KERNEL, target)(x, out, n, grid=grid)

    wide = x.astype(np.float64)
    exact = wide / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (wide + 0.044715 * wide**3)))
    error = (np.abs(out - exact) / np.abs(exact)).max(initial=0)
    print(f"gelu: {n} elements, grid {grid}: relative error {error:.1e}")
    # Written so that a NaN counts as wrong.
    return int(not error <= TOLERANCE)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
