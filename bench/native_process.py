"""Whole processes: the command with a warm cache, and the memory of a fresh process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.cases import CASES, KERNELS
from bench.measure import Goal, Job, Remark, Row, best_of

_LIMIT = 100e6
_ELEMENTS = "zeros:4096"
_WARM = Goal("ptoscope run, 60-line kernel, warm", 'python -c "import numpy"', 2.5)
_STATES = tuple(
    Goal(f"memory beyond the arrays, f32 add, 16 Mi, {state}", "100 MB", 1.0, unit="B")
    for state in ("warm", "cold")
)
_CHILD = """\
import sys
import numpy as np
import ptoscope
n = int(sys.argv[2])
a, b, out = (np.full(n, v, np.float32) for v in (1, 2, 0))
ptoscope.load(sys.argv[1])(a, b, out, n, grid=1, engine="native", threads=1)
assert out[0] == out[-1] == 3
status = open("/proc/self/status").read()
for name in ("VmHWM", "RssAnon"):
    print(int(status.split(name + ":")[1].split()[0]) * 1024 - (a.nbytes + b.nbytes + out.nbytes))
"""


def jobs() -> list[Job]:
    """The warm command and the memory."""
    return [Job("warm ptoscope run", _warm_run, (_WARM,)), Job("memory", _memory, _STATES)]


def _process(*command: str, home: str) -> Callable[[], object]:
    surroundings = environment(home)
    return lambda: subprocess.run(command, check=True, capture_output=True, env=surroundings)


def environment(home: str) -> dict[str, str]:
    """This process's, with a cache of its own; modules compiled once, as they are for users."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PTOSCOPE_CACHE": home, "PYTHONPYCACHEPREFIX": os.path.join(home, "pyc")}


def _warm_run() -> Iterator[Row]:
    tool = str(Path(sys.executable).with_name("ptoscope"))
    kernel = str(KERNELS / "sixty_lines.pto")
    numbers = ("2.0", "0.5", "-1.0", "4096")
    with tempfile.TemporaryDirectory() as home:
        # The first run of best_of, which does not count, fills the cache.
        measured, baseline = best_of(
            _process(
                *(tool, "run", kernel, *(_ELEMENTS,) * 3, *numbers, "--engine", "native"),
                home=home,
            ),
            _process(sys.executable, "-c", "import numpy", home=home),
            9,
            time.perf_counter,
        )
    yield _WARM.row(measured, baseline, "wall time")


def _memory() -> Iterator[Row | Remark]:
    """Of a fresh process, less the three arrays. With a warm cache, all that was ever resident
    (VmHWM): interpreter, NumPy, LLVM's library, UB. With a cold one the compiler's code counts
    too, pages of a file that are shared and can be dropped, so that row is about the memory
    that is the process's own (RssAnon)."""
    if not Path("/proc/self/status").exists():
        yield Remark("skipped: memory beyond the arrays: there is no /proc/self/status here")
        return
    case = CASES[0]
    with tempfile.TemporaryDirectory() as home:
        cold, warm = (
            subprocess.run(
                (sys.executable, "-c", _CHILD, str(case.path), str(case.size)),
                check=True,
                capture_output=True,
                text=True,
                env=environment(home),
            ).stdout.split()
            for _ in range(2)
        )
    for goal, number, note in zip(
        _STATES, (warm[0], cold[1]), ("peak RSS", "its own"), strict=True
    ):
        yield goal.row(float(number), _LIMIT, note)
