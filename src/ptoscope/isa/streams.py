"""Unaligned store streams: stores that keep a tail until it is flushed."""

from __future__ import annotations

from typing import Any

from ptoscope.isa.core import Core
from ptoscope.isa.cost import Cost
from ptoscope.isa.dtypes import I32, I64, INDEX, VREG_BYTES
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.load_store import VALUE, element
from ptoscope.isa.patterns import AlignState, PtrTo, ScalarIn
from ptoscope.isa.record import (
    IN_MANUAL,
    IN_MICRO,
    Attr,
    Evidence,
    Form,
    Operand,
    Run,
    Site,
    When,
)
from ptoscope.isa.roles import AR, SQZN, StreamStep, StreamUse
from ptoscope.isa.stream_records import DEST, STORE, UNITS, pointed, step_of, stream_record
from ptoscope.isa.targets import Revision
from ptoscope.isa.types import Ptr

_ALIGN_IN = Operand("align_in", AlignState(), "the stream so far")
_ALIGN_OUT = Operand("align_out", AlignState(), "the stream after it")
_BASE = Operand("base", PtrTo(), "UB base address")
_BASE_OUT = Operand("base_out", PtrTo(), "where the stream goes on")
_MODE = Attr("mode", ("POST_UPDATE", "NO_POST_UPDATE"), None, "whether the position advances")
_UPDATES = Evidence("position", "manual", "After the whole vector where the mode says so.")


def _next_store(pages: str, revision: Revision | None = None) -> Evidence:
    return Evidence(
        "the next store after NO_POST_UPDATE",
        "chosen",
        f"At the end of what was stored; elsewhere it is a fault at every base. {pages}",
        when=When(revision, attrs={"mode": ("NO_POST_UPDATE",)}),
    )


def _new(site: Site) -> Run:
    def run(core: Core) -> object:
        return core.stream()

    return run


def _append(site: Site) -> Run:
    """A store, where and of as many bytes as its step says. It gives the state, and where it
    gives a position too, the next one: a pointer, or an offset in elements."""
    step, size = step_of(site), pointed(site).bytes
    names = tuple(operand.name for operand in site.record.forms[site.form].operands)
    lanes = element(site, operand=names.index("value")).lanes
    stays = site.attrs.get("mode") == "NO_POST_UPDATE"

    def run(core: Core, *values: Any) -> object:
        given = dict(zip(names, values, strict=True))
        align, base, mode = given["align_in"], given[step.base], given.get("mode")
        named = given.get("dest")
        if mode is not None:
            outside, said = (mode < 0) | (mode > 1), "mode is neither 0 nor 1"
            core.refuse(site, outside, "PTO0910", said, mode, "0 or 1")
        address = base
        if step.place == "state":
            address = core.stream_end(site, align, base)
        elif step.offset:
            address = core.address(base, given[step.offset], size)
        length = elements(core, given[step.length]) if step.length else _whole(core)
        position, results = after(core, given, address, length)
        owner = base if named is None else named
        state = core.stream_store(
            site, align, owner, address, given["value"], length, position, named is not None
        )
        return (state, *results) if results else state

    def after(
        core: Core, given: dict[str, Any], address: Lanes, length: Lanes
    ) -> tuple[Lanes, tuple[Lanes, ...]]:
        """Where the stream goes on, as an address and as the result that says it."""
        if len(site.results) == 1:
            return core.address(address, length, 1), ()
        base, mode = given[step.base], given.get("mode")
        counts = not isinstance(site.results[1], Ptr)
        before = given[step.offset] if counts else base
        following = before + lanes if counts else core.address(address, length, 1)
        out = before if stays else following
        if mode is not None:
            out = mode.ne(0).select(following, before)
        return core.address(base, out, size) if counts else out, (out,)

    def elements(core: Core, count: Lanes) -> Lanes:
        length = count.cast(I64) * size
        outside = (length < 0) | (length > VREG_BYTES)
        said, most = "the stream advances by more than one vector", VREG_BYTES // size
        core.refuse(site, outside, "PTO0910", said, count, f"0 to {most}")
        return length

    def run_registers(core: Core, align: object, value: Lanes, base: Lanes) -> object:
        at, length = core.read_register(site, AR, I64, 0), core.read_register(site, SQZN, I64, 0)
        address = core.address(base, at, 1)
        position = address if stays else core.address(address, length, 1)
        state = core.stream_store(site, align, base, address, value, length, position, False)
        if not stays:
            core.write_register(site, AR, at + length)
        return state

    return run_registers if step.place == "registers" else run


