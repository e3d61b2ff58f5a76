"""Whether numbers are what is expected."""

from __future__ import annotations

from typing import Any

import numpy as np

from ptoscope.diagnostics import UsageError


def apart(ours: Any, theirs: Any, rtol: float = 0.0, atol: float = 0.0) -> tuple[Any, Any]:
    """Where elements of two arrays of one size differ by more than `rtol` of the other's and
    `atol`, and by how much. NaNs are equal."""
    with np.errstate(all="ignore"):
        if ours.dtype.kind in "biu" and theirs.dtype.kind in "biu":
            # As Python has them: the difference of two 64-bit integers has 65 bits.
            a, b = ours.astype(object), theirs.astype(object)
            distance = abs(a - b)
            differs = distance > atol + rtol * abs(b)
        else:
            a, b = ours.astype(np.float64), theirs.astype(np.float64)
            same = (a == b) | (np.isnan(a) & np.isnan(b))
            distance = np.where(same, 0.0, abs(a - b))
            differs = ~same & ~(distance <= atol + rtol * abs(b))
    places = np.flatnonzero(differs)
    return places, distance[places]


def tolerance(name: str, value: float) -> float:
    """A number from 0 on; UsageError for another."""
    if not 0 <= value < float("inf"):
        raise UsageError(f"{name} has to be a number from 0 on, not {value}")
    return float(value)
