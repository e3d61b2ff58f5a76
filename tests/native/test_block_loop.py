"""The native loop over blocks: each begins with memory of zeros, faults and what is left are told
of the block they belong to, and Python goes on meanwhile."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError

UB_BYTES = 256 * 1024
_COPY = "nburst(%c1, %c256, %c256)"
_HEAD = """module attributes {pto.target_arch = "a5"} {
  func.func @k(%x: !pto.ptr<i32, gm>, %out: !pto.ptr<i32, gm>, %place: i64)
      attributes {pto.aicore} {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c100 = arith.constant 100 : i64
    %c256 = arith.constant 256 : i64
    %c512 = arith.constant 512 : i64
    %i0 = arith.constant 0 : index
    %i16 = arith.constant 16 : index
    %seven = arith.constant 7 : i32
    %at = arith.constant 4096 : i64
    %ub = pto.castptr %at : i64 -> !pto.ptr<i32, ub>
    %far = pto.castptr %place : i64 -> !pto.ptr<i32, ub>
    %block = pto.get_block_idx
    %first = arith.cmpi eq, %block, %c0 : i64
"""
_WRITES = {
    "scalar at a known place": "pto.store_scalar %seven, %ub[%i16] : !pto.ptr<i32, ub>, i32",
    "scalar at any place": "pto.store_scalar %seven, %far[%i0] : !pto.ptr<i32, ub>, i32",
    "copy": f"pto.mte_gm_ub %x, %far, %c0, %c256 {_COPY} : !pto.ptr<i32, gm>, "
    "!pto.ptr<i32, ub>, i64, i64, i64, i64, i64",
    "copy of rows with gaps": "pto.mte_gm_ub %x, %ub, %c0, %c256 nburst(%c2, %c256, %c512) : "
    "!pto.ptr<i32, gm>, !pto.ptr<i32, ub>, i64, i64, i64, i64, i64",
    "vector": """pto.vecscope {
        %m = pto.pset_b32 "PAT_VL3" : !pto.mask<b32>
        %v = pto.vdup %seven, %m : i32, !pto.mask<b32> -> !pto.vreg<64xi32>
        pto.vsts %v, %ub[%i0], %m : !pto.vreg<64xi32>, !pto.ptr<i32, ub>, !pto.mask<b32>
      }""",
    "vector at any place": """pto.vecscope {
        %m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
        %v = pto.vdup %seven, %m : i32, !pto.mask<b32> -> !pto.vreg<64xi32>
        pto.vsts %v, %far[%i0], %m : !pto.vreg<64xi32>, !pto.ptr<i32, ub>, !pto.mask<b32>
      }""",
    "scatter": """pto.vecscope {
        %m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
        %v = pto.vdup %seven, %m : i32, !pto.mask<b32> -> !pto.vreg<64xi32>
        %n = pto.vci %seven : i32 -> !pto.vreg<64xi32>
        pto.vscatter %v, %ub, %n, %m : !pto.vreg<64xi32>, !pto.ptr<i32, ub>, !pto.vreg<64xi32>,
          !pto.mask<b32>
      }""",
    "stream": """pto.vecscope {
        %m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
        %v = pto.vdup %seven, %m : i32, !pto.mask<b32> -> !pto.vreg<64xi32>
        %s0 = pto.init_align : !pto.align
        %count = arith.constant 13 : i32
        %s1 = pto.vstus %s0, %count, %v, %far
          : !pto.align, i32, !pto.vreg<64xi32>, !pto.ptr<i32, ub> -> !pto.align
        pto.vstar %s1, %far : !pto.align, !pto.ptr<i32, ub>
      }""",
}


def _dump(write: str) -> str:
    """Block 0 writes to UB, and every other block gives all that it finds there."""
    return (
        _HEAD
        + f"""    scf.if %first {{
      {write}
    }} else {{
      %bytes = arith.constant {UB_BYTES // 8} : i64
      %c8 = arith.constant 8 : i64
      %all = pto.castptr %c0 : i64 -> !pto.ptr<i32, ub>
      pto.mte_ub_gm %all, %out, %bytes nburst(%c8, %bytes, %bytes)
        : !pto.ptr<i32, ub>, !pto.ptr<i32, gm>, i64, i64, i64, i64
    }}
    return
  }}
}}
"""
    )


@pytest.mark.parametrize("how", _WRITES)
def test_a_block_begins_with_zeros_whatever_the_one_before_left(how: str) -> None:
    """Also in the next launch, and on one thread, which uses the same memory again."""
    kernel = ptoscope.load(_dump(_WRITES[how]))
    x = np.arange(1, 1025, dtype=np.int32)
    for grid in (2, 1, 3):
        out = np.full(UB_BYTES // 4, 5, np.int32)
        kernel(x, out, UB_BYTES - 1024, grid=grid, engine="native", threads=1)
        assert (out == (5 if grid == 1 else 0)).all()


def test_a_launch_after_a_fault_begins_with_zeros() -> None:
    """The fault comes after bytes were written: the last address is outside."""
    last = _WRITES["scalar at any place"]
    kernel = ptoscope.load(_dump(f"{_WRITES['scalar at a known place']}\n{last}"))
    x, out = np.arange(1, 1025, dtype=np.int32), np.full(UB_BYTES // 4, 5, np.int32)
    with pytest.raises(PtoError):
        kernel(x, out, UB_BYTES, engine="native", threads=1)
    kernel(x, out, 0, grid=2, engine="native", threads=1)
    assert not out.any()


ORDERED = """\
func.func @k(%x: !pto.ptr<i32, gm>, %from: i64, %step: i64) {
  %zero = arith.constant 0 : i64
  %block = pto.get_block_idx
  %at = arith.index_cast %block : i64 to index
  %late = arith.cmpi sge, %block, %from : i64
  %some = arith.remui %block, %step : i64
  %hits = arith.cmpi eq, %some, %zero : i64
  %wrong = arith.andi %late, %hits : i1
  %far = arith.constant 1000000 : index
  %place = arith.select %wrong, %far, %at : index
  %word = arith.trunci %block : i64 to i32
  pto.store_scalar %word, %x[%place] : !pto.ptr<i32, gm>, i32
  return
}
"""


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(("begin", "step"), [(0, 1), (1300, 1), (700, 411), (4999, 1)])
def test_the_first_of_many_faulty_blocks_and_all_before_it(
    begin: int, step: int, threads: int
) -> None:
    kernel = ptoscope.load(ORDERED)
    first = -(-begin // step) * step
    x = np.full(5000, -1, np.int32)
    with pytest.raises(PtoError, match=rf"block {first} of 5000"):
        kernel(x, begin, step, grid=5000, engine="native", threads=threads)
    assert (x[:first] == np.arange(first)).all()
    kernel(x, 5000, 1, grid=5000, engine="native", threads=threads)
    assert (x == np.arange(5000)).all()


LEAVES = """\
func.func @k(%which: i64) {
  %block = pto.get_block_idx
  %leaves = arith.cmpi eq, %block, %which : i64
  scf.if %leaves {
    pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID3"]
  }
  return
}
"""


@pytest.mark.parametrize("threads", [1, 3])
def test_a_flag_that_is_left_is_told_of_its_block(threads: int) -> None:
    kernel = ptoscope.load(LEAVES)
    found: list[list[str]] = []
    for engine in ("reference", "native"):
        kernel(77, grid=200, engine=engine, threads=threads)
        found.append([str(warning) for warning in kernel.warnings])
    assert found[0] == found[1] != []
    kernel(200, grid=200, engine="native", threads=threads)
    assert kernel.warnings == []


LOOPS = """\
func.func @k(%n: index, %bad: i64, %more: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %block = pto.get_block_idx
  %longer = arith.cmpi eq, %block, %bad : i64
  %count = arith.select %longer, %more, %n : index
  scf.for %i = %c0 to %count step %c1 {
  }
  return
}
"""


def test_a_limit_of_steps_is_that_of_each_block() -> None:
    kernel = ptoscope.load(LOOPS)
    kernel(40, 0, 40, grid=300, max_steps=40, engine="native", threads=1)
    for limit in (40, 20_000):
        said: list[str] = []
        for engine in ("reference", "native"):
            with pytest.raises(PtoError) as caught:
                kernel(3, 5, limit + 1, grid=7, max_steps=limit, engine=engine)
            said.append(str(caught.value))
        assert said[0] == said[1]
        assert "block 5 of 7" in said[0]


def test_python_goes_on_while_blocks_run() -> None:
    """Blocks without loops, which ask for nothing."""
    kernel = ptoscope.load(LOOPS, target="cpu")
    kernel(0, 0, 0, engine="native")
    worker = threading.Thread(target=lambda: kernel(0, 0, 0, grid=9_000_000, engine="native"))
    worker.start()
    ticks = 0
    while worker.is_alive() and ticks < 5:
        time.sleep(0.001)
        ticks += 1
    worker.join()
    assert ticks == 5


_INTERRUPTED = """
import signal, sys, threading, time
import ptoscope
signal.signal(signal.SIGINT, signal.default_int_handler)
kernel = ptoscope.load(sys.argv[1], target="cpu")
kernel(0, 0, 0, engine="native")
threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
began = time.monotonic()
try:
    kernel(0, 0, 0, grid=1 << 40, engine="native", threads=int(sys.argv[2]))
except KeyboardInterrupt:
    sys.exit(0 if time.monotonic() - began < 2 else 3)
sys.exit(4)
"""


@pytest.mark.parametrize("threads", ["1", "2"])
def test_ctrl_c_ends_the_loop_soon(tmp_path: Path, threads: str) -> None:
    """A day of blocks that each take a moment."""
    (tmp_path / "k.pto").write_text(LOOPS)
    command = (sys.executable, "-c", _INTERRUPTED, str(tmp_path / "k.pto"), threads)
    ran: Any = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stderr) == (0, "")
