"""Other ways for undefined data to come and to arrive, each with its repaired twin."""

from __future__ import annotations

import pytest

from tests.machine.poison import (
    COPY_IN,
    HEAD,
    G,
    M,
    P,
    Pair,
    V,
    marked,
    origin_lines,
    scope,
    stored,
)
from tests.machine.poison import COPY_OUT as TO_GM

LOAD = f"%s = pto.load_scalar %later[%c0] : {P} -> i32 // from\n"
READ = ("load_scalar %later", "load_scalar %in")
NUMBER = "%i = arith.index_cast %s : i32 to index\n"
WIDE = "%w = arith.extsi %s : i32 to i64\n"
NEVER = f"%p = pto.vlds %later[%c0] : {P} -> {V} // from"
LOADED = ("vlds %later", "vlds %in")


LOOP = """%r = scf.while (%n = %s) : (i32) -> i32 {
%more = arith.cmpi sgt, %n, %seven : i32
scf.condition(%more) %n : i32 // to
} do {
^bb0(%k: i32):
%half = arith.shrui %k, %seven : i32
scf.yield %half : i32
}
"""
PAIRS = [
    Pair(
        "a loop bound",
        f"{LOAD}{NUMBER}scf.for %k = %c0 to %i step %c1 {{ // to\n}}",
        READ,
        "PTO0714",
        "never written",
    ),
    Pair("scf.while", LOAD + LOOP, READ, "PTO0714", "never written"),
    Pair(
        "a division that may fault",
        f"{LOAD}%t = arith.xori %s, %seven : i32\n%r = arith.divui %seven, %t : i32 // to",
        READ,
        "PTO0714",
        "never written",
    ),
    Pair(
        "a slide",
        LOAD
        + "%t = arith.trunci %s : i32 to i16\n"
        + scope(f"%p = pto.vslide %d, %d, %t : {V}, {V}, i16 -> {V} // to"),
        READ,
        "PTO0714",
        "never written",
    ),
    Pair(
        "a pointer",
        f"{LOAD}{NUMBER}%q = pto.addptr %in, %i : {P} -> {P}\n"
        + scope(f"%p = pto.vlds %q[%c0] : {P} -> {V} // to"),
        READ,
        "PTO0712",
        "never written",
    ),
    Pair(
        "an offset",
        LOAD + NUMBER + scope(f"pto.vsts %d, %out[%i], %all : {V}, {P}, {M} // to"),
        READ,
        "PTO0712",
        "never written",
    ),
    Pair(
        "a copied length",
        f"{LOAD}{WIDE}" + scope(stored("%d")) + TO_GM.replace("%y, %register", "%y, %w"),
        READ,
        "PTO0712",
        "never written",
    ),
    Pair(
        "a scalar to GM",
        f"{LOAD}pto.store_scalar %s, %y[%c0] : {G}, i32 // to",
        READ,
        "PTO0711",
        "never written",
    ),
    Pair(
        "a scatter index",
        scope(NEVER, f"pto.vscatter %d, %out, %p, %one_lane : {V}, {P}, {V}, index // to").replace(
            "pto.vecscope", "%one_lane = arith.constant 1 : index\npto.vecscope"
        ),
        LOADED,
        "PTO0712",
        "never written",
    ),
    Pair(
        "a mask from memory",
        scope(
            f'%m = pto.plds %later[%c0], "NORM" : {P}, index -> {M} // from',
            f"pto.vsts %d, %out[%c0], %m : {V}, {P}, {M} // to",
        ),
        ("plds %later", "plds %in"),
        "PTO0713",
        "never written",
    ),
    Pair(
        "a tail count",
        LOAD
        + scope(
            f"%m, %rest = pto.plt_b32 %s : i32 -> {M}, i32",
            f"pto.vsts %d, %out[%c0], %m : {V}, {P}, {M} // to",
        ),
        READ,
        "PTO0713",
        "never written",
    ),
    Pair(
        "a gather's mask",
        scope(
            NEVER,
            f'%m = pto.vcmps %p, %seven, %all, "lt" : {V}, i32, {M} -> {M}',
            f"%g = pto.vgather2 %in, %d, %m : {P}, {V}, {M} -> {V} // to",
        ),
        LOADED,
        "PTO0713",
        "never written",
    ),
    Pair(
        # The stream took the block before it was written: the store comes too late for it.
        "a block that was primed too early",
        scope(
            "// before",
            f"%s = pto.vldas %later : {P} -> !pto.align",
            f"pto.vsts %d, %later[%c0], %all : {V}, {P}, {M}",
            f"%p, %t = pto.vldus %later, %s : {P}, !pto.align -> {V}, !pto.align // from",
            stored(),
        )
        + TO_GM,
        ("// before", f"pto.vsts %d, %later[%c0], %all : {V}, {P}, {M}"),
        "PTO0711",
        "never written",
    ),
    Pair(
        "a squeezed length",
        scope(
            NEVER,
            f'%m = pto.vcmps %p, %seven, %all, "lt" : {V}, i32, {M} -> {M}',
            f"%z = pto.vsqz %d, %m : {V}, {M} -> {V}",
            'pto.sprclr "AR"',
            "%a0 = pto.init_align : !pto.align",
            f'%a1 = pto.vstur %a0, %z, %out, "NO_POST_UPDATE" : !pto.align, {V}, {P} -> !pto.align'
            " // to",
            f"pto.vstar %a1, %out : !pto.align, {P}",
        ),
        LOADED,
        "PTO0712",
        "never written",
        revision="micro",
    ),
    Pair(
        "an event",
        f'{LOAD}{NUMBER}pto.set_flag["PIPE_V", "PIPE_MTE3", %i] // to',
        READ,
        "PTO0714",
        "never written",
    ),
    Pair(
        "a forgotten store",
        scope() + TO_GM,
        ("}\n", f"{stored('%d')}\n}}\n"),
        "PTO0711",
        "never written",
    ),
    Pair(
        "more copied out than stored",
        scope(stored("%d")) + TO_GM.replace("%register", "%len"),
        (f"{stored('%d')}\n", f"{stored('%d')}\npto.vsts %d, %out[%c64], %all : {V}, {P}, {M}\n"),
        "PTO0711",
        "never written",
        severity="warning",
    ),
    Pair(
        "a row that ends in a register",
        scope(f"%p = pto.vlds %later[%c0] : {P} -> {V} // from", stored()) + TO_GM,
        ("%short = arith.constant 100", "%short = arith.constant 256"),
        "PTO0711",
        "beyond a tail",
        head=HEAD + COPY_IN + "%short = arith.constant 100 : i64\n"
        f"pto.mte_gm_ub %x, %later, %zero, %short nburst(%one, %len, %len) : "
        f"{G}, {P}, i64, i64, i64, i64, i64 // from\n",
    ),
    Pair(
        "an array left undefined",
        scope(stored("%d")) + TO_GM,
        ("%d", "%d"),
        "PTO0711",
        "never written",
        undefined=(0,),
    ),
    Pair(
        "undefined padding",
        LOAD + "pto.mte_gm_ub %x, %out, %zero, %pad_len nburst(%one, %len, "
        f"%zero) pad(%s) : {G}, {P}, i64, i64, i64, i64, i64, pad i32\n" + TO_GM,
        READ,
        "PTO0711",
        "never written",
        head=HEAD + COPY_IN + "%pad_len = arith.constant 228 : i64\n",
    ),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_pair(pair: Pair) -> None:
    text = pair.text()
    (found,) = pair.run()
    assert found.code == pair.code, str(found)
    assert [found.line] == marked(text, "to")
    assert found.severity == pair.severity
    assert pair.kind in found.found
    for line in marked(text, "from"):
        assert line in origin_lines(found), found.found
    if pair.undefined:
        # The text is right: the repaired twin is the same kernel on an array that is defined.
        assert "of %x" in found.found
        assert pair.run(fixed=False) != []
        assert Pair("", pair.body, pair.fix, "", "").run() == []
    else:
        assert pair.run(fixed=True) == []
