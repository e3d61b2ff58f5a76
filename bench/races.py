"""What it costs to look for races."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import ptoscope
from bench.measure import Job, Remark, Row, best_of, once
from ptoscope.watch import Watch, watch

TITLE = "Races. With <=: as a multiple of what is allowed"
_KERNEL = Path(__file__).parents[1] / "examples" / "vector_add.pto"
_FEW, _MANY = 1 << 18, 1 << 24
"""Elements; four vector instructions for each 64 of them."""
_SECONDS = 60.0
_RACES = Watch(races=True)


def jobs() -> list[Job]:
    """Every row and remark."""
    return [Job("races on the reference engine", _reference), Job("races, native", _native)]


def _arguments(count: int) -> list[object]:
    x = np.arange(count, dtype=np.float32)
    return [x, x.copy(), np.zeros_like(x), count]


def _reference() -> Iterator[Row | Remark]:
    kernel, arguments = ptoscope.load(_KERNEL), _arguments(_FEW)

    def look() -> None:
        assert not watch(kernel, arguments, _RACES, engine="reference").diagnostics

    ratio = best_of(look, lambda: kernel(*arguments, engine="reference"), 3)
    yield Row("run --races, reference engine", "a run", *ratio, 3.0)


def _native() -> Iterator[Row | Remark]:
    kernel, arguments = ptoscope.load(_KERNEL), _arguments(_MANY)

    def look() -> None:
        assert not watch(kernel, arguments, _RACES, engine="native").diagnostics

    seconds = once(look, time.process_time)
    name = f"run --races, {_MANY // 16:,} vector instructions"
    yield Row(name, "60 s", seconds, _SECONDS, 1.0, note="with compilation, one core")
