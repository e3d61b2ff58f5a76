"""What a program may say and does not mean: warnings about lanes."""

from __future__ import annotations

from collections.abc import Iterator

from ptoscope.check.flow import gives
from ptoscope.check.masks import is_prefix
from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.check.types import sound
from ptoscope.isa import TABLE
from ptoscope.isa.record import Record
from ptoscope.isa.types import Mask, Scalar, VReg
from ptoscope.program import Op


def _shifts(record: Record) -> bool:
    return any(operand.shifts for form in record.forms for operand in form.operands)


def _amount(context: Context, slot: int) -> int | None:
    """By how much an operation shifts, where that is a constant."""
    if isinstance(context.function.types[slot], VReg):
        maker = context.values.made(slot)
        if maker is None or not gives(maker, "splat"):
            return None
        slot = maker.operands[0]
    return context.values.constant(slot)


def _far_shifts(context: Context) -> Iterator[Finding]:
    for op, record in sound(context, _shifts):
        for index, operand in enumerate(record.forms[op.form].operands):
            amount = _amount(context, op.operands[index]) if operand.shifts else None
            kind = context.function.types[op.results[0]]
            if amount is None or not isinstance(kind, (VReg, Scalar)):
                continue
            width = kind.dtype.bits
            if not 0 <= amount < width:
                yield Finding(
                    context.operand_span(op, index),
                    f"{op.name} shifts {width}-bit elements by {amount}",
                    found=str(amount),
                    expected=f"0 to {width - 1}",
                    hint="beyond the width of the element no document says what comes out",
                )


def _packed(context: Context, slot: int) -> Op | None:
    """What packed a value, through operations that keep lanes where they are."""
    op = context.values.made(slot)
    while op is not None and not gives(op, "packed"):
        vectors = [s for s in op.operands if isinstance(context.function.types[s], VReg)]
        kinds = {context.function.types[s] for s in (*vectors, *op.results)}
        if len(vectors) != 1 or len(kinds) != 1 or not _keeps_lanes(op):
            return None
        op = context.values.made(vectors[0])
    return op


def _keeps_lanes(op: Op) -> bool:
    return op.name in TABLE and TABLE[op.name].lanewise


def _stale_masks(context: Context) -> Iterator[Finding]:
    for op, _ in sound(context, lambda record: record.stores_lanes):
        packed = _packed(context, op.operands[0])
        if packed is None:
            continue
        chosen = packed.operands[1]
        for index, slot in enumerate(op.operands):
            is_mask = isinstance(context.function.types[slot], Mask)
            if is_mask and slot == chosen and not is_prefix(context, slot):
                yield Finding(
                    context.operand_span(op, index),
                    f"{op.name} stores packed lanes with the mask from before they were packed",
                    found=f"{context.name(slot)}, which chose the lanes of {packed.name} at line "
                    f"{packed.span.line}",
                    expected="a mask of the first lanes, as many as were packed",
                    hint=f"{packed.name} moves the chosen lanes to the front: store them with a "
                    "plt mask of their number, or store all lanes",
                )


RULES = (
    Rule("PTO0109", "a constant shift is narrower than the element", _far_shifts, "warning"),
    Rule("PTO0110", "packed lanes are not stored with the old mask", _stale_masks, "warning"),
)
