"""Parse and check, against xDSL reading the same module in generic form."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.parser import Parser

from bench.measure import Goal, Job, Row, best_of
from ptoscope import ir
from ptoscope.check import check
from ptoscope.isa.targets import TARGETS
from ptoscope.xdsl import context

_HEAD = """\
module attributes {pto.target_arch = "a5", pto.kernel_kind = #pto.kernel_kind<vector>} {
  func.func @kernel(%x: !pto.ptr<f32, gm>, %y: !pto.ptr<f32, gm>) attributes {pto.aicore} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %n = arith.constant 1024 : i32
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %bytes = arith.constant 4096 : i64
    %ub_in = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
    %ub_out = pto.castptr %bytes : i64 -> !pto.ptr<f32, ub>
    pto.mte_gm_ub %x, %ub_in, %zero, %bytes nburst(%one, %bytes, %bytes)
      : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
    pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.vecscope {
      %left = scf.for %i = %c0 to %c1024 step %c64 iter_args(%rest = %n) -> (i32) {
        %mask, %next = pto.plt_b32 %rest : i32 -> !pto.mask<b32>, i32
"""
_STEP = """\
        %a{i} = pto.vlds %ub_in[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
        %b{i} = pto.vmul %a{i}, %a{i}, %mask
          : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
        %e{i} = pto.vexp %b{i}, %mask : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
        %j{i} = arith.addi %i, %c0 : index
        pto.vsts %e{i}, %ub_out[%j{i}], %mask {{dist = "NORM_B32"}}
          : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
        pto.mem_bar "VST_VST"
"""
_TAIL = """\
        scf.yield %next : i32
      }
    }
    pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
    pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
    pto.mte_ub_gm %ub_out, %y, %bytes nburst(%one, %bytes, %bytes)
      : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64
    pto.barrier #pto.pipe<PIPE_ALL>
    return
  }
}
"""


def kernel_text(steps: int) -> str:
    """A kernel whose loop body repeats six operations `steps` times."""
    return _HEAD + "".join(_STEP.format(i=i) for i in range(steps)) + _TAIL


_SIZES = {
    Goal(f"parse and check, {name}", "xDSL, generic form", 1.5): (steps, loops)
    for name, steps, loops in (("60-line kernel", 4, 10), ("5,000-op kernel", 1000, 1))
}
"""How often the body is repeated, and how often a text is read at a time."""


def jobs() -> list[Job]:
    """The 60-line and the 5,000-operation kernel."""
    return [Job("text", _rows, tuple(_SIZES))]


def _rows() -> Iterator[Row]:
    for goal, (steps, loops) in _SIZES.items():
        text = kernel_text(steps)
        generic = ir.print_module(ir.parse(text), generic=True)

        def ours(text: str = text, loops: int = loops) -> None:
            for _ in range(loops):
                findings = check(ir.parse(text).program, TARGETS["a5"], "manual")
                assert not findings

        def xdsl(generic: str = generic, loops: int = loops) -> None:
            for _ in range(loops):
                Parser(context(), generic).parse_module()

        measured, baseline = best_of(ours, xdsl, 3)
        yield goal.row(measured / loops, baseline / loops)
