"""How the time of a piece of work grows with its size."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

TIMES = 4
"""By how much the larger piece is larger."""
_REPEATS = 3


def growth(prepare: Callable[[int], Callable[[], object]], size: int) -> float:
    """How many times the processor time of a size, best of several, four times that size takes.
    What is linear gives about 4, what is quadratic 16. `prepare` makes the work of a size."""
    small, large = (_seconds(prepare(many)) for many in (size, TIMES * size))
    return large / small


def _seconds(work: Callable[[], object]) -> float:
    work()
    best = float("inf")
    for _ in range(_REPEATS):
        gc.collect()
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best
