"""Pages that tests look at, with the recorded runs that they have to show."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ptoscope
from ptoscope.kernel import Kernel
from ptoscope.replay.run import RecordedRun

EXAMPLES = Path(__file__).parents[2] / "examples"


@dataclass(frozen=True)
class Shown:
    """A page on disk, and the run it is of."""

    path: Path
    kernel: Kernel
    run: RecordedRun


def shown(directory: Path, kernel: Kernel, *arguments: Any, **options: Any) -> Shown:
    """The page of a kernel's run; arrays are copied for each of its runs."""
    path = directory / "page.html"
    kernel.view(*map(_own, arguments), **options).save(path)
    run = kernel.record(*map(_own, arguments), grid=options.get("grid", 1))
    return Shown(path, kernel, run)


def _own(argument: Any) -> Any:
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def rows() -> NDArray[np.float32]:
    """Random numbers for softmax: 20 rows."""
    return np.random.default_rng(3).standard_normal((20, 128)).astype(np.float32)


def softmax(directory: Path) -> Shown:
    """Softmax of `rows` in two blocks."""
    x = rows()
    kernel = ptoscope.load(EXAMPLES / "row_softmax.pto", target="a5")
    return shown(directory, kernel, x, np.zeros_like(x), 20, grid=2, title="softmax")
