"""What nobody says: the cells of behaviour that were chosen, and which of them a kernel needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import DType
from ptoscope.isa.record import Evidence, Record
from ptoscope.isa.targets import Revision, Target
from ptoscope.isa.types import VReg
from ptoscope.program import Function, Op

_MICRO = "(revision micro)"
_ON = {"on CPU": "cpu", "on A2/A3": "a2a3", "on A5": "a5"}


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
    """The chosen cells that a function may depend on, in the order of its text.

    A cell about certain attribute values counts only where one of them is used, a cell about
    a target or revision only there; any other counts wherever its instruction stands.
    """
    found: dict[Chosen, None] = {}
    for op in function.ops():
        record = TABLE.get(op.name)
        for evidence in record.evidence if record is not None else ():
            types = [function.types[s] for s in op.operands + op.results]
            if (
                evidence.source == "chosen"
                and _applies(evidence, op, record, target, revision)
                and _suits(evidence.cell, [t.dtype for t in types if isinstance(t, VReg)])
            ):
                found[Chosen(op.name, evidence.cell, evidence.note)] = None
    return list(found)


def _applies(
    evidence: Evidence, op: Op, record: Record | None, target: Target, revision: Revision
) -> bool:
    cell = evidence.cell
    if _MICRO in cell and revision != "micro":
        return False
    if any(cell.endswith(where) and target.name != name for where, name in _ON.items()):
        return False
    values = [v for f in (record.forms if record else ()) for a in f.attrs for v in a.values]
    named = cell.split(", ")
    if not all(_stands_for(word, values) for word in named):
        return True
    return any(_stands_for(word, map(str, op.attrs.values())) for word in named)


def _suits(cell: str, elements: list[DType]) -> bool:
    """Whether a cell about integers or floats meets one in the registers of a use."""
    words = set(cell.replace(",", "").split())
    if not elements:
        return True
    if words & {"integer", "integers"}:
        return any(d.is_int for d in elements)
    return "float" not in words or any(d.is_float for d in elements)


def _stands_for(word: str, values: Iterable[str]) -> bool:
    """Whether a word is one of the values, or all of a family: E2B of E2B_B16."""
    return any(v == word or v.startswith(f"{word}_B") for v in values)
