"""The worked example of CONTRIBUTING.md: one record in one file, and everything follows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
(RECORD,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
BOTH = """
import numpy as np, ptoscope
vector, pointer = "!pto.vreg<64xi32>", "!pto.ptr<i32, ub>"
text = f'''
func.func @nand(%gm: !pto.ptr<i32, gm>, %end: i32) {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %row = arith.constant 256 : i64
  %ub = pto.castptr %zero : i64 -> {pointer}
  pto.mte_gm_ub %gm, %ub, %zero, %row nburst(%one, %row, %row)
    : !pto.ptr<i32, gm>, {pointer}, i64, i64, i64, i64, i64
  pto.barrier #pto.pipe
  pto.vecscope {{
    %some, %rest = pto.plt_b32 %end : i32 -> !pto.mask<b32>, i32
    %all = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
    %v = pto.vlds %ub[%c0] : {pointer} -> {vector}
    %w = pto.vnand %v, %v, %some : {vector}, {vector}, !pto.mask<b32> -> {vector}
    pto.vsts %w, %ub[%c0], %all : {vector}, {pointer}, !pto.mask<b32>
  }}
  pto.barrier #pto.pipe
  pto.mte_ub_gm %ub, %gm, %row nburst(%one, %row, %row)
    : {pointer}, !pto.ptr<i32, gm>, i64, i64, i64, i64
  return
}}
'''
for engine in ("reference", "native"):
    x = np.arange(64, dtype=np.int32)
    ptoscope.load(text)(x, 60, engine=engine)
    assert x.tolist() == [-i - 1 if i < 60 else 0 for i in range(64)], engine
assert ptoscope.load(text).time(np.arange(64, dtype=np.int32), 60).total_cycles > 0
"""


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the record in the file that the text names."""
    source = tmp_path_factory.mktemp("changed") / "src"
    shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
    file = source / "ptoscope" / "isa" / "binary.py"
    assert f"`{file.relative_to(source.parent).as_posix()}`" in TEXT
    before = file.read_text(encoding="utf-8")
    after = before.replace("RECORDS = (", f"{RECORD}\nRECORDS = (vnand, ")
    assert after.count("vnand") > before.count("vnand") == 0
    file.write_text(after, encoding="utf-8")
    return source


def _python(source: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(source), "PTOSCOPE_CACHE": ""}
    return subprocess.run(
        [sys.executable, *argv], env=environment, capture_output=True, text=True, check=False
    )


def test_it_is_ten_lines() -> None:
    assert len(RECORD.splitlines()) <= 10


def test_both_engines_run_it_and_it_takes_cycles(changed: Path) -> None:
    done = _python(changed, "-W", "error", "-c", BOTH)
    assert (done.returncode, done.stderr) == (0, "")


def test_it_is_described(changed: Path) -> None:
    done = _python(changed, "-m", "ptoscope", "isa", "vnand")
    assert done.returncode == 0, done.stderr
    assert "Bits that are not set in both." in done.stdout
    assert "nobody has published one" in done.stdout
