"""Families: what the members of a class of instructions share.

A family owns operands, predication, zeroing of inactive lanes, mask width and scalar
broadcast. A member says only how it differs: usually one line.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ptoscope.isa.core import Core
from ptoscope.isa.cost import Cost
from ptoscope.isa.dtypes import I16
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import Counts, MaskFor, OneOf, ScalarFor, ScalarIn, Vec
from ptoscope.isa.record import Evidence, Form, Meaning, Operand, Record, Run, Site, Types

Unary = Callable[[Lanes], Lanes]
Binary = Callable[[Lanes, Lanes], Lanes]
Carry = Callable[..., tuple[Lanes, Lanes]]

VECTOR_SCALAR = "vector-scalar"
"""The group whose document makes zeroing of inactive lanes a rule."""
UNMASKED = "form without a mask"
"""The title of what says where an instruction is written so; it is read as one with all lanes."""
ZEROING = Evidence(
    "inactive lanes",
    "manual",
    "Zeroing, as the vector-scalar document says; the overview forbids relying on it.",
    about="mask",
)
MASK = Operand("mask", MaskFor(), "which lanes take part")
RESULT = Operand("result", Vec(), "the destination vector")

A2A3_CONSTANTS = {
    ("startup", 14): "A2A3_STARTUP_BINARY",
    ("per_repeat", 1): "A2A3_RPT_1",
    ("per_repeat", 2): "A2A3_RPT_2",
    ("per_repeat_f16", 4): "A2A3_RPT_4",
    ("interval", 18): "A2A3_INTERVAL",
    ("interval", 13): "A2A3_INTERVAL_VCOPY",
    ("completion_f32", 19): "A2A3_COMPL_FP_BINOP",
    ("completion_int", 17): "A2A3_COMPL_INT_BINOP",
    ("completion_int", 18): "A2A3_COMPL_INT_MUL",
    ("completion_f32", 26): "A2A3_COMPL_FP32_EXP",
    ("completion_f16", 28): "A2A3_COMPL_FP16_EXP",
    ("completion_f16", 29): "A2A3_COMPL_FP16_SQRT",
}
"""What the manual calls its constants, by what they are used for and their value."""


def cost(
    latency: int = 0,
    elements: str = "",
    repeat: int = 2,
    completion: dict[str, int] | None = None,
    repeat_f16: int = 0,
    rv: str = "",
    like: str = "",
    row_a2a3: str = "",
    by_width: bool = False,
    interval: int = 18,
    undocumented: str = "",
    **exceptions: int,
) -> Cost:
    """The manual's figures: A5 latency per element type, A2/A3 constants.

    `elements` lists the types that `latency` holds for; `exceptions` the others.
    `repeat_f16` is the cycles per repeat of f16 where they differ; `rv`, `like`, `row_a2a3` and
    `by_width` are as in `Cost`. `undocumented` names the constants that the manual gives for
    other instructions only; one whose value it does not have is so anyway.
    """
    a5 = {**dict.fromkeys(elements.split(), latency), **exceptions}
    a2a3 = {"startup": 14, "per_repeat": repeat, "interval": interval}
    for kind, cycles in (completion or {"f32": 19, "int": 17}).items():
        a2a3[f"completion_{kind}"] = cycles
    if repeat_f16:
        a2a3["per_repeat_f16"] = repeat_f16
    names = {
        key: A2A3_CONSTANTS[key, cycles]
        for key, cycles in a2a3.items()
        if (key, cycles) in A2A3_CONSTANTS and key.partition("_")[0] not in undocumented.split()
    }
    return Cost(
        a5=a5, a2a3=a2a3, rv=rv, names=names, like=like, row_a2a3=row_a2a3, by_width=by_width
    )


def unmasked(record: Record) -> Record:
    """Marks forms that documents also write without their mask, the last operand: all lanes."""
    return replace(record, forms=tuple(replace(form, unmasked=True) for form in record.forms))


def parameters(body: Callable[..., Any]) -> tuple[str, ...]:
    """The operand names a body asks for."""
    return tuple(inspect.signature(body).parameters)


def unary(
    name: str,
    body: Unary,
    *,
    doc: str,
    types: Types,
    formula: str,
    cost: Cost,
    evidence: tuple[Evidence, ...] = (),
) -> Record:
    """One vector in, one out, lane by lane; inactive lanes are zero."""
    operands = (Operand("input", Vec()),)
    return _lanewise(name, "unary", operands, body, doc, types, formula, cost, evidence)


def binary(
    name: str,
    body: Binary,
    *,
    doc: str,
    types: Types,
    formula: str,
    shift: bool = False,
    cost: Cost,
    evidence: tuple[Evidence, ...] = (),
) -> Record:
    """Two vectors in, one out, lane by lane; inactive lanes are zero. With `shift`, the second
    vector has amounts."""
    second = Counts() if shift else Vec()
    operands = (Operand("lhs", Vec()), Operand("rhs", second, shifts=shift))
    return _lanewise(name, "binary", operands, body, doc, types, formula, cost, evidence)


def masked_formula(formula: str) -> str:
    """A formula for active lanes as one for all of them."""
    return f"result[i] = mask[i] ? {formula} : 0" if formula else ""


def _lanewise(
    name: str,
    group: str,
    operands: tuple[Operand, ...],
    body: Callable[..., Lanes],
    doc: str,
    types: Types,
    formula: str,
    cost: Cost,
    evidence: tuple[Evidence, ...],
) -> Record:
    def meaning(site: Site) -> Run:
        def run(core: Core, *values: Lanes) -> Lanes:
            *inputs, mask = values
            result = body(*inputs)
            return result.masked(mask.gate(result.count))

        return run

    return Record(
        f"pto.{name}",
        group,
        doc,
        (Form((*operands, MASK), (RESULT,)),),
        meaning,
        {"T": types},
        unreliable_zeros=True,
        lanewise=True,
        cost=cost,
        evidence=(ZEROING, *evidence),
        formula=masked_formula(formula),
        cpp=f"{name.upper()}(dst, {', '.join(f'src{i}' for i in range(len(operands)))})",
    )


def with_scalar(
    name: str,
    body: Binary,
    *,
    doc: str,
    types: Types,
    formula: str,
    shift: bool = False,
    cost: Cost,
    evidence: tuple[Evidence, ...] = (),
) -> Record:
    """A vector and a scalar that every lane sees. With `shift`, the scalar is an amount:
    of the element type, or i16."""

    def meaning(site: Site) -> Run:
        def run(core: Core, vector: Lanes, scalar: Lanes, mask: Lanes) -> Lanes:
            if shift:
                # Cut to the width first: 256 as an i16 amount must not become 0 of an i8.
                amount = scalar.as_unsigned()
                width = vector.dtype.bits
                scalar = (amount < width).select(amount, amount.const(width)).cast(vector.dtype)
            result = body(vector, scalar.bits(vector.dtype).splat(vector.count))
            return result.masked(mask.gate(result.count))

        return run

    scalar = OneOf((ScalarFor(), ScalarIn((I16,)))) if shift else ScalarFor()
    operands = (
        Operand("input", Vec(), "the source vector"),
        Operand(
            "scalar",
            scalar,
            "the shift amount" if shift else "seen by every active lane",
            shifts=shift,
        ),
        MASK,
    )
    return Record(
        f"pto.{name}",
        VECTOR_SCALAR,
        doc,
        (Form(operands, (RESULT,)),),
        meaning,
        {"T": types},
        lanewise=True,
        cost=cost,
        evidence=(ZEROING, *evidence),
        formula=masked_formula(formula),
        cpp=f"{name.upper()}(dst, src, scalar)",
    )


def carrying(
    name: str,
    body: Carry,
    *,
    group: str,
    doc: str,
    types: Types,
    formula: str,
    out: str,
    cost: Cost,
    micro: Carry | None = None,
    micro_formula: str = "",
    evidence: tuple[Evidence, ...] = (),
) -> Record:
    """Unsigned arithmetic with a carry mask out, and in where the body asks for one."""
    names = parameters(body)

    def meaning(site: Site) -> Run:
        chosen = micro if site.micro and micro is not None else body

        def run(core: Core, lhs: Lanes, rhs: Lanes, *rest: Lanes) -> tuple[Lanes, Lanes]:
            *carry_in, active = (mask.gate(lhs.count) for mask in rest)
            value, carry = chosen(lhs.as_unsigned(), rhs.as_unsigned(), *carry_in)
            return value.bits(lhs.dtype).masked(active), (carry & active).image()

        return run

    inputs = [Operand(n, Vec() if i < 2 else MaskFor()) for i, n in enumerate(names)]
    return Record(
        f"pto.{name}",
        group,
        doc,
        (Form((*inputs, MASK), (RESULT, Operand(out, MaskFor(), "one bit per lane"))),),
        meaning,
        {"T": types},
        unreliable_zeros=group != VECTOR_SCALAR,
        lanewise=True,
        cost=cost,
        evidence=(
            ZEROING,
            Evidence(
                "carry of inactive lanes", "chosen", "0: nothing was computed there.", about="mask"
            ),
            Evidence("sign", "manual", "Unsigned, exact: sums are not cut before comparing."),
            *evidence,
        ),
        formula=formula,
        micro_formula=micro_formula,
        cpp=f"{name.upper()}(dst, {out}, src0, src1{', ' + names[2] if len(names) > 2 else ''})",
    )


def staged(run: Run) -> Meaning:
    """A meaning that needs nothing of its site."""
    return lambda site: run
