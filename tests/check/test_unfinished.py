"""A rule that fails, or whose budget ends, is one finding about itself; all others go on."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

import ptoscope.check
from ptoscope import budget
from ptoscope.check import check
from ptoscope.check.analysis import Analysis
from ptoscope.check.analysis.expr import Expr
from ptoscope.check.analysis.nodes import KnownBytes
from ptoscope.check.contents import RULES as CONTENTS
from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.cli import examine
from ptoscope.cli.main import main
from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.targets import TARGETS

from .pipes import copy_in, copy_out, kernel, program, sets

WRONG = kernel(copy_in("%a"), copy_out("%a"), copy_in("%b"), copy_in("%b"))
"""Two copies that race, and one that another one overwrites."""


@pytest.fixture(autouse=True)
def without_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PTOSCOPE_TRACEBACK", raising=False)


def found(text: str) -> list[Diagnostic]:
    return check(program(text), TARGETS["a5"], "manual")


def plant(monkeypatch: pytest.MonkeyPatch, rule: Rule) -> None:
    """Puts a rule before all others."""
    monkeypatch.setattr(ptoscope.check, "RULES", (rule, *ptoscope.check.RULES))


def fails(context: Context) -> Iterator[Finding]:
    """Finds the function, and fails in the one named kernel."""
    yield Finding(context.function.span, "found before")
    if context.function.name == "kernel":
        raise ValueError("planted")


def test_a_rule_that_fails_is_one_finding_among_those_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    others = found(WRONG)
    assert {"PTO0507", "PTO0607"} <= {d.code for d in others}
    plant(monkeypatch, Rule("PTO0001", "planted", fails))
    both = found(WRONG + WRONG.replace("@kernel", "@other"))
    (failed,) = [d for d in both if d.code == "PTO9999"]
    assert failed.severity == "error"
    assert failed.message == ("internal error: ValueError: planted, in PTO0001 of function @kernel")
    assert failed.line == 1
    assert sum(d.message == "found before" for d in both) == 2
    assert [d.code for d in both if d.code > "PTO0001" and d is not failed] == [
        d.code for d in others
    ] * 2


def test_an_analysis_that_fails_is_told_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []

    def analyse(*given: object, **named: object) -> Analysis:
        calls.append(given)
        raise KeyError("planted")

    monkeypatch.setattr("ptoscope.check.rule.analyse", analyse)
    (failed,) = found(WRONG)
    assert failed.code == "PTO9999"
    assert all(rule.code in failed.message for rule in CONTENTS)
    assert len(calls) == 1


def test_a_traceback_is_raised_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, Rule("PTO0001", "planted", fails))
    monkeypatch.setenv("PTOSCOPE_TRACEBACK", "1")
    with pytest.raises(ValueError, match="planted"):
        found(WRONG)


def test_memory_that_ends_in_one_rule_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    def fills(context: Context) -> Iterator[Finding]:
        raise MemoryError
        yield

    others = found(WRONG)
    plant(monkeypatch, Rule("PTO0001", "planted", fills))
    note, *rest = found(WRONG)
    assert (note.code, note.severity, note.found) == (
        "PTO0610",
        "note",
        "there is not enough memory",
    )
    assert "PTO0001" in note.hint
    assert rest == others


@pytest.mark.parametrize("where", ["the rules", "the reader"])
def test_other_files_are_looked_at(
    where: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, second = tmp_path / "first.pto", tmp_path / "second.pto"
    first.write_text(kernel())
    second.write_text(WRONG.replace("@kernel", "@other"))
    if where == "the rules":
        plant(monkeypatch, Rule("PTO0001", "planted", fails, "note"))
    else:
        read = examine.examine_text

        def reads_one(text: str, *more: str) -> object:
            if "@kernel" in text:
                raise ValueError("planted")
            return read(text, *more)

        monkeypatch.setattr(examine, "examine_text", reads_one)
    assert main(["check", str(first), str(second)]) == 1
    out, err = capsys.readouterr()
    assert err.count("internal error: ValueError: planted") == 1
    assert f"{first}" in err[: err.index("error[PTO9999]")].splitlines()[-1]
    assert f"{second}:" in err
    assert "PTO0607" in err
    assert out.startswith("2 files: wrong, ")


def test_a_budget_that_ends_is_a_note_with_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def takes_long(context: Context) -> Iterator[Finding]:
        yield Finding(context.function.span, "found before")
        for op in context.function.body.ops:
            budget.reach(op)
            if op.name == "pto.mte_ub_gm":
                while True:
                    budget.spend()

    others = found(WRONG)
    plant(monkeypatch, Rule("PTO0001", "planted", takes_long))
    note, *rest = sorted(found(WRONG), key=lambda d: d.severity != "note")
    before, *rest = rest
    assert before.message == "found before"
    assert (note.code, note.message) == (
        "PTO0610",
        "function @kernel: from pto.mte_ub_gm on not all is looked at",
    )
    assert "pto.mte_ub_gm" in note.source_line
    assert note.found.endswith(" steps")
    assert "PTO0001" in note.hint
    assert rest == others


def test_bytes_are_counted_like_steps() -> None:
    with budget.program_budget(0), pytest.raises(budget.EndedError, match="MiB"):
        budget.spend(kept=budget.BYTES + 1)


def test_what_ends_leaves_room_to_the_others() -> None:
    with budget.program_budget(0):
        left = budget.STEPS
        for _ in range(5):
            share = left // budget.SHARE
            with budget.analysis_budget(), pytest.raises(budget.EndedError):
                budget.spend(share + 1)
            left -= share
        with budget.analysis_budget(), budget.analysis_budget():
            budget.spend(left // budget.SHARE)
    # Outside of it nothing is limited.
    budget.spend(1 << 60, 1 << 60)


def carrying(loops: int, numbers: int, trips: int) -> str:
    """A kernel with loops that carry numbers, which decide over the signals of their iterations."""
    types = ", ".join(["index"] * numbers)
    lines = [f"%e = arith.constant {trips} : index"]
    for loop in range(loops):
        names = [f"%c{loop}_{i}" for i in range(numbers)]
        given = ", ".join(f"{name} = %i{i % 3}" for i, name in enumerate(names))
        begin = f"%r{loop}:{numbers} = scf.for %at{loop} = %i0 to %e step %i1"
        lines.append(f"{begin} iter_args({given}) -> ({types}) {{")
        for i, name in enumerate(names):
            lines.append(f"%s{loop}_{i} = arith.addi {name}, {names[i - 1]} : index")
            lines.append(f"%t{loop}_{i} = arith.remui %s{loop}_{i}, %i255 : index")
        lines.append(f"%w{loop} = arith.remui {names[0]}, %i4 : index")
        lines.append(sets("V", "MTE3", f"%w{loop}"))
        yielded = ", ".join(f"%t{loop}_{i}" for i in range(numbers))
        lines.append(f"scf.yield {yielded} : {types}\n}}")
    return kernel(*lines)


def test_an_analysis_of_many_iterations_ends_with_its_budget() -> None:
    text = carrying(9, 85, 2000) + WRONG.replace("@kernel", "@other")
    assert len(text) < 100_000
    begin = time.process_time()
    findings = found(text)
    assert time.process_time() - begin < 10
    (note,) = [d for d in findings if d.found.endswith(" steps")]
    assert (note.code, note.severity) == ("PTO0610", "note")
    assert "PTO0607" in note.hint
    assert "scf.for" in note.source_line
    # The other kernel is looked at all the same.
    assert "PTO0607" in {d.code for d in findings}


def test_rows_in_many_loops_are_not_listed_before_they_are_cut() -> None:
    loops = tuple((Expr(4096), Expr(1 << shift)) for shift in (10, 22, 34))
    tracemalloc.start()
    rows = KnownBytes(Expr(0), Expr(32), loops).rows(4096)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert rows[:2] == [(0, 32), (1024, 1056)]
    assert len(rows) == 4096
    assert peak < 4 << 20
