"""vector_add.pto in Python: a sum of any length, cut into tiles over the blocks of the grid."""

from ptoscope import pto


@pto.kernel(target="a5")
def vector_add(a: pto.gm[pto.f32], b: pto.gm[pto.f32], out: pto.gm[pto.f32], n: pto.i32) -> None:
    for t in pto.tiles(n, 8192):
        xs, ys = pto.load(a[t]), pto.load(b[t])
        with pto.vecscope():
            for i, m in pto.lanes(ys):
                ys[i, m] = xs[i] + ys[i]
        pto.store(out[t], ys)
