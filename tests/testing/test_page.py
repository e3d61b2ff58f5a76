"""docs/testing.md: its tests are run, and the failure that it shows is the one that they give."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

from ptoscope.testing import pto_check
from ptoscope.testing.verify import CHECKS
from tests.testing.kernels import ROOT

PAGE = (ROOT / "docs" / "testing.md").read_text("utf-8")


def fences(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_tests_of_the_page(tmp_path: Path) -> None:
    blocks = fences("python")
    assert PAGE.count("```") == 2 * (len(blocks) + len(fences("text")))
    for number, block in enumerate(blocks):
        (tmp_path / f"test_{number}.py").write_text(block, "utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n", "utf-8")
    loaded = ["-p", "ptoscope.testing.plugin", "-p", "hypothesispytest", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *loaded, f"-c{tmp_path / 'pytest.ini'}", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    assert "1 failed, 11 passed" in done.stdout, done.stdout + done.stderr
    shown = [re.sub(r"^E {3,7}", "", line) for line in done.stdout.splitlines()]
    (said,) = fences("text")
    told = "\n".join(shown)
    assert said.rstrip("\n") in told.replace("ptoscope.testing.outcome.CheckFailed: ", "")
    assert "@row_softmax on a2a3: 2 of 7 checks failed" in told


def test_the_parameters_of_the_page() -> None:
    rows = re.findall(r"^\| (`.*?) \| (.*) \|$", PAGE, re.MULTILINE)
    named = [name for names, _ in rows for name in re.findall(r"`(\w+)`", names)]
    assert named == list(inspect.signature(pto_check).parameters)
    (checks,) = [text for names, text in rows if names == "`checks`"]
    assert [name for name in CHECKS if f'`"{name}"`' not in checks] == []
