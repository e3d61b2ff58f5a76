"""`xdsl-opt` finds the dialect by the entry point that the project declares."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from ptoscope import ir
from tests.ir.kernels import ADD
from tests.xdsl.programs import parsed, printed

ROOT = Path(__file__).parents[2]


def test_xdsl_opt_loads_the_dialect(tmp_path: Path):
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    ((name, place),) = declared["xdsl.universe"].items()
    installed = tmp_path / "declared-0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: declared\nVersion: 0\n")
    (installed / "entry_points.txt").write_text(f"[xdsl.universe]\n{name} = {place}\n")
    kernel = tmp_path / "add.mlir"
    kernel.write_text(ir.print_module(ir.parse(ADD), generic=True))
    paths = [str(tmp_path), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-m", "xdsl.tools.xdsl_opt", "--print-op-generic", str(kernel)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 0
    assert printed(parsed(done.stdout)) == printed(parsed(kernel.read_text()))
