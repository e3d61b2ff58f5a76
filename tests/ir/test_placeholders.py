"""Placeholder types: `!pto.mask<G>` and a bare `!pto.ptr`, decided by their uses."""

from __future__ import annotations

import pytest

from ptoscope.diagnostics import PtoError
from ptoscope.isa.dtypes import I16
from ptoscope.isa.types import Mask, Ptr, VReg
from ptoscope.sources import parse
from tests.ir.kernels import error, function, program, round_trip

# The manual's own kernel, with the constants it leaves out.
DOCUMENT = """\
module attributes {pto.target_arch = "a5"} {
  func.func @kernel_2d(%arg0: !pto.ptr, %arg1: !pto.ptr) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %c1024_i32 = arith.constant 1024 : i32
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %c128_i64 = arith.constant 128 : i64
    %ub_in = pto.castptr %c0_i64 : i64 -> !pto.ptr
    %ub_out = pto.castptr %c128_i64 : i64 -> !pto.ptr
    pto.mte_gm_ub %arg0, %ub_in, %c0_i64, %c128_i64 nburst(%c1_i64, %c128_i64, %c128_i64)
      : !pto.ptr, !pto.ptr, i64, i64, i64, i64, i64
    pto.vecscope {
      %_:1 = scf.for %offset = %c0 to %c1024 step %c64
          iter_args(%remaining = %c1024_i32) -> (i32) {
        %mask, %next = pto.plt_b32 %remaining : i32 -> !pto.mask<G>, i32
        %vec = pto.vlds %ub_in[%offset] : !pto.ptr -> !pto.vreg<64xf32>
        %out = pto.vabs %vec, %mask : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
        pto.vsts %out, %ub_out[%offset], %mask : !pto.vreg<64xf32>, !pto.ptr, !pto.mask<b32>
        scf.yield %next : i32
      }
    }
    pto.mte_ub_gm %ub_out, %arg1, %c128_i64 nburst(%c1_i64, %c128_i64, %c128_i64)
      : !pto.ptr, !pto.ptr, i64, i64, i64, i64
    pto.barrier #pto.pipe
    return
  }
}
"""


def test_the_manuals_kernel():
    function = program(DOCUMENT).functions[0]
    types = dict(zip(function.names, (str(t) for t in function.types), strict=True))
    assert types["arg0"] == types["arg1"] == "!pto.ptr<f32, gm>"
    assert types["ub_in"] == types["ub_out"] == "!pto.ptr<f32, ub>"
    assert types["mask"] == "!pto.mask<b32>"
    canonical = round_trip(DOCUMENT)
    assert "!pto.ptr," not in canonical
    assert "<G>" not in canonical


def test_a_specific_type_at_a_use_decides():
    text = function("%q = pto.addptr %p, %i : !pto.ptr<i16, ub> -> !pto.ptr<i16, ub>",
                    "%p: !pto.ptr, %i: index")  # fmt: skip
    assert program(text).functions[0].types[0] == Ptr(I16, "ub")


def test_masks_are_carried_through_loops():
    body = """\
pto.vecscope {
%m = pto.pset_b16 "PAT_ALL" : !pto.mask<b16>
%v = pto.vlds %p[%i] : !pto.ptr<f16, ub> -> !pto.vreg<128xf16>
%r = scf.for %k = %i to %i step %i iter_args(%a = %m) -> (!pto.mask<G>) {
%w = pto.vabs %v, %a : !pto.vreg<128xf16>, !pto.mask<G> -> !pto.vreg<128xf16>
scf.yield %a : !pto.mask<G>
}
}"""
    found = program(function(body, "%p: !pto.ptr<f16, ub>, %i: index")).functions[0]
    types = dict(zip(found.names, found.types, strict=True))
    assert types["a"] == types["r"] == Mask(16)
    assert isinstance(types["v"], VReg)


def test_uses_that_decide_nothing():
    found = error(function("%q = pto.castptr %n : i64 -> !pto.ptr", "%n: i64"))
    assert (found.code, found.line, found.column) == ("PTO0006", 2, 1)
    assert found.message == "no use of %q decides what pointer it is"
    assert found.found == "!pto.ptr"


def test_uses_that_disagree():
    body = """\
%a = pto.load_scalar %p[%i] : !pto.ptr<f32, ub> -> f32
%b = pto.load_scalar %p[%i] : !pto.ptr<i32, ub> -> i32"""
    found = error(function(body, "%p: !pto.ptr, %i: index"))
    assert (found.code, found.line) == ("PTO0006", 1)
    assert found.column == function("", "").index("(") + 2
    assert "!pto.ptr<f32, ub> in line 2, !pto.ptr<i32, ub> in line 3" in found.message


def test_nothing_is_said_of_the_uses_that_disagree():
    text = DOCUMENT.replace("!pto.mask<b32> -> ", "!pto.mask<b16> -> ")
    assert text != DOCUMENT
    with pytest.raises(PtoError) as wrong:
        parse(text, "k.pto")
    assert [(d.code, d.line, d.fix) for d in wrong.value.diagnostics] == [("PTO0006", 17, ())]


def test_rules_that_disagree():
    body = """\
pto.vecscope {
%m, %r = pto.plt_b32 %n : i32 -> !pto.mask<G>, i32
%v = pto.vlds %p[%i] : !pto.ptr<f16, ub> -> !pto.vreg<128xf16>
%w = pto.vabs %v, %m : !pto.vreg<128xf16>, !pto.mask<G> -> !pto.vreg<128xf16>
}"""
    found = error(function(body, "%p: !pto.ptr<f16, ub>, %i: index, %n: i32"))
    assert (found.code, found.line, found.column) == ("PTO0006", 3, 1)
    assert "disagree" in found.message
