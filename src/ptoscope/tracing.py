"""Runs a kernel and keeps the record of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ptoscope.arguments import bind, blocks, whole_if_given
from ptoscope.engines import on_engine
from ptoscope.machine.prints import Prints
from ptoscope.machine.recording.run import run
from ptoscope.program import Launchable
from ptoscope.trace.trace import Trace


def trace(
    kernel: Launchable,
    arguments: Sequence[Any],
    grid: int = 1,
    max_steps: int | None = None,
    engine: str | None = None,
    prints: Prints | None = None,
) -> Trace:
    """Runs a kernel as a call of it does, arrays written in place, and gives its record: the
    same one on both engines. Without `engine` the native one runs what it covers. `prints`
    takes what the kernel prints.

    PtoError for wrong arguments, as from a call. A fault of the run is not raised: the trace
    has what happened before it and, as `error`, the fault.
    """
    grid, max_steps = blocks(kernel.target, grid), whole_if_given("max_steps", max_steps)
    return _trace(kernel, arguments, grid, max_steps, engine, prints)


def _trace(
    kernel: Launchable,
    arguments: Sequence[Any],
    grid: int,
    max_steps: int | None,
    engine: str | None,
    prints: Prints | None = None,
) -> Trace:
    bound = bind(kernel.program, kernel.function, arguments)
    chosen, _, traced = on_engine(engine, lambda: _compile(kernel))
    try:
        if traced is not None:
            return replace(traced.run(bound, grid, max_steps, prints), engine=chosen)
        return run(kernel, bound, grid, max_steps, prints)
    finally:
        for argument in bound:
            argument.write_back()


def _compile(kernel: Launchable) -> Any:
    """The kernel as machine code that makes notes."""
    from ptoscope.native.recording.run import TracedKernel

    return kernel.prepared(TracedKernel)
