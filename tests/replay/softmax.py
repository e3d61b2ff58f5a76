"""The softmax example recorded, with its lines by what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import ptoscope
from ptoscope import RecordedRun

SOFTMAX = Path(__file__).parents[2] / "examples" / "row_softmax.pto"
TEXT = SOFTMAX.read_text("utf-8").split("\n")


def line_of(text: str) -> int:
    """The line of the example that has a text."""
    (found,) = [number for number, line in enumerate(TEXT, 1) if text in line]
    return found


def recorded_softmax(rows: int, **options: Any) -> tuple[RecordedRun, Any, Any]:
    """A run on random rows, what it was given and what it made."""
    x = np.random.default_rng(1).standard_normal((rows, 128)).astype(np.float32)
    y = np.zeros_like(x)
    return ptoscope.load(SOFTMAX, target="a5").record(x, y, rows, **options), x, y
