"""Runs a kernel on the reference engine under a schedule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ptoscope import Diagnostic, PtoError
from ptoscope.arguments import bind
from ptoscope.kernel import Kernel
from ptoscope.machine.launch import launch
from ptoscope.machine.walker import Walker
from tests.machine.harness import prepared

ORDERS = ("program", "lazy", "eager", "seed:0", "seed:1")


def run_as(
    kernel: Kernel | str, schedule: str, arguments: Sequence[Any] = (), grid: int = 1
) -> list[Diagnostic]:
    """The warnings of a run."""
    loaded = prepared(kernel) if isinstance(kernel, str) else kernel
    walker = Walker(loaded.function, loaded.target, loaded.revision)
    bound = bind(loaded.program, loaded.function, arguments)
    return launch(loaded.program, walker, loaded.target, bound, grid, None, schedule)


def fault_as(
    kernel: Kernel | str, schedule: str, arguments: Sequence[Any] = (), grid: int = 1
) -> Diagnostic:
    """The one fault of a run."""
    with pytest.raises(PtoError) as error:
        run_as(kernel, schedule, arguments, grid)
    (diagnostic,) = error.value.diagnostics
    return diagnostic


def line(text: str, marker: str) -> int:
    """The number of the one line that ends with a comment."""
    ends = [n for n, row in enumerate(text.splitlines(), 1) if row.endswith(f"// {marker}")]
    (number,) = ends
    return number
