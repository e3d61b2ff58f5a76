"""Unary instructions: one vector in, one out."""

from __future__ import annotations

from ptoscope.isa.cost import Cost
from ptoscope.isa.dtypes import (
    ELEMENTS,
    F16,
    F32,
    F64,
    FLOATS,
    I32,
    INT_ELEMENTS,
    INTS,
    INTS64,
    SI32,
    UNSIGNED,
    signed,
)
from ptoscope.isa.families import UNMASKED, cost, unary, unmasked
from ptoscope.isa.functions import exp, log, relu
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Evidence, Types, When

_WRAP = Evidence(
    "the most negative integer", "micro", "Wraps to itself.", when=When(elements=INT_ELEMENTS)
)

vabs = unary(
    "vabs",
    lambda input: input.abs(),
    doc="Lane-wise absolute value.",
    types=Types((F32, F16, *INTS)),
    formula="|input[i]|",
    cost=cost(5, "f32 f16 i32 i16 i8", repeat=1, rv="RV_VABS_FP"),
    evidence=(
        _WRAP,
        Evidence(
            "-0 and NaN",
            "suite",
            "The sign bit is cleared, as IEEE 754 abs does.",
            when=When(elements=FLOATS),
        ),
        Evidence(
            "unsigned integers",
            "chosen",
            "Unchanged: they are their own absolute value.",
            when=When(elements=UNSIGNED),
        ),
    ),
)
vneg = unary(
    "vneg",
    lambda input: -input,
    doc="Lane-wise negation.",
    types=Types((F32, F16, *INTS)),
    formula="-input[i]",
    cost=cost(
        8,
        "f32 f16 i32 i16",
        repeat=1,
        completion={"f32": 20, "int": 18},
        rv="RV_VMULS",
        like="vmuls",
    ),
    evidence=(
        _WRAP,
        Evidence(
            "-0 and NaN",
            "chosen",
            "The sign bit flips, as C's minus does.",
            when=When(elements=FLOATS),
        ),
    ),
)
vexp = unary(
    "vexp",
    exp,
    doc="Lane-wise exponential.",
    types=Types((F32, F16)),
    formula="exp(input[i])",
    cost=cost(
        16,
        "f32",
        f16=21,
        repeat_f16=4,
        completion={"f32": 26, "f16": 28},
        rv="RV_VEXP",
        undocumented="startup",
    ),
    evidence=(
        Evidence(
            "rounding",
            "chosen",
            "Correctly rounded to the element type; no document gives an error bound.",
        ),
    ),
)


vrelu = unary(
    "vrelu",
    relu,
    doc="Lane-wise maximum with zero.",
    types=Types((F32, F16), micro=(F32, F16, I32, SI32)),
    formula="(input[i] > 0 ? input[i] : 0)",
    cost=cost(
        5, "f32 f16", repeat=1, rv="RV_VRELU", like="vmaxs", undocumented="startup completion"
    ),
    evidence=(
        Evidence("NaN", "micro", "The loop's comparison fails, so 0.", when=When(elements=FLOATS)),
        Evidence(
            "integers (revision micro)",
            "micro",
            "Signed and signless 32 bits. The manual's page (vrelu.md) has f16 and f32 only.",
            when=When("micro", elements=(I32, SI32)),
        ),
    ),
)

_ROUNDED = Evidence("rounding", "chosen", "Correctly rounded; no document gives an error bound.")


def _reciprocal_root(input: Lanes) -> Lanes:
    # Through f64: the square root and the quotient together err by less than a unit of f64.
    wide = input.cast(F64).root()
    return (wide.const(1.0) / wide).cast(input.dtype)


def _reciprocal(input: Lanes) -> Lanes:
    return input.const(1.0) / input


def _population(input: Lanes) -> Lanes:
    """Bits set, by sums of ever wider fields."""
    bits = input.dtype.bits
    value = input.as_unsigned()
    total = value.const(0)
    for i in range(bits):
        total = total + ((value >> i) & 1)
    return total.bits(input.dtype)


def _leading_signs(input: Lanes) -> Lanes:
    """Bits that equal the sign bit, from the top, the sign bit included."""
    bits = input.dtype.bits
    value = input.bits(signed(bits))
    differing = (value ^ (value >> (bits - 1))).as_unsigned()
    total = differing.const(0)
    # One for every shift that still leaves nothing: the run of zeros at the top.
    for i in range(bits):
        total = total + (differing >> i).eq(0).cast(total.dtype)
    return total.bits(input.dtype)


