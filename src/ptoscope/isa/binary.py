"""The binary document: two vectors in, one out."""

from __future__ import annotations

from dataclasses import replace

from ptoscope.isa.dtypes import (
    BF16,
    F16,
    F32,
    FLOATS,
    I16,
    I32,
    INT_ELEMENTS,
    INTS,
    INTS8,
    INTS32,
    INTS64,
    SI16,
    SI32,
    SIGNLESS,
)
from ptoscope.isa.families import binary, carrying, cost
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import IN_MANUAL, IN_MICRO, Attr, Constraint, Evidence, Site, Types, When
from ptoscope.isa.types import VReg

GROUP = "binary"
_NUMBERS = "f32 f16 i32 i16 i8"
_ALL_INTS = INTS + INTS64

_BF16 = Evidence(
    "bf16",
    "micro",
    "The manual's table has no bf16 figure; the type is legal.",
    when=When(elements=(BF16,)),
)
_OUT_OF_RANGE = Evidence(
    "shift amounts outside [0, width - 1]",
    "chosen",
    "The amount is read as unsigned; the width or more shifts everything out: 0, or the sign.",
)
_COUNTS = Evidence(
    "type of the amounts",
    "micro",
    "Newer pages: signed integers as wide as the elements; older ones and the manual: the type of "
    "the elements. Both are read.",
)
_BY_ZERO = Evidence("division by zero", "chosen", "IEEE 754: infinity or NaN.")
_OVERFLOW = Evidence(
    "integer overflow",
    "chosen",
    "Wraps: the low bits of the exact result.",
    when=When(elements=INT_ELEMENTS),
)
WHICH_NAN = Evidence(
    "which NaN",
    "chosen",
    "The canonical one, as arithmetic makes: quiet, positive, without a payload.",
    when=When(elements=FLOATS),
)
_NAN = Evidence(
    "NaN",
    "manual",
    "vmax.md and vmin.md: NaN if either operand is, over the loop, whose comparison would fail; "
    "the suite agrees.",
    when=When(elements=FLOATS),
)

vadd = binary(
    "vadd",
    lambda lhs, rhs: lhs + rhs,
    doc="Lane-wise sum.",
    types=Types(FLOATS + _ALL_INTS),
    formula="lhs[i] + rhs[i]",
    cost=cost(7, _NUMBERS, rv="RV_VADD"),
    evidence=(_BF16, _OVERFLOW),
)
vsub = binary(
    "vsub",
    lambda lhs, rhs: lhs - rhs,
    doc="Lane-wise difference.",
    types=Types(FLOATS + _ALL_INTS),
    formula="lhs[i] - rhs[i]",
    cost=cost(7, _NUMBERS, rv="RV_VSUB"),
    evidence=(_BF16, _OVERFLOW),
)
vmul = binary(
    "vmul",
    lambda lhs, rhs: lhs * rhs,
    doc="Lane-wise product. A5 has no 8-bit form.",
    types=Types(FLOATS + INTS, without={"a5": INTS8}),
    formula="lhs[i] * rhs[i]",
    cost=cost(8, "f32 f16 i32 i16", completion={"f32": 20, "int": 18}, rv="RV_VMUL"),
    evidence=(_BF16, _OVERFLOW),
)


def _quotient(lhs: Lanes, rhs: Lanes) -> Lanes:
    if lhs.dtype.is_float:
        return lhs / rhs
    zero = rhs.eq(0)
    return zero.select(lhs.const(0), lhs.quotient(zero.select(rhs.const(1), rhs)))


def _precise(site: Site) -> str:
    if site.attrs["precisionType"] != "high_precision":
        return ""
    vector = site.operands[0]
    assert isinstance(vector, VReg)
    return (
        "" if vector.dtype is F32 and site.target.name != "a2a3" else f"vectors of {vector.dtype}"
    )


