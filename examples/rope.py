"""Rotary position embedding: `python rope.py [tokens] [heads] [pairs] [grid]`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import ptoscope

KERNEL = Path(__file__).with_suffix(".pto")
ROOM = 64
"""Heads of a token, and pairs of a head, that UB has room for."""


def main(
    tokens: int = 48, heads: int = 32, pairs: int = 64, grid: int = 4, *, target: str | None = None
) -> int:
    """Runs the kernel on random data; 0 if every element is exact, else 1."""
    if heads > ROOM or pairs > ROOM:
        print(f"rope: {heads} heads of {pairs} pairs, but there is room for {ROOM} of {ROOM}")
        return 1
    x = np.random.default_rng(tokens).standard_normal((tokens, heads, pairs, 2), dtype=np.float32)
    # The usual angles: token t turns pair p by t / 10000^(p / pairs).
    angles = np.outer(np.arange(tokens), 1e4 ** (-np.arange(pairs) / pairs))
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    out = np.full_like(x, np.nan)
    ptoscope.load(KERNEL, target)(x, cos, sin, out, tokens, heads, pairs, grid=grid)

    c, s = cos[:, None, :], sin[:, None, :]
    first, second = x[..., 0], x[..., 1]
    exact = np.stack([first * c - second * s, second * c + first * s], axis=-1)
    wrong = np.count_nonzero(out != exact)
    print(f"rope: {tokens} tokens, {heads} heads of {pairs} pairs, grid {grid}: {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
