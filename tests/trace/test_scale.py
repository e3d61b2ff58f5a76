"""Traces of any length are made, and raced, in time that grows as they do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope.arguments import bind
from ptoscope.isa.parts import core_ids
from ptoscope.native.log import Log
from ptoscope.native.recording.decode import decode
from ptoscope.native.recording.run import TracedKernel
from ptoscope.races.find import list_races
from ptoscope.timing import time_trace
from ptoscope.trace.recorder import Recorder
from ptoscope.trace.spaces import list_spaces
from ptoscope.trace.trace import Trace
from ptoscope.tracing import trace
from tests.scaling import growth

MOST = 8
"""Times the time for four times the events: linear is 4, quadratic 16."""

ROOT = Path(__file__).parents[2]
MATMUL = ROOT / "examples" / "matmul.pto"
SOFTMAX = ROOT / "examples" / "row_softmax.pto"

GATHER = """
func.func @kernel(%x: !pto.ptr<i32, gm>, %n: i32) attributes {pto.aicore} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seed = arith.constant 12345 : i32
  %low = arith.constant 8191 : i32
  %c0_i64 = arith.constant 0 : i64
  %ub = pto.castptr %c0_i64 : i64 -> !pto.ptr<i32, ub>
  %end = arith.index_cast %n : i32 to index
  pto.vecscope {
    %all = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
    %first = pto.vci %seed {order = "ASC"} : i32 -> !pto.vreg<64xi32>
    %mask = pto.vdup %low, %all : i32, !pto.mask<b32> -> !pto.vreg<64xi32>
    %last = scf.for %i = %c0 to %end step %c1 iter_args(%v = %first) -> (!pto.vreg<64xi32>) {
      %next = pto.vmul %v, %v, %all
        : !pto.vreg<64xi32>, !pto.vreg<64xi32>, !pto.mask<b32> -> !pto.vreg<64xi32>
      %more = pto.vadd %next, %first, %all
        : !pto.vreg<64xi32>, !pto.vreg<64xi32>, !pto.mask<b32> -> !pto.vreg<64xi32>
      %at = pto.vand %more, %mask, %all
        : !pto.vreg<64xi32>, !pto.vreg<64xi32>, !pto.mask<b32> -> !pto.vreg<64xi32>
      %found = pto.vgather2 %ub, %at, %all
        : !pto.ptr<i32, ub>, !pto.vreg<64xi32>, !pto.mask<b32> -> !pto.vreg<64xi32>
      scf.yield %more : !pto.vreg<64xi32>
    }
  }
  return
}
"""
"""Reads 64 elements of UB at addresses that are nearly random."""


def _gather(size: int) -> tuple[Any, list[Any]]:
    return GATHER, [np.zeros(1, np.int32), size]


def _matmul(size: int) -> tuple[Any, list[Any]]:
    deep = 64 * size
    left, right = np.ones((16, deep), np.float16), np.ones((deep, 16), np.float16)
    return MATMUL, [left, right, np.zeros((16, 16), np.float32), 16, 16, deep]


def _softmax(size: int) -> tuple[Any, list[Any]]:
    x = np.ones((size, 128), np.float32)
    return SOFTMAX, [x, x.copy(), size]


Make = Callable[[int], tuple[Any, list[Any]]]


@pytest.mark.parametrize(("make", "size"), [(_gather, 10_000), (_matmul, 4000), (_softmax, 40_000)])
def test_decoding_is_linear(make: Make, size: int) -> None:
    def prepare(size: int) -> Callable[[], Trace]:
        text, given = make(size)
        kernel = ptoscope.load(text)
        traced, log = TracedKernel(kernel), Log()
        arguments = bind(kernel.program, kernel.function, given)
        assert traced._code.run(traced._code.prepare(arguments, 1, None, log), threads=1) is None
        rows, extents = log.rows(), list_spaces(arguments)

        def work() -> Trace:
            recorder = Recorder(traced._outline.segments)
            cores = core_ids(kernel.function.cores)
            decode(recorder, traced._marks, rows, log.ends, extents, kernel.target, cores)
            return recorder.finish(kernel.function, 1, traced._outline.places)

        return work

    assert growth(prepare, size) < MOST


@pytest.mark.parametrize("make", [_matmul, _softmax])
def test_races_and_cycles_are_linear(make: Make) -> None:
    def prepare(size: int) -> Callable[[], object]:
        text, given = make(size)
        kernel = ptoscope.load(text)
        run = trace(kernel, given)

        def work() -> None:
            assert list_races(run, kernel.program, kernel.target) == []
            time_trace(run, kernel.program, "a5").table()

        return work

    assert growth(prepare, 200) < MOST


def test_races_of_straight_code_are_found_in_linear_time() -> None:
    """One value, stored to 64 rows again and again."""

    def prepare(stores: int) -> Callable[[], object]:
        rows = "".join(f"  %r{i} = arith.constant {64 * i} : index\n" for i in range(64))
        body = "".join(
            f"    pto.vsts %v, %ub[%r{i % 64}], %m\n"
            "      : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>\n"
            for i in range(stores)
        )
        kernel = ptoscope.load(
            "func.func @kernel(%x: !pto.ptr<f32, gm>) attributes {pto.aicore} {\n"
            "  %c0 = arith.constant 0 : i64\n"
            "  %one = arith.constant 1.0 : f32\n"
            f"{rows}"
            "  %ub = pto.castptr %c0 : i64 -> !pto.ptr<f32, ub>\n"
            "  pto.vecscope {\n"
            '    %m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>\n'
            "    %v = pto.vdup %one, %m : f32, !pto.mask<b32> -> !pto.vreg<64xf32>\n"
            f"{body}  }}\n  return\n}}\n",
            target="a5",
        )
        run = trace(kernel, [np.zeros(1, np.float32)])
        assert list_races(run, kernel.program, kernel.target) == []
        return lambda: list_races(run, kernel.program, kernel.target)

    assert growth(prepare, 1000) < MOST
