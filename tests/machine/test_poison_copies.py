"""Which undefined bytes of a copy are an error, and which were copied along on purpose."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.machine.harness import kernel
from tests.machine.poison import COPY_IN, COPY_OUT, HEAD, G, M, P, V, findings, scope, stored

W, WM, WP = "!pto.vreg<128xui16>", "!pto.mask<b16>", "!pto.ptr<ui16, ub>"
HALF = f'%half = pto.pset_b32 "PAT_VL32" : {M}'
FEW = f"""%n = arith.constant 40 : i32
%few, %rest = pto.plt_b32 %n : i32 -> {M}, i32"""
NEXT = f"pto.vsts %d, %out[%c64], %all : {V}, {P}, {M}"
BOTH = COPY_OUT.replace("%register", "%len")


def _out(length: int, source: str = "%out") -> str:
    """A copy of so many bytes."""
    copy = COPY_OUT.replace("%register", "%bytes").replace("%out", source)
    return f"%bytes = arith.constant {length} : i64\n{copy}"


def _written(*elements: int) -> str:
    """The number seven in some elements of the output."""
    return "".join(
        f"%e{i} = arith.constant {i} : index\npto.store_scalar %seven, %out[%e{i}] : {P}, i32\n"
        for i in elements
    )


def _short_row(length: int, rows: int = 1) -> str:
    """Rows of the first array, one after the other, as the output."""
    return f"""%short = arith.constant {length} : i64
