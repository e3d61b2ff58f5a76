"""Unaligned streams: loads through an alignment buffer, stores that keep a tail until flushed."""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.isa.core import Core
from ptoscope.isa.cost import PREDICATE, Cost, load, store
from ptoscope.isa.distributions import run as dense
from ptoscope.isa.dtypes import ELEMENTS, I32, I64, INDEX, VREG_BYTES, DType
from ptoscope.isa.families import RESULT
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.load_store import SOURCE, TYPES, VALUE, element
from ptoscope.isa.patterns import AlignState, PtrTo, ScalarIn
from ptoscope.isa.record import (
    IN_MANUAL,
    IN_MICRO,
    Attr,
    Evidence,
    Form,
    Meaning,
    Operand,
    Record,
    Run,
    Site,
    Types,
    When,
)
from ptoscope.isa.types import Ptr

GROUP = "load/store"
_ALIGN_IN = Operand("align_in", AlignState(), "the stream so far")
_ALIGN_OUT = Operand("align_out", AlignState(), "the stream after it")
_BASE = Operand("base", PtrTo(), "UB base address")
_DEST = Operand("dest", PtrTo(), "UB base address")
_BASE_OUT = Operand("base_out", PtrTo(), "where the stream goes on")
_MODE = Attr("mode", ("POST_UPDATE", "NO_POST_UPDATE"), None, "whether the position advances")
_UPDATES = Evidence("position", "manual", "After the whole vector where the mode says so.")
_ADDRESS = Evidence("flush address", "manual", "The one after the last byte stored; else a fault.")
_UNITS = Evidence("offset", "chosen", "In elements, as the offsets of all vector accesses.")
AR, SQZN = "AR", "SQZN"
_STORE = store(stream=True)


def _element(site: Site) -> DType:
    for kind in site.operands:
        if isinstance(kind, Ptr):
            return kind.dtype
    raise AssertionError("every stream instruction has a pointer")


def _record(
    name: str,
    doc: str,
    forms: tuple[Form, ...],
    meaning: Meaning,
    formula: str,
    evidence: tuple[Evidence, ...],
    cost: Cost,
    *,
    micro: str = "",
    a5_only: bool = True,
) -> Record:
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        forms,
        meaning,
        {"T": Types(ELEMENTS)} if any(f.operands for f in forms) else {},
        targets=("a5",) if a5_only else ("cpu", "a2a3", "a5"),
        cost=cost,
        evidence=evidence,
        formula=formula,
        micro_formula=micro,
        cpp=f"{name}(...)",
    )


def _new(site: Site) -> Run:
    def run(core: Core, *ignored: Lanes) -> object:
        return core.stream()

    return run


def _load(site: Site) -> Run:
    dtype = element(site)
    access = dense(dtype.lanes, dtype, dtype.bytes)

    def run(core: Core, source: Lanes, align: object) -> tuple[object, ...]:
        value = core.load(site, source, access, dtype)
        results = (value, align, source + VREG_BYTES)
        return results[: len(site.results)]

    return run


_ALIGN = Operand("align", AlignState(), "primed by vldas or an earlier vldus")
_LOADS = (
    _record(
        "vldas",
        "Primes an unaligned load stream with the block around an address.",
        (Form((SOURCE,), (Operand("result", AlignState()),)),),
        _new,
        "result = the 32-byte block around source",
        (
            Evidence(
                "alignment", "manual", "None: the address is cut to its block.", about="alignment"
            ),
        ),
        load(stream=True),
        a5_only=False,
    ),
    Record(
        "pto.vldus",
        GROUP,
        "Loads a vector from an unaligned address.",
        (
            Form((SOURCE, _ALIGN), (RESULT, _ALIGN_OUT, _BASE_OUT)),
            Form((SOURCE, _ALIGN), (RESULT, _ALIGN_OUT)),
        ),
        _load,
        TYPES,
        cost=load(stream=True),
        evidence=(
            Evidence(
                "results",
                "manual",
                "Three, with the base advanced by one vector.",
                when=When(forms=(0,)),
            ),
            Evidence(
                "results (spelling of micro)",
                "micro",
                "Two: the base does not advance.",
                when=When(forms=(1,)),
            ),
            Evidence("alignment", "chosen", "The element size.", about="alignment"),
        ),
        formula="result[i] = UB[source + i*size]; base_out = source + 256 bytes",
        cpp="vldus(dst, align, source)",
    ),
)


def _whole(core: Core) -> Lanes:
    return core.constant(I64, 1, VREG_BYTES)


