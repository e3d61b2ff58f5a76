"""The memory of kernels written in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptoscope import pto
from ptoscope.diagnostics import PtoError


def lives(kernel: Any) -> dict[str, tuple[int, int, int, int]]:
    """Address, copies and lines of each buffer; lines are counted from the kernel's first."""
    first = kernel.__wrapped__.__code__.co_firstlineno + 1
    return {
        p.name: (p.address, p.allocation.copies, p.first_line - first, p.last_line - first)
        for p in kernel.memory
    }


@pto.kernel(target="a5")
def twice(x: pto.gm[pto.f32], y: pto.gm[pto.f32], n: pto.i32):
    for t in pto.tiles(n, 1000, stages=2):
        xs = pto.load(x[t])
        ys = pto.ub(pto.f32, 1000)
        for i, m in pto.lanes(xs):
            ys[i, m] = pto.vadd(xs[i], xs[i], m)
        pto.store(y[t], ys)


def test_copies_of_a_pipelined_loop_whose_vecscopes_are_left_out() -> None:
    assert lives(twice) == {"xs": (0, 2, 1, 6), "ys": (8192, 2, 1, 6)}


@pto.kernel(target="a5")
def three(x: pto.gm[pto.f32], y: pto.gm[pto.f32]):
    a = pto.ub(pto.f32, 24 * 1024)
    b = pto.ub(pto.f32, 24 * 1024)
    c = pto.ub(pto.f32, 24 * 1024)
    pto.load(a, x[0:4096])
    pto.store(y[0:4096], a[0:4096])
    pto.load(b, x[4096:8192])
    pto.store(y[4096:8192], b[0:4096])
    pto.load(c, x[8192:12288])
    pto.store(y[8192:12288], c[0:4096])


def test_dead_buffers_are_used_again() -> None:
    assert lives(three) == {"a": (0, 1, 4, 5), "b": (0x18000, 1, 6, 7), "c": (0, 1, 8, 9)}


@pytest.mark.parametrize(("kernel", "numbers", "factor"), [(three, (), 1), (twice, (12288,), 2)])
def test_who_shares_memory_or_takes_turns_waits(
    kernel: Any, numbers: tuple[int, ...], factor: int
) -> None:
    x = np.arange(12288, dtype=np.float32)
    y = np.zeros_like(x)
    kernel(x, y, *numbers)
    assert np.array_equal(y, factor * x)
    assert kernel.watch(x, y, *numbers).diagnostics == []


def test_what_does_not_fit_is_said_at_its_line() -> None:
    @pto.kernel(target="a2a3")
    def large(x: pto.gm[pto.f32], n: pto.i32):
        for t in pto.tiles(n, 15 * 1024, stages=4):
            pto.store(x[t], pto.load(x[t]))

    with pytest.raises(PtoError) as caught:
        _ = large.memory
    (said,) = caught.value.diagnostics
    assert (said.code, said.source_line.strip()) == ("PTO0309", "pto.store(x[t], pto.load(x[t]))")
    assert said.found.startswith("245760 bytes are live at line ")
    assert said.expected == "at most 196608 bytes (192 KiB on a2a3)"
    assert "4 x 61440 bytes" in said.hint
