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
