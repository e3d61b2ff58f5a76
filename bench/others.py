"""Where others stand: the same add by other means of running vector code on this machine.

For information, and only where they are installed; they are no dependencies.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import ptoscope
from bench.c_side import SOURCES
from bench.cases import CASES
from bench.measure import Goal, Job, Remark, Row, best_of_all

_SIZE = 1 << 20
_EMULATOR, _CROSS = "qemu-riscv64", "riscv64-linux-gnu-gcc"
_WHAT = "f32 add, 1 Mi"


def jobs() -> list[Job]:
    """RISC-V vectors under QEMU, and Triton's interpreter."""
    return [Job(_EMULATOR, _risc_v), Job("Triton's interpreter", _triton)]


def _row(name: str, baseline: float) -> Row:
    from bench.native import runner

    case = CASES[0]
    run = runner(ptoscope.load(case.path), case.arguments(_SIZE))
    (ours,) = best_of_all([run], 15)
    return Goal(_WHAT, name, speed=True).row(ours, baseline)


def _risc_v() -> Iterator[Row | Remark]:
    missing = [tool for tool in (_EMULATOR, _CROSS) if shutil.which(tool) is None]
    if missing:
        yield Remark(f"skipped: RISC-V vectors under QEMU: {', '.join(missing)} not installed")
        return
    with tempfile.TemporaryDirectory() as directory:
        program = str(Path(directory, "add_rvv"))
        source = str(SOURCES / "add_rvv.c")
        build = (_CROSS, "-O3", "-march=rv64gcv", "-static", "-o", program, source)
        subprocess.run(build, check=True, capture_output=True)
        # The widest vectors that this emulator has.
        run = (_EMULATOR, "-cpu", "rv64,v=true,vlen=1024", program, str(_SIZE))
        done = subprocess.run(run, check=True, capture_output=True, text=True)
    yield _row("RISC-V vectors, qemu-riscv64", float(done.stdout))


def _triton() -> Iterator[Row | Remark]:
    missing = [name for name in ("triton", "torch") if importlib.util.find_spec(name) is None]
    if missing:
        yield Remark(f"skipped: Triton's interpreter: {', '.join(missing)} not installed")
        return
    done = subprocess.run(
        (sys.executable, "-m", "bench.triton_add", str(_SIZE)),
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "TRITON_INTERPRET": "1"},
    )
    yield _row("Triton's interpreter", float(done.stdout))
