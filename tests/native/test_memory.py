"""Whatever the addresses are, nothing but the caller's arrays and UB is touched."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoscope
from ptoscope import PtoError

WILD = """\
func.func @wild(%x: !pto.ptr<f32, gm>, %y: !pto.ptr<f32, gm>, %at: i64, %by: index, %n: i64,
                %len: i64, %stride: i64, %to: i64, %count: i32) {
  %zero = arith.constant 0 : i64
  %gm = pto.addptr %x, %by : !pto.ptr<f32, gm> -> !pto.ptr<f32, gm>
  %ub = pto.castptr %at : i64 -> !pto.ptr<f32, ub>
  %out = pto.castptr %to : i64 -> !pto.ptr<f32, gm>
  pto.mte_gm_ub %gm, %ub, %zero, %len nburst(%n, %stride, %stride)
    : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
  pto.barrier #pto.pipe<PIPE_ALL>
  pto.vecscope {
    %m, %rest = pto.plt_b32 %count : i32 -> !pto.mask<b32>, i32
    %v = pto.vlds %ub[%by] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
    %i = pto.vbitcast %v : !pto.vreg<64xf32> -> !pto.vreg<64xi32>
    %g = pto.vgather2 %ub, %i, %m
      : !pto.ptr<f32, ub>, !pto.vreg<64xi32>, !pto.mask<b32> -> !pto.vreg<64xf32>
    pto.vsts %g, %ub[%by], %m : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
    pto.vscatter %g, %ub, %i, %m
      : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.vreg<64xi32>, !pto.mask<b32>
  }
  pto.barrier #pto.pipe<PIPE_ALL>
  pto.mte_ub_gm %ub, %gm, %len nburst(%n, %stride, %stride)
    : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64
  pto.barrier #pto.pipe<PIPE_ALL>
  pto.mte_ub_gm %ub, %out, %len nburst(%n, %stride, %stride)
    : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64
  return
}
"""

_EDGES = [0, 1, -1, 4, 32, 64, 256, 262144, 262144 - 32, 262144 - 256, -256, 1 << 31, -(1 << 31)]
_HUGE = [
    (1 << 63) - 32,
    1 << 40,
    (1 << 43) + (1 << 44),
    (1 << 63) - 1,
    -(1 << 63),
    (1 << 62) + 5,
    1 << 44,
]
numbers = st.sampled_from(_EDGES + _HUGE) | st.integers(-(1 << 63), (1 << 63) - 1)
small = st.sampled_from([0, 1, 2, 3, 32, 64, 96, 128, 256, 4096, 65535, 65536])


counts = small | numbers


@settings(max_examples=150, deadline=None)
@given(numbers, numbers, counts, counts, counts, numbers, st.integers(-3, 70))
def test_wild_addresses(
    at: int, by: int, n: int, length: int, stride: int, to: int, count: int
) -> None:
    """Both engines agree, and the bytes around the arrays stay as they are."""
    guard = np.full(3 * 4096, 0x5A, np.uint8)
    x, y = guard[4096 : 4096 + 1024].view("f4"), np.zeros(16, "f4")
    x[:] = np.arange(256)
    codes = ["PTO09"]
    try:
        ptoscope.load(WILD, force=True)(x, y, at, by, n, length, stride, to, count)
    except PtoError as error:
        codes = [d.code[:5] for d in error.diagnostics]
    assert codes == ["PTO09"]
    assert (guard[:4096] == 0x5A).all()
    assert (guard[4096 + 1024 :] == 0x5A).all()
