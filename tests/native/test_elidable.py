"""Which tiles are worth reading from GM. That nobody can tell which are is in `test_elision`."""

from __future__ import annotations

import pytest

import ptoscope
from ptoscope.native.elidable import read_once

_F32, _V, _M = "!pto.ptr<f32, ub>", "!pto.vreg<64xf32>", "!pto.mask<b32>"
_GM = "!pto.ptr<f32, gm>"
_BESIDE = {
    "nothing": "",
    "a load": f"%b = pto.vlds %table[%c0] : {_F32} -> {_V}",
    "another load of it": f"%b = pto.vlds %tile[%c0] : {_F32} -> {_V}",
    "a gather": f"%b = pto.vgather2 %table, %lane, %m : {_F32}, !pto.vreg<64xi32>, {_M} -> {_V}",
    "a scatter": f"pto.vscatter %a, %table, %lane, %m : {_V}, {_F32}, !pto.vreg<64xi32>, {_M}",
}


@pytest.mark.parametrize(
    ("beside", "worth"),
    [
        ("nothing", True),
        ("a load", True),
        ("another load of it", False),
        ("a gather", False),
        ("a scatter", False),
    ],
)
def test_a_tile_is_read_from_gm_where_it_is_loaded_once_and_nothing_asks_for_all_tiles(
    beside: str, worth: bool
) -> None:
    kernel = ptoscope.load(
        f"""
func.func @kernel(%x: {_GM}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %first = arith.constant 0 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %bytes = arith.constant 2048 : i64
  %tile = pto.castptr %zero : i64 -> {_F32}
  %table = pto.castptr %bytes : i64 -> {_F32}
  scf.for %i = %c0 to %c8 step %c1 {{
    pto.mte_gm_ub %x, %tile, %zero, %bytes nburst(%one, %bytes, %bytes)
      : {_GM}, {_F32}, i64, i64, i64, i64, i64
    pto.barrier #pto.pipe<PIPE_ALL>
    pto.vecscope {{
      %m = pto.pset_b32 "PAT_ALL" : {_M}
      %lane = pto.vci %first {{order = "ASC"}} : i32 -> !pto.vreg<64xi32>
      scf.for %j = %c0 to %c512 step %c64 {{
        %a = pto.vlds %tile[%j] : {_F32} -> {_V}
        pto.vsts %a, %table[%j], %m : {_V}, {_F32}, {_M}
        pto.mem_bar "VST_VLD"
        {_BESIDE[beside]}
      }}
    }}
    pto.barrier #pto.pipe<PIPE_ALL>
  }}
  return
}}
""",
        force=True,
    )
    assert bool(read_once(kernel.function, 2048)) is worth
