"""`ptoscope cases` over a directory of cases: the second run finds the kernels in the cache."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import ptoscope
from bench import c_side
from bench.cases import CASES, Case
from bench.measure import Goal, Job, Row, best, of_children, once
from bench.native_process import environment
from ptoscope.cases.skeleton.arguments import case_arguments
from ptoscope.cases.skeleton.write import case_files

KERNELS = tuple(case for case in CASES if case.name != "quantise_i8")
"""But one: the host code of a case has no numbers of f16."""
_SECOND = Goal(f"ptoscope cases, {len(KERNELS)} kernels, the second run", "the first", 0.6)
_REPEATS = 3
_GOLDEN = """\
from pathlib import Path

import numpy as np

for name, values in np.load(Path(__file__).with_name("data.npz")).items():
    values.tofile(f"{name}.bin")
"""
"""A script of a case: its data are those of the measured kernel, its golden ones are C's."""


def jobs() -> list[Job]:
    """The one row."""
    return [Job("ptoscope cases", _rows, (_SECOND,))]


def write(directory: Path) -> None:
    """The measured kernels as cases, of the small sizes."""
    for case in KERNELS:
        _write_case(directory / case.name, case)


def run(directory: Path, cache: Path) -> None:
    """The command, one case after the other; all have to pass."""
    tool = str(Path(sys.executable).with_name("ptoscope"))
    command = (tool, "cases", str(directory), "--jobs", "1")
    # The modules are compiled once, whatever becomes of the cache of kernels.
    surroundings = environment(str(directory.parent)) | {"PTOSCOPE_CACHE": str(cache)}
    subprocess.run(command, check=True, capture_output=True, env=surroundings)


def _write_case(directory: Path, case: Case) -> None:
    function = ptoscope.load(case.path).function
    directory.mkdir(parents=True)
    files = case_files(case.path.read_text(), function) | {"golden.py": _GOLDEN}
    for name, text in files.items():
        (directory / name).write_text(text)
    arguments = case.arguments(case.small)
    parameters = case_arguments(function)
    data = {
        parameter.name: np.array(value, dtype=parameter.dtype.storage)
        for parameter, value in zip(parameters, arguments, strict=True)
    }
    c_side.function(case.name, case.source)(arguments)
    data[f"golden_{parameters[case.result].name}"] = arguments[case.result]
    np.savez(directory / "data.npz", allow_pickle=False, **data)


def _rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch, "suite")
        write(directory)
        run(directory, Path(scratch, "not counted"))
        firsts, seconds = zip(
            *(_twice(directory, Path(scratch, f"cache {i}")) for i in range(_REPEATS)), strict=True
        )
    first, second = best(min(firsts), min(seconds))
    yield _SECOND.row(second, first, "processor time")


def _twice(directory: Path, cache: Path) -> tuple[float, float]:
    """Seconds of a run with a new cache, and of the next."""
    first = once(lambda: run(directory, cache), of_children)
    return first, once(lambda: run(directory, cache), of_children)
