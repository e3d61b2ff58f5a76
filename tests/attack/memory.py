"""Runs with less and less memory: the right result, or an error, and nothing else."""

from __future__ import annotations

import os
import random
import subprocess
import sys

SECONDS = 90

_SCRIPT = """
import resource, sys
import numpy as np
import ptoscope

extra, grid, threads, ready, size = map(int, sys.argv[2:])
kernel = ptoscope.load(sys.argv[1]) if ready else None
if ready > 1:
    kernel.engine("native")
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + extra, used + extra))
try:
    kernel = kernel or ptoscope.load(sys.argv[1])
    a, b, out = np.ones((3, size), np.float32)
    kernel(a, b, out, size, grid=grid, threads=threads)
except MemoryError:
    sys.exit(1)
sys.exit(0 if (out == 2).all() else 3)
"""


def attempt(rng: random.Random) -> None:
    """One run, with what it needs loaded or compiled before or not."""
    extra = rng.randrange(rng.choice((4, 16, 80, 400)) << 20)
    numbers = extra, rng.choice((1, 8, 64)), rng.choice((1, 2, 16)), rng.randrange(3)
    size = rng.choice((1000, 100_000, 5_000_000))
    command = [sys.executable, "-c", _SCRIPT, "examples/double_buffer_flags.pto"]
    # Without the cache it has to be compiled.
    environment = {**os.environ, **({"PTOSCOPE_CACHE": ""} if rng.random() < 0.6 else {})}
    ran = subprocess.run(
        [*command, *map(str, (*numbers, size))],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=environment,
    )
    # Python itself may fail to load what it needs; that it says.
    assert ran.returncode in (0, 1), (
        f"exit status {ran.returncode} of {numbers}, {size}\n{ran.stderr[-3000:]}"
    )
