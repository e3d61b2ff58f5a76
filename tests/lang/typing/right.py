"""Kernels without a mistake, of which pyright has nothing to say even when it is strict."""

# pyright: strict, reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

from ptoscope import pto


@pto.kernel(target="a5")
def axpy(
    x: pto.gm[pto.f32], y: pto.gm[pto.f32], out: pto.gm[pto.f32], n: pto.i32, a: pto.f32
) -> None:
    for t in pto.tiles(n, 1024, stages=2):
        xs, ys = pto.load(x[t]), pto.load(y[t])
        with pto.vecscope():
            for i, m in pto.lanes(xs):
                ys[i, m] = pto.vaxpy(xs[i], ys[i], a, m)
        pto.store(out[t], ys)


@pto.kernel(target="a5")
def axpy_by_slices(
    x: pto.gm[pto.f32], y: pto.gm[pto.f32], out: pto.gm[pto.f32], n: pto.i32, a: pto.f32
) -> None:
    xs, ys = pto.ub(pto.f32, 1024), pto.ub(pto.f32, 1024)
    for t in pto.pipelined(0, n, 1024, stages=2):
        pto.load(xs, x[t : t + 1024])
        pto.load(ys, y[t : t + 1024])
        with pto.vecscope():
            for i, m in pto.lanes(xs, limit=n - t):
                ys[i, m] = pto.vaxpy(xs[i], ys[i], a, m)
        pto.store(out[t : t + 1024], ys)


@pto.function
def clipped(v: pto.Vector[pto.f32], most: float, m: pto.Mask) -> pto.Vector[pto.f32]:
    """At most a number, in lanes that are above it."""
    return pto.vsel(pto.vbr(most), v, (v > most) & m)


@pto.kernel
def operators(x: pto.gm[pto.f32], out: pto.gm[pto.f32], n: pto.i32, tile: int = 256) -> None:
    for t in pto.tiles(n, tile):
        xs, words = pto.load(x[t]), pto.ub(pto.si32, 256)
        with pto.vecscope():
            for i, m in pto.lanes(xs):
                v = 2.0 * abs(-xs[i]) + 1.0 - xs[i] / (xs[i] * xs[i] + 1)
                xs[i, m] = clipped(v, 8.0, ~(v == 3.0) ^ m)
                whole = pto.vcvt(v, m, dtype=pto.si32, sat="SAT")
                words[i, m] = (whole & 7) << 2 | ~whole >> 1
        pto.store(out[t], xs)


@pto.kernel
def said(x: pto.gm[pto.ui8], out: pto.gm[pto.i32], n: pto.i32) -> None:
    xs, ys = pto.load(x[:64]), pto.ub(pto.i32, 64)
    with pto.vecscope():
        wide = pto.vlds(xs, 0, dist="UNPK4", dtype=pto.i32)
        ys[0] = wide + pto.vbr(1000, dtype=pto.i32)
        moved, after = pto.vlds(ys, 0, update=True)
        pto.vsts(moved, after, 0)
        low, high = pto.vintlv(moved, wide)
        mask, rest = pto.plt_b32(n)
        ys[0, mask] = pto.vsel(low, high, mask)
        ys[0, pto.plt_b32(rest)[0]] = pto.vmax(low, high)
    words = pto.castptr(ys, dtype=pto.f32)
    address: pto.i64 = pto.castptr(words)
    out[0] = n if n > 5 and out[1] < 3 else max(n, 4) - pto.ceildivsi(n, 2)
    out[1] = pto.i32(address) // 2 % 7
    for k in pto.static(range(2, 4)):
        out[k] = 10 * k


@pto.kernel
def products(
    a: pto.gm[pto.f16],
    b: pto.gm[pto.f16],
    bias: pto.gm[pto.f32],
    out: pto.gm[pto.f16],
    rows: pto.gm[pto.f32],
    n: pto.i32,
) -> None:
    half, weights = pto.ub(pto.f32, 16, 32), pto.l1(pto.f16, 32, 32)
    with pto.cube():
        biases = pto.load(pto.load(bias[0:32], to="l1"), to="bt")
        b1 = pto.load(b.rows(32)[0:64, :], to="l1")
        b0 = pto.load(b1, to="l0b")
    for i in pto.tiles(n, 32, stages=2):
        with pto.cube():
            a0 = pto.load(pto.load(a.rows(64)[i, 0:64], to="l1"), to="l0a")
            c = pto.l0c(pto.f32, 32, 32)
            pto.matmul(c, a0, b0, bias=biases)
            pto.store(half, c, core="split_m", pitch=32)
            pto.store(weights, c, scale=0.5, relu=True)
            d = pto.l0c(pto.f32, 32, 32)
            pto.matmul(d, pto.load(weights, to="l0a"), pto.load(b1[0:32, :], to="l0b"))
            pto.matmul(d, pto.load(weights.T, to="l0a"), pto.load(b1[32:64, :].T, to="l0b"), False)
            pto.store(out.rows(32)[i, :], d, relu=0.25, clip=2.0)
        with pto.vector():
            first = i + pto.get_subblock_idx() * 16
            pto.store(rows.rows(32)[first : first + 16], half)


KERNELS = [axpy, axpy_by_slices, operators, said, products]
