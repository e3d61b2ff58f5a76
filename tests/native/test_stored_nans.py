"""NaNs that arithmetic makes are canonical in UB, wherever in a row they are and however it is
stored: before or after it is looked through for them."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope

_V, _P, _M, _GM = "!pto.vreg<64xf32>", "!pto.ptr<f32, ub>", "!pto.mask<b32>", "!pto.ptr<f32, gm>"
_ROWS, _LANES = 64, 64
_CANONICAL = 0x7FC00000


def _kernel(body: str) -> str:
    return f"""
func.func @kernel(%x: {_GM}, %y: {_GM}) {{
  %c0 = arith.constant 0 : index
  %c64 = arith.constant {_LANES} : index
  %end = arith.constant {_ROWS * _LANES} : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %bytes = arith.constant {_ROWS * _LANES * 4} : i64
  %left = arith.constant 33 : i32
  %in = pto.castptr %zero : i64 -> {_P}
  %out = pto.castptr %bytes : i64 -> {_P}
  pto.mte_gm_ub %x, %in, %zero, %bytes nburst(%one, %bytes, %bytes)
    : {_GM}, {_P}, i64, i64, i64, i64, i64
  pto.barrier #pto.pipe<PIPE_ALL>
  pto.vecscope {{
    %m = pto.pset_b32 "PAT_ALL" : {_M}
    %some, %rest = pto.plt_b32 %left : i32 -> {_M}, i32
    scf.for %i = %c0 to %end step %c64 {{
      %a = pto.vlds %in[%i] : {_P} -> {_V}
      %s = pto.vadd %a, %a, %m : {_V}, {_V}, {_M} -> {_V}
      {body}
    }}
  }}
  pto.barrier #pto.pipe<PIPE_ALL>
  pto.mte_ub_gm %out, %y, %bytes nburst(%one, %bytes, %bytes)
    : {_P}, {_GM}, i64, i64, i64, i64
  return
}}
"""


_STORES = {
    "at once": f"pto.vsts %s, %out[%i], %m : {_V}, {_P}, {_M}",
    "twice": f"""pto.vsts %s, %out[%i], %m : {_V}, {_P}, {_M}
      pto.mem_bar "VST_VST"
      pto.vsts %s, %out[%i], %m : {_V}, {_P}, {_M}""",
    "after another, under a mask": f"""pto.vsts %s, %out[%i], %m : {_V}, {_P}, {_M}
      pto.mem_bar "VST_VST"
      pto.vsts %s, %out[%i], %some : {_V}, {_P}, {_M}""",
    "in a long block": "\n      ".join(
        [f"%t0 = pto.vmul %s, %s, %m : {_V}, {_V}, {_M} -> {_V}"]
        + [f"%t{i + 1} = pto.vmul %t{i}, %s, %m : {_V}, {_V}, {_M} -> {_V}" for i in range(80)]
        + [f"pto.vsts %t80, %out[%i], %m : {_V}, {_P}, {_M}"]
    ),
}


@pytest.mark.parametrize("elide", ["0", "1"])
@pytest.mark.parametrize("how", _STORES)
def test_stored_nans_are_canonical(how: str, elide: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTOSCOPE_ELIDE", elide)
    kernel = ptoscope.load(_kernel(_STORES[how]))
    # A NaN of its own in each lane of one row: with a sign, signalling, with a payload.
    bits = np.full((_ROWS, _LANES), 0x3F800000, np.uint32)
    lanes = np.arange(_LANES)
    bits[lanes, lanes] = np.array([0xFFC00000, 0x7F800001, 0xFFFFFFFF, 0x7FC12345])[lanes % 4]
    y = np.zeros((_ROWS, _LANES), np.float32)
    kernel(bits.view(np.float32), y, engine="native")
    stored = y.view(np.uint32)
    assert (stored[lanes, lanes] == _CANONICAL).all()
    assert not np.isnan(y[lanes[:, None] != lanes]).any()
