"""How unaligned store streams end: flushes, and the clearing of the registers that vstur uses."""

from __future__ import annotations

from ptoscope.isa.core import Core
from ptoscope.isa.cost import PREDICATE
from ptoscope.isa.dtypes import I32, I64, INDEX, VREG_BYTES
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.load_store import GROUP
from ptoscope.isa.patterns import AlignState, PtrTo, ScalarIn
from ptoscope.isa.record import (
    IN_MANUAL,
    IN_MICRO,
    Attr,
    Evidence,
    Form,
    Operand,
    Record,
    Run,
    Site,
    When,
)
from ptoscope.isa.roles import AR, SQZN, StreamStep, StreamUse
from ptoscope.isa.stream_records import DEST, STORE, UNITS, pointed, step_of, stream_record

_ADDRESS = Evidence(
    "flush address",
    "manual",
    "The one after the last byte stored, or the position that the last store gave (after "
    "NO_POST_UPDATE that is where it stored); else a fault.",
)


def _flush(site: Site) -> Run:
    """Writes the bytes that a stream still holds, where its step says that it ended."""
    step = step_of(site)
    size = 1 if step.in_bytes else pointed(site).bytes

    def run(core: Core, align: object, dest: Lanes, *offset: Lanes) -> Lanes | None:
        address = dest
        if step.place == "registers":
            address = core.address(dest, core.read_register(site, AR, I64, 0), 1)
        elif step.place == "operands":
            address = core.address(dest, offset[0], size)
        core.stream_flush(site, align, address, step.place == "state")
        return address if site.results else None

    return run


def _clear(site: Site) -> Run:
    def run(core: Core) -> None:
        core.write_register(site, str(site.attrs["register"]), core.constant(I64, 1, 0))

    return run


sprclr = Record(
    "pto.sprclr",
    GROUP,
    "Clears a special register: AR, the position of vstur, or SQZN, the count of vsqz.",
    (Form(attrs=(Attr("register", (AR, SQZN), None, "which one"),), syntax='"register"'),),
    _clear,
    targets=("a5",),
    clears="register",
    cost=PREDICATE,
    evidence=(
        Evidence(
            "AR",
            "suite",
            "Cleared to 0 before a stream of vstur.",
            when=When(attrs={"register": (AR,)}),
        ),
        Evidence(
            "SQZN",
            "chosen",
            "May be cleared too: it is the other register of vstur.",
            when=When(attrs={"register": (SQZN,)}),
        ),
    ),
    formula="register = 0",
    cpp="sprclr(SPR_AR)",
)

_ALIGN_VALUE = Operand("value", AlignState(), "the stream")
_VSTAS_OFFSET = Operand("offset", ScalarIn((I32,)), example=VREG_BYTES)
RECORDS = (
    stream_record(
        "vsta",
        "Flushes an unaligned store stream at dest + offset elements.",
        (
            Form(
                (
                    _ALIGN_VALUE,
                    DEST,
                    # An example flushes one vector: as many elements.
                    Operand("offset", ScalarIn((INDEX,)), "in elements", lambda t: t.lanes),
                ),
                syntax="value, dest[offset] : value, dest, offset",
            ),
        ),
        _flush,
        "write the bytes left, ending at dest + offset*size",
        (_ADDRESS, UNITS),
        STORE,
        StreamUse("flushes", (StreamStep("dest", "offset"),)),
    ),
    stream_record(
        "vstas",
        "Flushes an unaligned store stream at a scalar offset.",
        (
            Form((_ALIGN_VALUE, DEST, _VSTAS_OFFSET)),
            Form(
                (_ALIGN_VALUE, DEST, _VSTAS_OFFSET),
                (Operand("base_out", PtrTo(), "post-update: where the stream ended"),),
            ),
        ),
        _flush,
        "write the bytes left, ending at dest + offset",
        (
            _ADDRESS,
            Evidence("offset", "manual", "In bytes.", when=IN_MANUAL),
            Evidence("offset (revision micro)", "suite", "In elements.", when=IN_MICRO),
            Evidence(
                "post-update",
                "micro",
                "The base advances by the offset; what is written is the same.",
                when=When(forms=(1,)),
            ),
        ),
        STORE,
        StreamUse(
            "flushes",
            (StreamStep("dest", "offset", in_bytes=True),),
            micro=(StreamStep("dest", "offset"),),
        ),
        micro="write the bytes left, ending at dest + offset*size",
    ),
    stream_record(
        "vstar",
        "Flushes an unaligned store stream where it ended.",
        (Form((_ALIGN_VALUE, DEST)),),
        _flush,
        "write the bytes left",
        (
            Evidence("address", "manual", "Where the stream ended.", when=IN_MANUAL),
            Evidence(
                "dest",
                "manual",
                "The base of the stream's stores, or where it ended; another is a fault.",
                when=IN_MANUAL,
            ),
            Evidence("address (revision micro)", "micro", "dest + AR.", when=IN_MICRO),
        ),
        STORE,
        StreamUse(
            "flushes",
            (StreamStep("dest", place="state"),),
            micro=(StreamStep("dest", place="registers"),),
        ),
        micro="write the bytes left, ending at dest + AR",
    ),
    sprclr,
)
