"""Fused and special functions on registers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ptoscope.isa.core import Core
from ptoscope.isa.cost import Cost
from ptoscope.isa.dtypes import (
    F16,
    F32,
    FLOATS,
    I8,
    I32,
    I64,
    INTS16,
    INTS32,
    SI8,
    SI32,
    UI32,
    UI64,
    DType,
)
from ptoscope.isa.families import MASK, RESULT, UNMASKED, ZEROING
from ptoscope.isa.formats import converter
from ptoscope.isa.functions import exp, fma, leaky_relu, relu
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import ScalarFor, Vec, VecIn
from ptoscope.isa.record import Attr, Evidence, Form, Operand, Record, Run, Site, Types, When
from ptoscope.isa.types import VReg

GROUP = "SFU and DSA"
_FLOATS = {"T": Types((F32, F16))}
_ONCE = Evidence("rounding", "chosen", "Fused: the exact product and sum are rounded once.")


def _fused(
    name: str,
    operands: tuple[str, ...],
    body: Callable[..., Lanes],
    doc: str,
    formula: str,
    types: Types,
    like: str,
    evidence: tuple[Evidence, ...],
) -> Record:
    def meaning(site: Site) -> Run:
        def run(core: Core, *values: Lanes) -> Lanes:
            *inputs, mask = values
            count = inputs[0].count
            vectors = (v.bits(inputs[0].dtype).splat(count) if v.count == 1 else v for v in inputs)
            return body(*vectors).masked(mask.gate(count))

        return run

    described = tuple(
        Operand(n.removeprefix("scalar "), ScalarFor() if n.startswith("scalar ") else Vec())
        for n in operands
    )
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (Form((*described, MASK), (RESULT,)),),
        meaning,
        {"T": types},
        unreliable_zeros=True,
        lanewise=True,
        cost=Cost(like=like),
        evidence=(ZEROING, *evidence),
        formula=f"result[i] = mask[i] ? {formula} : 0",
        cpp=f"{name.upper()}(dst, {', '.join(o.name for o in described)})",
    )


def _axpy(src0: Lanes, src1: Lanes, alpha: Lanes) -> Lanes:
    return fma(alpha, src0, src1)


def _mula(acc: Lanes, lhs: Lanes, rhs: Lanes) -> Lanes:
    return fma(lhs, rhs, acc) if acc.dtype.is_float else acc + lhs * rhs


def _madd(acc: Lanes, lhs: Lanes, rhs: Lanes) -> Lanes:
    return fma(lhs, acc, rhs)


def _addrelu(lhs: Lanes, rhs: Lanes) -> Lanes:
    return relu(lhs + rhs)


def _subrelu(lhs: Lanes, rhs: Lanes) -> Lanes:
    return relu(lhs - rhs)


def _expdif(site: Site) -> Run:
    odd = site.attrs.get("part") == "ODD"
    result = site.results[0]
    assert isinstance(result, VReg)

    def run(core: Core, input: Lanes, max: Lanes, mask: Lanes) -> Lanes:
        active = mask.gate(input.count)
        if result.lanes < input.count:
            chosen = tuple(range(odd, input.count, 2))
            input, max, active = (v.shuffle(chosen) for v in (input, max, active))
        return exp(input.cast(F32) - max.cast(F32)).cast(result.dtype).masked(active)

    return run


vexpdif = Record(
    "pto.vexpdif",
    GROUP,
    "exp(input - max) in f32: the numerator of a stable softmax.",
    (
        Form(
            (Operand("input", Vec()), Operand("max", Vec()), MASK),
            (Operand("result", VecIn((F32,))),),
            (Attr("part", ("EVEN", "ODD"), None, "which lanes of f16 inputs"),),
            syntax='input, max, mask, "part" : input, max, mask -> result',
        ),
        Form((Operand("input", Vec()), Operand("max", Vec()), MASK), (RESULT,), unmasked=True),
    ),
    _expdif,
    _FLOATS,
    unreliable_zeros=True,
    cost=Cost(like="vexp"),
    evidence=(
        ZEROING,
        Evidence("part", "suite", "Chooses even or odd lanes of f16; without effect on f32."),
        Evidence("rounding", "chosen", "The difference in f32, then exp correctly rounded."),
        Evidence(
            "form without a part",
            "micro",
            "Newest pages: for f32, of which one instruction computes the whole vector.",
            when=When(forms=(1,)),
        ),
        Evidence(
            "f16 without a part",
            "chosen",
            "Every lane, as the manual's loop; rounded to f32, then to f16.",
            when=When(forms=(1,), elements=(F16,)),
        ),
        Evidence(UNMASKED, "manual", "The only one of vexpdif.md.", when=When(forms=(1,))),
    ),
    formula="result[i] = mask[..] ? exp(input[..] - max[..]) : 0",
    cpp="vexpdif(dst, src, max, mask, part)",
)


def _mull(site: Site) -> Run:
    def run(core: Core, lhs: Lanes, rhs: Lanes, mask: Lanes) -> tuple[Lanes, Lanes]:
        active = mask.gate(lhs.count)
        wide = I64 if lhs.dtype.signed else UI64
        product = lhs.cast(wide) * rhs.cast(wide)
        low, high = product.cast(lhs.dtype), (product >> 32).cast(lhs.dtype)
        return low.masked(active), high.masked(active)

    return run


_SUBTRACTS = Evidence(
    "form of three vectors",
    "chosen",
    "Refused: vmull.md names a difference, once lhs * rhs - sub and once sub - lhs * rhs, and its "
    "types are those of a 64-bit product; the family's page and the micro specification have the "
    "product in two vectors.",
)
vmull = Record(
    "pto.vmull",
    GROUP,
    "Multiplies 32-bit integers to 64 bits, in two registers.",
    (
        Form(
            (Operand("lhs", Vec()), Operand("rhs", Vec()), MASK),
            (
                Operand("low", Vec(), "lower 32 bits"),
                Operand("high", Vec(), "upper 32 bits"),
            ),
        ),
    ),
    _mull,
    {"T": Types((I32, SI32, UI32))},
    unreliable_zeros=True,
    cost=Cost(like="vmul"),
    evidence=(
        ZEROING,
        Evidence("sign", "micro", "By the type; signless is signed."),
        _SUBTRACTS,
    ),
    formula="low[i], high[i] = halves of lhs[i] * rhs[i]",
    cpp="vmull(low, high, src0, src1, mask)",
)


def _converting(
    name: str,
    body: Callable[[Lanes, Lanes], Lanes],
    pairs: tuple[tuple[DType, DType], ...],
    doc: str,
    formula: str,
    like: str,
) -> Record:
    """Arithmetic, ReLU and a conversion; results stand in the lowest lanes."""

    def meaning(site: Site) -> Run:
        source, result = (
            kind.dtype for kind in (site.operands[0], site.results[0]) if isinstance(kind, VReg)
        )
        convert = converter(source, result, "R", True)

        def run(core: Core, lhs: Lanes, rhs: Lanes, mask: Lanes) -> Lanes:
            value = relu(body(lhs, rhs)).masked(mask.gate(lhs.count))
            order = tuple(i if i < lhs.count else -1 for i in range(result.lanes))
            return convert(value).shuffle(order)

        return run

    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (
            Form(
                (Operand("lhs", Vec()), Operand("rhs", Vec()), MASK),
                (Operand("result", Vec("U"), "converted, in the lowest lanes"),),
            ),
        ),
        meaning,
        {
            "T": Types(tuple(dict.fromkeys(source for source, _ in pairs))),
            "U": Types(tuple(dict.fromkeys(result for _, result in pairs))),
        },
        pairs={pair: {} for pair in pairs},
        unreliable_zeros=True,
        cost=Cost(like=like),
        evidence=(
            ZEROING,
            _NAN_RELU,
            Evidence("rounding", "chosen", "In the source type, then to nearest even, saturating."),
            Evidence("placement", "chosen", "Lane i of the result is lane i of the operands."),
        ),
        formula=f"result[i] = mask[i] ? convert(max({formula}, 0)) : 0",
        cpp=f"{name.upper()}(dst, src0, src1)",
    )


def _sum(lhs: Lanes, rhs: Lanes) -> Lanes:
    return lhs + rhs


def _product(lhs: Lanes, rhs: Lanes) -> Lanes:
    return lhs * rhs


_NAN_RELU = Evidence("NaN", "chosen", "The comparison with 0 fails, so 0, as in vrelu.")
RECORDS = (
    _fused(
        "vprelu",
        ("input", "alpha"),
        leaky_relu,
        "Parametric ReLU: a slope for each lane.",
        "(input[i] >= 0 ? input[i] : alpha[i] * input[i])",
        Types((F32, F16)),
        "vmul",
        (Evidence("NaN", "micro", "The comparison fails, so slope times NaN."),),
    ),
    vexpdif,
    _fused(
        "vaxpy",
        ("src0", "src1", "scalar alpha"),
        _axpy,
        "A scalar times a vector plus a vector, fused.",
        "alpha * src0[i] + src1[i]",
        Types((F32, F16)),
        "vmul",
        (_ONCE,),
    ),
    vmull,
    _fused(
        "vmula",
        ("acc", "lhs", "rhs"),
        _mula,
        "Multiply and accumulate, fused.",
        "acc[i] + lhs[i] * rhs[i]",
        Types(FLOATS + INTS16 + INTS32),
        "vmul",
        (
            replace(_ONCE, when=When(elements=FLOATS)),
            Evidence("element types", "chosen", "Those of vmul on A5."),
        ),
    ),
    replace(
        _fused(
            "vmadd",
            ("acc", "lhs", "rhs"),
            _madd,
            "Multiply by the first operand and add, fused.",
            "lhs[i] * acc[i] + rhs[i]",
            Types(FLOATS),
            "vmula",
            (Evidence("rounding", "micro", "Fused: rounded once."),),
        ),
        targets=("cpu", "a5"),
    ),
    _fused(
        "vaddrelu",
        ("lhs", "rhs"),
        _addrelu,
        "Sum, then ReLU.",
        "max(lhs[i] + rhs[i], 0)",
        Types((F32, F16)),
        "vadd",
        (_NAN_RELU,),
    ),
    _fused(
        "vsubrelu",
        ("lhs", "rhs"),
        _subrelu,
        "Difference, then ReLU.",
        "max(lhs[i] - rhs[i], 0)",
        Types((F32, F16)),
        "vsub",
        (_NAN_RELU,),
    ),
    _converting(
        "vaddreluconv",
        _sum,
        ((F32, F16), (F16, I8), (F16, SI8), (F16, F32)),
        "Sum, ReLU and conversion in one.",
        "lhs[i] + rhs[i]",
        "vadd",
    ),
    _converting(
        "vmulconv",
        _product,
        ((F16, I8), (F16, SI8)),
        "Product, ReLU and conversion in one.",
        "lhs[i] * rhs[i]",
        "vmul",
    ),
)
