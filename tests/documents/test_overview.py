"""The overview's three levels of syntax."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptoscope.ir import LEVELS, Level, parse, print_module
from tests.documents.harness import (
    LANES,
    assert_same,
    blank,
    floats,
    registers,
    run,
)

SSA = """\
%vdst = pto.vadd %vsrc0, %vsrc1, %mask
: (!pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32>) -> !pto.vreg<64xf32>
"""

DPS = """\
pto.vadd ins(%vsrc0, %vsrc1, %mask : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32>)
outs(%vdst : !pto.vreg<64xf32>)
"""
ASSEMBLY = """\
vadd %vdst, %vsrc0, %vsrc1 : !pto.vreg<f32, 64>
"""
LOAD = """\
vlds %vreg, %ub_ptr[%offset] {dist = "NORM"} : !pto.ptr<f32, ub>
"""


def added(src0: Any, src1: Any, active: int, stored: int = LANES) -> Any:
    """The document's loop: active lanes are added, others are zero; `stored` lanes of the
    result reach memory."""
    expected = blank()
    with np.errstate(all="ignore"):
        for i in range(stored):
            expected[i] = src0[i] + src1[i] if i < active else 0
    return expected


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("active", [0, 31, 64])
@pytest.mark.parametrize("snippet", [SSA, DPS], ids=["ssa", "dps"])
def test_ssa_and_dps_form(snippet: str, target: str, active: int) -> None:
    kernel = registers(snippet, {"vsrc0": "f32", "vsrc1": "f32"}, {"vdst": "f32"})
    src0, src1, dst = floats(1), floats(2), blank()
    run(kernel, src0, src1, dst, active, target=target)
    assert_same(dst, added(src0, src1, active, active))


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("stored", [0, 31, 64])
def test_assembly_form(target: str, stored: int) -> None:
    """It names no mask, so all lanes are added, whatever part of them is stored."""
    kernel = registers(ASSEMBLY, {"vsrc0": "f32", "vsrc1": "f32"}, {"vdst": "f32"})
    src0, src1, dst = floats(1), floats(2), blank()
    run(kernel, src0, src1, dst, stored, target=target)
    assert_same(dst, added(src0, src1, LANES, stored))


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
def test_all_lanes_of_the_assembly_form_take_part(target: str) -> None:
    everywhere = '%every = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>\n'
    store = "pto.vsts %vdst, %ub_vdst[%start], %every"
    store += " : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>\n"
    for snippet, active in ((ASSEMBLY, LANES), (SSA, 7), (DPS, 7)):
        body = snippet + everywhere + store
        kernel = registers(body, {"vsrc0": "f32", "vsrc1": "f32"}, {"vdst": "f32"})
        src0, src1, dst = floats(1), floats(2), blank()
        # The kernel's own store, of the active lanes only, writes the same once more.
        run(kernel, src0, src1, dst, 7, target=target)
        assert_same(dst, added(src0, src1, active))


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
def test_assembly_load(target: str) -> None:
    names = "%ub_ptr = pto.castptr %at_src : i64 -> !pto.ptr<f32, ub>\n"
    names += "%offset = arith.constant 0 : index\n"
    copy = "vadd %vdst, %vreg, %src, %mask : !pto.vreg<64xf32>"
    kernel = registers(names + LOAD + copy, {"src": "f32"}, {"vdst": "f32"})
    src, dst = floats(3), blank()
    run(kernel, src, dst, LANES, target=target)
    assert_same(dst, added(src, src, LANES))


@pytest.mark.parametrize("form", LEVELS)
@pytest.mark.parametrize("snippet", [SSA, DPS, ASSEMBLY], ids=["ssa", "dps", "asm"])
def test_each_level_runs_as_every_other(snippet: str, form: Level) -> None:
    kernel = registers(snippet, {"vsrc0": "f32", "vsrc1": "f32"}, {"vdst": "f32"})
    src0, src1, dst = floats(1), floats(2), blank()
    run(print_module(parse(kernel), level=form), src0, src1, dst, LANES)
    assert_same(dst, added(src0, src1, LANES))
