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
    return Must(document, name, "the result has the type of the operands", "PTO0101", body)


def _integers(document: str, name: str, body: str) -> Must:
    return Must(document, name, "the elements are integers", "PTO0102", body)


_ON_A2A3 = f"%r = pto.vselr %v, %u : {F}, {U} -> {F}"
_OVERVIEW = (
    Must(
        OVERVIEW,
        "",
        "a description of instructions states width, predication, space, hand-off and targets",
        reason="is about documents: the reference pages state these five",
    ),
    Must(
        OVERVIEW,
        "vselr",
        "8-bit floats, unaligned stores and pair selects are A5's (shared constraints)",
        "PTO0201",
        _ON_A2A3,
        target="a2a3",
    ),
    Must(
        OVERVIEW,
        "",
        "a program does not depend on what lanes hold that are switched off",
        reason=DEPENDENCE,
    ),
    Must(
        OVERVIEW,
        "vstu",
        "a stream of unaligned stores ends with a flush",
        "PTO0402",
        VSTU_B,
    ),
    Must(
        OVERVIEW,
        "vstar",
        "the flush, too, is A5's",
        "PTO0201",
        f"{STREAM}\npto.vstar %b, %odd : {A}, {P}",
        target="a2a3",
    ),
    Must(
        OVERVIEW,
        "vadd",
        "a mask has one bit per lane of the vector (constraints)",
        "PTO0101",
        _binary("vadd", mask=M16, values="%v, %w, %h"),
    ),
    Must(
        OVERVIEW,
        "vlds",
        "on A5 a NORM load is at a multiple of 32 bytes",
        "PTO0502",
        MISPLACED,
    ),
    Must(
        OVERVIEW,
        "vstur",
        "neither the CPU nor A2/A3 have unaligned stores (constraints)",
        "PTO0201",
        f"{STREAM}\npto.vstar %b, %odd : {A}, {P}",
        target="a2a3",
    ),
    Must(
        OVERVIEW,
        "vadd",
        "no operand is converted on the way",
        "PTO0101",
        f"%r = pto.vadd %v, %i, %m : {F}, {S}, {M} -> {F}",
    ),
    Must(
        OVERVIEW,
        "vadd",
        "a mask has one bit per lane of the vector (not allowed otherwise)",
        "PTO0101",
        _binary("vadd", mask=M16, values="%v, %w, %h"),
    ),
    Must(
        OVERVIEW,
        "vlds",
        "an access is aligned as its target demands",
        "PTO0502",
        MISPLACED,
    ),
    Must(
        OVERVIEW,
        "",
        "nothing follows from lanes that are switched off (not allowed otherwise)",
        reason=DEPENDENCE,
    ),
    Must(
        OVERVIEW,
        "vstu",
        "neither the CPU nor A2/A3 have unaligned stores (not allowed otherwise)",
        "PTO0201",
        f"{VSTU_B}\npto.vstar %b, %odd : {A}, {P}",
        target="cpu",
    ),
    Must(
        OVERVIEW,
        "vmax",
        "the vectors of an operation are of one type",
        "PTO0101",
        f"%r = pto.vmax %v, %i, %m : {F}, {S}, {M} -> {F}",
    ),
    Must(
        OVERVIEW,
        "vsts",
        "a store waits for the copy into the place it writes",
        "PTO0607",
        STORE,
        before=f"{ARRIVED}\n{REFILL}",
    ),
    Must(
        OVERVIEW,
        "vselr",
        "pair selects and unaligned stores are A5's (list of operations)",
        "PTO0201",
        _ON_A2A3,
        target="cpu",
    ),
    Must(
        OVERVIEW,
        "vlds",
        "so is every use of 8-bit floats",
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
        "operands and result are of one shape and type",
        "PTO0101",
        f"%r = pto.vsub %v, %i, %m : {F}, {S}, {M} -> {F}",
    ),
    Must(BINARY, "get_buf", "buffer ids order the pipes without events", reason=NOT_A_RULE),
    *(_same_types(BINARY, name, _binary(name, r=S)) for name in ("vadd", "vsub", "vmax", "vmin")),
    Must(
        BINARY,
        "vmul",
        "A5 does not multiply bytes",
        "PTO0202",
        f"{BYTES}\n%x = pto.vlds %p[%c0] : !pto.ptr<i8, ub> -> {B}\n"
        '%y = pto.pset_b8 "PAT_ALL" : !pto.mask<b8>\n'
        f"%r = pto.vmul %x, %x, %y : {B}, {B}, !pto.mask<b8> -> {B}",
    ),
    Must(
        BINARY,
        "vdiv",
        "the elements are floats",
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
        "bits behind those of the element type are not stored",
        reason=NOT_A_RULE,
    ),
    Must(PREDICATE_STORE, "pst", "the pointer is of UB (constraints)", "PTO0101", _GM_PST),
    Must(
        PREDICATE_STORE,
        "pst",
        "the address is a multiple of 8 bytes (constraints)",
        "PTO0502",
        _SKEWED,
    ),
    Must(PREDICATE_STORE, "pst", "no other address is legal", "PTO0502", _SKEWED),
    Must(PREDICATE_STORE, "pst", "the mode is NORM or PK (constraints)", "PTO0103", _BAD_DIST),
    Must(
        PREDICATE_STORE,
        "pst",
        "the 64 bits stored are those of 64 lanes",
        "PTO0101",
        _PST.replace("%m,", "%h,").replace(M, M16),
    ),
    Must(
        PREDICATE_STORE,
        "pst",
        "the pointer is of UB (exceptions)",
        "PTO0101",
        _GM_PST,
    ),
    Must(
        PREDICATE_STORE,
        "pst",
        "the address is a multiple of 8 bytes (exceptions)",
        "PTO0502",
        _SKEWED,
    ),
    Must(
        PREDICATE_STORE,
        "pst",
        "the mode is NORM or PK (exceptions)",
        "PTO0103",
        _BAD_DIST,
    ),
    Must(
        PREDICATE_STORE,
        "pst",
        "the CPU lacks mode PK",
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
        "a 32-bit scalar comes from where the backend can take it",
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
        "leaky ReLU takes f16 and f32",
        "PTO0102",
        f"%x = pto.vbr %bf : bf16 -> {_BF}\n"
        f"%r = pto.vlrelu %x, %bf, %h : {_BF}, bf16, {M16} -> {_BF}",
    ),
)

MUSTS = (*_OVERVIEW, *_BINARY, *_PREDICATE_STORE, *_VECTOR_SCALAR)
