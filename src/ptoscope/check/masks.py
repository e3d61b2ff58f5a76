"""Masks: where they come from, and how to get the same one with another granularity."""

from __future__ import annotations

from typing import NamedTuple

from ptoscope.check.flow import gives
from ptoscope.check.rule import Context
from ptoscope.check.text import Fix
from ptoscope.diagnostics import Edit
from ptoscope.isa import predicates
from ptoscope.isa.predicates import is_pattern, of_granularity, pattern_lane
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
    return not is_pattern(pattern) or predicates.is_prefix(str(pattern))


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
    if gives(op, *_PATTERNED) and is_pattern(op.attrs.get("pattern")):
        pattern = str(op.attrs["pattern"])
        return sum(pattern_lane(pattern, lane, kind.lanes) for lane in range(kind.lanes))
    return 0


def regranulated(context: Context, op: Op, index: int, bits: int) -> Fix:
    """Uses the mask that an operand is with another granularity: one that is there, or else one
    that is made behind it, the same for all uses."""
    slot = op.operands[index]
    old = context.function.types[slot]
    same = [s for s in op.operands if context.function.types[s] == old]
    if index >= len(op.operand_spans) or len(same) != 1:
        return ()
    other = _there(context, op, slot, bits) or _new(context, slot, bits)
    if other is None:
        return ()
    # In assembly form the type of the mask need not be written.
    mask = str(Mask(bits))
    written = context.text.places(op, str(old))
    others = len(context.text.places(op, "!pto.mask")) - len(context.text.places(op, mask))
    if len(written) > 1 or len(written) != others:
        return ()
    types = [Edit(span, mask) for span in written]
    return (*other.made, Edit(op.operand_spans[index], other.name), *types)


def remade(context: Context, slot: int, bits: int) -> Fix:
    """Makes a mask itself with another granularity, whatever its uses need."""
    maker = context.values.made(slot)
    if maker is None or not gives(maker, *_PATTERNED, "first lanes"):
        return ()
    wanted = of_granularity(maker.name, bits)
    renamed = context.text.rename(maker, wanted)
    written = context.text.places(maker, str(context.function.types[slot]))
    return (*renamed, *(Edit(span, str(Mask(bits))) for span in written)) if renamed else ()


class _Other(NamedTuple):
    """A mask by its name, and how it is made where it is not there yet."""

    name: str
    made: Fix = ()


def _there(context: Context, op: Op, slot: int, bits: int) -> _Other | None:
    """A mask that is made the same way with another granularity and that an operation sees."""
    maker = context.values.made(slot)
    if maker is None or not gives(maker, *_PATTERNED, "first lanes"):
        return None
    wanted = of_granularity(maker.name, bits)
    alike = (
        other.results[0]
        for other in context.once(_mask_makers).get((wanted, maker.operands), ())
        if other.attrs == maker.attrs and context.function.types[other.results[0]] == Mask(bits)
    )
    seen = next((r for r in alike if context.positions.sees(op, False, (r,))), None)
    return None if seen is None else _Other(context.name(seen))


def _mask_makers(context: Context) -> dict[tuple[str, tuple[int, ...]], list[Op]]:
    """The operations that make masks, by their names and operands."""
    found: dict[tuple[str, tuple[int, ...]], list[Op]] = {}
    for op in context.function.ops():
        if gives(op, *_PATTERNED, "first lanes"):
            found.setdefault((op.name, op.operands), []).append(op)
    return found


def _new(context: Context, slot: int, bits: int) -> _Other | None:
    """A mask made behind another one, of another granularity."""
    made = context.once(_Made)
    if (slot, bits) not in made:
        made[slot, bits] = _written(context, slot, bits)
    return made[slot, bits]


class _Made(dict[tuple[int, int], _Other | None]):
    """Masks of other granularities that fixes of one function make."""

    def __init__(self, context: Context) -> None:
        super().__init__()


def _written(context: Context, slot: int, bits: int) -> _Other | None:
    maker = context.values.made(slot)
    if maker is None:
        return None
    wanted, mask = of_granularity(maker.name, bits), str(Mask(bits))
    base = context.function.names[slot].replace("#", "_")
    name = context.new_name(f"{base}_b{bits}")
    if gives(maker, *_PATTERNED):
        line = f'{name} = {wanted} "{maker.attrs["pattern"]}" : {mask}'
    elif gives(maker, "first lanes"):
        count, rest = context.name(maker.operands[0]), context.new_name(f"{name[1:]}_rest")
        line = f"{name}, {rest} = {wanted} {count} : i32 -> {mask}, i32"
    else:
        return None
    made = context.text.insert_after(maker, line)
    return _Other(name, made) if made else None
