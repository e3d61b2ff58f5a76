"""What is called a tail, what an inactive lane, and which lane is named."""

from __future__ import annotations

import pytest

from ptoscope.diagnostics import Diagnostic
from tests.machine.harness import kernel
from tests.machine.poison import COPY_IN, COPY_OUT, HEAD, G, M, V, findings, scope, stored

PARTLY = f"%p = pto.vadd %d, %d, %some : {V}, {V}, {M} -> {V}"
COUNTED = f"""%n = arith.constant 40 : i32
%some, %rest = pto.plt_b32 %n : i32 -> {M}, i32"""
MASKS = {
    # The mask, whether it is a tail, and its first inactive lane.
    "plt": (COUNTED, True, 40),
    "pge": (f'%some = pto.pge_b32 "PAT_VL32" : {M}', True, 32),
    "plt of no element": (COUNTED.replace("40", "0"), True, 0),
    "a pattern of some lanes": (f'%some = pto.pset_b32 "PAT_VL32" : {M}', False, 32),
    "the lower half": (f'%some = pto.pge_b32 "PAT_H" : {M}', False, 32),
    "every fourth": (f'%some = pto.pset_b32 "PAT_M4" : {M}', False, 1),
    "the lanes after a tail": (
        COUNTED.replace("%some", "%few") + f"\n%some = pto.pnot %few, %all : {M}, {M} -> {M}",
        False,
        0,
    ),
}


def _one(*lines: str) -> Diagnostic:
    body = HEAD + COPY_IN + scope(*lines) + COPY_OUT
    (found,) = findings(kernel(f"%x: {G}, %y: {G}", body))
    return found


@pytest.mark.parametrize("name", MASKS)
def test_mask(name: str) -> None:
    """The remedy for a tail is less to copy, or padding; for inactive lanes a merge."""
    mask, is_tail, lane = MASKS[name]
    found = _one(mask, PARTLY, stored())
    assert f"lane {lane} of pto.vadd" in found.found
    assert ("beyond the tail of its mask" in found.found) == is_tail
    assert ("an inactive lane" in found.found) != is_tail
    assert ("tail" in found.hint) == is_tail
    assert ("pto.vsel" in found.hint) != is_tail


def test_a_store_that_leaves_lanes_out_says_what_to_do() -> None:
    found = _one(MASKS["every fourth"][0], stored("%d", "%some"))
    assert "pto.vsel" in found.hint
    assert "copy only what was stored" in found.hint


@pytest.mark.parametrize("reduction", ["vcadd", "vcmax", "vcmin", "vcgadd", "vcgmax", "vcpadd"])
def test_the_first_lane_of_a_reduction_is_named(reduction: str) -> None:
    """Of lanes 40 to 63, whatever the order of the reduction: the result's first undefined
    element is that of 40 and the lanes after it."""
    found = _one(COUNTED, PARTLY, f"%r = pto.{reduction} %p, %all : {V}, {M} -> {V}", stored("%r"))
    assert "lane 40 of pto.vadd" in found.found


def test_the_first_of_two_instructions_is_named() -> None:
    """A sum of two rows in which the same lanes are undefined: the row that was made first."""
    second = PARTLY.replace("%p", "%q").replace("vadd", "vsub")
    for operands in ("%p, %q", "%q, %p"):
        found = _one(
            COUNTED, PARTLY, second, f"%r = pto.vmul {operands}, %all : {V}, {V}, {M} -> {V}",
            stored("%r"),
        )  # fmt: skip
        assert "lane 40 of pto.vadd" in found.found
