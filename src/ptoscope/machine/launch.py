"""A launch of the reference engine: blocks one after the other."""

from __future__ import annotations

from ptoscope.arguments import Argument
from ptoscope.diagnostics import Diagnostic, PtoError
from ptoscope.isa.dtypes import INDEX
from ptoscope.isa.targets import Target
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.deadlock import left_over
from ptoscope.machine.elements import quietly
from ptoscope.machine.faults import Fault
from ptoscope.machine.lanes import NumpyLanes, constant
from ptoscope.machine.memory import Memory, gm_base, gm_regions, own_regions
from ptoscope.machine.prints import Prints
from ptoscope.machine.schedule import Schedule
from ptoscope.machine.signals import Buffer, Signal
from ptoscope.machine.walker import Walker
from ptoscope.program import Program


def launch(
    program: Program,
    walker: Walker,
    target: Target,
    arguments: list[Argument],
    grid: int,
    max_steps: int | None = None,
    schedule: str = "program",
    iterations: dict[int, int] | None = None,
    prints: Prints | None = None,
) -> list[Diagnostic]:
    """Runs every block, one after the other; PtoError if one faults. A block may begin
    `max_steps` iterations of its loops; `iterations` takes how many each began, `prints` what
    they print. `schedule` says which legal order the pipes take (see `Schedule.parse`). Gives
    warnings: flags that are left set and buffers that are still held."""
    chosen = Schedule.parse(schedule)
    regions = gm_regions(arguments)
    left: dict[int, dict[Signal, int]] = {}
    held: dict[int, dict[Buffer, int]] = {}
    with quietly():
        values = [argument_value(a) for a in arguments]
        for block in chosen.blocks(grid):
            memory = Memory(regions, own_regions(target))
            core = ReferenceCore(memory, block, grid, max_steps, chosen.order(block))
            core.prints = prints
            try:
                walker.run(core, values)
            except Fault as fault:
                raise PtoError([fault.diagnostic(program, block, grid)]) from None
            left[block], held[block] = core.pipes.left_set(), core.pipes.held()
            if iterations is not None:
                iterations[block] = core.begun
    return left_over(program, walker.function, left, grid, held)


def argument_value(argument: Argument) -> NumpyLanes:
    """What a parameter holds when the kernel begins."""
    if argument.value is None:
        return constant(INDEX, 1, gm_base(argument.position))
    return constant(argument.dtype, 1, argument.value)
