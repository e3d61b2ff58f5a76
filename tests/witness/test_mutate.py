"""Changes of a meaning are noticed, and the tool says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ptoscope.isa import TABLE
from ptoscope.isa.record import Record
from tests.witness import mutants
from tests.witness.mutants import judge
from tests.witness.mutate import main, names, report, unmet

QUICK = (
    "pto.vadd",
    "pto.vcmps",
    "pto.vsts",
    "pto.vsqz",
    "pto.psel",
    "pto.sync.set",
    "pto.mte_l1_ub",
    "pto.mte_l1_bt",
    "pto.mte_l1_l0b_mx",
    "arith.divsi",
)


@pytest.mark.parametrize("name", ["pto.mte_gm_ub", "pto.vmrgsort4", "pto.vstus"])
def test_what_is_unchanged_under_a_plan_is_as_witnessed(name: str) -> None:
    record = TABLE[name]
    for trial in mutants.WITNESSES[name](record):
        assert trial.run(mutants.changed(record, mutants.Plan())) == ""


@pytest.mark.parametrize("name", QUICK)
def test_every_change_is_noticed_or_stated(name: str) -> None:
    verdict = judge(TABLE[name])
    assert verdict.changes >= 7
    assert report([verdict], quiet=True).count("\n") == 1, report([verdict])


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vnot", "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert "pto.vnot" in said
    assert "1 records in" in said


def test_names_with_patterns() -> None:
    assert names(["vadd", "arith.*divui"]) == ["pto.vadd", "arith.divui", "arith.ceildivui"]


def _twice(record: Record) -> Record:
    """A meaning that does something without an effect."""

    def meaning(site: object) -> object:
        run = record.meaning(site)  # pyright: ignore[reportArgumentType]

        def both(core: object, lhs: object, rhs: object, mask: object) -> object:
            run(core, rhs, lhs, mask)
            return run(core, lhs, rhs, mask)

        return both

    return replace(record, meaning=meaning)  # pyright: ignore[reportArgumentType]


def test_a_change_that_nothing_notices_is_reported() -> None:
    verdict = judge(_twice(TABLE["pto.vsub"]))
    assert any(m.operation == "arith sub 1" for m in verdict.unnoticed)
    assert "unnoticed: arith sub 1 (f32): add" in report([verdict])


def test_a_stated_equivalent_that_is_noticed_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stated = tmp_path / "equivalents.toml"
    stated.write_text(
        """[[equivalent]]
records = ["pto.vsub"]
changes = ["arith sub *: swapped"]
reason = "none"

[[equivalent]]
records = ["pto.vsub"]
changes = ["rint *"]
reason = "none"
"""
    )
    monkeypatch.setattr(mutants, "EQUIVALENTS", stated)
    mutants.equivalents.cache_clear()
    try:
        verdict = judge(TABLE["pto.vsub"])
        assert {m.change for m in verdict.mistaken} == {"swapped"}
        assert "called equivalent, but noticed" in report([verdict])
        assert len(unmet([verdict])) == 2
    finally:
        mutants.equivalents.cache_clear()
