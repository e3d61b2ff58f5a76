"""Process start of the command line, against importing NumPy."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.measure import Row, best_of


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _process(*command: str) -> Callable[[], object]:
    return lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def rows() -> Iterator[Row]:
    """`ptoscope --version`."""
    tool = Path(sys.executable).with_name("ptoscope")
    measured, baseline = best_of(
        _process(str(tool), "--version"),
        _process(sys.executable, "-c", "import numpy"),
        9,
        _children,
    )
    yield Row("ptoscope --version", 'python -c "import numpy"', measured, baseline, 1.5)
