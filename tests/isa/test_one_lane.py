"""One lane of what was put in another order, stored alone."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope


@pytest.mark.parametrize("width", [8, 16, 32])
@pytest.mark.parametrize("name", ["vintlv", "vdintlv"])
@pytest.mark.parametrize("result", [0, 1])
@pytest.mark.parametrize("second", ["a", "b"])
def test_one_element_is_stored(name: str, width: int, result: int, second: str) -> None:
    count = 2048 // width
    v, p, m = f"!pto.vreg<{count}xi{width}>", f"!pto.ptr<i{width}, ub>", f"!pto.mask<b{width}>"
    gm, copy = f"!pto.ptr<i{width}, gm>", ", i64" * 4
    kernel = ptoscope.load(f"""\
func.func @kernel(%x: {gm}, %y: {gm}) {{
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %row = arith.constant 256 : i64
  %rows = arith.constant 512 : i64
  %start = arith.constant 0 : index
  %next = arith.constant {count} : index
  %in = pto.castptr %zero : i64 -> {p}
  %out = pto.castptr %rows : i64 -> {p}
  pto.mte_gm_ub %x, %in, %zero, %rows nburst(%one, %rows, %rows) : {gm}, {p}, i64{copy}
  pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
  pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
  pto.vecscope {{
    %all = pto.pset_b{width} "PAT_ALL" : {m}
    %none = pto.vlds %in[%start] : {p} -> {v}
    pto.vsts %none, %out[%start], %all : {v}, {p}, {m}
    pto.mem_bar "VST_VST"
    %a = pto.vlds %in[%start] : {p} -> {v}
    %b = pto.vlds %in[%next] : {p} -> {v}
    %r0, %r1 = pto.{name} %a, %{second} : {v}, {v} -> {v}, {v}
    pto.vsts %r{result}, %out[%start], %all {{dist = "1PT_B{width}"}} : {v}, {p}, {m}
  }}
  pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
  pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
  pto.mte_ub_gm %out, %y, %row nburst(%one, %row, %row) : {p}, {gm}{copy}
  return
}}
""")
    rows = np.random.default_rng(width).integers(0, 1 << width, 2 * count, np.uint64)
    x, y = rows.astype(f"u{width // 8}").view(f"i{width // 8}"), np.zeros(count, f"i{width // 8}")
    kernel(x, y)
    first = {"vintlv": (0, count // 2), "vdintlv": (0, 1)}[name][result]
    assert y.tolist() == [x[first], *x[1:count]]
