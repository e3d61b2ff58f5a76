"""What it costs to look for races."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import ptoscope
from bench.measure import Goal, Job, Remark, Row, best, best_of, once
from ptoscope.arguments import KernelArgument
from ptoscope.watch import Watch, watch

_KERNEL = Path(__file__).parents[1] / "examples" / "vector_add.pto"
_FEW, _MANY = 1 << 18, 1 << 24
"""Elements; four vector instructions for each 64 of them."""
_ROWS, _ITERATIONS = 1024, 1000
_PTR = "!pto.ptr<f32, gm>", "!pto.ptr<f32, ub>"
_STRIDED = f"""
func.func @strided(%x: {_PTR[0]}, %y: {_PTR[0]}, %iterations: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %at = arith.constant 0 : i64
  %length = arith.constant 32 : i64
  %stride = arith.constant 64 : i64
  %rows = arith.constant {_ROWS} : i64
  %ub = pto.castptr %at : i64 -> {_PTR[1]}
  scf.for %i = %c0 to %iterations step %c1 {{
    %moved = arith.muli %i, %c8 : index
    %from = pto.addptr %x, %moved : {_PTR[0]} -> {_PTR[0]}
    %to = pto.addptr %y, %moved : {_PTR[0]} -> {_PTR[0]}
    pto.mte_gm_ub %from, %ub, %at, %length nburst(%rows, %stride, %stride)
      : {_PTR[0]}, {_PTR[1]}, i64, i64, i64, i64, i64
    pto.set_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]
    pto.mte_ub_gm %ub, %to, %length nburst(%rows, %stride, %stride)
      : {_PTR[1]}, {_PTR[0]}, i64, i64, i64, i64
    pto.pipe_barrier "PIPE_MTE3"
    pto.set_flag["PIPE_MTE3", "PIPE_MTE2", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE3", "PIPE_MTE2", "EVENT_ID0"]
  }}
  return
}}
"""
"""Copies of many short rows in and out, 32 bytes further in each iteration."""
_SECONDS = 60.0
_REFERENCE = Goal("run --races, reference engine", "a run", 3.0)
_OF_ROWS = Goal("run --races, strided copies, reference", "a run", 3.0)
_NATIVE = Goal(f"run --races, {_MANY // 16:,} vector instructions", f"{_SECONDS:.0f} s", 1.0)
_RACES = Watch(races=True)


def jobs() -> list[Job]:
    """Every row and remark."""
    return [
        Job("races on the reference engine", _reference, (_REFERENCE,)),
        Job("races of strided copies", _strided, (_OF_ROWS,)),
        Job("races, native", _native, (_NATIVE,)),
    ]


def _arguments(count: int) -> list[KernelArgument]:
    x = np.arange(count, dtype=np.float32)
    return [x, x.copy(), np.zeros_like(x), count]


def _reference() -> Iterator[Row | Remark]:
    kernel, arguments = ptoscope.load(_KERNEL), _arguments(_FEW)

    def look() -> None:
        assert not watch(kernel, arguments, _RACES, engine="reference").diagnostics

    ratio = best_of(look, lambda: kernel(*arguments, engine="reference"), 3)
    yield _REFERENCE.row(*ratio)


def _strided() -> Iterator[Row | Remark]:
    kernel = ptoscope.load(_STRIDED)
    x = np.zeros(_ROWS * 16 + 8 * _ITERATIONS, dtype=np.float32)
    arguments = [x, x.copy(), _ITERATIONS]

    def look() -> None:
        assert not watch(kernel, arguments, _RACES, engine="reference").diagnostics

    ratio = best_of(look, lambda: kernel(*arguments, engine="reference"), 3)
    note = f"{_ROWS:,} rows of a copy, elsewhere in GM each iteration"
    yield _OF_ROWS.row(*ratio, note)


def _native() -> Iterator[Row | Remark]:
    kernel, arguments = ptoscope.load(_KERNEL), _arguments(_MANY)

    def look() -> None:
        assert not watch(kernel, arguments, _RACES, engine="native").diagnostics

    (seconds,) = best(once(look))
    yield _NATIVE.row(seconds, _SECONDS, "with compilation, one core")
