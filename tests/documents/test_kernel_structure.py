"""The load/store document's typical kernel, completed by definitions alone."""

from __future__ import annotations

import numpy as np
import pytest

from tests.documents.harness import (
    LOAD_STORE,
    ROOT,
    assert_same,
    assert_verbatim,
    blank,
    document,
    floats,
    run,
)

KERNEL = """\
module attributes {pto.target_arch = "a5"} {
  func.func @kernel_2d(%arg0: !pto.ptr, %arg1: !pto.ptr) {
    %false = arith.constant false

    // Phase 1: MTE2 DMA (GM → vector tile buffer / hardware UB)
    pto.get_buf "PIPE_MTE2", 0, 0
    pto.set_loop_size_outtoub %c1_i64, %c1_i64 : i64, i64
    pto.copy_gm_to_ubuf %arg0, %ub_in, %c0_i64, %c32_i64, %c128_i64,
      %c0_i64, %c0_i64, %false, %c0_i64, %c128_i64, %c128_i64
      : !pto.ptr, !pto.ptr, i64, i64, i64, i64, i64, i1, i64, i64, i64
    pto.rls_buf "PIPE_MTE2", 0, 0

    // Phase 2: Producer–Consumer synchronization (MTE2 → V)
    pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]

    // Phase 3: Vector compute (V pipe)
    pto.get_buf "PIPE_V", 0, 0
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
    pto.rls_buf "PIPE_V", 0, 0

    // Phase 4: Consumer synchronization (V → MTE3)
    pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
    pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]

    // Phase 5: MTE3 DMA (vector tile buffer / hardware UB → GM)
    pto.get_buf "PIPE_MTE3", 0, 0
    pto.set_loop_size_ubtoout %c1_i64, %c1_i64 : i64, i64
    pto.copy_ubuf_to_gm %ub_out, %arg1, %c0_i64, %c32_i64, %c128_i64,
      %c0_i64, %c128_i64, %c128_i64
      : !pto.ptr, !pto.ptr, i64, i64, i64, i64, i64, i64
    pto.rls_buf "PIPE_MTE3", 0, 0

    pto.barrier #pto.pipe
    return
  }
}
"""

# The document leaves the types of the UB pointers open as well: both ways must do.
DEFINITIONS = """\
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %c1024_i32 = arith.constant 1024 : i32
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %c32_i64 = arith.constant 32 : i64
    %c128_i64 = arith.constant 128 : i64
    %c4096_i64 = arith.constant 4096 : i64
    %ub_in = pto.castptr %c0_i64 : i64 -> {pointer}
    %ub_out = pto.castptr %c4096_i64 : i64 -> {pointer}
"""
FIRST_LINE = "    %false = arith.constant false\n"
MARKS = ("    // added >>>\n", "    // <<< added\n")


def completed(pointer: str) -> str:
    return KERNEL.replace(FIRST_LINE, DEFINITIONS.format(pointer=pointer) + FIRST_LINE)


def test_the_lines_are_the_documents() -> None:
    assert_verbatim(KERNEL, LOAD_STORE)
    assert KERNEL in document(LOAD_STORE)


@pytest.mark.parametrize("target", [None, "cpu", "a2a3", "a5"])
@pytest.mark.parametrize("pointer", ["!pto.ptr", "!pto.ptr<f32, ub>"])
def test_absolute_values(target: str | None, pointer: str) -> None:
    source, dst, expected = floats(1, 1024), blank(shape=1024), blank(shape=1024)
    run(completed(pointer), source, dst, target=target)
    for i in range(1024):
        magnitude = int(source.view(np.uint32)[i]) & 0x7FFFFFFF
        expected.view(np.uint32)[i] = magnitude
    assert_same(dst, expected)


def test_the_example_adds_only_definitions() -> None:
    text = (ROOT / "examples" / "abs_kernel.pto").read_text(encoding="utf-8")
    before, _, rest = text[text.index("module") :].partition(MARKS[0])
    added, _, after = rest.partition(MARKS[1])
    assert before + after == KERNEL
    assert all(line.strip().startswith("%") for line in added.splitlines())
