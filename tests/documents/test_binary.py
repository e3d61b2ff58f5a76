"""The binary document's snippets do what its loops say."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from tests.documents.harness import (
    LANES,
    assert_same,
    blank,
    clamped,
    floats,
    integers,
    registers,
    run,
)

SUM = """\
%sum = pto.vadd %a, %b, %mask : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
"""  # noqa: E501
PRODUCT = """\
%prod = pto.vmul %x, %y, %mask : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
"""  # noqa: E501
CLAMP = """\
%clamped_low = pto.vmax %input, %min_vec, %mask : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
%clamped = pto.vmin %clamped_low, %max_vec, %mask : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
"""  # noqa: E501
BITS = """\
%masked = pto.vand %data, %bitmask, %mask : !pto.vreg<64xi32>, !pto.vreg<64xi32>, !pto.mask<b32> -> !pto.vreg<64xi32>
"""  # noqa: E501

# The pipeline pattern, in the pieces between which definitions are added: its %c0 is an i64
# to get_buf and an index to the loop, so the pieces stand in regions of their own.
ACQUIRE_TILE = """\
pto.get_buf "PIPE_MTE2", %bufid, %c0 : i64, i64
"""
RELEASE_TILE = """\
pto.rls_buf "PIPE_MTE2", %bufid, %c0 : i64, i64
"""
ACQUIRE = """\
pto.get_buf "PIPE_V", %bufid, %c0 : i64, i64
"""
COMPUTE = """\
pto.vecscope {
  scf.for %offset = %c0 to %N step %c64 iter_args(%remaining = %N_i32) -> (i32) {
    %mask, %next = pto.plt_b32 %remaining : i32 -> !pto.mask<G>, i32
    %lhs = pto.vlds %ub_a[%offset] : !pto.ptr -> !pto.vreg<64xf32>
    %rhs = pto.vlds %ub_b[%offset] : !pto.ptr -> !pto.vreg<64xf32>
    %out = pto.vadd %lhs, %rhs, %mask : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
    pto.vsts %out, %ub_out[%offset], %mask : !pto.vreg<64xf32>, !pto.ptr, !pto.mask<b32>
    scf.yield %next : i32
  }
}
"""  # noqa: E501
RELEASE = """\
pto.rls_buf "PIPE_V", %bufid, %c0 : i64, i64
"""
LOADED_ROWS = 4096
"""Bytes between the operands of a buffer in UB."""


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("active", [0, 1, 33, 64])
def test_sum(target: str, active: int) -> None:
    kernel = registers(SUM, {"a": "f32", "b": "f32"}, {"sum": "f32"})
    src0, src1, dst, expected = floats(1), floats(2), blank(), blank()
    run(kernel, src0, src1, dst, active, target=target)
    with np.errstate(all="ignore"):
        for i in range(active):
            expected[i] = src0[i] + src1[i]
    assert_same(dst, expected)


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("active", [0, 17, 64])
def test_product(target: str, active: int) -> None:
    kernel = registers(PRODUCT, {"x": "f32", "y": "f32"}, {"prod": "f32"})
    src0, src1, dst, expected = floats(3), floats(4), blank(), blank()
    run(kernel, src0, src1, dst, active, target=target)
    with np.errstate(all="ignore"):
        for i in range(active):
            expected[i] = src0[i] * src1[i]
    assert_same(dst, expected)


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("active", [1, 50, 64])
def test_clamp(target: str, active: int) -> None:
    kernel = registers(
        CLAMP,
        {"input": "f32", "min_vec": "f32", "max_vec": "f32"},
        {"clamped_low": "f32", "clamped": "f32"},
    )
    source, low, high = floats(5), floats(6), floats(7)
    dst_low, dst, expected_low, expected = blank(), blank(), blank(), blank()
    run(kernel, source, low, high, dst_low, dst, active, target=target)
    expected_low[:active], expected[:active] = (row[:active] for row in clamped(source, low, high))
    assert_same(dst_low, expected_low)
    assert_same(dst, expected)


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
def test_bit_manipulation(target: str) -> None:
    kernel = registers(BITS, {"data": "i32", "bitmask": "i32"}, {"masked": "i32"})
    src0, src1, dst, expected = integers(8), integers(9), blank(np.int32), blank(np.int32)
    run(kernel, src0, src1, dst, LANES - 1, target=target)
    for i in range(LANES - 1):
        expected[i] = src0[i] & src1[i]
    np.testing.assert_array_equal(dst, expected)


def pipeline() -> str:
    """The producer-consumer pattern over tiles of N floats, with two buffers in turn.

    Added: the copies, which the document leaves open, the store of the result, the loop over tiles.
    """
    copies = "".join(
        f"pto.copy_gm_to_ubuf {gm}, {ub}, %none, %row, %bytes, %none, %none, %false, %none,"
        " %bytes, %bytes : !pto.ptr, !pto.ptr, i64, i64, i64, i64, i64, i1, i64, i64, i64\n"
        for gm, ub in (("%tile_a", "%ub_a"), ("%tile_b", "%ub_b"))
    )
    return f"""
