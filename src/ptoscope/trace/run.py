"""Runs a kernel and keeps the record of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ptoscope.arguments import Argument, bind
from ptoscope.diagnostics import PtoError, UsageError
from ptoscope.isa.dtypes import I8
from ptoscope.kernel import Kernel
from ptoscope.machine.faults import Fault
from ptoscope.machine.lanes import quietly
from ptoscope.machine.launch import argument_value
from ptoscope.machine.memory import Memory, Region, gm_regions
from ptoscope.trace.core import TraceCore
from ptoscope.trace.recorder import Recorder
from ptoscope.trace.trace import NONE, Trace
from ptoscope.trace.walker import TraceWalker


def trace(
    kernel: Kernel, arguments: Sequence[Any], grid: int = 1, max_steps: int | None = None
) -> Trace:
    """Runs a kernel on the reference engine as a call of it does, arrays written in place, and
    gives its record.

    PtoError for wrong arguments, as from a call. A fault of the run is not raised: the trace
    has what happened before it and, as `error`, the fault.
    """
    for name, value in (("grid", grid), ("max_steps", max_steps)):
        if value is not None and value < 1:
            raise UsageError(f"{name} is {value}; it has to be at least 1")
    bound = bind(kernel.program, kernel.function, arguments)
    try:
        return _run(kernel, bound, grid, max_steps)
    finally:
        for argument in bound:
            argument.write_back()


def _run(kernel: Kernel, arguments: list[Argument], grid: int, max_steps: int | None) -> Trace:
    walker = TraceWalker(kernel.function, kernel.target, kernel.revision)
    recorder = Recorder(walker.segments)
    regions = gm_regions(arguments)
    spaces = {id(regions[k]): place for k, place in _spaces(arguments).items()}
    error, last = None, NONE
    with quietly():
        values = [argument_value(a) for a in arguments]
        for block in range(grid):
            ub = Region("UB", "ub", np.zeros(kernel.target.ub_bytes, dtype=np.uint8), I8)
            memory = Memory(regions, ub)
            core = TraceCore(memory, block, grid, max_steps, recorder, walker.sites, spaces)
            try:
                walker.run(core, values)
            except Fault as fault:
                error = PtoError([fault.diagnostic(kernel.program, block, grid)])
                last = _last(recorder, walker, fault)
            recorder.end_block()
            if error is not None:
                break
    return recorder.finish(kernel.function, grid, walker.places, error, last)


def _spaces(arguments: list[Argument]) -> dict[int, tuple[int, int]]:
    """The space of each array and where in it the array begins: that of the first one with
    which it shares memory, else its own."""
    found: dict[int, tuple[int, int]] = {}
    begun: list[tuple[int, int, int]] = []
    for argument in arguments:
        if argument.data is None:
            continue
        at = int(argument.data.__array_interface__["data"][0])
        end = at + argument.data.nbytes
        shared = [(space, low) for space, low, high in begun if at < high and low < end]
        space, low = shared[0] if shared else (argument.position, at)
        if not shared:
            begun.append((argument.position, at, end))
        found[argument.position] = (space, at - low)
    return found


def _last(recorder: Recorder, walker: TraceWalker, fault: Fault) -> int:
    """The place at fault, if it is in the segment that was begun last."""
    place = walker.sites.get(fault.site, NONE)
    if not recorder.begun:
        return NONE
    return place if place in walker.segments[recorder.begun[-3]] else NONE
