"""Growth of a piece of work with its size, in calls and bytes: a busy machine changes neither."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

TIMES = 4
"""By how much the larger piece is larger."""


def growth(prepare: Callable[[int], Callable[[], object]], size: int) -> float:
    """Returns how many times the calls, or the bytes at once, of a size the work of four times
    that size takes, whichever is more. Linear work gives about 4, quadratic work 16. `prepare`
    makes the work of a size."""
    small, large = (_cost(prepare(many)) for many in (size, TIMES * size))
    return max(after / before for before, after in zip(small, large, strict=True))


def _cost(work: Callable[[], object]) -> tuple[int, int]:
    """Returns the calls of Python and C functions, and the most bytes at once, after a first run
    that fills caches."""
    work()
    return _calls(work), _bytes(work)


def _calls(work: Callable[[], object]) -> int:
    calls = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    gc.collect()
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def _bytes(work: Callable[[], object]) -> int:
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