def _whole(core: Core) -> Lanes:
    return core.constant(I64, 1, VREG_BYTES)


_VSTU_FORMS = (
    Form(
        (
            _ALIGN_IN,
            Operand("base_in", PtrTo(), "where the stream goes on"),
            VALUE,
            DEST,
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


_OFFSET32 = Operand("offset", ScalarIn((I32,)), "scalar displacement, in elements")
_VSTUS_FORMS = (
    Form(
        (
            _ALIGN_IN,
            Operand("base_in", PtrTo(), "where the stream goes on"),
            VALUE,
            DEST,
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
    Form((_ALIGN_IN, _OFFSET32, VALUE, _BASE), (_ALIGN_OUT, _BASE_OUT)),
)


_VSTUR_FORMS = (
    Form(
        (_ALIGN_IN, VALUE, _BASE),
        (_ALIGN_OUT,),
        (_MODE,),
        syntax='align_in, value, base, "mode" : align_in, value, base -> align_out',
    ),
    Form((_ALIGN_IN, VALUE, _BASE), (_ALIGN_OUT,)),
)


RECORDS = (
    stream_record(
        "init_align",
        "Begins an unaligned store stream.",
        (Form(results=(Operand("result", AlignState()),), syntax=": result"),),
        _new,
        "result = a stream without bytes",
        (Evidence("meaning", "micro", "A fresh state for stores."),),
        Cost("predicate", stream=True),
        StreamUse("begins"),
    ),
    stream_record(
        "vstu",
        "Appends a vector to an unaligned store stream.",
        _VSTU_FORMS,
        _append,
        "append value at base_in, or at base + offset_in*size; advance by 256 bytes",
        (
            _UPDATES,
            UNITS,
            Evidence(
                "form A's mode",
                "manual",
                "1 advances, 0 does not; else a fault.",
                when=When(forms=(0,)),
            ),
            Evidence(
                "form A's dest",
                "chosen",
                "The base of the stream, the same in all its stores and not after what they "
                "store; base_in is the address. Another is a fault.",
                when=When(forms=(0,)),
            ),
            Evidence("no mode", "manual", "Advances.", when=When(forms=(2,))),
            _next_store(
                "vstu.md: the result is the next offset by the mode; no page says that a stream "
                "may go on before its end."
            ),
        ),
        STORE,
        StreamUse("stores", (StreamStep("base_in"), StreamStep("base", "offset_in"))),
    ),
    stream_record(
        "vstus",
        "Appends to an unaligned store stream with a scalar offset.",
        _VSTUS_FORMS,
        _append,
        "append value at base + offset*size; base_out after it",
        (
            _UPDATES,
            UNITS,
            Evidence(
                "form A's dest",
                "chosen",
                "The base of the stream, as for vstu.",
                when=When(forms=(0,)),
            ),
            Evidence(
                "offset (revision micro)",
                "suite",
                "How many elements the stream advances: so many are appended, at base.",
                when=IN_MICRO,
            ),
            _next_store(
                "vstus.md: the result is the next base where the form updates it; a newer page "
                "leaves it to the kernel to name the next place of a form that does not."
            ),
            Evidence(
                "two results without a mode",
                "micro",
                "The second is the base, advanced as the stream; of the manual as POST_UPDATE.",
                when=When(forms=(3,)),
            ),
        ),
        STORE,
        StreamUse(
            "stores",
            (StreamStep("base_in", "offset"), StreamStep("base", "offset")),
            micro=(
                StreamStep("base_in", "offset"),
                StreamStep("base", "offset"),
                StreamStep("base", length="offset"),
                StreamStep("base", length="offset"),
            ),
        ),
        micro="append the first offset elements of value at base; base_out after them",
    ),
    stream_record(
        "vstur",
        "Appends to an unaligned store stream whose position is kept by the machine.",
        _VSTUR_FORMS,
        _append,
        "append value where the stream ended, first at base",
        (
            Evidence("length", "manual", "The whole vector.", when=IN_MANUAL),
            Evidence(
                "base",
                "manual",
                "The same in all stores of a stream; another is a fault.",
                when=IN_MANUAL,
            ),
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
            _next_store("The micro specification says only that AR stays.", "micro"),
        ),
        STORE,
        StreamUse(
            "stores",
            (StreamStep("base", place="state"),),
            micro=(StreamStep("base", place="registers"),),
        ),
        micro="append the first SQZN bytes of value at base + AR; POST_UPDATE: AR += SQZN",
    ),
)
