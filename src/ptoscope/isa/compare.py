"""Comparison to masks, and selection by masks and indices."""

from __future__ import annotations

from ptoscope.isa.core import Core
from ptoscope.isa.cost import Cost
from ptoscope.isa.dtypes import ELEMENTS, FLOATS, INTS, INTS64, unsigned
from ptoscope.isa.families import MASK, RESULT
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import IntVec, MaskFor, ScalarFor, Vec
from ptoscope.isa.record import Attr, Evidence, Form, Operand, Record, Run, Site, Types, When

GROUP = "compare and select"
MODES = ("eq", "ne", "lt", "le", "gt", "ge")
_NUMBERS = Types(FLOATS + INTS + INTS64)
_SEED = Operand("seed", MaskFor(), "which lanes are compared")
_RESULT = Operand("result", MaskFor(), "1 where the comparison holds")
_MODE = Attr("mode", MODES, None, "the comparison", alias="cmp_mode")
_EVIDENCE = (
    Evidence(
        "NaN", "chosen", "IEEE 754, as C compares: only ne holds.", when=When(elements=FLOATS)
    ),
    Evidence("lanes outside the seed", "micro", "0.", about="mask"),
    Evidence("element types", "chosen", "All numbers that have arithmetic."),
)


def _compared(mode: str, lhs: Lanes, rhs: Lanes) -> Lanes:
    match mode:
        case "eq":
            return lhs.eq(rhs)
        case "ne":
            return lhs.ne(rhs)
        case "lt":
            return lhs < rhs
        case "le":
            return lhs <= rhs
        case "gt":
            return lhs > rhs
        case _:
            return lhs >= rhs


def _vcmp(site: Site) -> Run:
    mode = str(site.attrs["mode"])

    def run(core: Core, src0: Lanes, src1: Lanes, seed: Lanes) -> Lanes:
        return (_compared(mode, src0, src1) & seed.gate(src0.count)).image()

    return run


def _vcmps(site: Site) -> Run:
    mode = str(site.attrs["mode"])

    def run(core: Core, src: Lanes, scalar: Lanes, seed: Lanes) -> Lanes:
        every = scalar.bits(src.dtype).splat(src.count)
        return (_compared(mode, src, every) & seed.gate(src.count)).image()

    return run


vcmp = Record(
    "pto.vcmp",
    GROUP,
    "Compares two vectors lane by lane into a mask.",
    (
        Form(
            (Operand("src0", Vec()), Operand("src1", Vec()), _SEED),
            (_RESULT,),
            (_MODE,),
            syntax='src0, src1, seed, "mode" : src0, src1, seed -> result',
        ),
    ),
    _vcmp,
    {"T": _NUMBERS},
    cost=Cost(like="vcmp_eq", like_a2a3="vmax", row_a2a3="vcmpv", rows_by="mode"),
    evidence=_EVIDENCE,
    formula="result[i] = seed[i] && (src0[i] mode src1[i])",
    cpp="vcmp_<mode>(dst, src0, src1, seed)",
)
vcmps = Record(
    "pto.vcmps",
    GROUP,
    "Compares a vector with a scalar into a mask.",
    (
        Form(
            (Operand("src", Vec()), Operand("scalar", ScalarFor()), _SEED),
            (_RESULT,),
            (_MODE,),
            syntax='src, scalar, seed, "mode" : src, scalar, seed -> result',
        ),
    ),
    _vcmps,
    {"T": _NUMBERS},
    cost=Cost(like="vcmp_eq", like_a2a3="vmaxs", row_a2a3="vcmpvs", rows_by="mode"),
    evidence=_EVIDENCE,
    formula="result[i] = seed[i] && (src[i] mode scalar)",
    cpp="vcmps_<mode>(dst, src, scalar, seed)",
)


def _vsel(site: Site) -> Run:
    def run(core: Core, src0: Lanes, src1: Lanes, mask: Lanes) -> Lanes:
        return mask.gate(src0.count).select(src0, src1)

    return run


vsel = Record(
    "pto.vsel",
    GROUP,
    "Selects lanes of two vectors by a mask.",
    (
        Form(
            (
                Operand("src0", Vec(), "taken where the mask is set"),
                Operand("src1", Vec(), "taken elsewhere"),
                MASK,
            ),
            (RESULT,),
        ),
    ),
    _vsel,
    {"T": Types(ELEMENTS)},
    cost=Cost(like_a2a3="vand", by_width=True),
    evidence=(Evidence("bits", "chosen", "Moved unchanged, NaN included."),),
    formula="result[i] = mask[i] ? src0[i] : src1[i]",
    cpp="vsel(dst, src0, src1, mask)",
)


def by_index(src: Lanes, index: Lanes) -> Lanes:
    """Lane i is src[index[i] mod N]; index bits are read as unsigned."""
    lanes = index.bits(unsigned(8 * src.dtype.bytes))
    return src.take(lanes & (src.count - 1))


def _by_index(site: Site) -> Run:
    def run(core: Core, src: Lanes, index: Lanes) -> Lanes:
        return by_index(src, index)

    return run


_MODULO = Evidence(
    "an index of N or more", "chosen", "Modulo N: N is a power of two, so its low bits."
)
vselr = Record(
    "pto.vselr",
    GROUP,
    "Selects lanes of a vector by an index vector.",
    (
        Form(
            (Operand("src", Vec(), "the source"), Operand("index", IntVec(), "lane numbers")),
            (RESULT,),
        ),
    ),
    _by_index,
    {"T": Types(ELEMENTS)},
    targets=("a5",),
    cost=Cost(like="vsel", like_a2a3="vand"),
    evidence=(Evidence("meaning", "micro", "Lane selection by index."), _MODULO),
    formula="result[i] = src[index[i] mod N]",
    cpp="vselr(dst, src, index)",
)
vselrv2 = Record(
    "pto.vselrv2",
    GROUP,
    "The second form of vselr: both operands have the element type.",
    (
        Form(
            (Operand("src0", Vec(), "the source"), Operand("src1", Vec(), "lane numbers")),
            (RESULT,),
        ),
    ),
    _by_index,
    {"T": Types(ELEMENTS)},
    targets=("a5",),
    cost=Cost(like="vsel", like_a2a3="vand"),
    evidence=(
        Evidence(
            "meaning",
            "chosen",
            "The documents give its shape only: that of vselr with an index vector of the "
            "element type, whose bits are the lane numbers.",
        ),
        _MODULO,
    ),
    formula="result[i] = src0[bits of src1[i] mod N]",
    cpp="vselrv2(dst, src0, src1)",
)

RECORDS = (vcmp, vcmps, vsel, vselr, vselrv2)
