"""Demands of the overview and of the documents of computation and of pst."""

from __future__ import annotations

from tests.docs.musts import (
    ARRIVED,
    BYTES,
    DEPENDENCE,
    M16,
    MISPLACED,
    NOT_A_RULE,
    REFILL,
    STORE,
    STREAM,
    VSTU_B,
    A,
    B,
    F,
    M,
    Must,
    P,
    S,
    U,
    W,
)
from tests.documents.harness import BINARY, OVERVIEW, PREDICATE_STORE, VECTOR_SCALAR


def _binary(name: str, a: str = F, r: str = F, mask: str = M, values: str = "%v, %w, %m") -> str:
    return f"%r = pto.{name} {values} : {a}, {a}, {mask} -> {r}"


def _scalar(name: str, element: str = "f32", value: str = "%v", r: str = F, a: str = F) -> str:
    scalar = {"f32": "%half", "bf16": "%bf"}[element]
    return f"%r = pto.{name} {value}, {scalar}, %m : {a}, {element}, {M} -> {r}"


def _same_types(document: str, name: str, body: str) -> Must:
    return Must(document, name, "Input and result types MUST match.", "PTO0101", body)


def _integers(document: str, name: str, body: str) -> Must:
    return Must(document, name, "Integer element types only.", "PTO0102", body)


