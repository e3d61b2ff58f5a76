"""The report: which rows hold, and that what breaks is said and fails the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from bench import __main__ as report
from bench.measure import Goal, Job, Remark, Row, attempts, best
from bench.parts import Part

_LEAST = Goal("adding", "subtracting", 0.9, speed=True)


def test_a_time_is_at_most_and_a_speed_at_least_its_target() -> None:
    # 3 s against 2 s: 1.5 times the time, two thirds of the speed.
    assert Goal("x", "y", 1.5).row(3.0, 2.0).holds
    assert not Goal("x", "y", 1.4).row(3.0, 2.0).holds
    assert Goal("x", "y", 0.6, speed=True).row(3.0, 2.0).holds
    assert not Goal("x", "y", 0.7, speed=True).row(3.0, 2.0).holds
    assert Goal("x", "y").row(3.0, 2.0).holds


def test_goals_and_amounts_as_people_read_them() -> None:
    assert [str(Goal("x", "y", 1.5)), str(_LEAST), str(Goal("x", "y"))] == ["<= 1.5", ">= 0.9", ""]
    seconds, size = Goal("x", "y"), Goal("x", "y", unit="B")
    assert [seconds.amount(2.5e-6), seconds.amount(0.25)] == ["2.50 us", "250.0 ms"]
    assert [size.amount(88.4), size.amount(39.5e6)] == ["88 B", "39.5 MB"]


def test_later_attempts_better_each_side() -> None:
    sides = [(4.0, 2.0), (3.0, 5.0), (6.0, 1.0)]
    found = [best(*pair) for _, pair in zip(attempts(), sides, strict=False)]
    assert found == [[4.0, 2.0], [3.0, 2.0], [3.0, 1.0]]
    # The next job begins anew.
    assert next(best(9.0, 9.0) for _ in attempts()) == [9.0, 9.0]


def _run(monkeypatch: pytest.MonkeyPatch, job: Callable[[], Iterator[Row | Remark]]) -> int:
    monkeypatch.setattr(report, "PARTS", {"part": Part("Title", lambda: [Job("a job", job)])})
    return report.main([])


def _gives(*items: Row | Remark) -> Callable[[], Iterator[Row | Remark]]:
    return lambda: iter(items)


def test_a_run_in_which_all_holds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = Goal("adding", "subtracting", 0.5).row(1e-3, 2e-3)
    assert _run(monkeypatch, _gives(row, Remark("skipped: dividing"))) == 0
    shown = capsys.readouterr().out
    assert "adding" in shown
    assert "<= 0.5" in shown
    assert "skipped: dividing" in shown
    assert shown.endswith("All 1 goals are met.\n")


def test_missed_targets_fail_and_are_named_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = Goal("multiplying", "dividing", 0.4).row(1.0, 2.0)
    fine = Goal("counting", "guessing", 0.4).row(1.0, 4.0)
    assert _run(monkeypatch, _gives(slow, fine, _LEAST.row(2.0, 1.0))) == 1
    *_, first, second = capsys.readouterr().out.splitlines()
    assert first == "fails: multiplying, against dividing: 0.50, goal <= 0.4"
    assert second == "fails: adding, against subtracting: 0.50, goal >= 0.9"


def test_a_missed_target_is_measured_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The machine is busy three times: each side has its best moment at another."""
    moments = [(5.0, 4.0), (5.0, 3.0), (3.2, 9.0), (8.0, 8.0)]
    times = iter(moments)

    def rows() -> Iterator[Row]:
        measured, baseline = best(*next(times))
        yield _LEAST.row(measured, baseline)

    assert _run(monkeypatch, rows) == 0
    assert "0.94" in capsys.readouterr().out
    assert next(times) == moments[3]


def test_no_more_than_four_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0

    def rows() -> Iterator[Row]:
        nonlocal count
        count += 1
        yield _LEAST.row(2.0, 1.0)

    assert _run(monkeypatch, rows) == 1
    assert count == 4


def test_what_could_not_be_measured_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = iter([Remark("not measured: adding"), _LEAST.row(1.0, 1.0)])
    job = Job("a job", lambda: iter([next(found)]), (_LEAST,))
    monkeypatch.setattr(report, "PARTS", {"part": Part("Title", lambda: [job])})
    assert report.main([]) == 0
    assert "not measured" not in capsys.readouterr().out


def test_wrong_results_fail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, _gives(Remark("wrong results", failed=True))) == 1
    assert capsys.readouterr().out.endswith("fails: wrong results\n")


def test_a_broken_job_fails_and_keeps_its_rows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def rows() -> Iterator[Row]:
        yield Goal("adding", "subtracting").row(1.0, 2.0)
        raise ValueError("out of paper")

    assert _run(monkeypatch, rows) == 1
    shown = capsys.readouterr().out
    assert "adding" in shown
    assert "a job: ValueError: out of paper" in shown


def test_rows_that_were_not_announced_fail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    job = Job("a job", _gives(_LEAST.row(1.0, 1.0)), (Goal("adding", "subtracting", 0.8),))
    monkeypatch.setattr(report, "PARTS", {"part": Part("Title", lambda: [job])})
    assert report.main([]) == 1
    assert "a job: its rows are not those it announces" in capsys.readouterr().out


def test_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert report.main(["nothing"]) == 2
    assert "native, matrix, launches" in capsys.readouterr().err
    assert report.main(["text", "--write", "page.md"]) == 2
    assert "--write takes no names" in capsys.readouterr().err
