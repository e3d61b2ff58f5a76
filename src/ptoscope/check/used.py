"""What of a loaded register is used."""

from __future__ import annotations

from collections import defaultdict

from ptoscope.check.analysis.expr import Expr
from ptoscope.check.analysis.nodes import KnownBytes, Touch
from ptoscope.check.analysis.values import KnownLanes
from ptoscope.check.rule import Context
from ptoscope.isa.dtypes import VREG_BYTES
from ptoscope.isa.lanes import PREDICATE_BITS
from ptoscope.isa.types import Mask, VReg
from ptoscope.program import Op


def used_bytes(context: Context, read: Touch, data: KnownBytes) -> KnownBytes:
    """What of a loaded register its uses take: where all of them have masks that are known, the
    lanes up to the last active one."""
    types, made = context.function.types, read.op.results
    kind = types[made[0]] if len(made) == 1 else None
    if not isinstance(kind, VReg) or data.length.number != VREG_BYTES:
        return data
    used, size = 0, kind.dtype.bytes
    for use in context.once(_uses).get(made[0], []):
        masks = [slot for slot in use.operands if isinstance(types[slot], Mask)]
        known = [context.analysis.walker.values[slot] for slot in masks]
        active = known[0].active if len(known) == 1 and isinstance(known[0], KnownLanes) else None
        if not isinstance(active, tuple) or len(active) != PREDICATE_BITS:
            return data
        # A mask has a bit for each byte of a register.
        used = max([used, *(byte // size * size + size for byte, on in enumerate(active) if on)])
    return KnownBytes(data.start, Expr(used), data.loops) if used else data


def _uses(context: Context) -> dict[int, list[Op]]:
    """Who takes each value."""
    made: dict[int, list[Op]] = defaultdict(list)
    for op in context.function.ops():
        for slot in op.operands:
            made[slot].append(op)
    return made
