"""Kernels that the tests of the reader share."""

from __future__ import annotations

from ptoscope import ir
from ptoscope.diagnostics import Diagnostic, PtoError
from ptoscope.ir import LEVELS
from ptoscope.program import Op, Program

ADD = """\
// Adds two vectors.
module attributes {pto.target_arch = "a5", pto.kernel_kind = #pto.kernel_kind<vector>} {
  func.func @add(%a: !pto.ptr<f32, gm>, %b: !pto.ptr<f32, gm>) attributes {pto.aicore} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %c0_i64 = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %n = arith.constant 256 : i32

    %ub = pto.castptr %c0_i64 : i64 -> !pto.ptr<f32, ub>
    pto.mte_gm_ub %a, %ub, %c0_i64, %size
        nburst(%one, %size, %size)
        : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
    pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.vecscope {
      // What remains is carried along.
      %_:1 = scf.for %i = %c0 to %c256 step %c64 iter_args(%left = %n) -> (i32) {
        %m, %next = pto.plt_b32 %left : i32 -> !pto.mask<b32>, i32  // the tail
        %v = pto.vlds %ub[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
        %x_1 = pto.vadd %v, %v, %m
            : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
        pto.vsts %x_1, %ub[%i], %m : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
        scf.yield %next : i32
      }
    }
    pto.barrier #pto.pipe<PIPE_ALL>
    return
  }
}
"""

MIXED = """\
// One function, its lines in all three levels.
func.func @mixed(%gm: !pto.ptr<f32, gm>, %n: i32, %s: f32) attributes {pto.aicore} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %size = arith.constant 256 : i64
  castptr %ub, %zero : !pto.ptr<f32, ub>
  // assembly, with a clause
  mte_gm_ub %gm, %ub, %zero, %size nburst(%one, %size, %size) : !pto.ptr<f32, gm>
  pto.set_flag ins(["PIPE_MTE2", "PIPE_V", "EVENT_ID0"])
  wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]

  pto.vecscope {
    vlds %x, %ub[%c0] {dist = "NORM"} : !pto.ptr<f32, ub>
    // all lanes
    vadd %y, %x, %x : !pto.vreg<f32, 64>  // twice
    %m, %left = pto.plt_b32 %n : i32 -> !pto.mask<b32>, i32
    pto.vmuls ins(%y, %s, %m : !pto.vreg<64xf32>, f32, !pto.mask<b32>)
        outs(%z : !pto.vreg<64xf32>)  // destinations
    plt_b32 %pair:2, %left : i32
    vsts %z, %ub[%c0], %pair#0
    vsts %z, %ub[%c0] #dist=NORM_B32
  }
  barrier #pto.pipe
  return
}
"""


def function(body: str, parameters: str = "") -> str:
    """A file with one function; the first line of the body is line 2."""
    return f"func.func @k({parameters}) attributes {{pto.aicore}} {{\n{body}\nreturn\n}}\n"


def errors(text: str) -> tuple[Diagnostic, ...]:
    """The errors of a text that must have some."""
    try:
        ir.parse(text, "k.pto")
    except PtoError as error:
        return error.diagnostics
    raise AssertionError("the text was accepted")


def error(text: str) -> Diagnostic:
    """The only error of a text."""
    found = errors(text)
    assert len(found) == 1, [str(d) for d in found]
    return found[0]


def round_trip(text: str) -> str:
    """The canonical text, after checking that it is one, in custom and generic form."""
    module = ir.parse(text)
    custom = ir.print_module(module)
    assert ir.print_module(ir.parse(custom)) == custom
    generic = ir.print_module(module, generic=True)
    again = ir.parse(generic)
    assert ir.print_module(again, generic=True) == generic
    assert ir.print_module(again) == custom
    return custom


def all_levels(text: str) -> dict[str, str]:
    """The text in each level, after checking that each one is the same module."""
    module = ir.parse(text)
    written = {level: ir.print_module(module, level=level) for level in LEVELS}
    for level, printed in written.items():
        again = ir.parse(printed)
        for other in LEVELS:
            assert ir.print_module(again, level=other) == written[other], (level, other)
    return written


def ops(text: str) -> list[Op]:
    """All operations of the only function."""
    return list(program(text).functions[0].ops())


def program(text: str) -> Program:
    return ir.parse(text, "k.pto").program
