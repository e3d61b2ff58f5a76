"""Planted mistakes: the origin of the first difference has their line, the departure names it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import RecordedRun, UsageError
from ptoscope.isa.targets import REVISIONS, TARGETS
from ptoscope.kernel import Kernel
from tests.check.pipes import copy_in, kernel, program, scope
from tests.check.pipes import load as load_line
from tests.fuzz.compare import load
from tests.fuzz.programs import generate

EXAMPLES = Path(__file__).parents[2] / "examples"
SOFTMAX = (EXAMPLES / "row_softmax.pto").read_text("utf-8")
ADD = (EXAMPLES / "vector_add.pto").read_text("utf-8")
ROWS = 20


def softmax(text: str = SOFTMAX) -> tuple[RecordedRun, Any]:
    x = np.random.default_rng(1).standard_normal((ROWS, 128)).astype(np.float32)
    run = ptoscope.load(text, target="a5", force=True).record(x, np.zeros_like(x), ROWS)
    exponentials = np.exp(x - x.max(axis=1, keepdims=True))
    return run, exponentials / exponentials.sum(axis=1, keepdims=True)


def add(text: str = ADD, revision: str | None = None) -> tuple[RecordedRun, Any]:
    rng = np.random.default_rng(2)
    a, b = (rng.standard_normal(1000).astype(np.float32) for _ in range(2))
    loaded = ptoscope.load(text, target="a5", revision=revision, force=True)
    return loaded.record(a, b, np.zeros_like(a), 1000), a + b


PLANTED = {
    # name: kernel, text, what is written instead
    "a wrong instruction": (softmax, "%y0 = pto.vdiv %e0", "%y0 = pto.vmul %e0"),
    "a wrong reduction": (softmax, "%s0 = pto.vcadd", "%s0 = pto.vcmax"),
    "a wrong operand": (softmax, "%d1 = pto.vsub %x1", "%d1 = pto.vsub %x0"),
    "a wrong constant": (softmax, "%c64 = arith.constant 64", "%c64 = arith.constant 56"),
    "a wrong offset of a store": (softmax, "%y1, %ub_out[%hi]", "%y1, %ub_out[%lo]"),
    "a wrong offset of a load": (
        softmax,
        "%x1 = pto.vlds %ub_in[%hi]",
        "%x1 = pto.vlds %ub_in[%lo]",
    ),
    "another sum": (add, "%sum = pto.vadd", "%sum = pto.vmax"),
    "another array": (add, "%gm_b = pto.addptr %b", "%gm_b = pto.addptr %a"),
    "a wrong mask": (add, "%mask, %next = pto.plt_b32 %todo", "%mask, %next = pto.plt_b32 %one"),
}
POSITION = {softmax: 1, add: 2}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_mistake(name: str) -> None:
    of, right, wrong = PLANTED[name]
    text = SOFTMAX if of is softmax else ADD
    assert text.count(right) == 1
    broken = text.replace(right, wrong)
    if "%one" in wrong:
        broken = broken.replace("    %end = ", "    %one = arith.constant 1 : i32\n    %end = ")
    (line,) = [n for n, row in enumerate(broken.split("\n"), 1) if wrong in row]
    run, expected = of(broken)
    difference = run.first_difference({POSITION[of]: expected}, 1e-5, 1e-6)
    assert difference is not None
    ends = run[-1].memory(difference.name, np.float32)
    apart = np.flatnonzero(~np.isclose(ends, expected.ravel(), 1e-5, 1e-6))
    assert difference.element == apart[0]
    assert difference.got == ends[apart[0]]
    assert difference.expected == expected.ravel()[apart[0]]
    assert line in difference.origin.lines
    departure = run.departs_from(of()[0])
    assert departure is not None
    assert departure.line == line, str(departure)
    assert departure.moment is not None
    assert wrong in departure.moment.text
    assert departure.other is not None
    assert right in departure.other.text


def test_what_nobody_wrote() -> None:
    rows = "%row_bytes = arith.constant 512"
    run, expected = softmax(SOFTMAX.replace(rows, "%row_bytes = arith.constant 256"))
    difference = run.first_difference({1: expected}, 1e-5, 1e-6)
    assert difference is not None
    assert str(difference.origin) == "bytes 4096 to 4099 of %y = 0: given at the launch"
    departure = run.departs_from(softmax()[0])
    assert departure is not None
    assert (departure.name, departure.got, departure.expected) == ("%row_bytes", 256, 512)


def test_a_missing_line() -> None:
    (line,) = [n for n, row in enumerate(SOFTMAX.split("\n"), 1) if "pto.vsts %y1" in row]
    rows = SOFTMAX.split("\n")
    run, expected = softmax("\n".join([*rows[: line - 1], *rows[line:]]))
    difference = run.first_difference({"y": expected}, 1e-5, 1e-6)
    assert difference is not None
    assert difference.element == 64
    assert difference.origin.links[1].undefined
    assert "nobody wrote it" in str(difference)
    departure = run.departs_from(softmax()[0])
    assert departure is not None
    assert (departure.moment, departure.line) == (None, line)
    assert str(departure).startswith(f"line {line} of the other is not executed here: pto.vsts %y1")


def test_the_other_revision() -> None:
    """Revision micro ignores the mask of vstsx2 (its record says so): the stores differ."""
    v, m, p = "!pto.vreg<64xf32>", "!pto.mask<b32>", "!pto.ptr<f32, ub>"
    store = f'pto.vstsx2 %v, %v, %b[%i0], "INTLV_B32", %t : {v}, {v}, {p}, index, {m}'
    lines = [load_line("%v", "%a"), f'%t = pto.pset_b32 "PAT_VL3" : {m}', store]
    text = kernel(copy_in("%a"), scope(*lines))
    x = np.arange(4096, dtype=np.float32)
    runs = [
        Kernel(program(text), TARGETS["a5"], revision).record(x, np.zeros_like(x), 0, True, True)
        for revision in REVISIONS
    ]
    departure = runs[0].departs_from(runs[1])
    assert departure is not None
    (line,) = [n for n, row in enumerate(text.split("\n"), 1) if "pto.vstsx2" in row]
    assert departure.line == line
    writes = "writes bytes 4096 to 4099 of ub and"
    assert str(departure.got).startswith(f"{writes} 2 more, 8 bytes apart")
    assert str(departure.expected).startswith(f"{writes} 63 more, 8 bytes")


def test_a_tolerance() -> None:
    broken = SOFTMAX.replace("%y0 = pto.vdiv %e0", "%y0 = pto.vmul %e0")
    run, expected = softmax(broken)
    right = softmax()[0]
    assert run.departs_from(right, atol=1000.0) is None
    assert run.first_difference({1: expected}, atol=1000.0) is None
    for rtol in (-1.0, float("nan")):
        with pytest.raises(UsageError, match=r"rtol has to be a number from 0 on"):
            run.departs_from(right, rtol)
        with pytest.raises(UsageError, match=r"rtol has to be a number from 0 on"):
            run.first_difference({1: expected}, rtol)


def test_what_is_no_expectation() -> None:
    run, expected = softmax()
    with pytest.raises(UsageError, match=r"@row_softmax has no parameter 7"):
        run.first_difference({7: expected})
    with pytest.raises(UsageError, match=r"%rows is no array"):
        run.first_difference({"rows": expected})
    with pytest.raises(UsageError, match=r"%y has 2560 elements, not 128"):
        run.first_difference({1: expected[0]})
    with pytest.raises(UsageError, match=r"%y has float32 elements, not int64"):
        run.first_difference({1: expected.astype(np.int64)})
    x = np.zeros((ROWS, 128), np.float32)
    cut = ptoscope.load(SOFTMAX).record(x, np.zeros_like(x), ROWS, most=100)
    with pytest.raises(UsageError, match=r"executions are not kept"):
        cut.first_difference({1: expected})


def line_of(part: str) -> int:
    (line,) = [n for n, row in enumerate(SOFTMAX.split("\n"), 1) if part in row]
    return line


def test_functions_of_lines() -> None:
    run, _ = softmax()
    right = {
        line_of("%d0 = pto.vsub"): lambda a, b: a - b,
        line_of("%d1 = pto.vsub"): np.subtract,
        line_of("%m = pto.vmax"): lambda a, b, mask: np.where(mask, np.maximum(a, b), 0),
        line_of("%max = pto.vdup"): lambda m: m[0],
        line_of("%y0 = pto.vdiv"): lambda e, total: e / total,
        line_of("%hi = arith.addi"): lambda lo, step: lo + step,
    }
    assert run.departs_from(right) is None
    line = line_of("%y0 = pto.vdiv")
    broken, _ = softmax(SOFTMAX.replace("%y0 = pto.vdiv %e0", "%y0 = pto.vmul %e0"))
    departure = broken.departs_from(right)
    assert departure is not None
    assert (departure.line, departure.name, departure.other) == (line, "%y0", None)
    moment = broken.at(line)
    assert departure.moment == moment
    wanted = moment["%e0"] / moment["%sum"]
    assert departure.lanes == tuple(np.flatnonzero(moment["%y0"] != wanted).tolist())
    assert (departure.expected == wanted[list(departure.lanes)]).all()


def test_inactive_lanes_are_not_compared() -> None:
    text = ADD.replace(
        "%sum = pto.vadd", '%two = pto.pset_b32 "PAT_VL2" : !pto.mask<b32>\n%sum = pto.vadd'
    )
    run, _ = add(text.replace("%lhs, %rhs, %mask", "%lhs, %rhs, %two"), "micro")
    (line,) = [n for n, row in enumerate(text.split("\n"), 1) if "%sum = pto.vadd" in row]
    assert run.departs_from({line: np.add}) is None
    # Who takes the mask is asked for all lanes; in revision micro the others are zeros.
    departure = run.departs_from({line: lambda a, b, mask: a + b})
    assert departure is not None
    assert departure.moment == run.at(line)
    assert departure.lanes == tuple(range(2, 64))


def test_functions_that_say_nothing() -> None:
    run, _ = softmax()
    with pytest.raises(UsageError, match=r"line 1 of @row_softmax makes no value"):
        run.departs_from({1: np.add})
    line = line_of("%d0 = pto.vsub")
    with pytest.raises(UsageError, match=f"the function of line {line} fails: ZeroDivisionError"):
        run.departs_from({line: lambda a, b: 1 // 0})
    with pytest.raises(UsageError, match=f"the function of line {line} has to give 64 numbers"):
        run.departs_from({line: lambda a, b: a[:3]})
    with pytest.raises(UsageError, match=f"the function of line {line} takes 5 operands; there"):
        run.departs_from({line: lambda a, b, c, d, e: a})


@pytest.mark.parametrize("first", range(400, 440, 10))
def test_two_runs_of_one_kernel_never_depart(first: int) -> None:
    for seed in range(first, first + 10):
        made = generate(seed)
        runs = [load(made).record(*made.arguments(), grid=made.grid) for _ in range(2)]
        assert runs[0].departs_from(runs[1]) is None, seed