_DIVIDED = (I16, SI16, I32, SI32)
_divided = binary(
    "vdiv",
    _quotient,
    doc="Lane-wise quotient; of integers cut toward zero.",
    types=Types((F32, F16), micro=(F32, F16, *_DIVIDED), without={"a2a3": _DIVIDED}),
    formula="lhs[i] / rhs[i]",
    cost=cost(17, "f32", f16=22, repeat_f16=4, completion={"f32": 20}, rv="RV_VDIV"),
    evidence=(
        _BY_ZERO,
        Evidence("floats", "manual", "f16 and f32 (vdiv.md); bf16 in neither revision."),
        Evidence(
            "integers (revision micro)",
            "micro",
            "Newer pages: signed and signless 16 and 32 bits, exact, by a library of A5; the "
            "lowest number by -1 wraps. The manual has floats only.",
            when=When("micro", elements=_DIVIDED),
        ),
        Evidence(
            "an integer by zero",
            "chosen",
            "0: undefined, and a fault would stop kernels that divide lanes they do not use.",
            when=When("micro", elements=_DIVIDED),
        ),
        Evidence(
            "high precision",
            "chosen",
            "The correctly rounded quotient, which the default is here, too: nobody says how far "
            "that of the machine is from it.",
            when=When(attrs={"precisionType": ("high_precision",)}),
        ),
    ),
)
vdiv = replace(
    _divided,
    forms=(
        replace(
            _divided.forms[0],
            attrs=(
                Attr(
                    "precisionType",
                    ("default", "high_precision"),
                    "default",
                    "whether a quotient of f32 is corrected",
                    kind="div_precision",
                ),
            ),
            syntax="lhs, rhs, mask {precisionType} : lhs, rhs, mask -> result",
        ),
    ),
    constraints=(
        Constraint(
            "high precision is for f32 on A5",
            _precise,
            "leave precisionType out",
        ),
    ),
)
vmax = binary(
    "vmax",
    Lanes.maximum,
    doc="Lane-wise maximum.",
    types=Types(FLOATS + INTS),
    formula="(either is NaN ? NaN : lhs[i] > rhs[i] ? lhs[i] : rhs[i])",
    cost=cost(7, _NUMBERS, rv="RV_VMAX"),
    evidence=(_BF16, _NAN, WHICH_NAN),
)
vmin = binary(
    "vmin",
    Lanes.minimum,
    doc="Lane-wise minimum.",
    types=Types(FLOATS + INTS),
    formula="(either is NaN ? NaN : lhs[i] < rhs[i] ? lhs[i] : rhs[i])",
    cost=cost(7, _NUMBERS, rv="RV_VMAX"),
    evidence=(_BF16, _NAN, WHICH_NAN),
)
_FLOAT_BITS = Evidence(
    "floats (revision micro)",
    "suite",
    "Bitwise on the register's bits.",
    when=When("micro", elements=FLOATS),
)
_NO_FLOATS = Evidence(
    "floats",
    "manual",
    "Refused: integer element types only, as the document of binary instructions says. An example "
    "of vcvt.md joins halves of f16 by vor; revision micro has that.",
    when=IN_MANUAL,
)
_BITWISE = Types(_ALL_INTS, micro=_ALL_INTS + FLOATS)
vand = binary(
    "vand",
    lambda lhs, rhs: lhs & rhs,
    doc="Lane-wise bitwise AND.",
    types=_BITWISE,
    formula="lhs[i] & rhs[i]",
    cost=cost(7, "i32 i16 i8", repeat=1, completion={"int": 17}, by_width=True, rv="RV_VAND"),
    evidence=(_FLOAT_BITS, _NO_FLOATS),
)
vor = binary(
    "vor",
    lambda lhs, rhs: lhs | rhs,
    doc="Lane-wise bitwise OR.",
    types=_BITWISE,
    formula="lhs[i] | rhs[i]",
    cost=cost(7, "i32 i16 i8", repeat=1, completion={"int": 17}, by_width=True, rv="RV_VOR"),
    evidence=(_FLOAT_BITS, _NO_FLOATS),
)
vxor = binary(
    "vxor",
    lambda lhs, rhs: lhs ^ rhs,
    doc="Lane-wise bitwise exclusive OR.",
    types=_BITWISE,
    formula="lhs[i] ^ rhs[i]",
    cost=cost(7, "i32 i16 i8", repeat=1, completion={"int": 17}, like="vand", rv="RV_VXOR"),
    evidence=(_FLOAT_BITS, _NO_FLOATS),
)
vshl = binary(
    "vshl",
    lambda lhs, rhs: lhs << rhs.bits(lhs.dtype),
    doc="Lane-wise shift to the left, each lane by its own amount.",
    types=Types(_ALL_INTS),
    formula="lhs[i] << rhs[i]",
    shift=True,
    cost=cost(7, "i32 i16 i8", repeat=1, completion={"int": 17}, like="vshls", rv="RV_VSHL"),
    evidence=(_OUT_OF_RANGE, _COUNTS),
)
vshr = binary(
    "vshr",
    lambda lhs, rhs: lhs >> rhs.bits(lhs.dtype),
    doc="Lane-wise shift to the right: arithmetic for signed and signless, logical for unsigned.",
    types=Types(_ALL_INTS),
    formula="lhs[i] >> rhs[i]",
    shift=True,
    cost=cost(7, "i32 i16 i8", repeat=1, completion={"int": 17}, like="vshrs", rv="RV_VSHR"),
    evidence=(
        _OUT_OF_RANGE,
        _COUNTS,
        Evidence(
            "signless integers",
            "chosen",
            "Signed, as everywhere where sign matters.",
            when=When(elements=SIGNLESS),
        ),
    ),
)


def _add(lhs: Lanes, rhs: Lanes) -> tuple[Lanes, Lanes]:
    total = lhs + rhs
    return total, total < lhs


def _sub(lhs: Lanes, rhs: Lanes) -> tuple[Lanes, Lanes]:
    return lhs - rhs, lhs < rhs


def _sub_no_borrow(lhs: Lanes, rhs: Lanes) -> tuple[Lanes, Lanes]:
    return lhs - rhs, lhs >= rhs


vaddc = carrying(
    "vaddc",
    _add,
    group=GROUP,
    doc="Unsigned sum with carry out: the first link of a carry chain.",
    types=Types(INTS32),
    out="carry",
    formula="result[i] = lhs[i] + rhs[i]; carry[i] = the sum does not fit",
    cost=cost(7, "i32", repeat=1, completion={"int": 17}, like="vadd", rv="RV_VADDC"),
)
vsubc = carrying(
    "vsubc",
    _sub,
    micro=_sub_no_borrow,
    group=GROUP,
    doc="Unsigned difference with borrow out: the first link of a borrow chain.",
    types=Types(INTS32),
    out="borrow",
    formula="result[i] = lhs[i] - rhs[i]; borrow[i] = lhs[i] < rhs[i]",
    micro_formula="result[i] = lhs[i] - rhs[i]; borrow[i] = lhs[i] >= rhs[i]",
    cost=cost(7, "i32", repeat=1, completion={"int": 17}, like="vsub", rv="RV_VSUBC"),
    evidence=(
        Evidence(
            "polarity (revision micro)",
            "micro",
            "1 where none occurred: lhs >= rhs.",
            when=IN_MICRO,
        ),
    ),
)

RECORDS = (vadd, vsub, vmul, vdiv, vmax, vmin, vand, vor, vxor, vshl, vshr, vaddc, vsubc)
