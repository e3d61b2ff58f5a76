"""The command in process, and cases made from the one that passes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import command

SUITE = Path(__file__).parent / "suite"
PASSES = SUITE / "verdicts" / "passes"


class Outcome(command.Outcome):
    """What one command line said of cases."""

    @property
    def verdicts(self) -> dict[str, str]:
        return {case["case"]: case["verdict"] for case in self.json["cases"]}

    def case(self, name: str) -> dict[str, Any]:
        (record,) = [case for case in self.json["cases"] if case["case"] == name]
        return record


Cli = Callable[..., Outcome]


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Cli:
    """Runs a command line."""
    return lambda *argv: Outcome.of(argv, capfd)


def make_case(directory: Path, name: str, **files: str | None) -> Path:
    """A copy of the case that passes, with other files; None removes one. `golden` stands
    for golden.py, `main` for main.cpp, and so on."""
    case = directory / name
    shutil.copytree(PASSES, case)
    suffixes = {"golden": ".py", "compare": ".py", "kernel": ".pto", "main": ".cpp"}
    for stem, text in files.items():
        path = case / f"{stem}{suffixes.get(stem, '.cpp')}"
        path.unlink()
        if text is not None:
            path.write_text(text, encoding="utf-8")
    return case
