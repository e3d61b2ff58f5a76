"""Kernels that are right: the examples and the demonstration have no race."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from ptoscope import demo
from ptoscope.kernel import Kernel
from ptoscope.races.find import find_races
from ptoscope.tracing import trace

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> list[Kernel]:
    """Calls of kernels are traced and may not race; they are listed."""
    called: list[Kernel] = []

    def call(self: Kernel, *arguments: Any, grid: int = 1, **options: Any) -> None:
        found = trace(self, arguments, grid)
        called.append(self)
        if found.error is not None:
            raise found.error
        assert find_races(found, self.program, self.target) == []

    monkeypatch.setattr(Kernel, "__call__", call)
    return called


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path, traced: list[Kernel], capsys: pytest.CaptureFixture[str]) -> None:
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.main() == 0
    assert traced


def test_the_demonstration(traced: list[Kernel]) -> None:
    demo.compare(None, "manual")
    assert traced