def _vstu(site: Site) -> Run:
    size = _element(site).bytes
    lanes = element(site, operand=2).lanes
    by_base = isinstance(site.operands[1], Ptr)
    stays = site.attrs.get("mode") == "NO_POST_UPDATE"

    def run_base(
        core: Core, align: object, base: Lanes, value: Lanes, dest: Lanes, mode: Lanes
    ) -> tuple[object, Lanes]:
        core.refuse(site, (mode < 0) | (mode > 1), "PTO0910", "mode is neither 0 nor 1")
        state = core.stream_store(site, align, base, value, _whole(core))
        return state, mode.ne(0).select(base + VREG_BYTES, base)

    def run_offset(
        core: Core, align: object, offset: Lanes, value: Lanes, base: Lanes
    ) -> tuple[object, Lanes]:
        address = core.address(base, offset, size)
        state = core.stream_store(site, align, address, value, _whole(core))
        return state, offset if stays else offset + lanes

    return run_base if by_base else run_offset


_VSTU_FORMS = (
    Form(
        (
            _ALIGN_IN,
            Operand("base_in", PtrTo(), "where the stream goes on"),
            VALUE,
            _DEST,
            Operand("mode", ScalarIn((INDEX,)), "1 to advance the base, 0 not to"),
        ),
        (_ALIGN_OUT, _BASE_OUT),
    ),
    Form(
        (_ALIGN_IN, Operand("offset_in", ScalarIn((INDEX,)), "in elements"), VALUE, _BASE),
        (_ALIGN_OUT, Operand("offset_out", ScalarIn((INDEX,)), "the next offset")),
        (_MODE,),
        syntax='align_in, offset_in, value, base, "mode" '
        ": align_in, offset_in, value, base -> align_out, offset_out",
    ),
    Form(
        (_ALIGN_IN, Operand("offset_in", ScalarIn((INDEX,)), "in elements"), VALUE, _BASE),
        (_ALIGN_OUT, Operand("offset_out", ScalarIn((INDEX,)), "the next offset")),
    ),
)


def _vstus(site: Site) -> Run:
    size = _element(site).bytes
    stays = site.attrs.get("mode") == "NO_POST_UPDATE"

    def run_base(
        core: Core, align: object, base: Lanes, value: Lanes, dest: Lanes, offset: Lanes
    ) -> tuple[object, Lanes]:
        address = core.address(base, offset, size)
        state = core.stream_store(site, align, address, value, _whole(core))
        return state, address + VREG_BYTES

    def run_moded(
        core: Core, align: object, offset: Lanes, value: Lanes, base: Lanes
    ) -> tuple[object, Lanes]:
        address = core.address(base, offset, size)
        state = core.stream_store(site, align, address, value, _whole(core))
        return state, base if stays else address + VREG_BYTES

    def run_plain(core: Core, align: object, offset: Lanes, value: Lanes, base: Lanes) -> object:
        if not site.micro:
            address = core.address(base, offset, size)
            return core.stream_store(site, align, address, value, _whole(core))
        length = offset.cast(I64) * size
        outside = (length < 0) | (length > VREG_BYTES)
        core.refuse(site, outside, "PTO0910", "the stream advances by more than one vector")
        return core.stream_store(site, align, base, value, length)

    return (run_base, run_moded, run_plain)[site.form]


_OFFSET32 = Operand("offset", ScalarIn((I32,)), "scalar displacement, in elements")
_VSTUS_FORMS = (
    Form(
        (
            _ALIGN_IN,
            Operand("base_in", PtrTo(), "where the stream goes on"),
            VALUE,
            _DEST,
            _OFFSET32,
        ),
        (_ALIGN_OUT, _BASE_OUT),
    ),
    Form(
        (_ALIGN_IN, _OFFSET32, VALUE, _BASE),
        (_ALIGN_OUT, _BASE_OUT),
        (_MODE,),
        syntax='align_in, offset, value, base, "mode" '
        ": align_in, offset, value, base -> align_out, base_out",
    ),
    Form((_ALIGN_IN, _OFFSET32, VALUE, _BASE), (_ALIGN_OUT,)),
)


def _vstur(site: Site) -> Run:
    stays = site.attrs.get("mode") == "NO_POST_UPDATE"

    def run_manual(core: Core, align: object, value: Lanes, base: Lanes) -> object:
        address = core.stream_end(site, align, base)
        return core.stream_store(site, align, address, value, _whole(core))

    def run_micro(core: Core, align: object, value: Lanes, base: Lanes) -> object:
        at, length = core.read_register(site, AR, I64, 0), core.read_register(site, SQZN, I64, 0)
        state = core.stream_store(site, align, core.address(base, at, 1), value, length)
        if not stays:
            core.write_register(site, AR, at + length)
        return state

    return run_micro if site.micro else run_manual


_VSTUR_FORMS = (
    Form(
        (_ALIGN_IN, VALUE, _BASE),
        (_ALIGN_OUT,),
        (_MODE,),
        syntax='align_in, value, base, "mode" : align_in, value, base -> align_out',
    ),
    Form((_ALIGN_IN, VALUE, _BASE), (_ALIGN_OUT,)),
)


