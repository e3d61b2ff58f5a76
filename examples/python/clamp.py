"""clamp.pto in Python: clamped by scalars, and by vectors that hold the same bounds."""

from ptoscope import pto


@pto.kernel(target="a5")
def clamp(
    x: pto.gm[pto.f32],
    by_scalars: pto.gm[pto.f32],
    by_vectors: pto.gm[pto.f32],
    low: pto.f32,
    high: pto.f32,
    n: pto.i32,
) -> None:
    for t in pto.tiles(n, 4096):
        xs, ys, zs = pto.load(x[t]), pto.ub(pto.f32, 4096), pto.ub(pto.f32, 4096)
        with pto.vecscope():
            lows, highs = pto.vbr(low), pto.vbr(high)
            for i, m in pto.lanes(xs):
                ys[i, m] = pto.vmins(pto.vmaxs(xs[i], low), high)
                zs[i, m] = pto.vmin(pto.vmax(xs[i], lows), highs)
        pto.store(by_scalars[t], ys)
        pto.store(by_vectors[t], zs)
