"""Pointers, scalar memory access, launch queries."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from tests.isa.elements import FLOATS, INTS, INTS64, Element
from tests.isa.harness import array
from tests.isa.values import edges


@pytest.mark.parametrize("dtype", FLOATS + INTS + INTS64)
def test_scalars_keep_their_bits_through_gm_and_ub(dtype: str) -> None:
    e = Element(dtype)
    kernel = ptoscope.load(
        f"""module {{
  func.func @through(%in: !pto.ptr<{dtype}, gm>, %out: !pto.ptr<{dtype}, gm>, %n: index) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %at = arith.constant 64 : i64
    %ub = pto.castptr %at : i64 -> !pto.ptr<{dtype}, ub>
    scf.for %i = %c0 to %n step %c1 {{
      %a = pto.load_scalar %in[%i] : !pto.ptr<{dtype}, gm> -> {dtype}
      pto.store_scalar %a, %ub[%i] : !pto.ptr<{dtype}, ub>, {dtype}
      %next = pto.addptr %ub, %i : !pto.ptr<{dtype}, ub> -> !pto.ptr<{dtype}, ub>
      %b = pto.load_scalar %next[%c0] : !pto.ptr<{dtype}, ub> -> {dtype}
      pto.store_scalar %b, %out[%i] : !pto.ptr<{dtype}, gm>, {dtype}
    }}
    return
  }}
}}
"""
    )
    values = list(edges(e))
    out = array([3] * len(values), e)
    kernel(array(values, e), out, len(values))
    assert out.view(e.raw).tolist() == values


def test_pointers_count_elements_and_casts_keep_the_address() -> None:
    kernel = ptoscope.load(
        """module {
  func.func @pointers(%p: !pto.ptr<i32, gm>, %q: !pto.ptr<i64, gm>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %three = arith.constant 3 : i64
    %five = arith.constant 5 : i32
    %a = pto.addptr %p, %c2 : !pto.ptr<i32, gm> -> !pto.ptr<i32, gm>
    %x = pto.load_scalar %a[%c1] : !pto.ptr<i32, gm> -> i32
    %back = arith.constant -3 : index
    %b = pto.addptr %a, %back : !pto.ptr<i32, gm> -> !pto.ptr<i32, gm>
    pto.store_scalar %x, %b[%c1] : !pto.ptr<i32, gm>, i32
    %bytes = pto.castptr %p : !pto.ptr<i32, gm> -> !pto.ptr<ui8, gm>
    %byte = pto.addptr %bytes, %three : !pto.ptr<ui8, gm> -> !pto.ptr<ui8, gm>
    %y = pto.load_scalar %byte[%c2] : !pto.ptr<ui8, gm> -> ui8
    %ubase = arith.constant 96 : i64
    %u = pto.castptr %ubase : i64 -> !pto.ptr<f32, ub>
    %u2 = pto.addptr %u, %c2 : !pto.ptr<f32, ub> -> !pto.ptr<f32, ub>
    %address = pto.castptr %u2 : !pto.ptr<f32, ub> -> i64
    pto.store_scalar %address, %q[%c0] : !pto.ptr<i64, gm>, i64
    %start = pto.castptr %p : !pto.ptr<i32, gm> -> i64
    %ahead = pto.castptr %a : !pto.ptr<i32, gm> -> i64
    %distance = arith.subi %ahead, %start : i64
    pto.store_scalar %distance, %q[%c1] : !pto.ptr<i64, gm>, i64
    %out8 = pto.castptr %q : !pto.ptr<i64, gm> -> !pto.ptr<ui8, gm>
    %sixteen = arith.constant 16 : i32
    pto.store_scalar %y, %out8[%sixteen] : !pto.ptr<ui8, gm>, ui8
    return
  }
}
"""
    )
    p = np.array([10, 0x11223344, 30, 40, 50], dtype="int32")
    q = np.zeros(3, dtype="int64")
    kernel(p, q)
    assert p.tolist() == [40, 0x11223344, 30, 40, 50]
    assert q.tolist() == [96 + 2 * 4, 2 * 4, 0x33]


@pytest.mark.parametrize("grid", [1, 2, 5])
def test_launch_queries(grid: int) -> None:
    """A pure vector kernel sees one subblock: index 0 of 1."""
    kernel = ptoscope.load(
        """module {
  func.func @where(%out: !pto.ptr<i64, gm>) {
    %b = pto.get_block_idx
    %n = pto.get_block_num
    %s = pto.get_subblock_idx
    %sn = pto.get_subblock_num
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %i = arith.index_cast %b : i64 to index
    %at = arith.muli %i, %c4 : index
    %mine = pto.addptr %out, %at : !pto.ptr<i64, gm> -> !pto.ptr<i64, gm>
    pto.store_scalar %b, %mine[%c0] : !pto.ptr<i64, gm>, i64
    pto.store_scalar %n, %mine[%c1] : !pto.ptr<i64, gm>, i64
    pto.store_scalar %s, %mine[%c2] : !pto.ptr<i64, gm>, i64
    pto.store_scalar %sn, %mine[%c3] : !pto.ptr<i64, gm>, i64
    return
  }
}
"""
    )
    out = np.full((grid, 4), -1, dtype="int64")
    kernel(out, grid=grid)
    assert out.tolist() == [[block, grid, 0, 1] for block in range(grid)]
