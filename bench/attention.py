"""Flash attention on the native engine against NumPy, one thread on each side.

The kernel takes f16 and rounds its weights to it, NumPy has the same numbers as f32, the fastest
that it has. Measured in a process of its own like `bench.matrix`: `python -m bench.attention`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import ptoscope
from bench.cases import KERNELS
from bench.matrix import alone
from bench.measure import Goal, Job, Row, best, best_of

SIZE, DEPTH = 512, 64
_WHAT = f"flash attention, {SIZE} x {SIZE}, depth {DEPTH}, f16"
_AS_WRITTEN = Goal(_WHAT, "NumPy in f32", 1.0, speed=True)
_IN_PLACE = Goal(_WHAT, "NumPy in f32, in place", speed=True)
_REPEATS = 41


def jobs() -> list[Job]:
    """The one product of softmax."""
    return [Job("flash attention", _rows, (_AS_WRITTEN, _IN_PLACE))]


def arguments() -> list[Any]:
    """Queries, keys and values, room for the result, and how many there are."""
    noise = np.random.default_rng(0)
    sides = [noise.standard_normal((SIZE, DEPTH)).astype(np.float16) for _ in range(3)]
    return [*sides, np.full((SIZE, DEPTH), 77, np.float32), SIZE, SIZE]


def load() -> ptoscope.Kernel:
    """The kernel: that of the examples with two tiles of keys on their way at a time."""
    return ptoscope.load(KERNELS / "flash_attention.pto")


def in_numpy(q: Any, k: Any, v: Any) -> Any:
    """As people write it, each row divided once."""
    scores = q @ k.T * np.float32(DEPTH**-0.5)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers @ v / powers.sum(axis=1, keepdims=True)


def in_place(q: Any, k: Any, v: Any) -> Any:
    """The same without a second matrix of scores."""
    scores = q @ k.T
    scores *= np.float32(DEPTH**-0.5)
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    return scores @ v / scores.sum(axis=1, keepdims=True)


def _rows() -> Iterator[Row]:
    ours, numpy, ours_again, tuned = best(*alone("bench.attention"))
    note = "matrix core and two vector cores, all checks"
    yield _AS_WRITTEN.row(ours, numpy, note)
    yield _IN_PLACE.row(ours_again, tuned)


def _measure() -> Iterator[float]:
    from bench.native import runner

    given = arguments()
    ours, wide = runner(load(), given), [side.astype(np.float32) for side in given[:3]]
    for other in (in_numpy, in_place):
        yield from best_of(ours, lambda other=other: other(*wide), _REPEATS)


if __name__ == "__main__":
    print(*_measure())
