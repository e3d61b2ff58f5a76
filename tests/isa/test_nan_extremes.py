"""Extremes of a NaN: which instructions give NaN, and which pass it over."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from tests.isa.elements import Element
from tests.isa.harness import array, copy_in, copy_out, mask_type, vreg

NANS = {
    "f16": (0x7E00, 0xFE00, 0x7C01, 0xFC01, 0x7E05, 0x7FFF, 0xFFFF),
    "bf16": (0x7FC0, 0xFFC0, 0x7F81, 0xFF81, 0x7FC5, 0x7FFF, 0xFFFF),
    "f32": (0x7FC00000, 0xFFC00000, 0x7F800001, 0xFF800001, 0x7FC00005, 0x7FFFFFFF, 0xFFFFFFFF),
}
"""Quiet, negative, signalling, with a payload, with all bits set."""
CANONICAL = {"f16": 0x7E00, "bf16": 0x7FC0, "f32": 0x7FC00000}
NUMBERS = {
    "f16": (0, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00),
    "bf16": (0, 0x8000, 0x3F80, 0xBF80, 0x7F80, 0xFF80),
    "f32": (0, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000),
}
"""Zeros, ones and infinities of both signs."""
FORMATS = pytest.mark.parametrize("dtype", NANS)
BOTH = pytest.mark.parametrize("engine", ["reference", "native"])


def _run(body: str, dtype: str, left: list[int], right: list[int], revision: str, engine: str):
    """`%r` of one row `%a` of values, one row `%b`, and `%s`, which is lane 0 of `%b`."""
    e = Element(dtype)
    v, gm, ub = vreg(e), f"!pto.ptr<{dtype}, gm>", f"!pto.ptr<{dtype}, ub>"
    text = f"""\
func.func @kernel(%x: {gm}, %y: {gm}, %z: {gm}) {{
  %rows = arith.constant 1 : i64
  %c0_i64 = arith.constant 0 : i64
  %c256_i64 = arith.constant 256 : i64
  %c512_i64 = arith.constant 512 : i64
  %zero = arith.constant 0 : index
  %ux = pto.castptr %c0_i64 : i64 -> {ub}
  %uy = pto.castptr %c256_i64 : i64 -> {ub}
  %uz = pto.castptr %c512_i64 : i64 -> {ub}
  {copy_in("%x", "%ux", e)}
  {copy_in("%y", "%uy", e)}
  pto.barrier #pto.pipe<PIPE_ALL>
  pto.vecscope {{
    %m = pto.pset_b{e.bits} "PAT_ALL" : {mask_type(e)}
    %a = pto.vlds %ux[%zero] : {ub} -> {v}
    %b = pto.vlds %uy[%zero] : {ub} -> {v}
    %s = pto.load_scalar %y[%zero] : {gm} -> {dtype}
    {body}
    pto.vsts %r, %uz[%zero], %m : {v}, {ub}, {mask_type(e)}
  }}
  pto.barrier #pto.pipe<PIPE_ALL>
  {copy_out("%uz", "%z", e)}
  return
}}
"""
    rows = [(row + [0] * e.lanes)[: e.lanes] for row in (left, right)]
    z = np.zeros(e.lanes, e.raw)
    kernel = ptoscope.load(text, target="a5", revision=revision)
    kernel(array(rows[0], e), array(rows[1], e), z.view(e.storage), engine=engine)
    return z.tolist()


@BOTH
@FORMATS
@pytest.mark.parametrize("revision", ["manual", "micro"])
@pytest.mark.parametrize("name", ["vmax", "vmin"])
def test_a_nan_in_either_vector(name: str, revision: str, dtype: str, engine: str) -> None:
    """vmax.md and vmin.md: the result is NaN; here the canonical one."""
    v, m = vreg(Element(dtype)), mask_type(Element(dtype))
    body = f"%r = pto.{name} %a, %b, %m : {v}, {v}, {m} -> {v}"
    nans, others = NANS[dtype], (*NUMBERS[dtype], NANS[dtype][2])
    some = [(n, o) for n in nans for o in others]
    left, right = [n for n, _ in some], [o for _, o in some]
    for x, y in ((left, right), (right, left)):
        found = _run(body, dtype, x, y, revision, engine)
        assert found[: len(some)] == [CANONICAL[dtype]] * len(some)
        assert not any(found[len(some) :])


@BOTH
@FORMATS
@pytest.mark.parametrize("revision", ["manual", "micro"])
@pytest.mark.parametrize("name", ["vmaxs", "vmins"])
def test_a_nan_in_a_vector_or_scalar(name: str, revision: str, dtype: str, engine: str) -> None:
    """NaN, whichever operand is one, as in vmax and vmin."""
    e = Element(dtype)
    v, m, nan = vreg(e), mask_type(e), CANONICAL[dtype]
    body = f"%r = pto.{name} %a, %s, %m : {v}, {dtype}, {m} -> {v}"
    one, numbers, nans = NUMBERS[dtype][2], list(NUMBERS[dtype]), list(NANS[dtype])
    found = _run(body, dtype, nans, [one], revision, engine)
    assert found[: len(nans)] == [nan] * len(nans)
    for scalar in nans[1:4]:
        assert _run(body, dtype, numbers, [scalar], revision, engine) == [nan] * e.lanes


@BOTH
@pytest.mark.parametrize("dtype", ["f16", "f32"])
@pytest.mark.parametrize("name", ["vrelu", "vcmax", "vcmin", "vcgmax", "vcgmin"])
def test_where_no_page_speaks_of_nan_the_loop_decides(name: str, dtype: str, engine: str) -> None:
    """The comparison fails: vrelu gives 0, and a reduction passes the lane over."""
    e = Element(dtype)
    v, m = vreg(e), mask_type(e)
    one = NUMBERS[dtype][2]
    group = 256 // e.bits
    row = ([*NANS[dtype][:6], one, one] + [one] * (group - 8)) * (e.lanes // group)
    found = _run(f"%r = pto.{name} %a, %m : {v}, {m} -> {v}", dtype, row, [], "manual", engine)
    if name == "vrelu":
        assert found == [one if lane == one else 0 for lane in row]
    elif "g" in name:
        assert found[:8] == [one] * 8
    else:
        assert found[:2] == [one, 6]