%rows = arith.constant {rows} : i64
pto.mte_gm_ub %x, %out, %zero, %short nburst(%rows, %short, %short)
: {G}, {P}, i64, i64, i64, i64, i64
"""


class Case(NamedTuple):
    """What is run, the first undefined byte of the result, how many there are, and from what."""

    body: str
    first: int
    size: int
    kind: str


LEFT, TAIL, NEVER = "left by an inactive lane of pto.vsts", "beyond a tail of pto.", "never written"
GREATER = f'%m = pto.vcmps %d, %seven, %all, "gt" : {V}, i32, {M} -> {M}'
# The input is 0, 1, ..., 49, 0, 1, ..., 13 in the 64 lanes of a register.
ERRORS = {
    "half a register stored": Case(scope(HALF, stored("%d", "%half")) + COPY_OUT, 128, 128, LEFT),
    # Lanes 0, 3, ..., 63: 42 of 64 are left out.
    "every third lane stored": Case(scope(stored("%d", "%third")) + COPY_OUT, 4, 168, LEFT),
    # Not greater than seven are 0 to 7 in lanes 0 to 7 and 50 to 57.
    "squeezed, stored with the mask of its source": Case(
        scope(GREATER, f"%p = pto.vsqz %d, %m : {V}, {M} -> {V}", stored("%p", "%m")) + COPY_OUT,
        0,
        64,
        LEFT,
    ),
    "a b32 mask on 16-bit lanes": Case(
        scope(
            f"%in16 = pto.castptr %in : {P} -> {WP}",
            f"%out16 = pto.castptr %out : {P} -> {WP}",
            f"%p = pto.vlds %in16[%c0] : {WP} -> {W}",
            f"%m = pto.pbitcast %all : {M} -> {WM}",
            f"pto.vsts %p, %out16[%c0], %m : {W}, {WP}, {WM}",
        )
        + COPY_OUT,
        2,
        128,
        LEFT,
    ),
    "a tail of a fixed number": Case(
        scope(HALF.replace("pset", "pge"), stored("%d", "%half")) + COPY_OUT, 128, 128, TAIL
    ),
    # Only those below 40 of 50 lanes: a comparison that looks like a tail.
    "the first lanes by their values": Case(
        scope(
            FEW.replace("40", "50"),
            "%forty = arith.constant 40 : i32",
            f'%m = pto.vcmps %d, %forty, %few, "lt" : {V}, i32, {M} -> {M}',
            stored("%d", "%m"),
        )
        + COPY_OUT,
        160,
        96,
        LEFT,
    ),
    "a short row copied in and a long one out": Case(
        _short_row(100) + COPY_OUT, 100, 156, TAIL + "mte_gm_ub"
    ),
    # Two rows of 96 are 192 bytes in one piece.
    "two short rows": Case(_short_row(96, 2) + COPY_OUT, 192, 64, TAIL + "mte_gm_ub"),
    "a hole": Case(_written(0, 2) + _out(12), 4, 4, NEVER),
    # The first element is left out of a copy that starts too early; the third is a hole.
    "a hole and what is before": Case(_written(1, 3) + _out(16), 8, 8, NEVER),
    "a tail between": Case(scope(FEW, stored("%d", "%few"), NEXT) + BOTH, 160, 96, TAIL + "vsts"),
    "a tail alone": Case(
        scope(FEW, stored("%d", "%few"))
        + f"%forty = arith.constant 40 : index\n%end = pto.addptr %out, %forty : {P} -> {P}\n"
        + _out(96, "%end"),
        0,
        96,
        TAIL + "vsts",
    ),
    # 256 bytes are 8 blocks of 32.
    "moved in UB before": Case(
        scope(HALF, stored("%d", "%half"))
        + "%blocks = arith.constant 8 : i64\n"
        + "pto.mte_ub_ub %out, %later, %blocks nburst(%one, %zero, %zero) : "
        + f"{P}, {P}, i64, i64, i64, i64\n"
        + _out(256, "%later"),
        128,
        128,
        LEFT,
    ),
}
WARNINGS = {
    "a tail": Case(scope(FEW, stored("%d", "%few")) + COPY_OUT, 160, 96, TAIL + "vsts"),
    "a tail that logic leaves as it is": Case(
        scope(FEW, f"%k = pto.pand %few, %all, %all : {M}, {M}, {M} -> {M}", stored("%d", "%k"))
        + COPY_OUT,
        160,
        96,
        TAIL + "vsts",
    ),
    # The first half of a b16 mask of 40 lanes, as one of b32: the same 40 lanes.
    "a tail of narrower lanes": Case(
        scope(
            FEW.replace("b32", "b16"),
            f'%u = pto.punpack %few, "LOWER" : {WM} -> {WM}',
            f"%k = pto.pbitcast %u : {WM} -> {M}",
            stored("%d", "%k"),
        )
        + COPY_OUT,
        160,
        96,
        TAIL + "vsts",
    ),
    "one element of a row": Case(
        scope(f'pto.vsts %d, %out[%c0], %all {{dist = "1PT_B32"}} : {V}, {P}, {M}') + COPY_OUT,
        4,
        252,
        NEVER,
    ),
    "a whole row": Case(
        scope(stored("%d"))
        + "%two = arith.constant 2 : i64\n"
        + COPY_OUT.replace("nburst(%one", "nburst(%two"),
        256,
        256,
        NEVER,
    ),
    "before what was stored": Case(scope(NEXT) + BOTH, 0, 256, NEVER),
    "whole registers copied in as short rows": Case(_short_row(128, 2) + BOTH, 256, 256, NEVER),
    # The lanes that the store leaves out are the next buffer, which is copied without it.
    "a neighbour": Case(
        scope(HALF, f"pto.vsts %d, %later[%c0], %half : {V}, {P}, {M}")
        + f"%far = arith.constant 32 : index\n%next = pto.addptr %later, %far : {P} -> {P}\n"
        + f"pto.store_scalar %seven, %next[%c0] : {P}, i32\n"
        + _out(8, "%next"),
        4,
        4,
        LEFT,
    ),
}


SILENT = {
    "half stored and copied": scope(HALF, stored("%d", "%half")) + _out(128),
    "a tail stored and copied": scope(FEW, stored("%d", "%few")) + _out(160),
    "the other lanes stored too": scope(
        f"%others = pto.pnot %third, %all : {M}, {M} -> {M}",
        stored("%d", "%third"),
        stored("%d", "%others"),
    )
    + COPY_OUT,
    "stored before": scope(stored("%d"), HALF, stored("%d", "%half")) + COPY_OUT,
    "a hole filled": _written(0, 2, 1) + _out(12),
    "a short row in and out": _short_row(100) + _out(100),
}


def _found(case: Case, severity: str) -> None:
    (found,) = findings(kernel(f"%x: {G}, %y: {G}", HEAD + COPY_IN + case.body))
    assert (found.code, found.severity) == ("PTO0711", severity)
    assert f"byte {case.first} of %y" in found.message
    assert f"{case.size} bytes in one execution" in found.found
    assert case.kind in found.found


@pytest.mark.parametrize("name", ERRORS)
def test_an_error(name: str) -> None:
    _found(ERRORS[name], "error")


@pytest.mark.parametrize("name", WARNINGS)
def test_copied_along(name: str) -> None:
    _found(WARNINGS[name], "warning")


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert findings(kernel(f"%x: {G}, %y: {G}", HEAD + COPY_IN + SILENT[name])) == []


def test_one_error_among_iterations_is_what_is_said() -> None:
    """Iteration 0 copies what follows its element along; 1 fills the third and leaves a hole."""
    iterations = f"""scf.for %i = %c0 to %c2 step %c1 {{
%at = arith.muli %i, %c2 : index
pto.store_scalar %seven, %out[%at] : {P}, i32
{_out(16)}}}"""
    (found,) = findings(kernel(f"%x: {G}, %y: {G}", HEAD + iterations))
    assert found.severity == "error"
    assert found.message.endswith("byte 4 of %y (at %i = 1)")
    # Elements 1 to 3, then 1 and 3.
    assert "20 bytes in 2 executions" in found.found


STALE = f"""scf.for %i = %c0 to %c2 step %c1 {{
%second = arith.cmpi eq, %i, %c1 : index
%short = arith.constant 128 : i64
%size = arith.select %second, %short, %register : i64
pto.mte_gm_ub %x, %in, %zero, %size nburst(%one, %size, %size) : {G}, {P}, i64, i64, i64, i64, i64
{scope(stored("%d"))}{COPY_OUT}}}"""


def test_old_data_beyond_a_shorter_tile_is_defined() -> None:
    """The second tile is half as long, and the first one's other half goes out with it."""
    assert findings(kernel(f"%x: {G}, %y: {G}", HEAD + STALE)) == []
    short_first = STALE.replace("arith.cmpi eq", "arith.cmpi ne")
    (found,) = findings(kernel(f"%x: {G}, %y: {G}", HEAD + short_first))
    assert found.severity == "error"
    assert "128 bytes in one execution" in found.found
