"""Synchronisation is inserted where data crosses pipes, unless the author writes it."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope import pto


@pto.kernel
def scale_in_place(x: pto.gm[pto.f32], n: pto.i32, stages: int = 1):
    for t in pto.tiles(n, 512, stages=stages):
        xs = pto.load(x[t])
        for i, m in pto.lanes(xs):
            xs[i, m] = xs[i] * 2.0 + 1.0
        pto.store(x[t], xs)


@pto.kernel
def running_sum(x: pto.gm[pto.f32], out: pto.gm[pto.f32], n: pto.i32):
    both = pto.ub(pto.f32, 128)
    for t in pto.pipelined(0, n, 64, stages=2):
        pto.load(both[0:64], x[t])
        with pto.vecscope():
            if t == 0:
                both[64] = both[0]
            else:
                both[64] = both[64] + both[0]
        pto.store(out[t], both[64:128])


@pto.kernel(sync="manual")
def unsynchronised(x: pto.gm[pto.f32], n: pto.i32):
    for t in pto.tiles(n, 512):
        xs = pto.load(x[t])
        for i, m in pto.lanes(xs):
            xs[i, m] = xs[i] * 2.0
        pto.store(x[t], xs)


@pytest.mark.parametrize("target", ["a5", "a2a3", "cpu"])
@pytest.mark.parametrize("stages", [1, 2, 3])
def test_no_finding_and_no_race(target: str, stages: int) -> None:
    kernel = scale_in_place.on(target, stages=stages)
    assert kernel.findings == []
    x = np.arange(3000, dtype=np.float32)
    assert kernel.watch(x, 3000, grid=2).races == []
    kernel(x, 3000, grid=2)
    assert np.array_equal(x, np.arange(3000, dtype=np.float32) * 2 + 1)


def test_stages_save_cycles() -> None:
    x = np.zeros(8192, np.float32)
    one, two = (scale_in_place.on("a5", stages=n).time(x, 8192).total_cycles for n in (1, 2))
    assert two < one


def test_manual_inserts_nothing() -> None:
    assert "flag" not in unsynchronised.text
    assert {d.code for d in unsynchronised.on().findings} == {"PTO0607"}


def test_what_an_iteration_leaves_for_the_next_has_one_copy() -> None:
    (both,) = running_sum.memory.placements
    assert both.allocation.copies == 1
    x = np.arange(640, dtype=np.float32)
    expected = np.cumsum(x.reshape(10, 64), axis=0).reshape(-1)
    for run in (running_sum, running_sum.eager):
        assert np.array_equal(run(x, pto.empty(640), 640), expected)


def test_what_every_iteration_fills_has_a_copy_for_each_stage() -> None:
    assert [p.allocation.copies for p in filled.memory.placements] == [2]


@pto.kernel
def filled(x: pto.gm[pto.f32], n: pto.i32):
    xs = pto.ub(pto.f32, 1024)
    for t in pto.pipelined(0, n, 1024, stages=2):
        pto.load(xs, x[t : t + 1024])
        for i, m in pto.lanes(xs, limit=n - t):
            xs[i, m] = xs[i] * 2.0
        pto.store(x[t : t + 1024], xs)
