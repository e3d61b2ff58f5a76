"""double_buffer_flags.pto in Python: two stages, and the flags between them are inserted."""

from ptoscope import pto


@pto.kernel(target="a5")
def double_buffer_flags(
    a: pto.gm[pto.f32], b: pto.gm[pto.f32], out: pto.gm[pto.f32], n: pto.i32
) -> None:
    for t in pto.tiles(n, 1024, stages=2):
        xs, ys, zs = pto.load(a[t]), pto.load(b[t]), pto.ub(pto.f32, 1024)
        with pto.vecscope():
            for i, m in pto.lanes(xs):
                zs[i, m] = xs[i] + ys[i]
        pto.store(out[t], zs)
