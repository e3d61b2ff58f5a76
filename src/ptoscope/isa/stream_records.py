"""What the records of unaligned store streams share."""

from __future__ import annotations

from ptoscope.isa.cost import Cost, store
from ptoscope.isa.dtypes import ELEMENTS, DType
from ptoscope.isa.load_store import GROUP
from ptoscope.isa.patterns import PtrTo
from ptoscope.isa.record import Evidence, Form, Meaning, Operand, Record, Site, Types
from ptoscope.isa.roles import StreamStep, StreamUse
from ptoscope.isa.types import Ptr

DEST = Operand("dest", PtrTo(), "UB base address")
UNITS = Evidence("offset", "chosen", "In elements, as the offsets of all vector accesses.")
STORE = store(stream=True)


def step_of(site: Site) -> StreamStep:
    """Where a use of a stream works."""
    assert site.record.stream is not None
    return site.record.stream.step(site.form, site.revision)


def pointed(site: Site) -> DType:
    """The elements that the pointer of a stream instruction points to."""
    for kind in site.operands:
        if isinstance(kind, Ptr):
            return kind.dtype
    raise AssertionError("every stream instruction has a pointer")


def stream_record(
    name: str,
    doc: str,
    forms: tuple[Form, ...],
    meaning: Meaning,
    formula: str,
    evidence: tuple[Evidence, ...],
    cost: Cost,
    stream: StreamUse,
    *,
    micro: str = "",
) -> Record:
    """The record of an instruction that works on store streams."""
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        forms,
        meaning,
        {"T": Types(ELEMENTS)} if any(f.operands for f in forms) else {},
        targets=("a5",),
        stream=stream,
        cost=cost,
        evidence=evidence,
        formula=formula,
        micro_formula=micro,
        cpp=f"{name}(...)",
    )
