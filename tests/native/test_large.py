"""Kernels that are small to write and large to compile: time, stack and memory have limits."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import pytest

from ptoscope import UsageError, native
from ptoscope.isa.targets import TARGETS
from ptoscope.kernel import Kernel
from ptoscope.native import jit
from ptoscope.native.compile import CompiledModule
from ptoscope.sources import parse
from tests.native import large


def fresh(text: str) -> Kernel:
    """A kernel that does not come out of the cache."""
    return Kernel(parse(text, "large.pto", "a5", "manual"), TARGETS["a5"], "manual")


def lowered(text: str) -> CompiledModule:
    return native.lower(fresh(text).function, TARGETS["a5"], "manual")


def whole(text: str) -> str:
    module = lowered(text)
    return module.text + module.cold_text


def test_writing_nested_accumulators_does_not_double_with_every_level() -> None:
    """Counted in values, those of code that was thrown away again too."""
    ten, twenty = (highest_number(large.accumulators(depth)) for depth in (10, 20))
    assert twenty < 8 * ten


def highest_number(text: str) -> int:
    """That of the value which was made last."""
    words = whole(text).split()
    names = (word.strip("%v,") for word in words if word.startswith("%v"))
    return max(int(name) for name in names if name.isdigit())


def test_the_accumulators_of_nested_loops_are_those_of_the_reference() -> None:
    kernel = fresh(large.accumulators(6))
    x, y = np.linspace(-3, 3, 64, dtype=np.float32), np.zeros(64, np.float32)
    kernel(x, y)
    assert (x == y).all()


@pytest.mark.parametrize("write", [large.permutes, large.exponentials, large.live_vectors])
def test_what_is_not_optimised_gives_the_same_bits(
    write: Callable[[int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    x = np.random.default_rng(0).standard_normal(64).astype(np.float32)
    results: list[bytes] = []
    compiled = jit.object_code
    for quickly in (False, True):
        monkeypatch.setattr(jit, "object_code", lambda text, q=quickly, **_: compiled(text, q))
        y = np.zeros(64, np.float32)
        fresh(write(12))(x, y)
        results.append(y.tobytes())
    assert results[0] == results[1]


def test_long_chains_take_a_time_that_grows_with_them() -> None:
    """300 exponentials took half a minute; it is the square of that which has to go."""
    module = lowered(large.exponentials(300))
    before = time.process_time()
    native.assemble(module)
    assert time.process_time() - before < 3


def test_temporaries_are_used_again() -> None:
    few, many = (whole(large.permutes(count)).count(" alloca ") for count in (2, 40))
    assert 0 < few == many


SMALL_STACK = """
import sys, threading
import numpy as np
import ptoscope
from tests.native import large

def run():
    kernel = ptoscope.load(getattr(large, sys.argv[1])(int(sys.argv[2])), force=True)
    x = np.linspace(-1, 1, 64, dtype=np.float32)
    expected, y = np.zeros((2, 64), np.float32)
    kernel(x, expected, engine="reference")
    kernel(x, y, engine="native")
    print("same" if (y == expected).all() else "other")

threading.stack_size(1 << 19)
thread = threading.Thread(target=run)
thread.start()
thread.join()
"""


@pytest.mark.parametrize(("what", "count"), [("permutes", 1000), ("live_vectors", 2400)])
def test_code_has_the_stack_it_needs_on_any_thread(what: str, count: int) -> None:
    """Half a megabyte, with which LLVM gets along, is not enough for either, without
    reuse and without a thread of its own."""
    command = [sys.executable, "-c", SMALL_STACK, what, str(count)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout) == (0, "same\n"), ran.stderr[-2000:]


@pytest.mark.parametrize("limit", ["_MOST_TEXT", "_MOST_VECTORS"])
def test_what_is_too_large_says_so(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, limit, 1000)
    kernel = fresh(large.exponentials(3))
    with pytest.raises(UsageError, match=r"it has 0 MB of .* more than 0: put what repeats into"):
        kernel.engine("native")
    chosen, why = kernel.engine()
    assert chosen == "reference"
    assert "put what repeats into loops" in why


def test_llvm_is_not_asked_where_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would end the process."""
    module = lowered(large.exponentials(1))
    monkeypatch.setattr(jit, "_memory_left", lambda: 1 << 20)
    with pytest.raises(MemoryError):
        native.assemble(module)


ENDLESS = f"""
func.func @kernel(%x: !pto.ptr<ui32, gm>, %y: !pto.ptr<ui8, gm>, %n: i64) {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %row = arith.constant 256 : i64
  %bits = arith.constant 32 : i64
  %some = arith.constant 45 : i32
  %longs = pto.castptr %zero : i64 -> !pto.ptr<i64, ub>
  %words = pto.castptr %zero : i64 -> !pto.ptr<ui32, ub>
  %image = pto.castptr %row : i64 -> !pto.ptr<ui8, ub>
  pto.mte_gm_ub %x, %words, %zero, %row nburst(%one, %row, %row)
    : !pto.ptr<ui32, gm>, !pto.ptr<ui32, ub>, i64, i64, i64, i64, i64
  pto.barrier #pto.pipe<PIPE_ALL>
  pto.vecscope {{
    %a = pto.vlds %longs[%c0] : !pto.ptr<i64, ub> -> !pto.vreg<32xi64>
    %m, %rest = pto.plt_b32 %some : i32 -> {large.M}, i32
    %c = pto.vcmps %a, %n, %m, "ne" : !pto.vreg<32xi64>, i64, {large.M} -> {large.M}
    %w = pto.vlds %words[%c0] : !pto.ptr<ui32, ub> -> {large.U}
    %s, %carry = pto.vaddcs %w, %w, %c, %m
      : {large.U}, {large.U}, {large.M}, {large.M} -> {large.U}, {large.M}
    pto.psts %carry, %image[%c0], "NORM" : {large.M}, !pto.ptr<ui8, ub>, index
  }}
  pto.barrier #pto.pipe<PIPE_ALL>
  pto.mte_ub_gm %image, %y, %bits nburst(%one, %bits, %bits)
    : !pto.ptr<ui8, ub>, !pto.ptr<ui8, gm>, i64, i64, i64, i64
  return
}}
"""
"""With AVX-512, LLVM went back and forth between two forms of its sum."""

COMPILES = """
import sys
import numpy as np
import ptoscope

kernel = ptoscope.load(sys.stdin.read(), target="a5", revision="micro")
x = np.arange(64, dtype=np.uint32) << 26
results = np.zeros((2, 32), np.uint8)
for engine, y in zip(("reference", "native"), results):
    kernel(x, y, 1, engine=engine)
print("same" if (results[0] == results[1]).all() and results.any() else "other")
"""


def test_compiling_ends() -> None:
    command = [sys.executable, "-c", COMPILES]
    ran = subprocess.run(command, input=ENDLESS, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout) == (0, "same\n"), ran.stderr[-2000:]
