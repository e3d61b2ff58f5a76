"""Pairs about loads and stores inside a vecscope."""

from __future__ import annotations

from ..check.pipes import M, P, V, load, loop, scope, store
from .kernels import EARLY, LATE, Pair
from .pairs_flags import MADE, plus

I = "!pto.vreg<64xi32>"  # noqa: E741
_STORE = f"pto.store_scalar %f, %b[%i0] : {P}, f32"
_LOAD = f"%s = pto.load_scalar %b[%i0] : {P} -> f32"
_OTHER = f"%g = arith.constant 2.0 : f32\n%z = pto.vbr %g : f32 -> {V}"
_KINDS = {
    "VST_VLD": (store("%w"), load("%u", "%b"), "RAW"),
    "VLD_VST": (load("%u", "%b"), store("%w"), "WAR"),
    "VST_VST": (store("%w"), store("%z"), "WAW"),
    "VST_LD": (store("%w"), _LOAD, "RAW"),
    "VLD_ST": (load("%u", "%b"), _STORE, "WAR"),
    "VST_ST": (store("%w"), _STORE, "WAW"),
    "ST_VLD": (_STORE, load("%u", "%b"), "RAW"),
    "LD_VST": (_LOAD, store("%w"), "WAR"),
    "ST_VST": (_STORE, store("%w"), "WAW"),
}
"""Two accesses for every mem_bar that orders two kinds."""


def _bar(token: str) -> str:
    return f'pto.mem_bar "{token}"'


def _kinds(token: str, wrong: str, right: str) -> Pair:
    early, late, kind = _KINDS[token]
    body = [early + EARLY, plus(_bar(wrong), "-") if wrong else "", plus(_bar(right)), late + LATE]
    return Pair([scope(MADE, _OTHER, *filter(None, body))], "PTO0703", kind)


SCOPES = {
    **{f"no mem_bar {token}": _kinds(token, "", token) for token in _KINDS},
    "the family of vector accesses": _kinds("VST_VLD", "VS_ALL", "VV_ALL"),
    "the family of vector, then scalar": _kinds("VST_LD", "VV_ALL", "VS_ALL"),
    "the family of scalar, then vector": _kinds("ST_VLD", "VS_ALL", "SV_ALL"),
    "a mem_bar the wrong way round": _kinds("VST_VLD", "VLD_VST", "VST_VLD"),
    "the next turn loads what this one stored": Pair(
        [
            scope(
                loop(
                    load("%u", "%b") + LATE,
                    f"%w = pto.vabs %u, %m : {V}, {M} -> {V}",
                    store("%w") + EARLY,
                    plus(_bar("VST_VLD")),
                )
            )
        ],
        "PTO0703",
        "RAW",
        2,
    ),
    "the same in every turn of a loop around": Pair(
        [loop(scope(MADE, store("%w") + EARLY, plus(_bar("VV_ALL")), load("%u", "%b") + LATE))],
        "PTO0703",
        "RAW",
        3,
    ),
    "lanes that are switched off": Pair(
        [
            scope(
                MADE,
                f'%few = pto.pset_b32 "PAT_VL8" : {M}',
                plus(store("%w", mask="%m") + EARLY, "-"),
                plus(store("%w", mask="%few") + EARLY),
                load("%u", "%b", "%i32") + LATE,
            )
        ],
        "PTO0703",
        "RAW",
    ),
    "a gather of what was stored": Pair(
        [
            scope(
                MADE,
                "%zero = arith.constant 0 : i32",
                f"%at = pto.vci %zero : i32 -> {I}",
                store("%w") + EARLY,
                plus(_bar("VST_VLD")),
                f"%u = pto.vgather2 %b, %at, %m : {P}, {I}, {M} -> {V}{LATE}",
            )
        ],
        "PTO0703",
        "RAW",
    ),
    "a scatter over what was loaded": Pair(
        [
            scope(
                MADE,
                "%zero = arith.constant 0 : i32",
                f"%at = pto.vci %zero : i32 -> {I}",
                load("%u", "%b") + EARLY,
                plus(_bar("VLD_VST")),
                f"pto.vscatter %w, %b, %at, %m : {V}, {P}, {I}, {M}{LATE}",
            )
        ],
        "PTO0703",
        "WAR",
    ),
    "a stream that is read back": Pair(
        [
            scope(
                MADE,
                "%zero = arith.constant 0 : i32",
                "%s0 = pto.init_align : !pto.align",
                f'%s1, %p1 = pto.vstus %s0, %zero, %w, %b, "POST_UPDATE" : !pto.align, i32, {V},'
                f" {P} -> !pto.align, {P}{EARLY}",
                f"pto.vstas %s1, %p1, %zero : !pto.align, {P}, i32",
                plus(_bar("VST_VLD")),
                load("%u", "%b") + LATE,
            )
        ],
        "PTO0703",
        "RAW",
    ),
    "a mask that is read back": Pair(
        [
            scope(
                f'pto.psts %m, %b[%i0], "NORM" : {M}, {P}, index{EARLY}',
                plus(_bar("VST_VLD")),
                f'%u = pto.plds %b[%i0], "NORM" : {P}, index -> {M}{LATE}',
            )
        ],
        "PTO0703",
        "RAW",
    ),
}
