"""Kernels of the matrix core, and what they compute: sums in the order of k, each step rounded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ptoscope import pto

Array = np.ndarray[Any, Any]


@pto.kernel(target="a5")
def tiled(
    a: pto.gm[pto.f16],
    b: pto.gm[pto.f16],
    y: pto.gm[pto.f32],
    m: pto.i32,
    n: pto.i32,
    kk: pto.i32,
    size: int = 32,
    stages: int = 2,
):
    """A product of any size."""
    for i in pto.tiles(m, size):
        for j in pto.pipelined(0, n, size, stages=stages):
            c = pto.l0c(pto.f32, size, size)
            for k in pto.pipelined(0, kk, size, stages=stages):
                a1 = pto.load(a.rows(kk)[i, k], to="l1")
                b1 = pto.load(b.rows(n)[k, j], to="l1")
                a0, b0 = pto.load(a1, to="l0a"), pto.load(b1, to="l0b")
                pto.matmul(c, a0, b0, init=k == 0)
            pto.store(y.rows(n)[i, j], c)


@pto.kernel(target="a5")
def fused(
    a: pto.gm[pto.f16],
    b: pto.gm[pto.f16],
    bias: pto.gm[pto.f32],
    y: pto.gm[pto.i8],
    scale: pto.f32,
    m: int = 64,
    n: int = 64,
):
    """A product that begins with biases, scaled, cut and rounded to bytes."""
    biases = pto.load(pto.load(bias[0:n], to="l1"), to="bt")
    b0 = pto.load(pto.load(b.rows(n)[0:64, :], to="l1"), to="l0b")
    for i in pto.tiles(m, 32, stages=2):
        c = pto.l0c(pto.f32, 32, n)
        a0 = pto.load(pto.load(a.rows(64)[i, :], to="l1"), to="l0a")
        pto.matmul(c, a0, b0, bias=biases)
        pto.store(y.rows(n)[i, :], c, scale=scale, relu=True)


@pto.kernel(target="a5")
def chained(
    a: pto.gm[pto.f16],
    b: pto.gm[pto.f16],
    d: pto.gm[pto.f16],
    y: pto.gm[pto.f32],
    m: int = 32,
    n: int = 48,
):
    """A product of a product, which stays on the chip."""
    a0 = pto.load(pto.load(a.rows(64)[0:m, :], to="l1"), to="l0a")
    b0 = pto.load(pto.load(b.rows(n)[0:64, :], to="l1"), to="l0b")
    c = pto.l0c(pto.f32, m, n)
    pto.matmul(c, a0, b0)
    c1 = pto.l1(pto.f16, m, n)
    pto.store(c1, c)
    d0 = pto.load(pto.load(d.rows(n)[0:n, :], to="l1"), to="l0b")
    e = pto.l0c(pto.f32, m, n)
    pto.matmul(e, pto.load(c1, to="l0a"), d0)
    pto.store(y.rows(n)[0:m, :], e)


@pto.kernel(target="a5")
def in_parts(a: pto.gm[pto.f16], b: pto.gm[pto.f16], y: pto.gm[pto.f32]):
    """Factors of parts of what is in L1: rows, columns, and transposed."""
    a1 = pto.load(a.rows(64)[0:64, :], to="l1")
    b1 = pto.load(b.rows(64)[0:64, :], to="l1")
    for i in pto.pipelined(0, 64, 32, stages=1):
        c = pto.l0c(pto.f32, 32, 32)
        for k in pto.pipelined(0, 64, 16, stages=2):
            # The transposed b, its columns from 32 on.
            b0 = pto.load(b1[32:64, k].T, to="l0b")
            pto.matmul(c, pto.load(a1[i, k], to="l0a"), b0, init=k == 0)
        pto.store(y.rows(32)[i, :], c)


@pto.kernel(target="a5")
def exponentials(a: pto.gm[pto.f16], b: pto.gm[pto.f16], y: pto.gm[pto.f32], m: int = 128):
    """Rows of a product, half of them for each vector core."""
    with pto.cube():
        b0 = pto.load(pto.load(b.rows(64)[0:64, :], to="l1"), to="l0b")
    for i in pto.pipelined(0, m, 32):
        rows = pto.ub(pto.f32, 16, 64)
        with pto.cube():
            a0 = pto.load(pto.load(a.rows(64)[i, :], to="l1"), to="l0a")
            c = pto.l0c(pto.f32, 32, 64)
            pto.matmul(c, a0, b0)
            pto.store(rows, c, core="split_m")
        with pto.vector():
            with pto.vecscope():
                for t, p in pto.lanes(rows):
                    rows[t, p] = pto.vexp(rows[t])
            r = i + pto.get_subblock_idx() * 16
            pto.store(y.rows(64)[r : r + 16], rows)


@pto.kernel(target="a5")
def halved(a: pto.gm[pto.f16], b: pto.gm[pto.f16], y: pto.gm[pto.f32], n: int = 64):
    """Vector cores halve the left factor and hand it to the matrix core, a half of it each."""
    a1 = pto.l1(pto.f16, 32, 64)
    for i in pto.pipelined(0, n, 32, stages=1):
        with pto.vector():
            r = i + pto.get_subblock_idx() * 16
            xs = pto.load(a.rows(64)[r : r + 16])
            with pto.vecscope():
                for t, p in pto.lanes(xs):
                    xs[t, p] = xs[t] * 0.5
            first = pto.get_subblock_idx() * 16
            pto.store(a1[first : first + 16, :], xs)
        with pto.cube():
            b0 = pto.load(pto.load(b.rows(64)[0:64, :], to="l1"), to="l0b")
            c = pto.l0c(pto.f32, 32, 64)
            pto.matmul(c, pto.load(a1, to="l0a"), b0)
            pto.store(y.rows(64)[i, :], c)


@pto.kernel(target="a5")
def through_gm(
    a: pto.gm[pto.f16],
    b: pto.gm[pto.f16],
    room: pto.gm[pto.f32],
    y: pto.gm[pto.f32],
    n: int = 128,
):
    """Products go to the vector cores over one place in GM, which all targets can."""
    with pto.cube():
        b0 = pto.load(pto.load(b.rows(64)[0:64, :], to="l1"), to="l0b")
    for i in pto.pipelined(0, n, 32):
        with pto.cube():
            a0 = pto.load(pto.load(a.rows(64)[i, :], to="l1"), to="l0a")
            c = pto.l0c(pto.f32, 32, 64)
            pto.matmul(c, a0, b0)
            pto.store(room.rows(64)[0:32, :], c)
        with pto.vector():
            r = pto.get_subblock_idx() * 16
            xs = pto.load(room.rows(64)[r : r + 16])
            with pto.vecscope():
                for t, p in pto.lanes(xs):
                    xs[t, p] = xs[t] * 2.0
            pto.store(y.rows(64)[i + r : i + r + 16], xs)


@pto.kernel(target="a5")
def counted(x: pto.gm[pto.i32], y: pto.gm[pto.i32], n: pto.i32):
    """Scalar units hand numbers to each other."""
    for i in range(n):
        with pto.vector():
            if pto.get_subblock_idx() == 1:
                x[0] = x[0] + 1
        with pto.cube():
            y[i] = x[0] * 2


def product(a: Array, b: Array, start: Array | None = None) -> Array:
    """A product as the matrix unit computes it: one rounding for each step along k. Products of
    f16 are exact in f64, and so nearly always are their sums with f32."""
    left, right = a.astype(np.float64), b.astype(np.float64)
    found = np.zeros((len(a), b.shape[1]), np.float32) if start is None else start
    for k in range(a.shape[1]):
        found = (found + left[:, k : k + 1] * right[k : k + 1]).astype(np.float32)
    return found


def f16(shape: tuple[int, ...], seed: int) -> Array:
    """Random numbers of few bits: their products and sums are exact in f64."""
    rng = np.random.default_rng(seed)
    return (rng.integers(-512, 512, shape) / 256).astype(np.float16)


def ways(kernel: pto.PythonKernel) -> Iterator[Callable[..., Any]]:
    """How a kernel can be run: on each engine, and as plain Python."""
    yield kernel.eager
    for engine in ("reference", "native"):

        def run(*arguments: Any, engine: str = engine, **named: Any) -> None:
            kernel(*arguments, engine=engine, **named)

        yield run
