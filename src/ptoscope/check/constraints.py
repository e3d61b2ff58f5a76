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


RULES = (Rule("PTO0108", "the instruction's own constraints hold", _broken),)
