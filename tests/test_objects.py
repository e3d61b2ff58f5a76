"""Kernels, timings and findings as Python objects: short to show, to be pickled, called by
name."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ptoscope

EXAMPLES = Path(__file__).parents[1] / "examples"
SOFTMAX = EXAMPLES / "row_softmax.pto"
ROWS = 10


def arrays() -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(3).standard_normal((ROWS, 128), np.float32)
    return x, np.zeros_like(x)


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x.astype(np.float64))
    return e / e.sum(axis=1, keepdims=True)


def test_a_kernel_shows_its_parameters():
    kernel = ptoscope.load(SOFTMAX)
    assert repr(kernel) == (
        "<Kernel @row_softmax(%x: !pto.ptr<f32, gm>, %y: !pto.ptr<f32, gm>, %rows: i32) "
        "for a5, revision manual>"
    )


def test_a_timing_shows_its_total_and_prints_its_lines():
    timing = ptoscope.load(SOFTMAX).time(*arrays(), ROWS)
    assert repr(timing) == (
        f"<Timing of @row_softmax on a5, 1 block, calibrated model: {timing.total_cycles} cycles>"
    )
    table = timing.table()
    text = str(table).splitlines()
    assert text[0].split() == [
        "line",
        "times",
        "cycles",
        "manual",
        "held",
        "up",
        "mostly",
        "by",
        "source",
    ]
    assert len(text) == 1 + len(table)
    for line, row in zip(table, text[1:], strict=True):
        assert row.startswith(f"{line.line} ")
        assert f" {line.cycles}{'*' if line.assumed else ''} " in row


def test_findings_are_short():
    text = SOFTMAX.read_text().replace('pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]', "")
    kernel = ptoscope.load(text, force=True)
    (finding, *_) = kernel.findings
    assert repr(finding) == (
        f"<{finding.severity}[{finding.code}] <string>:{finding.line}:{finding.column}: "
        f"{finding.message}>"
    )
    seen = kernel.watch(*arrays(), ROWS, poison=False, schedules=0)
    assert repr(seen) == f"<Seen: races {len(seen.diagnostics)}>"
    assert repr(ptoscope.Diagnostic("PTO0001", "no")) == "<error[PTO0001]: no>"


def test_dir_lists_what_there_is():
    code = "import ptoscope; print(*dir(ptoscope))"
    listed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert {"load", "Kernel", "Timing", "PtoError"} <= set(listed.stdout.split())


@pytest.mark.parametrize("ran", [False, True])
def test_kernels_pickle(ran: bool):
    kernel = ptoscope.load(SOFTMAX, target="cpu", revision="micro")
    x, y = arrays()
    if ran:
        kernel(x, y, ROWS)
    again = pickle.loads(pickle.dumps(kernel))
    assert repr(again) == repr(kernel)
    assert again.findings == kernel.findings
    y[:] = 0
    again(x, y, ROWS)
    np.testing.assert_allclose(y, softmax(x), rtol=1e-6)


def test_a_pickled_kernel_keeps_its_function():
    two = "\n".join(f"func.func @{name}(%n: i32) {{\n  return\n}}" for name in ("a", "b"))
    kernel = pickle.loads(pickle.dumps(ptoscope.load(two, entry="b")))
    assert kernel.name == "b"


def test_kernels_on_a_unit_that_adds_otherwise():
    kernel = ptoscope.load(SOFTMAX)
    exact = kernel.accumulating("exact")
    assert exact.target.accumulate == "exact"
    assert kernel.target.accumulate == "sequential"
    assert exact.accumulating("exact") is exact
    assert kernel.accumulating("exact") is exact
    assert kernel.accumulating("sequential") is kernel
    assert kernel.accumulating(None) is kernel
    x, y = arrays()
    for again in (exact, pickle.loads(pickle.dumps(exact)), exact.printing(["29:%block_i64"])):
        assert again.target.accumulate == "exact"
        y[:] = 0
        again(x, y, ROWS)
        np.testing.assert_allclose(y, softmax(x), rtol=1e-6)
    with pytest.raises(ptoscope.UsageError, match="sequential or exact, not 'pairwise'"):
        kernel(x, y, ROWS, accumulate="pairwise")


def test_arguments_by_name():
    kernel = ptoscope.load(SOFTMAX)
    x, y = arrays()
    kernel(x, rows=ROWS, y=y)
    np.testing.assert_allclose(y, softmax(x), rtol=1e-6)
    cycles = kernel.time(x, y, ROWS).total_cycles
    assert kernel.time(rows=ROWS, x=x, y=y).total_cycles == cycles
    assert not kernel.watch(x, y=y, rows=ROWS, schedules=0).wrong


@pytest.mark.parametrize(
    ("given", "named", "said"),
    [
        (1, ("y",), "%rows is missing"),
        (2, ("y", "rows"), "%y is given twice"),
        (2, ("rows", "z"), "there is no parameter %z"),
    ],
)
def test_wrong_names_are_said(given: int, named: tuple[str, ...], said: str):
    x, y = arrays()
    every = {"x": x, "y": y, "rows": ROWS, "z": 0}
    with pytest.raises(ptoscope.PtoError) as raised:
        ptoscope.load(SOFTMAX)(*[x, y, ROWS][:given], **{name: every[name] for name in named})
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "PTO0801"
    assert said in diagnostic.found
