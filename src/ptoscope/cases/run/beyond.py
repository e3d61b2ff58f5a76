"""What a kernel writes after the end of its arrays, where the device would let it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ptoscope.diagnostics import Diagnostic
from ptoscope.machine.faults import OUT_OF_GM
from ptoscope.program import Program
from ptoscope.trace.trace import Trace


def writes_beyond(record: Trace, program: Program, sizes: Mapping[int, int]) -> list[Diagnostic]:
    """The first such write of each instruction to each array, in the order of the run. `sizes`
    are the bytes of the arrays, by space."""
    accesses, names = record.accesses, record.function.names
    # Of a run of runs the farthest counts; strides may be negative.
    far = np.maximum(accesses.stride, 0) * (accesses.count.astype(np.int64) - 1)
    end = accesses.start + far + accesses.length
    found: dict[tuple[int, int], Diagnostic] = {}
    for space, size in sizes.items():
        rows = np.flatnonzero(accesses.writes & (accesses.space == space) & (end > size))
        for row in rows.tolist():
            place = record.places[int(record.events.place[accesses.event[row]])]
            if (place.index, space) in found:
                continue
            name = f"%{names[record.function.params[space]]}"
            found[place.index, space] = program.diagnostic(
                OUT_OF_GM,
                place.span,
                f"{place.name}: writes after the end of {name}",
                found=f"up to byte {int(end[row]) - 1} of {name}",
                expected=f"bytes 0 to {size - 1}",
                hint="the device may let it happen, to memory of another array",
            )
    return list(found.values())
