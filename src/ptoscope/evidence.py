"""What nobody says: the cells of behaviour that were chosen, and which of them a kernel needs."""

from __future__ import annotations

from dataclasses import dataclass

from ptoscope.isa import TABLE
from ptoscope.isa.record import Record
from ptoscope.isa.targets import Revision, Target
from ptoscope.program import Function, site_of


@dataclass(frozen=True)
class Chosen:
    """One chosen cell of an instruction, and the reason."""

    instruction: str
    cell: str
    why: str


def chosen(record: Record) -> list[Chosen]:
    """The chosen cells of an instruction."""
    return [Chosen(record.name, e.cell, e.note) for e in record.evidence if e.source == "chosen"]


def depended_on(function: Function, target: Target, revision: Revision) -> list[Chosen]:
    """The chosen cells that a function may depend on, in the order of its text: those whose
    condition holds for a use in it."""
    found: dict[Chosen, None] = {}
    for op in function.ops():
        record = TABLE.get(op.name)
        if record is None:
            continue
        site = site_of(function, op, target, revision)
        for evidence in record.evidence:
            if evidence.source == "chosen" and evidence.when.holds(site):
                found[Chosen(op.name, evidence.cell, evidence.note)] = None
    return list(found)
