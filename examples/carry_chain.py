"""Adds 128-bit integers by limbs: `python carry_chain.py [n] [grid]`."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np

import ptoscope

KERNEL = Path(__file__).with_suffix(".pto")
LIMBS = 4
TOP = (1 << 32 * LIMBS) - 1
# A carry through every limb, none at all, and one that starts in the middle.
EDGES = [(TOP, 1), (TOP, TOP), (0, 0), (0xFFFFFFFF << 32, 1 << 32)]


def planes(numbers: list[int], limbs: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint32]]:
    """Limb l of number i at [l, i]."""
    rows = [[number >> 32 * limb & 0xFFFFFFFF for number in numbers] for limb in range(limbs)]
    return np.array(rows, np.uint32).reshape(limbs, len(numbers))


def main(n: int = 3_000, grid: int = 2, *, target: str | None = None) -> int:
    """Runs the kernel on random data; 0 if every sum is what Python's integers give, else 1."""
    draw = random.Random(n)
    pairs = [*EDGES, *((draw.getrandbits(128), draw.getrandbits(128)) for _ in range(n))][:n]
    a, b = ([pair[side] for pair in pairs] for side in (0, 1))
    out = np.full((LIMBS + 1, n), 0xDEADBEEF, np.uint32)
    ptoscope.load(KERNEL, target)(planes(a, LIMBS), planes(b, LIMBS), out, n, grid=grid)
    sums = planes([x + y for x, y in pairs], LIMBS + 1)
    wrong = np.count_nonzero((out != sums).any(axis=0))
    print(f"carry_chain: {n} sums of 128 bits, grid {grid}: {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
