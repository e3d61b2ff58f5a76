"""Unary instructions: one vector in, one out."""

from __future__ import annotations

from ptoscope.isa.dtypes import F16, F32, I32, INTS, SI32
from ptoscope.isa.families import cost, unary
from ptoscope.isa.functions import exp
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Evidence, Types

_WRAP = Evidence("the most negative integer", "micro", "Wraps to itself.")

vabs = unary(
    "vabs",
    lambda input: input.abs(),
    doc="Lane-wise absolute value.",
    types=Types((F32, F16, *INTS)),
    formula="|input[i]|",
    cost=cost(5, "f32 f16 i32 i16 i8", repeat=1),
    evidence=(
        _WRAP,
        Evidence("-0 and NaN", "suite", "The sign bit is cleared, as IEEE 754 abs does."),
        Evidence("unsigned integers", "chosen", "Unchanged: they are their own absolute value."),
    ),
)
vneg = unary(
    "vneg",
    lambda input: -input,
    doc="Lane-wise negation.",
    types=Types((F32, F16, *INTS)),
    formula="-input[i]",
    cost=cost(8, "f32 f16 i32 i16", repeat=1, completion={"float": 20, "int": 18}),
    evidence=(_WRAP, Evidence("-0 and NaN", "chosen", "The sign bit flips, as C's minus does.")),
)
vexp = unary(
    "vexp",
    exp,
    doc="Lane-wise exponential.",
    types=Types((F32, F16)),
    formula="exp(input[i])",
    cost=cost(16, "f32", f16=21, completion={"f32": 26, "f16": 28}),
    evidence=(
        Evidence(
            "rounding",
            "chosen",
            "Correctly rounded to the element type; no document gives an error bound.",
        ),
    ),
)


def _relu(input: Lanes) -> Lanes:
    return (input > 0).select(input, input.const(0))


vrelu = unary(
    "vrelu",
    _relu,
    doc="Lane-wise maximum with zero.",
    types=Types((F32, F16, I32, SI32)),
    formula="(input[i] > 0 ? input[i] : 0)",
    cost=cost(5, "f32 f16", repeat=1),
    evidence=(Evidence("NaN", "micro", "The loop's comparison fails, so 0."),),
)

RECORDS = (vabs, vneg, vexp, vrelu)
