"""`ptoscope cases` over a directory of cases: the second run finds the kernels in the cache."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import ptoscope
from bench.cases import CASES
from bench.measure import Goal, Job, Row, best, of_children, once
from bench.native_process import environment
from ptoscope.cases.skeleton.arguments import case_arguments
from ptoscope.cases.skeleton.write import case_files

_EXAMPLES = Path(__file__).parents[1] / "examples"
_ARGUMENTS: dict[str, tuple[float, ...]] = {
    "bias_scale": (1200, 1200, 0.1, 0.3, 4, 300),
    "carry_chain": (4000, 4000, 5000, 1000),
    "clamp": (2000, 2000, 2000, 0.6, 1.2, 2000),
    "double_buffer_bufs": (5000, 5000, 5000, 5000),
    "double_buffer_flags": (5000, 5000, 5000, 5000),
    "gelu": (5000, 5000, 5000),
    "layer_norm": (1024, 256, 256, 1024, 1e-5, 4, 256),
    "quantize_int8": (1024, 1024, 4, 127.0, 4, 256),
    "rope": (1024, 256, 256, 1024, 4, 2, 64),
    "row_softmax": (1280, 1280, 10),
    "top_k": (2048, 64, 64, 2, 1024, 32),
    "vector_add": (5000, 5000, 5000, 5000),
}
"""Examples, with a number for each parameter: of an array how many elements it has."""
# The host code of a case cannot pass a number of f16.
NAMES = (*(case.name for case in CASES if case.name != "quantise_i8"), *_ARGUMENTS)
_SECOND = Goal(f"ptoscope cases, {len(NAMES)} kernels, the second run", "the first", 0.6)
_REPEATS = 2
_GOLDEN = """\
from pathlib import Path

import numpy as np

for path in Path(__file__).with_name("data").iterdir():
    np.fromfile(path, np.uint8).tofile(path.name)
"""
"""A script of a case, which finds its data ready."""


def jobs() -> list[Job]:
    """The one row."""
    return [Job("ptoscope cases", _rows, (_SECOND,))]


def write(directory: Path) -> None:
    """The kernels as cases: those that are measured, of the small sizes, and examples."""
    for case in CASES:
        if case.name in NAMES:
            _write_case(directory / case.name, case.path, case.arguments(case.small))
    for name, numbers in _ARGUMENTS.items():
        path = _EXAMPLES / f"{name}.pto"
        _write_case(directory / f"{name}_example", path, _example_arguments(path, numbers))


def run(directory: Path, cache: Path) -> None:
    """The command, one case after the other; all have to pass."""
    tool = str(Path(sys.executable).with_name("ptoscope"))
    command = (tool, "cases", str(directory), "--jobs", "1")
    # The modules are compiled once, whatever becomes of the cache of kernels.
    surroundings = environment(str(directory.parent)) | {"PTOSCOPE_CACHE": str(cache)}
    subprocess.run(command, check=True, capture_output=True, env=surroundings)


def _example_arguments(path: Path, numbers: tuple[float, ...]) -> list[Any]:
    random = np.random.default_rng(1)
    arguments: list[Any] = []
    for parameter, number in zip(
        case_arguments(ptoscope.load(path).function), numbers, strict=True
    ):
        if parameter.is_pointer:
            values = random.random(int(number)) + 0.5
            scaled = values if parameter.dtype.is_float else 50 * values
            arguments.append(scaled.astype(parameter.dtype.storage))
        else:
            arguments.append(number)
    return arguments


def _write_case(directory: Path, path: Path, arguments: list[Any]) -> None:
    """A case that expects what the kernel gives here."""
    kernel: Any = ptoscope.load(path)
    data = directory / "data"
    data.mkdir(parents=True)
    for name, text in (
        case_files(path.read_text(), kernel.function) | {"golden.py": _GOLDEN}
    ).items():
        (directory / name).write_text(text)
    parameters = case_arguments(kernel.function)
    for parameter, value in zip(parameters, arguments, strict=True):
        np.asarray(value, parameter.dtype.storage).tofile(data / f"{parameter.name}.bin")
    kernel(*arguments)
    for parameter, value in zip(parameters, arguments, strict=True):
        if parameter.is_output:
            value.tofile(data / f"golden_{parameter.name}.bin")


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
