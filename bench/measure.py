"""How a row is measured: best of several, both sides interleaved in one run.

The machine may be shared. What else runs there only makes a side slower, so the best time of a
side is the truest. A job with a row that misses its goal is measured again, and what counts is the
best of either side over all attempts.
"""

from __future__ import annotations

import gc
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

_ATTEMPTS = 4
"""Of a job, at the most."""


@dataclass(frozen=True)
class Goal:
    """What a row says and promises, known before it is measured.

    Without `speed` the row's ratio, measured / baseline, is to be at most the target; with it the
    ratio is the inverse, the speed as a fraction of the baseline's, and at least the target. A row
    without a target informs.
    """

    what: str
    against: str
    target: float | None = None
    speed: bool = False
    unit: Literal["s", "B"] = "s"

    def row(self, measured: float, baseline: float, note: str = "") -> Row:
        """The row, measured: seconds or bytes per unit of work."""
        return Row(self, measured, baseline, note)

    def amount(self, value: float) -> str:
        """Seconds or bytes as people read them."""
        if self.unit == "B":
            return f"{value / 1e6:.1f} MB" if value >= 1e5 else f"{value:.0f} B"
        return f"{value * 1e6:.2f} us" if value < 1e-3 else f"{value * 1e3:.1f} ms"

    def __str__(self) -> str:
        """The target as people read it; empty without one."""
        return "" if self.target is None else f"{'>=' if self.speed else '<='} {self.target:g}"


@dataclass(frozen=True)
class Row:
    """One measured ratio."""

    goal: Goal
    measured: float
    baseline: float
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.baseline / self.measured if self.goal.speed else self.measured / self.baseline

    @property
    def holds(self) -> bool:
        target = self.goal.target
        if target is None:
            return True
        return self.ratio >= target if self.goal.speed else self.ratio <= target


@dataclass(frozen=True)
class Remark:
    """A line below the table: what could not be measured and why, or a figure of the machine."""

    text: str
    failed: bool = False


@dataclass(frozen=True)
class Job:
    """One step of a benchmark, named for the progress bar. `goals` are those of the rows that it
    gives, in order; only a job that may find nothing to measure gives fewer, and says why."""

    name: str
    run: Callable[[], Iterator[Row | Remark]]
    goals: tuple[Goal, ...] = ()


class _Bests:
    """The best times so far of each measurement of a job, in the order in which it takes them."""

    def __init__(self) -> None:
        self.earlier = -1
        """Attempts before this one."""
        self._found: list[list[float]] = []
        self._next = 0

    def begin(self) -> None:
        """Another attempt."""
        self.earlier += 1
        self._next = 0

    def merge(self, times: Sequence[float]) -> list[float]:
        """Those of the next measurement, and of the same one in earlier attempts."""
        if self._next == len(self._found):
            self._found.append(list(times))
        best = [min(pair) for pair in zip(self._found[self._next], times, strict=True)]
        self._found[self._next] = best
        self._next += 1
        return list(best)


_bests = _Bests()
_bests.begin()


def attempts() -> Iterator[None]:
    """Those that one job has; the times of each join those of the earlier ones."""
    global _bests
    _bests = _Bests()
    for _ in range(_ATTEMPTS):
        _bests.begin()
        yield


def best(*times: float) -> list[float]:
    """Times that a job has measured, or better ones of its earlier attempts. Measurements come in
    the same order in each attempt."""
    return _bests.merge(times)


def best_of(
    subject: Callable[[], object],
    baseline: Callable[[], object],
    repeats: int = 7,
    clock: Callable[[], float] = time.process_time,
) -> tuple[float, float]:
    """Best times of both, alternating so that a noisy moment hits both. Caches are cold, since
    everything is looked through for garbage before each run."""
    ours, theirs = _in_turns([subject, baseline], repeats, clock, 0.0)
    return ours, theirs


def best_of_all(
    sides: Sequence[Callable[[], object]],
    repeats: int,
    clock: Callable[[], float] = time.process_time,
    seconds: float = 0.0,
) -> list[float]:
    """Best times of each side, in turns, with warm caches. At least so many turns, and turns for
    so long, twice as long in each further attempt: a busy machine has few quiet moments."""
    gc.collect()
    gc.freeze()
    try:
        return _in_turns(sides, repeats, clock, seconds * 2**_bests.earlier)
    finally:
        gc.unfreeze()


def _in_turns(
    sides: Sequence[Callable[[], object]],
    repeats: int,
    clock: Callable[[], float],
    seconds: float,
) -> list[float]:
    """A first turn does not count."""
    least = [float("inf")] * len(sides)
    for side in sides:
        once(side, clock)
    started, turns = time.perf_counter(), 0
    while turns < repeats or time.perf_counter() - started < seconds:
        times = [once(side, clock) for side in sides]
        least = [min(pair) for pair in zip(least, times, strict=True)]
        turns += 1
    return best(*least)


def once(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Seconds of one run."""
    gc.collect()
    start = clock()
    work()
    return clock() - start


def of_children() -> float:
    """A clock: the processor time of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
