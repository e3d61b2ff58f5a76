"""Calls: what they call stands in their place, in both engines and in every check."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ptoscope
from ptoscope import ir
from ptoscope.diagnostics import Diagnostic, PtoError, edited
from ptoscope.expansion.calls import DEEPEST, MOST, without_calls
from tests.command import Outcome

V, M, U, G = "!pto.vreg<64xf32>", "!pto.mask<b32>", "!pto.ptr<f32, ub>", "!pto.ptr<f32, gm>"
ROWS = f"""\
module attributes {{pto.target_arch = "a5"}} {{
  module attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    func.func private @twice(%v: {V}, %m: {M}) -> ({V}, {M}) {{
      %r = pto.vadd %v, %v, %m : {V}, {V}, {M} -> {V}
      return %r, %m : {V}, {M}
    }}

    // A row, two times doubled.
    func.func private @row(%ub: {U}, %at: index) {{
      pto.vecscope {{
        %m = pto.pset_b32 "PAT_ALL" : {M}
        %v = pto.vlds %ub[%at] : {U} -> {V}
        %w, %n = func.call @twice(%v, %m) : ({V}, {M}) -> ({V}, {M})
        %x:2 = func.call @twice(%w, %n) : ({V}, {M}) -> ({V}, {M})
        pto.vsts %x#0, %ub[%at], %x#1 : {V}, {U}, {M}
      }}
      return
    }}

    func.func private @size(%rows: i64, %row: i64) -> i64 {{
      %size = arith.muli %rows, %row : i64
      return %size : i64
    }}

