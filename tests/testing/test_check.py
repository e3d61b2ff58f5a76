"""`pto_check` as a function: what it compares, what it gives back, what it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope.native import NotCovered
from ptoscope.testing import CheckFailed, CheckOutcome, pto_check
from ptoscope.testing.outcome import heard_by
from tests.testing.kernels import (
    RACY,
    ROWS,
    SCALARS,
    SOFTMAX,
    TEXT,
    UNDEFINED,
    line_of,
    rows,
    softmax,
)

PRECISION = 1e-5
WARNED = """
func.func @warned(%y: !pto.ptr<f32, gm>) {
  pto.set_flag["PIPE_V", "PIPE_S", "EVENT_ID0"]
  return
}
"""


def failure(*given: Any, **options: Any) -> CheckFailed:
    with pytest.raises(CheckFailed) as raised:
        pto_check(*given, **options)
    return raised.value


class PythonStandIn:
    """A kernel of Python as `pto_check` sees one."""

    def __init__(self, text: str, more: float = 0.0) -> None:
        self.text, self.more = text, more

    def on(self, target: str | None = None) -> ptoscope.Kernel:
        return ptoscope.load(self.text, target)

    def eager(self, x: Any, y: Any, rows: int, *, grid: int) -> None:
        assert grid == 2
        self.on()(x, y, rows, grid=grid, engine="reference")
        y[200] += self.more


class OfAnotherFrontEnd:
    def mlir_text(self) -> str:
        return TEXT


@pytest.mark.parametrize(
    "kernel", [SOFTMAX, str(SOFTMAX), TEXT, ptoscope.load(TEXT), OfAnotherFrontEnd()]
)
def test_a_right_kernel_gives_its_results_back(kernel: Any) -> None:
    x, y = rows()
    before = x.copy()
    found = pto_check(kernel, [x, y, ROWS], softmax, rtol=PRECISION)
    assert found.shape == x.shape
    assert np.allclose(found, softmax(x), rtol=PRECISION)
    assert np.array_equal(x, before)
    assert not y.any()


@pytest.mark.parametrize(
    "expected",
    [
        lambda x: softmax(x),
        lambda x: softmax(x).astype(np.float64).reshape(-1),
        lambda x: {1: softmax(x)},
        lambda x: {"y": softmax(x), "%x": x},
        lambda x: lambda *given: {"y": softmax(*given)},
    ],
)
def test_ways_to_say_what_is_expected(expected: Any) -> None:
    x, y = rows()
    wanted = expected(x)
    found = pto_check(SOFTMAX, {"rows": ROWS, "y": y, "x": x}, wanted, rtol=PRECISION)
    keys = {1} if isinstance(wanted, dict) and 1 in wanted else {"y", "%x"}
    if isinstance(wanted, dict):
        assert set(found) == keys
    if not isinstance(found, dict):
        assert found.shape == (ROWS, 128)


def test_arguments_are_written_if_asked() -> None:
    x, y = rows()
    wide = np.zeros((ROWS, 256), np.float32)
    pto_check(SOFTMAX, [x, wide[:, ::2], ROWS], softmax, rtol=PRECISION, in_place=True)
    assert np.allclose(wide[:, ::2], softmax(x), rtol=PRECISION)
    assert not wide[:, 1::2].any()
    x.flags.writeable = False
    pto_check(SOFTMAX, [x, y, ROWS], softmax, rtol=PRECISION, in_place=True)
    assert np.array_equal(y, wide[:, ::2])


def test_the_first_difference_names_element_lane_and_line() -> None:
    x, y = rows()
    right = pto_check(SOFTMAX, [x, y, ROWS], softmax, rtol=PRECISION)
    wanted = right.copy()
    wanted[3, 70:72] += 1
    got, expected = str(right[3, 70]), str(wanted[3, 70])
    error = failure(SOFTMAX, [x, y, ROWS], wanted, atol=1e-6)
    told = str(error).split("\n")
    divides = line_of("%y1 = pto.vdiv")
    assert told[0] == (
        "@row_softmax on a5: 2 of 7 checks failed: results (native), results (reference)"
    )
    assert told[1].startswith(f"{SOFTMAX}:{divides}:17: error[PTO0808]: pto.vdiv: element [3, 70]")
    assert told[1].endswith(f"of %y (argument 1) is {got}, expected {expected}")
    assert told[2] == f"  {divides} |           %y1 = pto.vdiv %e1, %sum, %all"
    assert told[3].strip() == "| " + " " * 16 + "^" * len("pto.vdiv")
    # The element is in the second register of its row: lane 70 - 64.
    assert f"lane 6 of %y1 = {right[3, 70]:.7g} (at %row = 0, %lo = 384)" in told[4]
    assert told[4].endswith("; 2 of 640 elements differ, by up to 1")
    assert told[5].startswith(f"  expected: {expected} within atol 1e-06; off by 1 (")
    assert told[6].startswith(f"  hint: it comes from: bytes {4 * (3 * 128 + 70)} to ")
    assert len(told) == 7


def bits(kind: str, number: int) -> Any:
    return np.array([number], np.dtype(f"u{np.dtype(kind).itemsize}")).view(kind)


@pytest.mark.parametrize(
    ("element", "got", "expected", "told"),
    [
        ("f32", bits("f4", 0x3F800001), bits("f4", 0x3F800000), "off by 1.19209e-07 (1 ulp)"),
        # The smallest subnormals of both signs: two steps through zero.
        ("f32", bits("f4", 1), bits("f4", 0x80000001), "(2 ulp)"),
        ("f16", bits("f2", 0x3C00), np.array([1.5]), "expected: 1.5; off by 0.5 (512 ulp)"),
        ("i32", np.array([-3], "i4"), np.array([4], "i4"), "expected: 4; off by 7"),
        ("ui8", np.array([3], "u1"), np.array([255], "u1"), "off by 252"),
        ("f32", np.array([np.inf], "f4"), np.array([1], "f4"), "expected: 1.0\n"),
    ],
)
def test_how_far_apart(element: str, got: Any, expected: Any, told: str) -> None:
    text = SCALARS.replace("TYPE", element)
    error = failure(text, [got, np.zeros_like(got)], expected, checks="none")
    assert told in str(error)
    assert "error[PTO0808]: pto.load_scalar: element [0] of %y" in str(error)


def test_numbers_that_are_no_numbers_are_equal() -> None:
    text = SCALARS.replace("TYPE", "f32")
    nan = np.array([np.nan], np.float32)
    assert np.isnan(pto_check(text, [nan, np.zeros_like(nan)], nan, checks="none"))[0]


def test_a_race() -> None:
    x, y = rows()
    error = failure(RACY, [x, y, ROWS], softmax, rtol=PRECISION)
    assert "3 of 7 checks failed: check, races (native), schedules (reference)" in str(error)
    assert f":{line_of('pto.vlds %ub_in[%lo]')}:17: error[PTO0701]: pto.vlds: PIPE_V" in str(error)
    assert "error[PTO0705]" in str(error)
    # The run shows it better than the text.
    assert "PTO0607" not in str(error)
    (text,) = [o for o in error.outcomes if o.check == "check"]
    assert "PTO0607" in {d.code for d in text.findings}
    only = failure(RACY, [x, y, ROWS], softmax, rtol=PRECISION, checks=["races"])
    assert "1 of 4 checks failed: races (native)" in str(only)
    pto_check(RACY, [x, y, ROWS], softmax, rtol=PRECISION, checks="none")


def test_undefined_data() -> None:
    x, y = rows()
    error = failure(UNDEFINED, [x, y, ROWS], {}, checks="poison")
    assert "1 of 4 checks failed: poison (reference)" in str(error)
    assert "error[PTO0711]: pto.mte_ub_gm: undefined data reaches GM" in str(error)
    given = [x, y, ROWS]
    error = failure(SOFTMAX, given, softmax, rtol=PRECISION, undefined=["x"])
    assert [o.name for o in error.outcomes if o.failed] == ["poison (reference)"]


def test_every_target_and_engine() -> None:
    x, y = rows()
    wrong = np.zeros_like(x)
    error = failure(SOFTMAX, [x, y, ROWS], wrong, targets=["a5", "a2a3"], engines="native")
    assert [(o.target, o.engine, o.check, o.failed) for o in error.outcomes] == [
        (target, engine, check, check == "results")
        for target in ("a5", "a2a3")
        for check, engine in (
            ("check", ""),
            ("results", "native"),
            ("races", "native"),
            ("poison", "reference"),
            ("schedules", "reference"),
        )
    ]
    assert "@row_softmax on a2a3: 1 of 5 checks failed: results (native)" in str(error)


def test_a_kernel_of_python_runs_eagerly_too() -> None:
    x, y = rows()
    given = [x, y, ROWS]
    found = pto_check(PythonStandIn(TEXT), given, softmax, rtol=PRECISION, grid=2)
    assert np.allclose(found, softmax(x), rtol=PRECISION)
    error = failure(PythonStandIn(TEXT, 2.0), given, softmax, rtol=PRECISION, grid=2)
    names = "results (eager), agreement (eager)"
    assert f"@row_softmax on a5: 2 of 9 checks failed: {names}" in str(error)
    right = found.reshape(-1)[200]
    told = [f"{n!s} (0x{n.view(np.uint32):08x})" for n in (right + np.float32(2), right)]
    assert (
        f"pto.vdiv: element [1, 72] of %y (argument 1) is {told[0]} on the eager engine and "
        f"{told[1]} on the reference engine"
    ) in str(error)
    assert "1 of 640 elements differs" in str(error)


def test_what_the_native_engine_does_not_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise NotCovered("it has no such instruction")

    monkeypatch.setattr("ptoscope.native.compile_program", refuse)
    heard: list[CheckOutcome] = []
    x, y = rows()
    text = f"// not covered\n{TEXT}"
    with heard_by(heard.append), pytest.warns(UserWarning, match="it has no such") as warned:
        pto_check(text, [x, y, ROWS], softmax, rtol=PRECISION)
    assert warned[0].filename == __file__
    assert [(o.name, bool(o.skipped)) for o in heard] == [
        ("check", False),
        ("results (native)", True),
        ("results (reference)", False),
        ("races (reference)", False),
        ("poison (reference)", False),
        ("schedules (reference)", False),
    ]
    with pytest.raises(ptoscope.UsageError, match="it has no such instruction"):
        pto_check(text, [x, y, ROWS], softmax, engines="native")


def test_a_fault_is_a_failure() -> None:
    x, y = rows()
    error = failure(SOFTMAX, [x, y[:-1], ROWS], {}, checks="none")
    assert "2 of 2 checks failed: results (native), results (reference)" in str(error)
    assert str(error).count("error[PTO0902]") == 1


def test_a_text_that_cannot_be_read_or_run() -> None:
    x, y = rows()
    error = failure(TEXT.replace("pto.vexp", "pto.vexq"), [x, y, ROWS], softmax)
    assert "@kernel on its own target: 1 of 1 check failed: check" in str(error)
    assert "did you mean 'pto.vexp'?" in str(error)
    wrong = TEXT.replace("pset_b32", "pset_b16").replace("!pto.mask<b32>", "!pto.mask<b16>")
    error = failure(wrong, [x, y, ROWS], softmax, checks="none")
    assert [(o.check, o.failed) for o in error.outcomes] == [("check", True)]


def test_warnings_count_if_asked() -> None:
    y = np.zeros(4, np.float32)
    assert not pto_check(WARNED, [y], y).any()
    assert "warning[PTO0603]" in str(failure(WARNED, [y], y, strict=True))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"checks": "raecs"}, "checks: there is no 'raecs'"),
        ({"engines": ["native", "fast"]}, "engines: there is no 'fast'; there are native"),
        ({"engines": []}, "engines: the kernel has to run on one at least"),
        ({"engines": "eager"}, "there is no engine 'eager' for this kernel"),
        ({"targets": []}, "nothing would be checked"),
        ({"targets": ["a6"]}, "unknown target 'a6'"),
        ({"rtol": -1}, "rtol has to be a number from 0 on"),
        ({"undefined": ["rows"]}, "%rows is no array"),
        ({"expected": {"z": 1}}, "@row_softmax has no parameter z"),
        ({"expected": {2: 1}}, "%rows is no array"),
        ({"expected": np.zeros(3)}, "expected['y'] has 3 elements, %y 640"),
        ({"expected": np.zeros((5, 128), complex)}, "expected['y'] is of complex128, %y has"),
    ],
)
def test_what_cannot_be_asked(options: dict[str, Any], told: str) -> None:
    x, y = rows()
    expected = options.pop("expected", softmax)
    with pytest.raises(ptoscope.UsageError) as raised:
        pto_check(SOFTMAX, [x, y, ROWS], expected, **options)
    assert told in str(raised.value)


def test_wrong_arguments_are_no_failure_of_the_kernel() -> None:
    x, y = rows()
    with pytest.raises(ptoscope.PtoError, match="PTO0801"):
        pto_check(SOFTMAX, [x, y], softmax)