_ON_A2A3 = f"%r = pto.vselr %v, %u : {F}, {U} -> {F}"
_OVERVIEW = (
    Must(
        OVERVIEW,
        "",
        "Every vector instruction set must state:",
        reason="is about documents: the reference pages state these five",
    ),
    Must(
        OVERVIEW,
        "vselr",
        "Target-profile narrowing — A5-only ops (FP8 types, unaligned store, pair select).",
        "PTO0201",
        _ON_A2A3,
        target="a2a3",
    ),
    Must(
        OVERVIEW,
        "",
        "Programs MUST NOT rely on the identity-element behavior of masked lanes unless the "
        "operation explicitly documents it.",
        reason=DEPENDENCE,
    ),
    Must(
        OVERVIEW,
        "vstu",
        "A trailing flush form (vstar / vstas) is required to commit any buffered tail bytes.",
        "PTO0402",
        VSTU_B,
    ),
    Must(
        OVERVIEW,
        "vstar",
        "These ops are A5-only.",
        "PTO0201",
        f"{STREAM}\npto.vstar %b, %odd : {A}, {P}",
        target="a2a3",
    ),
    Must(
        OVERVIEW,
        "vadd",
        "Predicate width must match the vector length Nfor predicate-gated operations.",
        "PTO0101",
        _binary("vadd", mask=M16, values="%v, %w, %h"),
    ),
    Must(
        OVERVIEW,
        "vlds",
        "A5 requires 32B alignment for NORM mode",
        "PTO0502",
        MISPLACED,
    ),
    Must(
        OVERVIEW,
        "vstur",
        "vstu/vstus/vstur: A5-only; not supported on CPU or A2/A3.",
        "PTO0201",
        f"{STREAM}\npto.vstar %b, %odd : {A}, {P}",
        target="a2a3",
    ),
    Must(
        OVERVIEW,
        "vadd",
        "No implicit type promotion: all operands must have compatible types.",
        "PTO0101",
        f"%r = pto.vadd %v, %i, %m : {F}, {S}, {M} -> {F}",
    ),
    Must(
        OVERVIEW,
        "vadd",
        "Using a predicate mask whose width does not match the target vector length.",
        "PTO0101",
        _binary("vadd", mask=M16, values="%v, %w, %h"),
    ),
    Must(
        OVERVIEW,
        "vlds",
        "Accessing memory with an illegal alignment for the target profile.",
        "PTO0502",
        MISPLACED,
    ),
    Must(
        OVERVIEW,
        "",
        "Relying on undefined lane behavior when predicates mask some lanes (must not depend on "
        "the identity-element value).",
        reason=DEPENDENCE,
    ),
    Must(
        OVERVIEW,
        "vstu",
        "Using vstu/vstus/vsturon CPU or A2/A3 (A5-only ops).",
        "PTO0201",
        f"{VSTU_B}\npto.vstar %b, %odd : {A}, {P}",
        target="cpu",
    ),
    Must(
        OVERVIEW,
        "vmax",
        "Mixing vector types within a single operation unless the operation explicitly supports "
        "it.",
        "PTO0101",
        f"%r = pto.vmax %v, %i, %m : {F}, {S}, {M} -> {F}",
    ),
    Must(
        OVERVIEW,
        "vsts",
        "Issuing a vector store before the corresponding DMA copy is complete without an "
        "intervening wait_flag.",
        "PTO0607",
        STORE,
        before=f"{ARRIVED}\n{REFILL}",
    ),
    Must(
        OVERVIEW,
        "vselr",
        "A5-Only Operations¶ The following ops require A5 profile:",
        "PTO0201",
        _ON_A2A3,
        target="cpu",
    ),
    Must(
        OVERVIEW,
        "vlds",
        "All ops using FP8 element types (e4m3, e5m2)",
        "PTO0202",
        "%p = pto.castptr %zero : i64 -> !pto.ptr<f8e4m3, ub>\n"
        "%r = pto.vlds %p[%c0] : !pto.ptr<f8e4m3, ub> -> !pto.vreg<256xf8e4m3>",
        target="a2a3",
    ),
)
_BINARY = (
    Must(
        BINARY,
        "vsub",
        "Unless explicitly documented otherwise, %lhs, %rhs, and %result MUST have matching "
        "vector shapes and element types.",
        "PTO0101",
        f"%r = pto.vsub %v, %i, %m : {F}, {S}, {M} -> {F}",
    ),
    Must(BINARY, "get_buf", "no explicit event IDs or loop peeling required.", reason=NOT_A_RULE),
    *(_same_types(BINARY, name, _binary(name, r=S)) for name in ("vadd", "vsub", "vmax", "vmin")),
    Must(
        BINARY,
        "vmul",
        "The current A5 profile excludes i8/u8 forms from this instruction set.",
        "PTO0202",
        f"{BYTES}\n%x = pto.vlds %p[%c0] : !pto.ptr<i8, ub> -> {B}\n"
        '%y = pto.pset_b8 "PAT_ALL" : !pto.mask<b8>\n'
        f"%r = pto.vmul %x, %x, %y : {B}, {B}, !pto.mask<b8> -> {B}",
    ),
    Must(
        BINARY,
        "vdiv",
        "Floating-point element types only.",
        "PTO0102",
        _binary("vdiv", a=S, r=S, values="%i, %i, %m"),
    ),
    *(_integers(BINARY, name, _binary(name)) for name in ("vand", "vor", "vxor", "vshl", "vshr")),
)
_PST = f'pto.pst %m, %words, %z, "NORM" : {M}, {W}, i32'
_GM_PST = _PST.replace("%words", "%gm_words").replace(", ub>", ", gm>")
_BAD_DIST = _PST.replace("NORM", "US")
_SKEWED = _PST.replace("%words", "%skew_words")
_PREDICATE_STORE = (
    Must(
        PREDICATE_STORE,
        "pst",
        "Only bits within the current element-type predicate width are transferred.",
        reason=NOT_A_RULE,
    ),
    Must(PREDICATE_STORE, "pst", "%ub_ptrMUST have address spaceub.", "PTO0101", _GM_PST),
    Must(
        PREDICATE_STORE, "pst", "The effective address MUST be 64-bit aligned.", "PTO0502", _SKEWED
    ),
    Must(PREDICATE_STORE, "pst", "Misaligned effective addresses are illegal.", "PTO0502", _SKEWED),
    Must(PREDICATE_STORE, "pst", 'The distattribute MUST be"NORM"or"PK".', "PTO0103", _BAD_DIST),
    Must(
        PREDICATE_STORE,
        "pst",
        "The store transfers exactly 64 bits, which MUST match the active element type context.",
        "PTO0101",
        _PST.replace("%m,", "%h,").replace(M, M16),
    ),
    Must(
        PREDICATE_STORE,
        "pst",
        "Illegal if %ub_ptris not a UB-space pointer.",
        "PTO0101",
        _GM_PST,
    ),
    Must(
        PREDICATE_STORE,
        "pst",
        "Illegal if the effective address is not 64-bit aligned.",
        "PTO0502",
        _SKEWED,
    ),
    Must(
        PREDICATE_STORE,
        "pst",
        'Illegal if distattribute is not"NORM"or"PK".',
        "PTO0103",
        _BAD_DIST,
    ),
    Must(
        PREDICATE_STORE,
        "pst",
        '"PK" (packed) distribution mode | Not supported | Supported | Supported |',
        "PTO0204",
        _PST.replace("NORM", "PK"),
        target="cpu",
    ),
)
_BF = "!pto.vreg<128xbf16>"
_VECTOR_SCALAR = (
    Must(
        VECTOR_SCALAR,
        "",
        "For 32-bit scalar forms, the scalar source MUST satisfy the backend's legal "
        "scalar-source constraints for this instruction set.",
        reason="binds the compiler: it places the scalar where its backend can read it",
    ),
    *(_same_types(VECTOR_SCALAR, name, _scalar(name, r=S)) for name in ("vmaxs", "vmins")),
    *(
        _integers(VECTOR_SCALAR, name, _scalar(name))
        for name in ("vands", "vors", "vxors", "vshls", "vshrs")
    ),
    Must(
        VECTOR_SCALAR,
        "vlrelu",
        "Only f16 and f32 forms are currently documented for pto.vlrelu.",
        "PTO0102",
        f"%x = pto.vbr %bf : bf16 -> {_BF}\n"
        f"%r = pto.vlrelu %x, %bf, %h : {_BF}, bf16, {M16} -> {_BF}",
    ),
)

MUSTS = (*_OVERVIEW, *_BINARY, *_PREDICATE_STORE, *_VECTOR_SCALAR)
