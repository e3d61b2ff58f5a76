"""Kernels with a fault and their fixed twins, and the races of a text."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ptoscope.isa.targets import TARGETS, Revision
from ptoscope.kernel import Kernel
from ptoscope.races.find import list_races
from ptoscope.races.race import Race
from ptoscope.trace.trace import Trace
from ptoscope.tracing import trace

from ..check.pipes import kernel, program

EARLY, LATE = " // early", " // late"
"""Marks on the two lines that race."""


class Pair(NamedTuple):
    """A kernel, of which lines that begin with `-` stand only in the faulty one and those that
    begin with `+` only in the fixed one; and the race of the faulty one."""

    lines: list[str]
    code: str
    kind: str
    times: int = 1
    grid: int = 1

    def faulty(self) -> str:
        return self._text("-", "+")

    def fixed(self) -> str:
        return self._text("+", "-")

    def _text(self, keep: str, drop: str) -> str:
        lines = "\n".join(self.lines).split("\n")
        kept = [line.removeprefix(keep) for line in lines if not line.startswith(drop)]
        return kernel(*kept)


def marked(text: str, mark: str) -> int:
    """The line that carries a mark."""
    (found,) = [n for n, line in enumerate(text.split("\n"), 1) if line.endswith(mark)]
    return found


def run(text: str, grid: int = 1, target: str = "a5", revision: Revision = "manual") -> Trace:
    """The trace of a kernel of `kernel`: %n is 3, %yes holds, %no does not."""
    loaded = Kernel(program(text), TARGETS[target], revision)
    x, y = np.arange(4096, dtype=np.float32), np.zeros(4096, np.float32)
    return trace(loaded, [x, y, 3, True, False], grid)


def races(
    text: str, grid: int = 1, target: str = "a5", revision: Revision = "manual"
) -> list[Race]:
    """The races of a run that ends well."""
    found = run(text, grid, target, revision)
    assert found.error is None, found.error
    return list_races(found, program(text), TARGETS[target])
