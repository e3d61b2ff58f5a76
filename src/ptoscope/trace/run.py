"""Runs a kernel and keeps the record of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ptoscope.arguments import Argument, bind
from ptoscope.diagnostics import PtoError
from ptoscope.isa.dtypes import I8
from ptoscope.kernel import Kernel, check_counts, on_engine
from ptoscope.machine.faults import Fault
from ptoscope.machine.lanes import quietly
from ptoscope.machine.launch import argument_value
from ptoscope.machine.memory import Memory, Region, gm_regions
from ptoscope.trace.core import TraceCore
from ptoscope.trace.places import Outline
from ptoscope.trace.recorder import Recorder
from ptoscope.trace.spaces import list_spaces
from ptoscope.trace.trace import NONE, Trace
from ptoscope.trace.walker import TraceWalker


def trace(
    kernel: Kernel,
    arguments: Sequence[Any],
    grid: int = 1,
    max_steps: int | None = None,
    engine: str | None = None,
) -> Trace:
    """Runs a kernel as a call of it does, arrays written in place, and gives its record: the
    same one on both engines. Without `engine` the native one runs what it covers.

    PtoError for wrong arguments, as from a call. A fault of the run is not raised: the trace
    has what happened before it and, as `error`, the fault.
    """
    check_counts(grid=grid, max_steps=max_steps)
    return _trace(kernel, arguments, grid, max_steps, engine)


def _trace(
    kernel: Kernel,
    arguments: Sequence[Any],
    grid: int,
    max_steps: int | None,
    engine: str | None,
) -> Trace:
    bound = bind(kernel.program, kernel.function, arguments)
    chosen, _, traced = on_engine(engine, lambda: _compile(kernel))
    try:
        if traced is not None:
            return replace(traced.run(bound, grid, max_steps), engine=chosen)
        return _run_reference(kernel, bound, grid, max_steps)
    finally:
        for argument in bound:
            argument.write_back()


def _compile(kernel: Kernel) -> Any:
    """The kernel as machine code that makes notes."""
    from ptoscope.trace.native_run import TracedKernel

    return kernel.prepared(TracedKernel)


def _run_reference(
    kernel: Kernel, arguments: list[Argument], grid: int, limit: int | None
) -> Trace:
    outline = Outline(kernel.function)
    walker = TraceWalker(outline, kernel.function, kernel.target, kernel.revision)
    recorder = Recorder(outline.segments)
    regions = gm_regions(arguments)
    extents = list_spaces(arguments)
    spaces = {id(regions[k]): (e.space, e.begin) for k, e in extents.items()}
    error, last = None, NONE
    with quietly():
        values = [argument_value(a) for a in arguments]
        for block in range(grid):
            ub = Region("UB", "ub", np.zeros(kernel.target.ub_bytes, dtype=np.uint8), I8)
            memory = Memory(regions, ub)
            core = TraceCore(memory, block, grid, limit, recorder, walker.sites, spaces)
            try:
                walker.run(core, values)
            except Fault as fault:
                error = PtoError([fault.diagnostic(kernel.program, block, grid)])
                last = recorder.last_place(walker.sites.get(fault.site, NONE))
            recorder.end_block()
            if error is not None:
                break
    return recorder.finish(kernel.function, grid, outline.places, error, last)