    func.func @kernel(%x: {G}, %y: {G}) attributes {{pto.kernel}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c64 = arith.constant 64 : index
      %l0 = arith.constant 0 : i64
      %l1 = arith.constant 1 : i64
      %l3 = arith.constant 3 : i64
      %l256 = arith.constant 256 : i64
      %ub = pto.castptr %l0 : i64 -> {U}
      %all = func.call @size(%l3, %l256) : (i64, i64) -> i64
      pto.section.vector {{
        pto.mte_gm_ub %x, %ub, %l0, %all nburst(%l1, %all, %all)
            : {G}, {U}, i64, i64, i64, i64, i64
        pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
        pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
        scf.for %i = %c0 to %c3 step %c1 {{
          %at = arith.muli %i, %c64 : index
          func.call @row(%ub, %at) : ({U}, index) -> ()
        }}
        pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
        pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
        pto.mte_ub_gm %ub, %y, %all nburst(%l1, %all, %all) : {U}, {G}, i64, i64, i64, i64
        pto.barrier #pto.pipe<PIPE_ALL>
      }}
      return
    }}
  }}
}}
"""


def found(text: str) -> list[Diagnostic]:
    try:
        return ptoscope.load(text).findings
    except PtoError as error:
        return list(error.diagnostics)


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_kernel_with_helpers_runs(engine: str) -> None:
    kernel = ptoscope.load(ROWS)
    assert (kernel.findings, kernel.name) == ([], "kernel")
    x = np.arange(192, dtype=np.float32)
    y = np.zeros_like(x)
    kernel(x, y, engine=engine)
    assert np.array_equal(y, 4 * x)
    seen = kernel.watch(x, y)
    assert not any(seen.findings.values())


@pytest.mark.parametrize("generic", [False, True])
def test_calls_modules_and_sections_go_over_and_back(generic: bool) -> None:
    printed = ir.print_module(ir.parse(ROWS), generic=generic)
    again = ir.parse(printed)
    assert ir.print_module(again, generic=generic) == printed
    assert ir.print_module(again) == ir.print_module(ir.parse(ROWS))
    y = np.zeros(192, np.float32)
    ptoscope.load(printed)(np.ones(192, np.float32), y)
    assert (y == 4).all()


def test_a_finding_in_a_helper_names_the_calls() -> None:
    """Each of two calls leads to it; it is one finding, at its first."""
    text = ROWS.replace("pto.vadd %v, %v, %m", "pto.vadd %v, %u, %m").replace(
        "      %r = ", f"      %u = pto.vlds %ub[%at] : {U} -> {V}\n      %r = "
    )
    text = text.replace(
        f"@twice(%v: {V}, %m: {M})", f"@twice(%v: {V}, %m: {M}, %ub: {U}, %at: index)"
    )
    for values in ("%v, %m", "%w, %n"):
        text = text.replace(
            f"@twice({values}) : ({V}, {M})", f"@twice({values}, %ub, %at) : ({V}, {M}, {U}, index)"
        )
    away = text.replace("%at = arith.muli %i, %c64 : index", "%at = arith.addi %i, %c1 : index")
    assert found(text) == []
    codes = [(d.code, d.span.line, [line for line, _ in d.span.calls]) for d in found(away)]
    lines = away.split("\n")
    bad = next(i for i, line in enumerate(lines, 1) if "%u = pto.vlds" in line)
    inner = next(i for i, line in enumerate(lines, 1) if "%w, %n = func.call" in line)
    outer = next(i for i, line in enumerate(lines, 1) if "func.call @row" in line)
    (mine,) = [calls for code, line, calls in codes if line == bad]
    assert mine == [outer, inner]
    finding = next(d for d in found(away) if d.span.line == bad)
    assert f"called from: line {inner}, line {outer}" in str(finding)
    calls = finding.as_json()["calls"]
    assert isinstance(calls, list)
    assert [call["line"] for call in calls] == [outer, inner]


COPIES = f"""func.func private @fill(%y: {G}, %u: {U}, %one: i64, %n: i64) {{
  %zero = arith.constant 0 : i64
  pto.mte_gm_ub %y, %u, %zero, %n nburst(%one, %n, %n) : {G}, {U}, i64, i64, i64, i64, i64
  return
}}
func.func private @move(%x: {G}, %y: {G}, %u: {U}, %one: i64, %n: i64) {{
  func.call @fill(%y, %u, %one, %n) : ({G}, {U}, i64, i64) -> ()
  pto.mte_ub_gm %u, %x, %n nburst(%one, %n, %n) : {U}, {G}, i64, i64, i64, i64
  return
}}
func.func @kernel(%x: {G}, %y: {G}, %z: {G}) attributes {{pto.kernel}} {{
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 256 : i64
  %u = pto.castptr %zero : i64 -> {U}
  %v = pto.castptr %n : i64 -> {U}
  func.call @move(%x, %y, %u, %one, %n) : ({G}, {G}, {U}, i64, i64) -> ()
  func.call @move(%z, %y, %v, %one, %n) : ({G}, {G}, {U}, i64, i64) -> ()
  pto.barrier #pto.pipe<PIPE_ALL>
  return
}}
"""
"""Copies in and out without order, in two calls."""


def test_a_fix_in_a_helper_is_one_for_all_its_calls() -> None:
    """The flag is set before the return, which the program has not any more."""
    races = [d for d in ptoscope.load(COPIES, force=True).findings if d.code == "PTO0607"]
    assert len(races) == 2
    assert races[0].fix
    mended = edited(COPIES, races[0].fix)
    assert ptoscope.load(mended).findings == []
    lines = mended.split("\n")
    at = next(i for i, line in enumerate(lines) if "pto.set_flag" in line)
    assert "pto.mte_gm_ub" in lines[at - 1]


def test_a_fix_that_another_call_does_not_bear_is_not_offered() -> None:
    """Who calls @fill elsewhere would be left with a flag that nobody waits for."""
    bar = "  pto.barrier #pto.pipe<PIPE_ALL>\n"
    more = f"  func.call @fill(%y, %u, %one, %n) : ({G}, {U}, i64, i64) -> ()\n"
    text = COPIES.replace(bar, bar + more + bar)
    before = ptoscope.load(text, force=True).findings
    assert "PTO0607" in [d.code for d in before]
    for finding in before:
        if finding.fix:
            after = ptoscope.load(edited(text, finding.fix), force=True).findings
            assert "PTO0603" not in [d.code for d in after]
            assert len(after) < len(before)


def test_what_is_said_of_two_things_in_one_place_is_two_findings() -> None:
    a, b = ("%a: !pto.ptr<f8e4m3, gm>", "%b: !pto.ptr<f8e4m3, gm>")
    text = f"func.func @kernel({a}, {b}) {{\nreturn\n}}\n"
    with pytest.raises(PtoError) as caught:
        ptoscope.load(text, "cpu")
    assert [d.found for d in caught.value.diagnostics] == [a, b]


def test_a_fault_in_a_helper_names_the_calls() -> None:
    helper = f"""
