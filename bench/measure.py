"""How a row is measured: CPU time, best of several, both sides interleaved in one run."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One measured ratio; `measured` and `baseline` are seconds per unit of work."""

    what: str
    baseline_name: str
    measured: float
    baseline: float
    target: float

    @property
    def ratio(self) -> float:
        return self.measured / self.baseline

    @property
    def holds(self) -> bool:
        return self.ratio <= self.target


def best_of(
    subject: Callable[[], object],
    baseline: Callable[[], object],
    repeats: int = 7,
    clock: Callable[[], float] = time.process_time,
) -> tuple[float, float]:
    """Best times of both, alternating so that a noisy moment hits both."""

    def once(work: Callable[[], object]) -> float:
        gc.collect()
        start = clock()
        work()
        return clock() - start

    once(subject)
    once(baseline)
    pairs = [(once(subject), once(baseline)) for _ in range(repeats)]
    return min(p[0] for p in pairs), min(p[1] for p in pairs)
