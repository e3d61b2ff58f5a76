"""Matrix products on the native engine against NumPy's, one thread on each side.

Both sides run in one process, which is told before it loads NumPy that its products take one
thread: `python -m bench.matrix f32` prints the seconds of either side.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import ptoscope
from bench.cases import KERNELS
from bench.measure import Goal, Job, Row, best, best_of

SIZE = 512
TYPES = {"f32": np.float32, "f16": np.float16}
_GOALS = {
    name: Goal(f"{name} matmul, {SIZE} x {SIZE} x {SIZE}", "NumPy's @ of f32", 0.5, speed=True)
    for name in TYPES
}
_REPEATS = 41
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")


def jobs() -> list[Job]:
    """A product of each type of elements."""
    return [
        Job(f"{name} matmul", lambda name=name: _rows(name), (goal,))
        for name, goal in _GOALS.items()
    ]


def arguments(name: str) -> list[Any]:
    """Two matrices of a type, and room for their product."""
    noise = np.random.default_rng(0)
    sides = [noise.standard_normal((SIZE, SIZE)).astype(TYPES[name]) for _ in range(2)]
    return [*sides, np.zeros((SIZE, SIZE), np.float32)]


def load(name: str) -> ptoscope.Kernel:
    """The kernel of a type."""
    return ptoscope.load(KERNELS / f"matmul_{name}.pto")


def alone(*command: str) -> list[float]:
    """The numbers that a module prints, in a process whose products take one thread."""
    ran = subprocess.run(
        (sys.executable, "-m", *command),
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **_ONE_THREAD},
    )
    return [float(number) for number in ran.stdout.split()]


def _rows(name: str) -> Iterator[Row]:
    measured, baseline = best(*alone("bench.matrix", name))
    note = f"{2 * SIZE**3 / measured / 1e9:.0f} GFLOP/s; the matrix in tiles of 128, all checks"
    yield _GOALS[name].row(measured, baseline, note)


def _measure(name: str) -> tuple[float, float]:
    from bench.native import runner

    given, (left, right, made) = arguments(name), arguments("f32")
    return best_of(runner(load(name), given), lambda: np.matmul(left, right, out=made), _REPEATS)


if __name__ == "__main__":
    print(*_measure(sys.argv[1]))
