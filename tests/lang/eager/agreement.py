"""One launch in three ways: as plain Python, on the reference engine and natively."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from ptoscope.lang.kernel import PythonKernel


def agreed(kernel: PythonKernel, *arguments: Any, grid: int = 1, **named: Any) -> list[Any]:
    """The arrays after a launch, which all three leave with the same bits."""
    plain, reference, native = (copy.deepcopy(arguments) for _ in range(3))
    kernel.eager(*plain, grid=grid, **named)
    kernel(*reference, grid=grid, engine="reference", **named)
    kernel(*native, grid=grid, engine="native", **named)
    found = [a for a in plain if isinstance(a, np.ndarray)]
    for others in (reference, native):
        arrays = [a for a in others if isinstance(a, np.ndarray)]
        for number, (one, other) in enumerate(zip(found, arrays, strict=True)):
            assert one.tobytes() == other.tobytes(), f"array {number}:\n{one}\n{other}"
    return found
