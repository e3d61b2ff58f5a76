"""A command line, run in process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Self

import pytest

from ptoscope.cli.main import main


@dataclass(frozen=True)
class Outcome:
    """What one command line did."""

    code: int
    out: str
    err: str

    @classmethod
    def of(cls, argv: tuple[object, ...], capfd: pytest.CaptureFixture[str]) -> Self:
        """Runs it."""
        code = main([str(a) for a in argv])
        captured = capfd.readouterr()
        return cls(code, captured.out, captured.err)

    @property
    def json(self) -> Any:
        """stdout as strict JSON: one object and nothing else."""

        def refuse(constant: str) -> Any:
            raise AssertionError(f"{constant} is not JSON")

        return json.loads(self.out, parse_constant=refuse)
