"""Stores that update GM: what their order matters to, before a run and in it."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from ptoscope.engines import ENGINES
from ptoscope.isa.atomics import mode_of
from ptoscope.isa.dtypes import F32
from ptoscope.tracing import trace
from tests.machine.atomic_kernels import ROW, accumulating, atomic

ADD, MAX = atomic("f32", "add"), atomic("f32", "max")
BARRIER = 'pto.pipe_barrier "PIPE_MTE3"'
SUM, AGAIN = atomic("f32", "add", ("store", "store")), (*ADD, *ADD)


def found(*lines: str, grid: int = 1, undefined: tuple[int, ...] = ()) -> list[str]:
    """The codes of the check, and then of a watched run."""
    kernel = ptoscope.load(accumulating(*lines), force=True)
    x = np.arange(ROW * grid, dtype=np.float32).reshape(grid, ROW)
    seen = kernel.watch(x, np.zeros(ROW, np.float32), grid=grid, undefined=undefined)
    return [d.code for d in (*kernel.findings, *seen.diagnostics)]


@pytest.mark.parametrize("lines", [SUM, AGAIN], ids=["set once", "set again"])
def test_updates_of_one_kind_may_come_in_any_order(lines: tuple[str, ...]) -> None:
    assert found(*lines) == []
    assert found(*lines, grid=3) == []


def test_in_a_loop() -> None:
    assert found("scf.for %i = %c0 to %c3 step %c1 {", *ADD, "}") == []


@pytest.mark.parametrize(
    "lines", [(*ADD, *MAX), (*ADD, "store"), ("store", *ADD)], ids=["max", "plain", "first plain"]
)
def test_others_race(lines: tuple[str, ...]) -> None:
    codes = found(*lines)
    assert codes[:2] == ["PTO0608", "PTO0702"]


def test_updates_and_plain_stores_of_blocks_race() -> None:
    ordered = ("store", BARRIER, *ADD)
    assert "PTO0704" in found(*ordered, grid=2)
    assert found(*ordered) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_traces_of_both_engines_tell_updates(engine: str) -> None:
    kernel = ptoscope.load(accumulating(*MAX, BARRIER, "store"))
    made = trace(kernel, [np.ones(ROW, np.float32), np.ones(ROW, np.float32)], engine=engine)
    written = made.accesses.writes & (made.accesses.space >= 0)
    assert made.accesses.atomic[written].tolist() == [mode_of(F32, "max"), 0]
    assert not made.accesses.atomic[~written].any()


def test_a_sum_that_is_rounded_depends_on_the_order() -> None:
    """No race, but the watched orders tell: of -1e8 + 1e8 + 3 the 3 may be lost."""
    half = ROW // 2
    store = "pto.mte_ub_gm {}, %y, %half nburst(%one, %half, %half)"
    types = " : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64"
    lines = [
        "%half = arith.constant 64 : i64",
        "%next = pto.castptr %half : i64 -> !pto.ptr<f32, ub>",
        *atomic("f32", "add", [store.format(p) + types for p in ("%ub", "%next")]),
    ]
    x = np.array([1e8] * half + [3] * half, np.float32)
    y = np.full(ROW, -1e8, np.float32)
    seen = ptoscope.load(accumulating(*lines)).watch(x, y)
    assert [d.code for d in seen.diagnostics] == ["PTO0705"]


def test_an_update_of_undefined_data_is_undefined() -> None:
    """Nobody has cleared the row that is added to."""
    assert found(*ADD, undefined=(1,)) == ["PTO0711"]
    assert found("store", BARRIER, *ADD, undefined=(1,)) == []
    assert found(*ADD, undefined=(0,)) == ["PTO0711"]
    assert found(*ADD, BARRIER, *MAX, BARRIER, "store", undefined=(1,)) == ["PTO0711"] * 2


def test_rows_that_are_added_up_may_be_one() -> None:
    """Plain ones overwrite each other."""
    numbers = ("%two = arith.constant 2 : i64", "%part = arith.constant 32 : i64")
    lines = accumulating(*numbers, "store", BARRIER, *ADD)
    narrow = "%part nburst(%two, %part, %zero)"
    text = lines.replace("%y, %size nburst(%one, %size, %size)", f"%y, {narrow}")
    codes = [d.code for d in ptoscope.load(text, force=True).findings]
    assert codes.count("PTO0504") == 1
