"""Profiles: what a target does not have."""

from __future__ import annotations

from collections.abc import Iterator

from ptoscope.check.flow import gives
from ptoscope.check.masks import fewest_lanes
from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.check.types import bindings, operands_of, sound
from ptoscope.isa import TABLE
from ptoscope.isa.convert import vci
from ptoscope.isa.dtypes import DType
from ptoscope.isa.record import Record
from ptoscope.isa.targets import TARGETS
from ptoscope.isa.types import Ptr


def _absent_instructions(context: Context) -> Iterator[Finding]:
    for op in context.function.ops():
        record = TABLE.get(op.name)
        if record is not None and context.target.name not in record.targets:
            yield Finding(
                op.span,
                f"{record.name} does not exist on {context.target.name}",
                found=f"target {context.target.name}",
                expected=f"target {' or '.join(record.targets)}",
                hint="choose another instruction, or another --target",
            )


def _absent_forms(context: Context) -> Iterator[Finding]:
    for op in context.function.ops():
        record = TABLE.get(op.name)
        if record is None or op.blocks:
            continue
        form = record.forms[op.form]
        known = bindings(
            (*operands_of(form, op), *form.results),
            (*context.types(op.operands), *context.types(op.results)),
        )
        for variable, types in record.types.items():
            dtype = known.get(variable)
            if not isinstance(dtype, DType):
                continue
            if dtype in types.legal(context.target, context.revision):
                continue
            others = [t.name for t in TARGETS.values() if dtype in types.legal(t, context.revision)]
            if others:
                yield Finding(
                    op.span,
                    f"{record.name} has no {dtype} form on {context.target.name}",
                    found=f"{dtype} on {context.target.name}",
                    expected=", ".join(
                        str(d) for d in types.legal(context.target, context.revision)
                    ),
                    hint=f"it has one on {', '.join(others)}",
                )


def _absent_parameters(context: Context) -> Iterator[Finding]:
    function = context.function
    for slot in function.params:
        kind = function.types[slot]
        if isinstance(kind, Ptr) and not context.target.has(kind.dtype):
            yield Finding(
                function.span,
                f"{context.target.name} has no {kind.dtype} elements",
                found=f"%{function.names[slot]}: {kind}",
                hint="8-bit and narrower floats exist on a5 only",
            )


def _absent_values(context: Context) -> Iterator[Finding]:
    for op in context.function.ops():
        record = TABLE.get(op.name)
        if record is None:
            continue
        for name, values in record.absent.get(context.target.name, {}).items():
            if op.attrs.get(name) in values:
                others = (v for v in record.forms[op.form].attr(name).values if v not in values)
                yield Finding(
                    op.span,
                    f"{record.name}: {context.target.name} lacks '{op.attrs[name]}' of it",
                    found=f"{name} = {op.attrs[name]}",
                    expected=f"{name} = {' or '.join(others)}",
                    hint="choose another mode, or another --target",
                )


def _sure_aliases(context: Context) -> Iterator[Finding]:
    if context.target.ordered_aliases:
        return
    for op, record in sound(context, _needs_distinct):
        for index, operand in enumerate(record.forms[op.form].operands):
            maker = context.values.maker(op.operands[index]) if operand.distinct else None
            if maker is None or not gives(maker, "splat"):
                continue
            # What says which lanes take part comes last, a mask or a number of them.
            if fewest_lanes(context, op.operands[-1]) > 1:
                yield Finding(
                    context.operand_span(op, index),
                    f"{op.name}: lanes write the same element, which is illegal on "
                    f"{context.target.name}",
                    found=f"one index for all lanes, by {maker.name} at line {maker.span.line}",
                    expected="a different index in each active lane",
                    hint=f"activate one lane only, or make the indices with {vci.name}",
                )


def _needs_distinct(record: Record) -> bool:
    return any(operand.distinct for form in record.forms for operand in form.operands)


RULES = (
    Rule("PTO0201", "the target has the instruction", _absent_instructions),
    Rule("PTO0202", "the target has the instruction's form", _absent_forms),
    Rule("PTO0204", "the target has the attribute's value", _absent_values),
    Rule("PTO0203", "the target has the parameter's element type", _absent_parameters),
    Rule("PTO0205", "indices of a scatter differ where the target needs it", _sure_aliases),
)
