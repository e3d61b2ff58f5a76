"""Small kernels around a piece of vector or scalar code, and what the check says of them."""

from __future__ import annotations

from ptoscope import ir
from ptoscope.check import check
from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.targets import TARGETS, Revision

V, M, P = "!pto.vreg<64xf32>", "!pto.mask<b32>", "!pto.ptr<f32, ub>"
A = "!pto.align"
H, HM = "!pto.vreg<128xf16>", "!pto.mask<b16>"
I = "!pto.vreg<64xi32>"  # noqa: E741


def in_scope(*lines: str) -> str:
    """Vector code with a pointer %ub, one to %odd, masks %m (b32) and %h (b16), vectors %v of
    f32, %w of f16 and %i of i32, a scalar %n, a condition %yes and a bound %end around it."""
    body = "\n".join(f"    {line}" for line in lines)
    return f"""\
func.func @kernel(%x: f32, %n: i32, %yes: i1, %end: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 4096 : i64
  %four = arith.constant 8196 : i64
  %half = arith.constant 0.0 : f16
  %ub = pto.castptr %zero : i64 -> {P}
  %odd = pto.castptr %four : i64 -> {P}
  pto.vecscope {{
    %m = pto.pset_b32 "PAT_ALL" : {M}
    %h = pto.pset_b16 "PAT_ALL" : {HM}
    %v = pto.vbr %x : f32 -> {V}
    %w = pto.vbr %half : f16 -> {H}
    %i = pto.vbr %n : i32 -> {I}
{body}
  }}
  return
}}
"""


FIRST = 15
"""The line of the first line given to `in_scope`."""


ELSEWHERE = ("PTO05", "PTO06")
"""Addresses and synchronisation have tests of their own: the code here is no whole kernel."""


def findings(text: str, target: str = "a5", revision: Revision = "manual") -> list[Diagnostic]:
    """What is wrong with a text that can be read, but for memory and the other pipes."""
    found = check(ir.parse(text).program, TARGETS[target], revision)
    return [d for d in found if not d.code.startswith(ELSEWHERE)]


def codes(*lines: str, target: str = "a5", revision: Revision = "manual") -> list[str]:
    """The codes of what is wrong with vector code."""
    return [d.code for d in findings(in_scope(*lines), target, revision)]
