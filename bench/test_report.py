"""The report: which rows hold, and that what breaks is said and fails the run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench import __main__ as report
from bench.measure import Job, Remark, Row


def test_a_time_is_at_most_and_a_speed_at_least_its_target() -> None:
    # 3 s against 2 s: 1.5 times the time, two thirds of the speed.
    assert Row("x", "y", 3.0, 2.0, 1.5).holds
    assert not Row("x", "y", 3.0, 2.0, 1.4).holds
    assert Row("x", "y", 3.0, 2.0, 0.6, speed=True).holds
    assert not Row("x", "y", 3.0, 2.0, 0.7, speed=True).holds
    assert Row("x", "y", 3.0, 2.0).holds


def _run(monkeypatch: pytest.MonkeyPatch, *items: Row | Remark, broken: bool = False) -> int:
    def rows() -> Iterator[Row | Remark]:
        yield from items
        if broken:
            raise ValueError("out of paper")

    monkeypatch.setattr(report, "_PARTS", {"part": ("Title", lambda: [Job("a job", rows)])})
    return report.main([])


def test_a_run_in_which_all_holds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = Row("adding", "subtracting", 1e-3, 2e-3, 0.5)
    assert _run(monkeypatch, row, Remark("skipped: dividing")) == 0
    shown = capsys.readouterr().out
    assert "adding" in shown
    assert "<= 0.5" in shown
    assert "skipped: dividing" in shown


def test_a_missed_target_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _run(monkeypatch, Row("adding", "subtracting", 1.0, 2.0, 0.4)) == 1
    assert _run(monkeypatch, Row("adding", "subtracting", 1.0, 2.0, 2.1, speed=True)) == 1


def test_wrong_results_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _run(monkeypatch, Remark("wrong results", failed=True)) == 1


def test_a_broken_job_fails_and_keeps_its_rows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, Row("adding", "subtracting", 1.0, 2.0), broken=True) == 1
    shown = capsys.readouterr().out
    assert "adding" in shown
    assert "a job: ValueError: out of paper" in shown


def test_an_unknown_part_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert report.main(["nothing"]) == 2
    assert "text, engine, start, native" in capsys.readouterr().err
