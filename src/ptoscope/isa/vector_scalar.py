"""The vector-scalar document: one vector and one scalar, and the carry chains."""

from __future__ import annotations

from ptoscope.isa.binary import WHICH_NAN
from ptoscope.isa.cost import Cost
from ptoscope.isa.dtypes import F16, F32, FLOATS, INTS, INTS8, INTS32
from ptoscope.isa.families import VECTOR_SCALAR, carrying, cost, with_scalar
from ptoscope.isa.functions import leaky_relu
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import IN_MICRO, Evidence, Types, When

_AMOUNT = Evidence(
    "shift amounts outside [0, width - 1]",
    "chosen",
    "The amount is read as unsigned; the width or more shifts everything out: 0, or the sign.",
)
_NAN = Evidence(
    "NaN",
    "chosen",
    "NaN if the lane or the scalar is, as in vmax and vmin.",
    when=When(elements=FLOATS),
)
_TYPES = Evidence("element types", "chosen", "Those of the two-vector form.")

vadds = with_scalar(
    "vadds",
    lambda input, scalar: input + scalar,
    doc="Adds a scalar to every lane.",
    types=Types(FLOATS + INTS),
    formula="input[i] + scalar",
    cost=cost(repeat=1, undocumented="startup completion"),
)
vsubs = with_scalar(
    "vsubs",
    lambda input, scalar: input - scalar,
    doc="Subtracts a scalar from every lane.",
    types=Types(FLOATS + INTS),
    formula="input[i] - scalar",
    cost=Cost(like="vadds"),
    evidence=(_TYPES,),
)
vmuls = with_scalar(
    "vmuls",
    lambda input, scalar: input * scalar,
    doc="Multiplies every lane by a scalar.",
    types=Types(FLOATS + INTS, without={"a5": INTS8}),
    formula="input[i] * scalar",
    cost=cost(repeat=1, completion={"f32": 20, "int": 18}, undocumented="startup completion"),
    evidence=(_TYPES,),
)
vmaxs = with_scalar(
    "vmaxs",
    Lanes.maximum,
    doc="Lane-wise maximum with a scalar.",
    types=Types(FLOATS + INTS),
    formula="(either is NaN ? NaN : input[i] > scalar ? input[i] : scalar)",
    cost=cost(repeat=1, undocumented="startup completion", like="vmax"),
    evidence=(_NAN, WHICH_NAN),
)
vmins = with_scalar(
    "vmins",
    Lanes.minimum,
    doc="Lane-wise minimum with a scalar.",
    types=Types(FLOATS + INTS),
    formula="(either is NaN ? NaN : input[i] < scalar ? input[i] : scalar)",
    cost=cost(repeat=1, undocumented="startup completion", like="vmin"),
    evidence=(_NAN, WHICH_NAN),
)
vands = with_scalar(
    "vands",
    lambda input, scalar: input & scalar,
    doc="Bitwise AND with a scalar.",
    types=Types(INTS),
    formula="input[i] & scalar",
    cost=Cost(like="vand"),
)
vors = with_scalar(
    "vors",
    lambda input, scalar: input | scalar,
    doc="Bitwise OR with a scalar.",
    types=Types(INTS),
    formula="input[i] | scalar",
    cost=Cost(like="vand", like_a2a3="vor"),
)
vxors = with_scalar(
    "vxors",
    lambda input, scalar: input ^ scalar,
    doc="Bitwise exclusive OR with a scalar.",
    types=Types(INTS),
    formula="input[i] ^ scalar",
    cost=Cost(like="vand"),
)
vshls = with_scalar(
    "vshls",
    lambda input, scalar: input << scalar,
    shift=True,
    doc="Shifts every lane to the left by one amount.",
    types=Types(INTS),
    formula="input[i] << scalar",
    cost=Cost(like_a2a3="vshl", by_width=True),
    evidence=(_AMOUNT,),
)
vshrs = with_scalar(
    "vshrs",
    lambda input, scalar: input >> scalar,
    shift=True,
    doc="Shifts every lane to the right by one amount: logical for unsigned, else arithmetic.",
    types=Types(INTS),
    formula="input[i] >> scalar",
    cost=Cost(like_a2a3="vshr", by_width=True),
    evidence=(_AMOUNT,),
)
vlrelu = with_scalar(
    "vlrelu",
    leaky_relu,
    doc="Leaky ReLU with a scalar slope.",
    types=Types((F32, F16)),
    formula="(input[i] >= 0 ? input[i] : scalar * input[i])",
    cost=Cost(like="vmuls"),
    evidence=(Evidence("NaN", "manual", "The comparison fails, so slope times NaN."),),
)


def _add(lhs: Lanes, rhs: Lanes, carry_in: Lanes) -> tuple[Lanes, Lanes]:
    partial = lhs + rhs
    total = partial + carry_in.cast(lhs.dtype)
    return total, (partial < lhs) | (total < partial)


def _sub(lhs: Lanes, rhs: Lanes, borrow_in: Lanes) -> tuple[Lanes, Lanes]:
    borrow = (lhs < rhs) | (lhs.eq(rhs) & borrow_in)
    return lhs - rhs - borrow_in.cast(lhs.dtype), borrow


def _sub_carry(lhs: Lanes, rhs: Lanes, borrow_in: Lanes) -> tuple[Lanes, Lanes]:
    value, borrow = _sub(lhs, rhs, ~borrow_in)
    return value, ~borrow


vaddcs = carrying(
    "vaddcs",
    _add,
    group=VECTOR_SCALAR,
    doc="Unsigned sum with carry in and out: a further link of a carry chain.",
    types=Types(INTS32),
    out="carry",
    formula="result[i] = lhs[i] + rhs[i] + carry_in[i]; carry[i] = the sum does not fit",
    cost=Cost(like="vadd"),
)
vsubcs = carrying(
    "vsubcs",
    _sub,
    micro=_sub_carry,
    group=VECTOR_SCALAR,
    doc="Unsigned difference with borrow in and out: a further link of a borrow chain.",
    types=Types(INTS32),
    out="borrow",
    formula=(
        "result[i] = lhs[i] - rhs[i] - borrow_in[i]; borrow[i] = lhs[i] < rhs[i] + borrow_in[i]"
    ),
    micro_formula=(
        "result[i] = lhs[i] - rhs[i] - (1 - borrow_in[i]); "
        "borrow[i] = lhs[i] >= rhs[i] + (1 - borrow_in[i])"
    ),
    cost=Cost(like="vsub"),
    evidence=(
        Evidence(
            "polarity (revision micro)",
            "micro",
            "Carries: result = lhs - rhs - (1 - c), out = lhs >= rhs + (1 - c).",
            when=IN_MICRO,
        ),
    ),
)

RECORDS = (
    vadds,
    vsubs,
    vmuls,
    vmaxs,
    vmins,
    vands,
    vors,
    vxors,
    vshls,
    vshrs,
    vlrelu,
    vaddcs,
    vsubcs,
)