module {{
func.func @pipeline(%gm_a: !pto.ptr, %gm_b: !pto.ptr, %gm_out: !pto.ptr,
                    %N: index, %N_i32: i32, %tiles: index) {{
  %false = arith.constant false
  %true = arith.constant true
  %start = arith.constant 0 : index
  %step = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %none = arith.constant 0 : i64
  %row = arith.constant 1 : i64
  %four = arith.constant 4 : i64
  %area = arith.constant {LOADED_ROWS} : i64
  %buffer = arith.constant {3 * LOADED_ROWS} : i64
  %N_i64 = arith.index_cast %N : index to i64
  %bytes = arith.muli %N_i64, %four : i64
  %end = scf.for %tile = %start to %tiles step %step iter_args(%bufid = %none) -> (i64) {{
    %first = arith.muli %tile, %N : index
    %tile_a = pto.addptr %gm_a, %first : !pto.ptr -> !pto.ptr
    %tile_b = pto.addptr %gm_b, %first : !pto.ptr -> !pto.ptr
    %tile_out = pto.addptr %gm_out, %first : !pto.ptr -> !pto.ptr
    %at_a = arith.muli %bufid, %buffer : i64
    %at_b = arith.addi %at_a, %area : i64
    %at_out = arith.addi %at_b, %area : i64
    %ub_a = pto.castptr %at_a : i64 -> !pto.ptr
    %ub_b = pto.castptr %at_b : i64 -> !pto.ptr
    %ub_out = pto.castptr %at_out : i64 -> !pto.ptr
    scf.if %true {{
      %c0 = arith.constant 0 : i64
      {ACQUIRE_TILE}{copies}{RELEASE_TILE}{ACQUIRE}
    }}
    scf.if %true {{
      %c0 = arith.constant 0 : index
      {COMPUTE}
    }}
    scf.if %true {{
      %c0 = arith.constant 0 : i64
      {RELEASE}
      pto.get_buf "PIPE_MTE3", %bufid, %c0 : i64, i64
      pto.copy_ubuf_to_gm %ub_out, %tile_out, %none, %row, %bytes, %none, %bytes, %bytes
        : !pto.ptr, !pto.ptr, i64, i64, i64, i64, i64, i64
      pto.rls_buf "PIPE_MTE3", %bufid, %c0 : i64, i64
    }}
    %other = arith.subi %row, %bufid : i64
    scf.yield %other : i64
  }}
  pto.barrier #pto.pipe
  return
}}
}}
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize(("length", "tiles"), [(64, 1), (1024, 5), (100, 4), (1, 3)])
def test_producer_consumer_pipeline(target: str, length: int, tiles: int) -> None:
    src0, src1 = floats(10, length * tiles), floats(11, length * tiles)
    dst, expected = blank(shape=length * tiles), blank(shape=length * tiles)
    run(pipeline(), src0, src1, dst, length, length, tiles, target=target)
    with np.errstate(all="ignore"):
        for i in range(length * tiles):
            expected[i] = src0[i] + src1[i]
    assert_same(dst, expected)


def test_the_pattern_holds_its_buffers() -> None:
    """Without the acquire of the loading stage its release is a fault: the pipe holds nothing."""
    wrong = pipeline().replace(ACQUIRE_TILE, "")
    with pytest.raises(ptoscope.PtoError) as caught:
        run(wrong, floats(1), floats(2), blank(), LANES, LANES, 1)
    assert "PIPE_MTE2" in caught.value.diagnostics[0].message
