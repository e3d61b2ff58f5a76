"""Kernels in Python are timed, watched, recorded and viewed as they are called."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from ptoscope import pto


@pto.kernel(sync="manual")
def doubled(x: pto.gm[pto.f32], y: pto.gm[pto.f32], n: pto.i32, size: int = 64):
    for t in pto.tiles(n, size):
        xs = pto.load(x[t])
        pto.pipe_barrier("PIPE_ALL")
        with pto.vecscope():
            for i, m in pto.lanes(xs):
                xs[i, m] = xs[i] + xs[i]
        pto.pipe_barrier("PIPE_ALL")
        pto.store(y[t], xs)
        pto.pipe_barrier("PIPE_ALL")


X = np.arange(200, dtype=np.float32)


def test_cycles_are_those_of_the_kernel_for_the_same_fixed_parameters() -> None:
    y = np.zeros_like(X)
    total = doubled.time(X, y, 200, size=128, grid=2).total_cycles
    assert np.array_equal(y, 2 * X)
    assert total == doubled.on(size=128).time(X, y, 200, grid=2).total_cycles
    assert total != doubled.time(X, pto.empty(200), n=200, grid=1).total_cycles


def test_a_target_can_be_said() -> None:
    on_a2a3 = doubled.time(X, pto.empty(200), 200, target="a2a3").total_cycles
    assert on_a2a3 == doubled.on("a2a3").time(X, np.zeros_like(X), 200).total_cycles


def test_the_text_is_that_of_the_target_and_the_fixed_parameters() -> None:
    assert doubled.text == doubled.on().text
    other = doubled.on("a2a3", size=128).text
    assert 'target_arch = "a2a3"' in other
    assert "128 : index" in other
    assert 'loc("test_looking.py":' in other


def test_what_is_watched_and_recorded_and_viewed() -> None:
    assert doubled.watch(X, pto.empty(200), 200, schedules=2).diagnostics == []
    run = doubled.record(X, pto.empty(200), 200)
    assert run.error is None
    assert "doubled" in doubled.view(X[:64], pto.empty(64), 64)


def test_wrong_arguments_are_said() -> None:
    with pytest.raises(ptoscope.UsageError, match="missing a required argument: 'n'"):
        doubled.time(X, pto.empty(200))
    with pytest.raises(ptoscope.PtoError, match="there is no parameter %sizes"):
        doubled.time(X, pto.empty(200), 200, sizes=3)
