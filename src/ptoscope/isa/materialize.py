"""Vectors from scalars: vbr and vdup."""

from __future__ import annotations

from ptoscope.isa.core import Core
from ptoscope.isa.cost import Cost
from ptoscope.isa.dtypes import FLOATS, INTS
from ptoscope.isa.families import MASK, RESULT, UNMASKED, ZEROING, unmasked
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import ScalarFor, Vec
from ptoscope.isa.record import Attr, Evidence, Form, Operand, Record, Run, Site, Types, When
from ptoscope.isa.types import VReg

GROUP = "materialisation"


def _element(site: Site) -> VReg:
    result = site.results[0]
    assert isinstance(result, VReg)
    return result


def _broadcast(site: Site) -> Run:
    result = _element(site)

    def run(core: Core, value: Lanes) -> Lanes:
        return value.bits(result.dtype).splat(result.lanes)

    return run


vbr = Record(
    "pto.vbr",
    GROUP,
    "Broadcasts a scalar to all lanes.",
    (Form((Operand("value", ScalarFor(), "the scalar"),), (RESULT,)),),
    _broadcast,
    {"T": Types(FLOATS + INTS)},
    gives="splat",
    cost=Cost(like_a2a3="vmov", row_a2a3="vector_dup"),
    evidence=(Evidence("element types", "micro", "8, 16 and 32 bits."),),
    formula="result[i] = value",
    cpp="vbr(dst, value)",
)


def _duplicate(site: Site) -> Run:
    result = _element(site)
    highest = site.attrs.get("position") == "HIGHEST"

    def run(core: Core, input: Lanes, mask: Lanes) -> Lanes:
        if input.count > 1:
            lane = input.count - 1 if highest else 0
            return input.shuffle((lane,) * input.count).masked(mask.gate(result.lanes))
        return input.bits(result.dtype).splat(result.lanes).masked(mask.gate(result.lanes))

    return run


_POSITION = Attr(
    "position", ("LOWEST", "HIGHEST"), "LOWEST", "which lane of a vector is duplicated"
)


def _of(input: Operand) -> Form:
    return Form(
        (input, MASK),
        (RESULT,),
        (_POSITION,),
        syntax="input, mask {position} : input, mask -> result",
    )


vdup = unmasked(
    Record(
        "pto.vdup",
        GROUP,
        "Duplicates a scalar, or the lowest or highest lane of a vector, to all active lanes.",
        (
            _of(Operand("input", ScalarFor(), "the scalar")),
            _of(Operand("input", Vec(), "the vector whose lane is duplicated")),
        ),
        _duplicate,
        {"T": Types(FLOATS + INTS)},
        gives="splat",
        cost=Cost(like_a2a3="vmov", row_a2a3="vector_dup"),
        unreliable_zeros=True,
        evidence=(
            ZEROING,
            Evidence("position", "micro", "LOWEST where none is written."),
            Evidence(
                "position of a scalar",
                "manual",
                "vdup.md writes it there, too: without effect, as there is one place only.",
                when=When(forms=(0,)),
            ),
            Evidence(UNMASKED, "manual", "The only one of vdup.md.", about="mask"),
        ),
        formula="result[i] = mask[i] ? input (its lowest or highest lane) : 0",
        cpp="vdup(dst, input, mask, mode)",
    )
)

RECORDS = (vbr, vdup)