vln = unary(
    "vln",
    log,
    doc="Lane-wise natural logarithm.",
    types=Types((F32, F16)),
    formula="ln(input[i])",
    cost=cost(
        18,
        "f32",
        f16=23,
        repeat_f16=4,
        completion={"f32": 26, "f16": 28},
        rv="RV_VLN",
        like="vexp",
        undocumented="startup completion",
    ),
    evidence=(
        _ROUNDED,
        Evidence("0 and below", "chosen", "IEEE 754: -infinity at either zero, NaN below."),
    ),
)
vsqrt = unary(
    "vsqrt",
    lambda input: input.sqrt(),
    doc="Lane-wise square root.",
    types=Types((F32, F16)),
    formula="sqrt(input[i])",
    cost=cost(
        17,
        "f32",
        f16=22,
        repeat_f16=4,
        completion={"f32": 26, "f16": 29},
        rv="RV_VSQRT",
        like="vdiv",
        undocumented="startup",
    ),
    evidence=(_ROUNDED, Evidence("below 0", "chosen", "IEEE 754: NaN; -0 stays -0.")),
)
vrsqrt = unary(
    "vrsqrt",
    _reciprocal_root,
    doc="Lane-wise reciprocal square root.",
    types=Types((F32, F16)),
    formula="1 / sqrt(input[i])",
    cost=Cost(like="vsqrt"),
    evidence=(
        Evidence("rounding", "chosen", "Root and quotient in f64, rounded once."),
        Evidence("0 and below", "chosen", "IEEE 754: infinity of the zero's sign, NaN below."),
    ),
)
vrec = unary(
    "vrec",
    _reciprocal,
    doc="Lane-wise reciprocal.",
    types=Types((F32, F16)),
    formula="1 / input[i]",
    cost=Cost(like="vdiv"),
    evidence=(_ROUNDED, Evidence("zero", "chosen", "IEEE 754: infinity of the zero's sign.")),
)
vnot = unary(
    "vnot",
    lambda input: (~input.as_unsigned()).bits(input.dtype),
    doc="Lane-wise bitwise inversion.",
    types=Types(INTS + INTS64, micro=INTS + INTS64 + FLOATS),
    formula="~input[i]",
    cost=Cost(like="vand"),
    evidence=(
        Evidence(
            "floats (revision micro)",
            "suite",
            "Bitwise on the register's bits.",
            when=When("micro", elements=FLOATS),
        ),
    ),
)
vbcnt = unary(
    "vbcnt",
    _population,
    doc="Lane-wise count of the bits that are set.",
    types=Types(INTS + INTS64),
    formula="popcount(input[i])",
    cost=Cost(like="vand", like_a2a3="vnot"),
    evidence=(Evidence("width", "chosen", "The element's, as the manual's later edition says."),),
)
vcls = unary(
    "vcls",
    _leading_signs,
    doc="Lane-wise count of leading bits that equal the sign bit.",
    types=Types(INTS + INTS64),
    formula="leading sign bits of input[i], the sign bit included",
    cost=Cost(like="vand", like_a2a3="vnot"),
    evidence=(
        Evidence(
            "the sign bit itself",
            "chosen",
            "Counted: the later edition counts identical bits starting from the top one.",
        ),
        Evidence(
            "unsigned integers",
            "chosen",
            "Their top bit counts as the sign.",
            when=When(elements=UNSIGNED),
        ),
    ),
)
vmov = unmasked(
    unary(
        "vmov",
        lambda input: input,
        doc="Copies a register.",
        types=Types(ELEMENTS),
        formula="input[i]",
        cost=cost(
            repeat=1,
            completion={"f32": 19},
            interval=13,
            like="vadds",
            row_a2a3="vcopy",
            undocumented="startup completion",
        ),
        evidence=(
            Evidence("bits", "chosen", "Moved unchanged, NaN included."),
            Evidence(UNMASKED, "manual", "vmov.md: a full-register copy.", about="mask"),
        ),
    )
)

RECORDS = (
    vabs,
    vneg,
    vexp,
    vln,
    vsqrt,
    vrsqrt,
    vrec,
    vrelu,
    vnot,
    vbcnt,
    vcls,
    vmov,
)
