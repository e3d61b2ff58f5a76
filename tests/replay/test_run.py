"""What a recorded run says of its moments, on the softmax example, against NumPy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptoscope
from ptoscope import Kernel, RecordedRun, UsageError

from .softmax import SOFTMAX, TEXT, line_of, recorded_softmax

ROWS = 20
MAX = line_of("%max = pto.vdup")
COPY_OUT = line_of("pto.mte_ub_gm")
STORE = line_of("pto.vsts %y0")


@pytest.fixture(scope="module")
def softmax() -> Kernel:
    return ptoscope.load(SOFTMAX, target="a5")


@pytest.fixture(scope="module")
def recorded() -> tuple[RecordedRun, Any, Any]:
    return recorded_softmax(ROWS)


def test_a_value_at_an_execution_of_its_line(recorded: tuple[RecordedRun, Any, Any]) -> None:
    run, x, _ = recorded
    for row in range(ROWS):
        moment = run.at(MAX, row)
        assert moment["%max"].dtype == np.float32
        assert (moment["%max"] == x[row].max()).all()
        assert moment["max"].shape == (64,)
    assert (run.at(MAX, -1)["%max"] == x[-1].max()).all()


def test_a_value_in_an_iteration(recorded: tuple[RecordedRun, Any, Any]) -> None:
    run, x, _ = recorded
    moment = run.at(MAX, {"%row": 16, "lo": 256})
    assert moment.iterations == {"%row": 16, "%lo": 256}
    assert (moment["%max"] == x[18].max()).all()
    assert moment["%lo"] == 256
    assert moment["%all"].tolist() == [True] * 64
    assert moment.text.startswith("%max = pto.vdup")
    assert (moment.name, moment.pipe, moment.block) == ("pto.vdup", "PIPE_V", 0)
    assert (moment.operands, moment.results) == (["%m0", "%all"], ["%max"])


def test_moves(recorded: tuple[RecordedRun, Any, Any]) -> None:
    run, _, _ = recorded
    first = run.at(MAX)
    second = first.next_here()
    assert second == run.at(MAX, 1)
    assert second is not None
    assert second.previous_here() == first
    assert first.previous_here() is None
    assert run.at(MAX, -1).next_here() is None
    after = first.next()
    assert after is not None
    assert (after.index, after.previous()) == (first.index + 1, first)
    assert run[0].previous() is None
    assert run[-1].next() is None
    assert [m.index for m in run] == list(range(len(run)))
    assert first.maker("%m0") == first.previous()
    assert first.maker("%lo") is None


def test_memory_at_a_moment(recorded: tuple[RecordedRun, Any, Any]) -> None:
    run, x, y = recorded
    assert not run[0].memory("%y").any()
    assert (run[-1].memory("%y", np.float32) == y.ravel()).all()
    assert (run[0].memory("%x", np.float32) == x.ravel()).all()
    # The second tile of rows lies in UB where the first one was.
    assert (run.at(MAX, 3).memory("ub", np.float32, 0, 64) == x[0, :16]).all()
    assert (run.at(MAX, 17).memory("ub", np.float32, 0, 64) == x[16, :16]).all()
    assert (run.at(MAX, 3).memory("ub", np.float32, 0, 64) == x[0, :16]).all()
    assert run[0].undefined_memory("ub").all()
    assert not run.at(MAX).undefined_memory("ub", 0, 8192).any()
    assert run.at(MAX).undefined_memory("ub", 8192).all()


def test_who_touched_a_byte(recorded: tuple[RecordedRun, Any, Any]) -> None:
    run, _, _ = recorded
    copied = run.writer("%y", 5 * 512 + 4)
    assert copied is not None
    assert copied.line == COPY_OUT
    stored = run.writer("ub", 8192 + 5 * 512 + 4, copied)
    assert stored == run.at(STORE, 5)
    assert run.writer("%y", 5 * 512 + 4, stored) is None
    assert run.reader("ub", 8192 + 5 * 512 + 4, stored) is None
    assert run.reader("ub", 8192 + 4) == run.at(COPY_OUT, -1)


def test_signals(recorded: tuple[RecordedRun, Any, Any]) -> None:
    run, _, _ = recorded
    assert run[0].signals == ({}, {})
    (first, *_) = [n for n, line in enumerate(TEXT, 1) if "pto.set_flag" in line]
    after = run.at(first)
    assert after.signals.flags == {"PIPE_V->PIPE_MTE2 event 0": 1}
    assert run[-1].signals.flags == {}


def test_what_is_not_there(recorded: tuple[RecordedRun, Any, Any]) -> None:
    run, _, _ = recorded
    with pytest.raises(UsageError, match=r"@row_softmax has no value %nothing"):
        run[0]["%nothing"]
    with pytest.raises(UsageError, match=r"%max has no value yet at line"):
        run[0]["%max"]
    with pytest.raises(UsageError, match=f"line {MAX} was executed {ROWS} times in this run"):
        run.at(MAX, ROWS)
    with pytest.raises(UsageError, match=f"line {MAX} was not executed with %lo = 1"):
        run.at(MAX, {"lo": 1})
    with pytest.raises(UsageError, match=r"no memory 'l1'; there are %x, %y, ub"):
        run[0].memory("l1")
    with pytest.raises(UsageError, match=r"ub has bytes 0 to 262143"):
        run[0].memory("ub", np.uint8, 0, 1 << 20)
    assert "%max" not in run[0]
    assert "%x" in run[0]


def test_first_nan_and_first_undefined(softmax: Kernel) -> None:
    x = np.zeros((ROWS, 128), np.float32)
    assert softmax.record(x, np.zeros_like(x), ROWS).first_nan() is None
    x[17, 100] = np.nan
    run = softmax.record(x, np.zeros_like(x), ROWS)
    moment = run.first_nan()
    assert moment is not None
    assert moment == run.at(line_of("%x1 = pto.vlds"), 17)
    assert np.flatnonzero(np.isnan(moment["%x1"])).tolist() == [100 - 64]
    following = run.first_nan(moment)
    assert following is not None
    assert following.index > moment.index
    unset = softmax.record(x, np.zeros_like(x), ROWS, undefined=[0])
    undefined = unset.first_undefined()
    assert undefined == unset.at(line_of("%x0 = pto.vlds"), 0)
    assert undefined is not None
    assert undefined.undefined("%x0").all()
    assert not undefined.undefined("%all").any()


def test_a_run_of_several_blocks(softmax: Kernel) -> None:
    x = np.random.default_rng(2).standard_normal((2 * ROWS, 128)).astype(np.float32)
    run = softmax.record(x, np.zeros_like(x), 2 * ROWS, grid=2)
    moment = run.at(MAX, 0, block=1)
    assert moment.block == 1
    assert (moment["%max"] == x[16].max()).all()
    assert moment.iteration_texts[0] == "block 1"
    begin = run.at(line_of("%c0 = arith.constant"), 0, block=1)
    assert "%max" not in begin
    assert begin.undefined_memory("ub").all()
    assert begin.signals == ({}, {})


def test_a_fault_ends_the_run(softmax: Kernel) -> None:
    x = np.zeros((ROWS, 128), np.float32)
    run = softmax.record(x, np.zeros_like(x), 2 * ROWS)
    assert run.error is not None
    assert run.error.diagnostics[0].code == "PTO0902"
    assert run[-1].line < COPY_OUT


def test_only_so_much_is_kept(softmax: Kernel) -> None:
    x = np.random.default_rng(1).standard_normal((ROWS, 128)).astype(np.float32)
    whole = softmax.record(x, np.zeros_like(x), ROWS)
    y = np.zeros_like(x)
    run = softmax.record(x, y, ROWS, most=100)
    assert (len(run), run.left_out) == (100, len(whole) - 100)
    assert (whole[-1].memory("%y", np.float32) == y.ravel()).all()
    assert [m.line for m in run] == [m.line for m in whole][:100]
    assert (run[99].memory("ub") == whole[99].memory("ub")).all()


def test_types_that_numpy_lacks_are_numbers() -> None:
    text = """func.func @copy(%p: !pto.ptr<bf16, gm>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %one = pto.load_scalar %p[%c0] : !pto.ptr<bf16, gm> -> bf16
      %other = pto.load_scalar %p[%c1] : !pto.ptr<bf16, gm> -> bf16
      return
    }"""
    given = np.array([1.5, np.nan], ml_dtypes.bfloat16)
    run = ptoscope.load(text).record(given)
    assert run[-1]["%one"] == 1.5
    assert run[-1]["%one"].dtype == ml_dtypes.bfloat16
    assert run.first_nan() == run.at(5)
