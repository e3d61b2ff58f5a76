"""Pairs about loads and stores inside a vecscope."""

from __future__ import annotations

from ..check.pipes import M, P, V, branch, load, loop, scope, store
from .kernels import EARLY, LATE, Pair
from .pairs_flags import MADE, plus

A = "!pto.align"
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


def carrying(*lines: str, yields: str, results: str = "%end") -> str:
    """A loop over the rows at %at that carries %prev, which is %w at first."""
    rows = "\n".join(("%at = arith.muli %i, %i64 : index", *lines))
    return (
        f"{results} = scf.for %i = %i0 to %n step %i1 iter_args(%prev = %w) -> ({V}) {{\n"
        f"{rows}\nscf.yield {yields} : {V}\n}}"
    )


def waiting(*lines: str, yields: str) -> str:
    """The same with scf.while."""
    rows = "\n".join(("%at = arith.muli %j, %i64 : index", *lines))
    return (
        f"%end, %count = scf.while (%prev = %w, %k = %i0) : ({V}, index) -> ({V}, index) {{\n"
        "%go = arith.cmpi slt, %k, %n : index\n"
        f"scf.condition(%go) %prev, %k : {V}, index\n}} do {{\n"
        f"^bb0(%p: {V}, %j: index):\n{rows}\n"
        f"%next = arith.addi %j, %i1 : index\nscf.yield {yields}, %next : {V}, index\n}}"
    )


def _sign(value: str, made: str) -> str:
    return f"{made} = pto.vabs {value}, %m : {V}, {M} -> {V}"


_CARRIED = {
    "a store of what the iteration before has loaded": Pair(
        [
            scope(
                MADE,
                carrying(
                    load("%u", "%b", "%at") + EARLY,
                    plus(_bar("VLD_VST")),
                    store("%prev", "%b", "%at") + LATE,
                    yields="%u",
                ),
            )
        ],
        "PTO0703",
        "WAR",
        3,
    ),
    "the same with scf.while": Pair(
        [
            scope(
                MADE,
                waiting(
                    load("%u", "%b", "%at") + EARLY,
                    plus(_bar("VV_ALL")),
                    store("%p", "%b", "%at") + LATE,
                    yields="%u",
                ),
            )
        ],
        "PTO0703",
        "WAR",
        3,
    ),
    "the last that a loop loaded over the first": Pair(
        [
            scope(
                MADE,
                carrying(
                    load("%u", "%b", "%at") + EARLY,
                    plus(f"%sum = pto.vadd %prev, %u, %m : {V}, {V}, {M} -> {V}"),
                    plus(_sign("%u", "%sum"), "-"),
                    yields="%sum",
                ),
                store("%end", "%b") + LATE,
            )
        ],
        "PTO0703",
        "WAR",
    ),
    "a branch that chooses what another load gave": Pair(
        [
            scope(
                load("%u", "%b") + EARLY,
                load("%t", "%c"),
                plus(f"%r = scf.if %no -> ({V}) {{", "-"),
                plus(f"%r = scf.if %yes -> ({V}) {{"),
                _sign("%u", "%one"),
                f"scf.yield %one : {V}\n}} else {{",
                _sign("%t", "%two"),
                f"scf.yield %two : {V}\n}}",
                store("%r", "%b") + LATE,
            )
        ],
        "PTO0703",
        "WAR",
    ),
    "a stream primed with what was just stored": Pair(
        [
            scope(
                MADE,
                store("%w") + EARLY,
                plus(_bar("VST_VLD")),
                f"%s = pto.vldas %b : {P} -> {A}{LATE}",
            )
        ],
        "PTO0703",
        "RAW",
    ),
    "a store into the block that a stream was primed with": Pair(
        [
            scope(
                MADE,
                f"%s = pto.vldas %b : {P} -> {A}{EARLY}",
                plus(_bar("VLD_VST")),
                store("%w") + LATE,
            )
        ],
        "PTO0703",
        "WAR",
    ),
    "a pointer that a load moved on": Pair(
        [
            scope(
                MADE,
                f"%s = pto.vldas %b : {P} -> {A}",
                _bar("VLD_VST"),
                f"%u, %t, %p = pto.vldus %b, %s : {P}, {A} -> {V}, {A}, {P}{EARLY}",
                "%row = arith.constant -64 : index",
                f"%q = pto.addptr %p, %row : {P} -> {P}",
                plus(_bar("VLD_VST")),
                store("%w", "%q") + LATE,
            )
        ],
        "PTO0703",
        "WAR",
    ),
    "one name for what every iteration loads anew": Pair(
        [
            scope(
                plus(load("%u", "%a")),
                loop(
                    "%at = arith.muli %i, %i64 : index",
                    plus(load("%u", "%a", "%at"), "-"),
                    store("%u") + LATE,
                    "%q = arith.cmpi eq, %i, %i0 : index",
                    branch("%q", [store("%u") + EARLY]),
                ),
            )
        ],
        "PTO0703",
        "WAW",
        2,
    ),
}
"""What is ordered, or the same, only if the iterations are not looked at."""

SCOPES = {
    **_CARRIED,
    **{f"no mem_bar {token}": _kinds(token, "", token) for token in _KINDS},
    "the family of vector accesses": _kinds("VST_VLD", "VS_ALL", "VV_ALL"),
    "the family of vector, then scalar": _kinds("VST_LD", "VV_ALL", "VS_ALL"),
    "the family of scalar, then vector": _kinds("ST_VLD", "VS_ALL", "SV_ALL"),
    "a mem_bar the wrong way round": _kinds("VST_VLD", "VLD_VST", "VST_VLD"),
    "the next iteration loads what this one stored": Pair(
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
    "the same in every iteration of a loop around": Pair(
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
