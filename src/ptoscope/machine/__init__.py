"""The reference engine: what is right, on NumPy."""

from __future__ import annotations

import numpy as np

from ptoscope.arguments import Argument
from ptoscope.diagnostics import PtoError
from ptoscope.isa.dtypes import I8, INDEX
from ptoscope.isa.targets import Target
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.faults import Fault
from ptoscope.machine.lanes import NumpyLanes, constant
from ptoscope.machine.memory import Memory, Region, gm_base
from ptoscope.machine.walker import Walker, quietly
from ptoscope.program import Program


def launch(
    program: Program, walker: Walker, target: Target, arguments: list[Argument], grid: int
) -> None:
    """Runs every block, one after the other; PtoError if one faults."""
    regions = {
        a.position: Region(a.name, "gm", a.data, a.dtype, gm_base(a.position), a.writeable)
        for a in arguments
        if a.data is not None
    }
    with quietly():
        values = [_value(a) for a in arguments]
        for block in range(grid):
            ub = Region("UB", "ub", np.zeros(target.ub_bytes, dtype=np.uint8), I8)
            core = ReferenceCore(Memory(regions, ub), block, grid)
            try:
                walker.run(core, values)
            except Fault as fault:
                raise PtoError([fault.diagnostic(program, block, grid)]) from None


def _value(argument: Argument) -> NumpyLanes:
    if argument.value is None:
        return constant(INDEX, 1, gm_base(argument.position))
    return constant(argument.dtype, 1, argument.value)