func.func private @store(%ub: {U}, %at: index) {{
  %f = arith.constant 1.0 : f32
  pto.store_scalar %f, %ub[%at] : {U}, f32
  return
}}
func.func @kernel(%n: index) attributes {{pto.aicore}} {{
  %l0 = arith.constant 0 : i64
  %ub = pto.castptr %l0 : i64 -> {U}
  func.call @store(%ub, %n) : ({U}, index) -> ()
  return
}}
"""
    kernel = ptoscope.load(helper)
    for engine in ("native", "reference"):
        kernel(3, engine=engine)
        with pytest.raises(PtoError) as caught:
            kernel(1 << 20, engine=engine)
        (fault,) = caught.value.diagnostics
        assert (fault.code, fault.span.line, fault.span.calls) == ("PTO0901", 4, ((10, 3),))


def test_functions_that_are_no_entries() -> None:
    kernel = ptoscope.load(ROWS)
    assert [f.name for f in kernel.program.functions] == ["kernel"]
    only = "\n".join(ROWS.split("\n")[2:6])
    assert [d.code for d in found(only)] == ["PTO0303"]
    alone = f"{only}\nfunc.func @other(%v: {V}) {{\nreturn\n}}\n"
    with pytest.raises(ptoscope.UsageError, match="which function"):
        ptoscope.load(alone)
    with pytest.raises(PtoError) as caught:
        ptoscope.load(alone, entry="other")
    (error,) = caught.value.diagnostics
    assert (error.code, error.found) == ("PTO0303", f"%v: {V}")
    both = f"{only}\nfunc.func @launched(%v: {G}) {{\nreturn\n}}\n"
    assert ptoscope.load(both).name == "launched"


@pytest.mark.parametrize(
    ("old", "new", "code", "words"),
    [
        ("@size(%l3, %l256)", "@seize(%l3, %l256)", "PTO0010", "no function @seize"),
        ("(i64, i64) -> i64\n      pto.s", "(i64, i64) -> i32\n      pto.s", "PTO0009", "returns"),
        ("@size(%l3, %l256) : (i64, i64)", "@size(%l3) : (i64)", "PTO0009", "takes"),
        ("@size(%l3, %l256) : (i64, i64)", "@size(%l3, %l256) : (i64)", "PTO0008", "2 values"),
        ("@size(%l3, %l256) : (i64, i64)", "@size(%l3, %c1) : (i64, i64)", "PTO0009", "%c1"),
        ("func.call @size", "func.call size", "PTO0001", "@name"),
    ],
)
def test_calls_that_do_not_fit(old: str, new: str, code: str, words: str) -> None:
    assert old in ROWS
    errors = found(ROWS.replace(old, new))
    assert code in [d.code for d in errors]
    assert any(words in d.message for d in errors)


def chain(count: int, calls: int, close: bool = False) -> str:
    """Functions that call the one before them some times."""
    first = "%c = arith.constant 0 : i32\n" + "func.call @f1() : () -> ()\n" * close
    made = [f"func.func @f0() {{\n{first}return\n}}"]
    for i in range(1, count):
        body = f"func.call @f{i - 1}() : () -> ()\n" * calls
        made.append(f"func.func @f{i}() {{\n{body}return\n}}")
    return "\n".join(made) + "\n"


def test_a_circle_of_calls_is_named() -> None:
    (error,) = found(chain(2, 1, close=True))
    assert error.code == "PTO0014"
    assert error.found == "@f0 calls @f1 calls @f0"


@pytest.mark.parametrize(
    ("count", "calls", "words"),
    [(40, 2, str(MOST)), (DEEPEST + 2, 1, "calls deep"), (3000, 1, "calls deep")],
)
def test_what_grows_too_large_is_said(count: int, calls: int, words: str) -> None:
    (error,) = found(chain(count, calls))
    assert error.code == "PTO0014"
    assert words in error.found


def test_many_functions_that_are_large_together_are_too_large() -> None:
    """Functions that each call one of many operations: none of them alone is too large."""
    body = "".join(f"%c{i} = arith.constant {i} : index\n" for i in range(MOST // 50))
    lines = [f"func.func private @f0() {{\n{body}return\n}}"]
    lines += [f"func.func @g{i}() {{\nfunc.call @f0() : () -> ()\nreturn\n}}" for i in range(60)]
    assert len(without_calls(ir.parse("\n".join(lines[:41]) + "\n").program)) == 40
    with pytest.raises(PtoError) as caught:
        without_calls(ir.parse("\n".join(lines) + "\n").program)
    (error,) = caught.value.diagnostics
    assert error.code == "PTO0014"
    assert str(MOST) in error.found


def test_the_file_keeps_its_calls(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.pto"
    path.write_text(ROWS)
    assert Outcome.of(("fmt", "-i", path), capfd).code == 0
    assert "func.call @row(%ub, %at)" in path.read_text()
    assert "// A row, two times doubled." in path.read_text()
