"""What every case does, done once before the first."""

from __future__ import annotations

import argparse
import contextlib
import runpy
import tempfile
from pathlib import Path

import numpy as np

from ptoscope import demo, native
from ptoscope.cases.difference import compare_outputs
from ptoscope.cases.host.library import Library
from ptoscope.cases.options import Options
from ptoscope.cases.run.case import host_files, run_host
from ptoscope.cases.run.kernels import Kernels
from ptoscope.cases.skeleton.write import case_files
from ptoscope.kernel import Kernel


def warm_up() -> None:
    """Does once what every case does, so that forks find it done: the demonstration's kernel as
    a case, and what scripts use of NumPy."""
    with tempfile.TemporaryDirectory() as scratch:
        case, work = Path(scratch), Path(scratch, "work")
        work.mkdir()
        kernel = case / demo.PATH.name
        kernel.write_bytes(demo.PATH.read_bytes())
        kernels = Kernels(kernel, Options())
        files = case_files(demo.PATH.read_text("utf-8"), kernels.entry(None).function)
        for name, text in files.items():
            (case / name).write_text(text, encoding="utf-8")
        values = np.random.default_rng(0).uniform(-1, 1, demo.COLUMNS).astype(np.float32)
        for name in ("v1", "v2", "golden_v2"):
            values.tofile(work / f"{name}.bin")
        np.int32(1).tofile(work / "v3.bin")
        library = Library(work)
        run_host(host_files(case), kernels, library)
        compare_outputs(work, library.written)
        np.allclose(np.fromfile(work / "v1.bin", np.float32), values, equal_nan=True)
        runpy.run_path(str(case / "compare.py"), run_name="compare")
        # Its own machine code may have been kept; that of the cases need not be.
        other = Kernel(kernels.program, kernels.target, kernels.revision)
        with contextlib.suppress(native.NotCovered):
            native.compile_program(other.function, other.target, other.revision)
    parser = argparse.ArgumentParser()
    parser.add_argument("--output-dir", type=Path)
    parser.parse_args([])
