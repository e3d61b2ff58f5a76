"""Every kind of undefined data at every place it may arrive: found, and silent when repaired."""

from __future__ import annotations

import pytest

from tests.machine.poison import COPY_OUT as TO_GM
from tests.machine.poison import A, M, P, Pair, V, marked, origin_lines, scope, stored

# How undefined lanes come to be: the code, its repair, and one undefined lane.
NEVER = f"%p = pto.vlds %later[%c0] : {P} -> {V} // from"
INACTIVE = f"%p = pto.vadd %d, %d, %third : {V}, {V}, {M} -> {V} // from"
TAIL = f"""%left = arith.constant 40 : i32
%few, %rest = pto.plt_b32 %left : i32 -> {M}, i32
%p = pto.vadd %d, %d, %few : {V}, {V}, {M} -> {V} // from"""
FLUSH = f"pto.vsta %a1, %q[%o1] : {A}, {P}, index"
STREAM = f"""pto.vsts %d, %later[%c64], %all : {V}, {P}, {M}
%q = pto.addptr %later, %c1 : {P} -> {P}
%a0 = pto.init_align : {A}
%a1, %o1 = pto.vstu %a0, %c0, %d, %q, "POST_UPDATE" : {A}, index, {V}, {P} -> {A}, index // from
// flush
%c8 = arith.constant 8 : index
%p = pto.vlds %later[%c8] : {P} -> {V}"""
ORIGINS = {
    "never written": (NEVER, ("vlds %later", "vlds %in"), 5),
    "inactive lane": (INACTIVE, ("%d, %d, %third", "%d, %d, %all"), 1),
    "beyond a tail": (TAIL, ("constant 40 : i32", "constant 64 : i32"), 40),
    # 260 bytes from the block's start: the last four stay behind, lane 56 from the next block.
    "unflushed align bytes": (STREAM, ("// flush", FLUSH), 56),
}


def _gm(origin: str, lane: int) -> str:
    return scope(origin, stored()) + TO_GM


def _address(origin: str, lane: int) -> str:
    return scope(origin, f"%g = pto.vgather2 %in, %p, %all : {P}, {V}, {M} -> {V} // to")


def _mask(origin: str, lane: int) -> str:
    return scope(
        origin,
        f'%m = pto.vcmps %p, %seven, %all, "lt" : {V}, i32, {M} -> {M}',
        f"pto.vsts %d, %out[%c0], %m : {V}, {P}, {M} // to",
    )


def _branch(origin: str, lane: int) -> str:
    return f"""{scope(origin, stored())}%lane = arith.constant {lane} : index
%s = pto.load_scalar %out[%lane] : {P} -> i32
%low = arith.cmpi slt, %s, %seven : i32
scf.if %low {{ // to
pto.store_scalar %seven, %out[%c0] : {P}, i32
}}"""


ARRIVALS = {"PTO0711": _gm, "PTO0712": _address, "PTO0713": _mask, "PTO0714": _branch}
PAIRS = [
    Pair(f"{kind}, {code}", arrive(origin, lane), fix, code, kind)
    for kind, (origin, fix, lane) in ORIGINS.items()
    for code, arrive in ARRIVALS.items()
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_pair(pair: Pair) -> None:
    """One finding at the line where it arrives, which names the line it comes from."""
    (found,) = pair.run()
    text = pair.text()
    assert found.code == pair.code
    assert [found.line] == marked(text, "to")
    assert found.source_line == text.splitlines()[found.line - 1]
    assert marked(text, "from")[0] in origin_lines(found), found.found
    assert pair.kind in found.found or pair.kind.split()[-1] in found.found
    assert found.severity == pair.severity
    assert found.message
    assert found.expected
    assert found.hint
    assert pair.run(fixed=True) == []


@pytest.mark.parametrize("kind", ORIGINS)
def test_the_first_lane_is_named(kind: str) -> None:
    """The lane in `found`, and in GM the byte that it is copied to."""
    first = {"never written": 0, "inactive lane": 1, "beyond a tail": 40}.get(kind, 56)
    (found,) = next(p for p in PAIRS if p.kind == kind and p.code == "PTO0711").run()
    assert f"lane {first} of " in found.found
    assert f"byte {4 * first} of %y" in found.message
    bytes_ = {"never written": 256, "inactive lane": 42 * 4, "beyond a tail": 24 * 4}.get(kind, 4)
    assert f"{bytes_} bytes in one execution" in found.found


def test_inactive_lanes_are_zero_by_rule_in_micro() -> None:
    """The micro specification makes zeroing the machine's rule; so does the manual's document
    of vector-scalar instructions for those. Elsewhere its overview forbids relying on it."""
    pair = next(p for p in PAIRS if p.kind == "inactive lane" and p.code == "PTO0711")
    micro = Pair("", pair.body, pair.fix, pair.code, pair.kind, revision="micro")
    assert micro.run() == []
    by_scalar = scope(f"%p = pto.vadds %d, %seven, %third : {V}, i32, {M} -> {V}", stored())
    scalar = Pair("", by_scalar + TO_GM, pair.fix, pair.code, pair.kind)
    assert scalar.run() == []