def _flush(unit: Callable[[Site], int]) -> Meaning:
    """A flush at dest plus an offset counted in some unit."""

    def meaning(site: Site) -> Run:
        size = unit(site)

        def run(core: Core, align: object, dest: Lanes, offset: Lanes) -> None:
            core.stream_flush(site, align, core.address(dest, offset, size))

        return run

    return meaning


def _vstar(site: Site) -> Run:
    def run(core: Core, align: object, dest: Lanes) -> None:
        if site.micro:
            address = core.address(dest, core.read_register(site, AR, I64, 0), 1)
        else:
            address = core.stream_end(site, align, dest)
        core.stream_flush(site, align, address)

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
RECORDS = (
    *_LOADS,
    _record(
        "init_align",
        "Begins an unaligned store stream.",
        (Form(results=(Operand("result", AlignState()),), syntax=": result"),),
        _new,
        "result = a stream without bytes",
        (Evidence("meaning", "micro", "A fresh state for stores."),),
        Cost("predicate", stream=True),
    ),
    _record(
        "vstu",
        "Appends a vector to an unaligned store stream.",
        _VSTU_FORMS,
        _vstu,
        "append value at base_in, or at base + offset_in*size; advance by 256 bytes",
        (
            _UPDATES,
            _UNITS,
            Evidence(
                "form A's mode",
                "manual",
                "1 advances, 0 does not; else a fault.",
                when=When(forms=(0,)),
            ),
            Evidence(
                "form A's dest",
                "chosen",
                "Names the buffer; base_in is the address.",
                when=When(forms=(0,)),
            ),
            Evidence("no mode", "manual", "Advances.", when=When(forms=(2,))),
        ),
        _STORE,
    ),
    _record(
        "vstus",
        "Appends to an unaligned store stream with a scalar offset.",
        _VSTUS_FORMS,
        _vstus,
        "append value at base + offset*size; base_out after it",
        (
            _UPDATES,
            _UNITS,
            Evidence(
                "offset (revision micro)",
                "suite",
                "How many elements the stream advances: so many are appended, at base.",
                when=IN_MICRO,
            ),
        ),
        _STORE,
        micro="append the first offset elements of value at base",
    ),
    _record(
        "vstur",
        "Appends to an unaligned store stream whose position is kept by the machine.",
        _VSTUR_FORMS,
        _vstur,
        "append value where the stream ended, first at base",
        (
            Evidence("length", "manual", "The whole vector.", when=IN_MANUAL),
            Evidence(
                "length and position (revision micro)",
                "suite",
                "SQZN bytes at base + AR; POST_UPDATE (and no mode) adds them to AR.",
                when=IN_MICRO,
            ),
            Evidence(
                "NO_POST_UPDATE",
                "chosen",
                "Of the manual: without effect, since the state itself carries the position.",
                when=When("manual", attrs={"mode": ("NO_POST_UPDATE",)}),
            ),
        ),
        _STORE,
        micro="append the first SQZN bytes of value at base + AR; POST_UPDATE: AR += SQZN",
    ),
    _record(
        "vsta",
        "Flushes an unaligned store stream at dest + offset elements.",
        (
            Form(
                (
                    _ALIGN_VALUE,
                    _DEST,
                    # An example flushes one vector: as many elements.
                    Operand("offset", ScalarIn((INDEX,)), "in elements", lambda t: t.lanes),
                ),
                syntax="value, dest[offset] : value, dest, offset",
            ),
        ),
        _flush(lambda site: _element(site).bytes),
        "write the bytes left, ending at dest + offset*size",
        (_ADDRESS, _UNITS),
        _STORE,
    ),
    _record(
        "vstas",
        "Flushes an unaligned store stream at a scalar offset.",
        (
            Form(
                (_ALIGN_VALUE, _DEST, Operand("offset", ScalarIn((I32,)), example=VREG_BYTES)),
            ),
        ),
        _flush(lambda site: _element(site).bytes if site.micro else 1),
        "write the bytes left, ending at dest + offset",
        (
            _ADDRESS,
            Evidence("offset", "manual", "In bytes.", when=IN_MANUAL),
            Evidence("offset (revision micro)", "suite", "In elements.", when=IN_MICRO),
        ),
        _STORE,
        micro="write the bytes left, ending at dest + offset*size",
    ),
    _record(
        "vstar",
        "Flushes an unaligned store stream where it ended.",
        (Form((_ALIGN_VALUE, _DEST)),),
        _vstar,
        "write the bytes left",
        (
            Evidence("address", "manual", "Where the stream ended.", when=IN_MANUAL),
            Evidence("address (revision micro)", "micro", "dest + AR.", when=IN_MICRO),
        ),
        _STORE,
        micro="write the bytes left, ending at dest + AR",
    ),
    sprclr,
)
