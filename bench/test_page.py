"""The page of the benchmark: its rows are those that are measured, with their goals."""

from __future__ import annotations

from bench import page
from bench.measure import Goal, Row
from bench.parts import PARTS


def _announced() -> list[Goal]:
    return [goal for part in PARTS.values() for job in part.jobs() for goal in job.goals]


def _as_listed(goals: list[Goal]) -> set[tuple[str, str, str]]:
    return {(goal.what, goal.against, page.shown(goal)) for goal in goals}


def test_the_page_has_the_rows_and_goals_of_the_benchmark() -> None:
    assert page.goals_of(page.PATH.read_text(encoding="utf-8")) == _as_listed(_announced())


def test_no_row_is_announced_twice() -> None:
    goals = _announced()
    assert len(set(goals)) == len(goals)


def _measured(goal: Goal) -> Row:
    return goal.row(2.0, 1.0)


def test_a_page_that_is_written_is_read_as_it_was_meant() -> None:
    written = page.text([_measured(goal) for goal in _announced()])
    assert page.goals_of(written) == _as_listed(_announced())


def test_a_missed_goal_shows() -> None:
    """Twice the time: half of the speed, and half of the bandwidth."""
    lines = page.text([_measured(goal) for goal in _announced()]).splitlines()
    add = "| f32 add, 16 Mi | **0.50** (≥ 1.3) | **0.50** (≥ 0.8) | 0.50 | 50% |"
    assert add in lines
    assert "| a block of 64 sums, of 65,535 | 1 us | 2000.0 ms | **2.00** | ≤ 1 |" in lines


def test_what_was_not_measured_is_said() -> None:
    assert "| f32 add, 16 Mi | ? (≥ 1.3) | ? (≥ 0.8) | ? | ? |" in page.text([]).splitlines()
