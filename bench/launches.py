"""What a launch costs beside its blocks' own work: a call, a block, and a second thread.

By the clock on the wall: a thread that waits counts. The machine may have other work, so both
sides take turns, and the best of many counts. Whether it has a second processor free at all shows
by a third side, C on blocks that need nothing of each other.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import ptoscope
from bench import c_side
from bench.cases import KERNELS
from bench.measure import Goal, Job, Remark, Row, best_of_all, once

_LANES = 64
_CALLS = 200
_REPEATS, _SECONDS = 25, 1.0
"""At least so many turns, and turns for so long: two cores that are both free are rare."""
_GRIDS = {8: 100_000, 64: 12_500, 1024: 1000, 65_535: 16}
"""How many blocks, and rounds of each: a few ms in all, but for the last, whose blocks are tiny."""
_FREE = 1.4
"""How much faster two threads of C are at least, where two processors are free for them."""
_MICROSECOND = 1e-6
_CALL = Goal("a call from Python: one block, 64 sums", "a call of C by ctypes", 12.0)
_BLOCK = Goal("a block of 64 sums, of 65,535", "1 us", 1.0)
_THREADS = {
    grid: Goal(f"two threads, {grid:,} blocks", "C's speed-up", 0.9, speed=True) for grid in _GRIDS
}


def jobs() -> list[Job]:
    """A call, a block, and two threads on grids of each size."""
    of_grids = [
        Job(goal.what, lambda grid=grid: _threads(grid), (goal,)) for grid, goal in _THREADS.items()
    ]
    return [Job("a call", _call, (_CALL,)), Job("a block", _block, (_BLOCK,)), *of_grids]


def load() -> ptoscope.Kernel:
    """The kernel: 64 sums in each block."""
    return ptoscope.load(KERNELS / "add_blocks.pto")


def arguments(grid: int, rounds: int) -> list[Any]:
    """Those of a launch, with a result that is there if it is right."""
    a = np.arange(_LANES * grid, dtype=np.float32) % 1000
    return [a, np.ones_like(a), np.zeros_like(a), rounds]


def in_c(given: list[Any], *more: int) -> Callable[[], None]:
    """The same in C: a block, or with a grid and a number of threads all of them."""
    *arrays, rounds = given
    name = "add_blocks_grid" if more else "add_blocks"
    function: Any = getattr(c_side.library("add_blocks"), name)
    function.restype = None
    pointers, numbers = [ctypes.c_void_p] * len(arrays), [ctypes.c_int32] * (1 + len(more))
    function.argtypes = [*pointers, *numbers]
    return lambda: function(*(array.ctypes.data for array in arrays), rounds, *more)


def _ours(kernel: Any, given: list[Any], grid: int, threads: int) -> Callable[[], None]:
    return lambda: kernel(*given, grid=grid, threads=threads)


def _call() -> Iterator[Row]:
    kernel: Any = load()
    given = arguments(1, 1)
    ours, theirs = _best([lambda: kernel(*given), in_c(given)], _CALLS)
    yield _CALL.row(ours, theirs, "three arrays")


def _block() -> Iterator[Row]:
    grid = 65_535
    (ours,) = _best([_ours(load(), arguments(grid, 1), grid, 1)])
    yield _BLOCK.row(ours / grid, _MICROSECOND, "UB as zeros, all checks")


def _threads(grid: int) -> Iterator[Row | Remark]:
    kernel, given = load(), arguments(grid, _GRIDS[grid])
    sides = [_ours(kernel, given, grid, threads) for threads in (1, 2)]
    sides += [in_c(given, grid, threads) for threads in (1, 2)]
    one, two, c_one, c_two, free_one, free_two = _best([*sides, *_control(sides[0])])
    if free_one / free_two < _FREE:
        yield Remark(
            f"not measured: {_THREADS[grid].what}: the machine had no second processor free for as"
            f" long (two threads of C on their own data: {free_one / free_two:.2f} times as fast)"
        )
        return
    speed_ups = f"{one / two:.2f} times as fast as one, C {c_one / c_two:.2f}"
    note = f"blocks of {one / grid * 1e6:.1f} us; {speed_ups}"
    # What two would take if they were as much faster than one as those of C are.
    yield _THREADS[grid].row(two, one * c_two / c_one, note)


def _control(side: Callable[[], None]) -> list[Callable[[], None]]:
    """C on one thread and on two, on eight blocks that take as long as a side."""
    rounds = _GRIDS[8]
    wanted = _shortest(side)
    taken = _shortest(in_c(arguments(8, rounds), 8, 1))
    given = arguments(8, max(1, int(rounds * wanted / taken)))
    return [in_c(given, 8, threads) for threads in (1, 2)]


def _shortest(side: Callable[[], None]) -> float:
    return min(once(side, time.perf_counter) for _ in range(_REPEATS))


def _best(sides: list[Callable[[], None]], calls: int = 1) -> list[float]:
    """Seconds of a call of each side, the best of many, in turns."""

    def repeated(side: Callable[[], None]) -> None:
        for _ in range(calls):
            side()

    repeats = [lambda side=side: repeated(side) for side in sides]
    times = best_of_all(repeats, _REPEATS, time.perf_counter, _SECONDS)
    return [seconds / calls for seconds in times]
