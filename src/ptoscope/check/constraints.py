"""Constraints that an instruction's own record states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ptoscope.check.masks import regranulated
from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.check.text import Fix
from ptoscope.check.types import PACKED, fits, packs
from ptoscope.isa import TABLE
from ptoscope.isa.record import Constraint, Site
from ptoscope.isa.types import GRANULARITIES, Mask
from ptoscope.program import Op


def _broken(context: Context) -> Iterator[Finding]:
    for op in context.function.ops():
        record = TABLE.get(op.name)
        # A constraint reads types that fit; those that do not are another rule's finding.
        if record is None or not record.constraints or not fits(context, op, record):
            continue
        site = context.site(op)
        packed = packs(str(op.attrs.get("dist", "")))
        for constraint in record.constraints:
            found = constraint.broken(site)
            if found:
                yield Finding(
                    op.span,
                    f"{record.name}: {constraint.sentence}",
                    found=found,
                    expected=constraint.sentence,
                    hint=f"{constraint.hint}; {PACKED}" if packed else constraint.hint,
                    fix=() if packed else _other_mask(context, op, site, constraint),
                )


def _other_mask(context: Context, op: Op, site: Site, constraint: Constraint) -> Fix:
    """Where another granularity of one mask satisfies the constraint, that mask."""
    for index, kind in enumerate(site.operands):
        # Where two fit, the wider one is what the mode names, the other the element's.
        for bits in reversed(GRANULARITIES) if isinstance(kind, Mask) else ():
            operands = (*site.operands[:index], Mask(bits), *site.operands[index + 1 :])
            if not constraint.broken(replace(site, operands=operands)):
                return regranulated(context, op, index, bits)
    return ()


def _computed(context: Context) -> Iterator[Finding]:
    for op in context.function.ops():
        record = TABLE.get(op.name)
        operands = () if record is None else record.forms[op.form].operands
        for operand, slot in zip(operands, op.operands, strict=False):
            if operand.immediate and context.values.constant(slot) is None:
                any_number = TABLE[operand.immediate].forms[0].operands[-1]
                yield Finding(
                    op.span,
                    f"{op.name}: operand '{operand.name}' is not a constant",
                    found="a value that is computed",
                    expected="a constant: it is part of the instruction",
                    hint=f"{operand.immediate} takes any number here: {any_number.doc}",
                )


RULES = (
    Rule("PTO0108", "the instruction's own constraints hold", _broken),
    Rule("PTO0111", "what is part of an instruction is a constant", _computed),
)
