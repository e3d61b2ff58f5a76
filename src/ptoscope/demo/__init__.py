"""A bundled kernel and what the product has to say about it.

`row_softmax.pto` runs on random data and is compared with NumPy; then it is broken on
purpose, to show what is said about each mistake.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ptoscope.diagnostics import Diagnostic, PtoError
from ptoscope.kernel import Kernel, load
from ptoscope.sources import asked_revision, choose_target, parse

PATH = Path(__file__).with_name("row_softmax.pto")
ROWS, COLUMNS, GRID = 300, 128, 4
"""300 rows are 18 tiles and a tail of 12; 4 blocks share them unevenly."""
TOLERANCE = 1e-6
"""The difference from the row's maximum, at most about 9, is rounded at 2^-24 of its size;
exp makes that a relative error of 5e-7. The sum and the quotient add one rounding each."""


@dataclass(frozen=True)
class Comparison:
    """Largest relative errors against NumPy in f64: the kernel's, and NumPy's own in f32."""

    seconds: float
    error: float
    numpy_error: float

    @property
    def ok(self) -> bool:
        return self.error <= TOLERANCE


@dataclass(frozen=True)
class Mistake:
    """A change that breaks the kernel: what was done, and what replaces what."""

    title: str
    old: str
    new: str


MISTAKES = (
    Mistake("masks for 16-bit lanes on 32-bit data", "b32", "b16"),
    Mistake(
        "the input read before it has arrived",
        """\
      pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]

      pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
""",
        "",
    ),
    Mistake(
        "a deadlock: a flag that is never set",
        'pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]',
        "// nothing says that the input has arrived",
    ),
    Mistake(
        "the tail forgotten: every tile has 16 rows",
        "arith.minsi %left, %tile_rows",
        "arith.minsi %tile_rows, %tile_rows",
    ),
)
"""The first three are found before the run, the last one by it."""


def compare(target: str | None, revision: str | None) -> Comparison:
    """Runs the kernel on random rows and measures its error."""
    kernel = load(PATH, target, revision)
    x, y = _arrays()
    start = time.perf_counter()
    kernel(x, y, ROWS, grid=GRID)
    seconds = time.perf_counter() - start
    exact = softmax(x.astype(np.float64))
    error, numpy_error = (float((np.abs(r - exact) / exact).max()) for r in (y, softmax(x)))
    return Comparison(seconds, error, numpy_error)


def softmax(x: Any) -> Any:
    """Softmax of each row, in the type of x."""
    exponentials = np.exp(x - x.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def findings(mistake: Mistake, target: str | None, revision: str | None) -> tuple[Diagnostic, ...]:
    """What is said about the kernel with a mistake in it, by the check or by its run."""
    text = PATH.read_text(encoding="utf-8").replace(mistake.old, mistake.new)
    try:
        program = parse(text, PATH.name)
        kernel = Kernel(program, choose_target(program, target), asked_revision(program, revision))
        if kernel.findings:
            return tuple(kernel.findings)
        kernel(*_arrays(), ROWS, grid=GRID)
    except PtoError as error:
        return error.diagnostics
    return ()


def excerpt() -> list[str]:
    """The vector part of the kernel, without its indentation, types and comments."""
    lines = PATH.read_text(encoding="utf-8").split("\n")
    start = next(i for i, line in enumerate(lines) if "pto.vecscope" in line)
    indent = len(lines[start]) - len(lines[start].lstrip())
    end = next(i for i in range(start, len(lines)) if lines[i] == " " * indent + "}")
    body = [line[indent:] for line in lines[start : end + 1]]
    code = [line for line in body if line.strip() and line.strip()[0] not in "/:"]
    return [line.partition(" : ")[0] for line in code]


def _arrays() -> tuple[Any, Any]:
    x = np.random.default_rng(0).standard_normal((ROWS, COLUMNS), np.float32)
    return x, np.zeros_like(x)
