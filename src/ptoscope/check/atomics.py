"""Atomic stores: of the type that is set, and switched off in the end."""

from __future__ import annotations

from collections.abc import Iterator

from ptoscope.check.analysis.nodes import Touch, flat
from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.isa import TABLE
from ptoscope.isa.atomics import TYPE, TYPES, element, orders, suffix, title
from ptoscope.isa.control import set_atomic_none
from ptoscope.isa.dtypes import DType
from ptoscope.isa.types import Ptr
from ptoscope.program import Op


def _other_types(context: Context) -> Iterator[Finding]:
    for node in flat(context.analysis.nodes):
        mode = node.atomic.number if isinstance(node, Touch) else 0
        if not isinstance(node, Touch) or not mode:
            continue
        pointer = context.function.types[node.op.operands[1]]
        assert isinstance(pointer, Ptr)
        if not _alike(pointer.dtype, mode):
            yield Finding(
                context.operand_span(node.op, 1),
                f"{node.op.name}: {title(mode)} on a pointer to {pointer.dtype}",
                found=f"{context.name(node.op.operands[1])}, which points to {pointer.dtype}",
                expected=f"a pointer to {suffix(element(mode)).replace('s', 'i')}",
                hint="the bits of both are read as the type that was set last",
            )


def _alike(dtype: DType, mode: int) -> bool:
    """Whether elements of a type are those that a mode updates. A sum has no sign."""
    known = element(mode)
    if (dtype.bits, dtype.kind) != (known.bits, known.kind):
        return False
    return dtype is known if dtype.is_float else dtype.signed or not orders(mode)


def _left_on(context: Context) -> Iterator[Finding]:
    kind = context.analysis.at_end(TYPE)
    if not kind:
        return
    setting = [op for op in context.function.ops() if _sets(op)][-1]
    end = context.function.body.end
    off = set_atomic_none.name
    yield Finding(
        setting.span,
        f"{setting.name}: atomic stores are still on when @{context.function.name} ends",
        found=f"stores to GM update elements of {suffix(TYPES[kind])}",
        expected=f"{off} after the last of them",
        hint="what runs next on the core would find its stores atomic",
        fix=() if end is None else context.text.insert_before(end, off),
    )


def _sets(op: Op) -> bool:
    record = TABLE.get(op.name)
    made = None if record is None else record.sets
    return made is not None and made.register == TYPE and made.value != 0


RULES = (
    Rule("PTO0511", "an atomic store is of the type that is set", _other_types, "warning"),
    Rule("PTO0512", "atomic stores are switched off before a kernel ends", _left_on, "warning"),
)
