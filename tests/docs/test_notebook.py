"""The tutorial as a marimo notebook: made of the page, executed, with the page's results."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from ptoscope.lang.memory.map import MemoryMap
from ptoscope.view.page import Page
from tests.docs.test_guides import DOCS, cells

NOTEBOOK = DOCS / "tutorial_notebook.py"


@pytest.fixture(scope="module", autouse=True)
def _marimo() -> None:
    if importlib.util.find_spec("marimo") is None:
        pytest.fail("marimo is not installed; it comes with pip install -e '.[dev]'")


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_is_made_of_the_page() -> None:
    maker = _module(DOCS.parent / "tools" / "notebook.py")
    assert maker.notebook() == NOTEBOOK.read_text("utf-8"), "run python tools/notebook.py"


def test_as_a_script_it_prints_what_the_page_shows(tmp_path: Path) -> None:
    """But for the names of files and the lines, which are those of the notebook."""
    done = subprocess.run(
        [sys.executable, "-W", "error", NOTEBOOK],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    shown = "".join(cell.output for cell in cells("tutorial"))
    assert _without_places(done.stdout) == _without_places(shown)


def _without_places(text: str) -> list[str]:
    """The lines of a text without paths and without what counts or pads lines of source."""
    text = re.sub(r'[\w./"-]+\.py"?(:\d+)+', "FILE", text)
    text = re.sub(r"\blines? \d+( to \d+)?", "LINE", text)
    text = re.sub(r"^ *\d+( +\d)", r"LINE\1", text, flags=re.MULTILINE)
    text = re.sub(r"^ *\d* +\| +", "| ", text, flags=re.MULTILINE)
    return [" ".join(line.split()) for line in text.splitlines()]


def test_its_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outputs, names = _run(_module(NOTEBOOK))
    assert np.array_equal(names["y"], names["x"] / 2)
    exact = np.exp(names["rows"].astype(np.float64))
    exact /= exact.sum(axis=1, keepdims=True)
    assert np.allclose(names["softmax"], exact, rtol=1e-5)
    one, two = names["cycles"]
    assert two < one
    one, two = (timing.total_cycles for timing in names["timings"])
    assert two < one
    assert {"PTO0701", "PTO0705"} == {d.code for d in names["seen"].diagnostics}
    (memory,) = [output for output in outputs if isinstance(output, MemoryMap)]
    assert {placed.allocation.copies for placed in memory} == {2}
    (page,) = [output for output in outputs if isinstance(output, Page)]
    assert (tmp_path / "softmax.html").read_text("utf-8") == page


def _run(notebook: ModuleType) -> tuple[tuple[Any, ...], dict[str, Any]]:
    outputs, names = notebook.app.run()
    return outputs, dict(names)
