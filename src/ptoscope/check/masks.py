"""Masks: where they come from, and how to get the same one with another granularity."""

from __future__ import annotations

from ptoscope.check.flow import gives
from ptoscope.check.rule import Context
from ptoscope.check.text import Fix
from ptoscope.diagnostics import Edit
from ptoscope.isa import predicates
from ptoscope.isa.predicates import PATTERNS, of_granularity, pattern_lane
from ptoscope.isa.roles import Gives
from ptoscope.isa.types import Mask
from ptoscope.program import Op

_PATTERNED: tuple[Gives, ...] = ("pattern", "tail pattern")


def is_prefix(context: Context, slot: int) -> bool:
    """Whether a mask is known to activate the first lanes and no others."""
    op = context.values.made(slot)
    if op is None or not gives(op, *_PATTERNED):
        return gives(op, "first lanes")
    pattern = op.attrs.get("pattern")
    return pattern not in PATTERNS or predicates.is_prefix(str(pattern))


def fewest_lanes(context: Context, slot: int) -> int:
    """How many lanes a mask, or a count of lanes, activates at the least."""
    kind = context.function.types[slot]
    if not isinstance(kind, Mask):
        return max(0, context.values.constant(slot) or 0)
    op = context.values.maker(slot)
    if op is None:
        return 0
    if gives(op, "first lanes"):
        return min(kind.lanes, max(0, context.values.constant(op.operands[0]) or 0))
    if gives(op, *_PATTERNED) and op.attrs.get("pattern") in PATTERNS:
        pattern = str(op.attrs["pattern"])
        return sum(pattern_lane(pattern, lane, kind.lanes) for lane in range(kind.lanes))
    return 0


def regranulated(context: Context, op: Op, index: int, bits: int) -> Fix:
    """Makes the mask that an operand is once more, with another granularity, and uses it."""
    slot = op.operands[index]
    old = context.function.types[slot]
    maker = context.values.made(slot)
    same = [s for s in op.operands if context.function.types[s] == old]
    if maker is None or index >= len(op.operand_spans) or len(same) != 1:
        return ()
    name = context.new_name(f"{context.function.names[slot]}_b{bits}")
    mask = str(Mask(bits))
    wanted = of_granularity(maker.name, bits)
    if gives(maker, *_PATTERNED):
        line = f'{name} = {wanted} "{maker.attrs["pattern"]}" : {mask}'
    elif gives(maker, "first lanes"):
        count, rest = context.name(maker.operands[0]), context.new_name(f"{name[1:]}_rest")
        line = f"{name}, {rest} = {wanted} {count} : i32 -> {mask}, i32"
    else:
        return ()
    # In assembly form the type of the mask need not be written.
    written = context.text.places(op, str(old))
    others = len(context.text.places(op, "!pto.mask")) - len(context.text.places(op, mask))
    before = context.text.insert_before(op, line)
    if not before or len(written) > 1 or len(written) != others:
        return ()
    types = [Edit(span, mask) for span in written]
    return (*before, Edit(op.operand_spans[index], name), *types)
