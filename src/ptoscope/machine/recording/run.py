"""Runs a kernel on the reference engine and keeps the record of it."""

from __future__ import annotations

from ptoscope.arguments import Argument
from ptoscope.diagnostics import PtoError
from ptoscope.machine.faults import Fault
from ptoscope.machine.lanes import quietly
from ptoscope.machine.launch import argument_value
from ptoscope.machine.memory import Memory, gm_regions, own_regions
from ptoscope.machine.recording.core import TraceCore
from ptoscope.machine.recording.walker import TraceWalker
from ptoscope.program import Launchable
from ptoscope.trace.places import Outline
from ptoscope.trace.recorder import Recorder
from ptoscope.trace.spaces import list_spaces
from ptoscope.trace.trace import NONE, Trace


def run(kernel: Launchable, arguments: list[Argument], grid: int, limit: int | None) -> Trace:
    """Runs all blocks, one after the other, up to the first that faults."""
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
            memory = Memory(regions, own_regions(kernel.target))
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
