"""Vectors, masks, copies, streams: the same bits in all three ways."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from ptoscope import UsageError, pto
from tests.lang.eager.agreement import agreed

SOME = np.random.default_rng(17)


@pto.kernel(sync="manual")
def axpy(x: pto.gm[pto.f32], y: pto.gm[pto.f32], out: pto.gm[pto.f32], n: pto.i32, a: pto.f32):
    for t in pto.tiles(n, 256, stages=2):
        xs, ys = pto.load(x[t]), pto.load(y[t])
        pto.pipe_barrier("PIPE_ALL")
        with pto.vecscope():
            for i, m in pto.lanes(xs):
                ys[i, m] = pto.vaxpy(xs[i], ys[i], a, m)
        pto.pipe_barrier("PIPE_ALL")
        pto.store(out[t], ys)
        pto.pipe_barrier("PIPE_ALL")


@pytest.mark.parametrize(("n", "grid"), [(1000, 1), (1000, 3), (7, 2), (256, 1)])
def test_tiles(n: int, grid: int) -> None:
    x, y = SOME.normal(size=(2, n)).astype(np.float32)
    *_, out = agreed(axpy, x, y, np.zeros(n, np.float32), n, 0.3, grid=grid)
    exact = np.float64(np.float32(0.3)) * x.astype(np.float64) + y.astype(np.float64)
    assert np.allclose(out, exact, rtol=1e-6, atol=1e-6)


@pto.kernel(sync="manual")
def flagged(x: pto.gm[pto.f32], out: pto.gm[pto.f32]):
    xs = pto.load(x[0:64])
    pto.set_flag("PIPE_MTE2", "PIPE_V", 0)
    pto.wait_flag("PIPE_MTE2", "PIPE_V", 0)
    with pto.vecscope():
        xs[0] = -xs[0]
    pto.set_flag("PIPE_V", "PIPE_MTE3", 0)
    pto.wait_flag("PIPE_V", "PIPE_MTE3", 0)
    pto.store(out[0:64], xs)


@pto.kernel(sync="manual")
def early(x: pto.gm[pto.f32], out: pto.gm[pto.f32]):
    xs = pto.ub(pto.f32, 64)
    pto.wait_flag("PIPE_MTE2", "PIPE_V", 0)
    with pto.vecscope():
        xs[0] = -xs[0]
    pto.load(xs, x[0:64])
    pto.set_flag("PIPE_MTE2", "PIPE_V", 0)
    pto.pipe_barrier("PIPE_ALL")
    pto.store(out[0:64], xs)


def test_flags_of_the_author() -> None:
    x = SOME.normal(size=64).astype(np.float32)
    _, out = agreed(flagged, x, np.zeros(64, np.float32))
    assert (out == -x).all()


def test_a_vector_pipe_that_waits_for_later_lines() -> None:
    x, out = np.ones((2, 64), np.float32)
    early(x, out, engine="reference")
    assert (out == -1).all()
    with pytest.raises(UsageError, match="waits for what the kernel does later"):
        early.eager(x, out)


@pto.kernel
def whole(x: pto.gm[pto.i16], out: pto.gm[pto.i16], n: pto.i32):
    xs, ys = pto.ub(pto.i16, 512), pto.ub(pto.i16, 512)
    for t in pto.pipelined(0, n, 512, stages=3):
        pto.load(xs, x[t : t + 512])
        with pto.vecscope():
            for i, m in pto.lanes(xs, limit=n - t):
                v = xs[i]
                ys[i, m] = (v + v) ^ 3
        pto.store(out[t : t + 512], ys)


def test_arrays_that_iterations_take_turns_with() -> None:
    x = SOME.integers(-(1 << 15), 1 << 15, 2000, np.int16)
    _, out = agreed(whole, x, np.zeros(2000, np.int16), 2000)
    assert (out == ((x + x) ^ 3)).all()


@pto.kernel
def scanned(x: pto.gm[pto.f16], out: pto.gm[pto.f16]):
    xs, ys = pto.load(x[0:512]), pto.ub(pto.f16, 512)
    with pto.vecscope():
        most = pto.vbr(-1000.0, dtype=pto.f16)
        for i, m in pto.lanes(xs):
            most = pto.vmax(most, xs[i], m)
        top = pto.vdup(pto.vcmax(most), position="LOWEST")
        for i, m in pto.lanes(xs):
            v = xs[i]
            small = v < top
            ys[i, m] = pto.vsel(v - top, top, small & m)
    pto.store(out[0:512], ys)


def test_vectors_that_loops_carry() -> None:
    x = SOME.normal(size=512).astype(np.float16)
    _, out = agreed(scanned, x, np.zeros(512, np.float16))
    top = x.max()
    assert (out == np.where(x < top, x - top, top)).all()


@pto.kernel(revision="micro")
def narrowed(x: pto.gm[pto.f32], out: pto.gm[pto.bf16], size: int = 256):
    xs, ys = pto.load(x[0:size]), pto.ub(pto.bf16, size)
    with pto.vecscope():
        for i, m in pto.lanes(xs):
            ys[i, m, "PK_B32"] = pto.vcvt(xs[i], m, dtype=pto.bf16, part="EVEN")
    pto.store(out[0:size], ys)


@pytest.mark.parametrize("size", [128, 256])
def test_conversions(size: int) -> None:
    x = SOME.normal(size=256).astype(np.float32)
    _, out = agreed(narrowed, x, np.zeros(256, ml_dtypes.bfloat16), size=size)
    assert (out[:size] == x[:size].astype(ml_dtypes.bfloat16)).all()


@pto.kernel(revision="micro")
def shifted(x: pto.gm[pto.f32], out: pto.gm[pto.f32], by: pto.i32, n: pto.i32):
    xs, ys = pto.load(x[0:192]), pto.ub(pto.f32, 192)
    with pto.vecscope():
        source = pto.addptr(xs, by)
        loading, storing = pto.vldas(source), pto.init_align()
        start = pto.addptr(ys, 3)
        for _ in range(2):
            v, loading, source = pto.vldus(source, loading, update=True)
            storing, start = pto.vstus(storing, n, v, start, update=True)
        pto.vstar(storing, start)
    pto.store(out[0:192], ys)


@pytest.mark.parametrize(("by", "n"), [(5, 64), (1, 11), (8, 1)])
def test_streams(by: int, n: int) -> None:
    x = SOME.normal(size=192).astype(np.float32)
    _, out = agreed(shifted, x, np.zeros(192, np.float32), by, n)
    expected = np.zeros(192, np.float32)
    expected[3 : 3 + n], expected[3 + n : 3 + 2 * n] = x[by : by + n], x[by + 64 : by + 64 + n]
    assert (out == expected).all()


@pto.kernel
def picked(x: pto.gm[pto.i32], places: pto.gm[pto.i32], out: pto.gm[pto.i32]):
    xs, at, ys = pto.load(x[0:256]), pto.load(places[0:64]), pto.ub(pto.i32, 64)
    with pto.vecscope():
        found = pto.vgather2(xs, at[0])
        ys[0] = found
        ys[0, found > 100] = found + found
    pto.store(out[0:64], ys)


def test_gathers_and_masks_of_comparisons() -> None:
    x = SOME.integers(0, 200, 256, np.int32)
    places = SOME.integers(0, 256, 64, np.int32)
    *_, out = agreed(picked, x, places, np.zeros(64, np.int32))
    found = x[places]
    assert (out == np.where(found > 100, 2 * found, found)).all()


@pto.function
def smoothed(xs, count):
    """Copies of its own: where they lie depends on where it is called."""
    ys = pto.ub(pto.f32, count)
    with pto.vecscope():
        for i, m in pto.lanes(ys):
            ys[i, m] += xs[i] * 0.5  # pyright: ignore[reportCallIssue, reportArgumentType]
    return ys


@pto.kernel
def unrolled(x: pto.gm[pto.f32], out: pto.gm[pto.f32], parts: tuple = (64, 128)):
    arrays = [pto.load(x[0:size]) for size in parts]
    place = 0
    for xs, size in zip(arrays, parts, strict=True):
        ys = smoothed(xs, size)
        pto.store(out[place : place + size], ys)
        place += size


def test_arrays_of_unrolled_loops_and_helpers() -> None:
    x = SOME.normal(size=128).astype(np.float32)
    _, out = agreed(unrolled, x, np.zeros(192, np.float32))
    assert (out == np.concatenate((x[:64], x)) * np.float32(0.5)).all()
    assert len({p.address for p in unrolled.memory.placements}) == 4
