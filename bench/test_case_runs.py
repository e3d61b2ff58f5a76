"""The cases of the row about `ptoscope cases`: all pass, and the second run has its kernels."""

from __future__ import annotations

from pathlib import Path

from bench import case_runs


def test_all_cases_pass(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    case_runs.write(suite)
    assert len(list(suite.iterdir())) == len(case_runs.NAMES)
    # Raises if a case does not pass.
    case_runs.run(suite, tmp_path / "cache")
    assert any((tmp_path / "cache").rglob("*"))
