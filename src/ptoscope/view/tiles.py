"""The matrices that instructions read and write, so that the page can show them as such."""

from __future__ import annotations

from typing import Any

from ptoscope.replay.matrices import ShownMatrix, of_steps
from ptoscope.trace.recording import Recording


def tiles(recording: Recording, steps: int) -> list[dict[str, Any]]:
    """Those of the first steps, in the order of execution."""
    return [
        _tile(step, matrix)
        for step, done in sorted(recording.tiles.items())
        if step < steps
        for matrix in of_steps(done)
    ]


def _tile(step: int, matrix: ShownMatrix) -> dict[str, Any]:
    down, along = (dict(zip(("width", "block", "step"), a, strict=True)) for a in matrix.layout)
    return {
        "step": step,
        "role": matrix.role,
        "space": matrix.space,
        "begin": matrix.begin,
        "rows": matrix.rows,
        "columns": matrix.columns,
        "element": matrix.dtype.name,
        "down": down,
        "along": along,
        "layout": matrix.layout_name,
        "writes": matrix.writes,
    }
