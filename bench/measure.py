"""How a row is measured: CPU time, best of several, both sides interleaved in one run."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Row:
    """One measured ratio; `measured` and `baseline` are seconds or bytes per unit of work.

    The ratio is measured / baseline, at most the target; with `speed` it is the inverse, the
    speed as a fraction of the baseline's, at least the target. A row without a target informs.
    """

    what: str
    baseline_name: str
    measured: float
    baseline: float
    target: float | None = None
    speed: bool = False
    unit: Literal["s", "B"] = "s"
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.baseline / self.measured if self.speed else self.measured / self.baseline

    @property
    def holds(self) -> bool:
        if self.target is None:
            return True
        return self.ratio >= self.target if self.speed else self.ratio <= self.target


@dataclass(frozen=True)
class Remark:
    """A line below the table: what could not be measured and why, or a figure of the machine."""

    text: str
    failed: bool = False


@dataclass(frozen=True)
class Job:
    """One step of a benchmark, named for the progress bar."""

    name: str
    run: Callable[[], Iterator[Row | Remark]]


def best_of(
    subject: Callable[[], object],
    baseline: Callable[[], object],
    repeats: int = 7,
    clock: Callable[[], float] = time.process_time,
) -> tuple[float, float]:
    """Best times of both, alternating so that a noisy moment hits both."""
    once(subject, clock)
    once(baseline, clock)
    pairs = [(once(subject, clock), once(baseline, clock)) for _ in range(repeats)]
    return min(p[0] for p in pairs), min(p[1] for p in pairs)


def once(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Seconds of one run."""
    gc.collect()
    start = clock()
    work()
    return clock() - start
