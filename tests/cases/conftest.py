"""The command in process, and cases made from the one that passes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ptoscope.cli.main import main

SUITE = Path(__file__).parent / "suite"
PASSES = SUITE / "verdicts" / "passes"


@dataclass(frozen=True)
class Outcome:
    """What one command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

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

    def run(*argv: object) -> Outcome:
        code = main([str(a) for a in argv])
        captured = capfd.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


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
