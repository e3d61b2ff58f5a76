"""histogram.pto in Python: every lane counts in a histogram of its own, so none is lost."""

from ptoscope import pto

BINS, LANES = 256, 64


@pto.kernel(target="a5")
def histogram(samples: pto.gm[pto.ui8], counts: pto.gm[pto.i32], n: pto.i32) -> None:
    bins, total = pto.ub(pto.i32, LANES, BINS), pto.ub(pto.i32, BINS)
    with pto.vecscope():
        for i, m in pto.lanes(bins):
            bins[i, m] = pto.vbr(0, dtype=pto.i32)
    for t in pto.tiles(n, 16384):
        xs = pto.load(samples[t])
        with pto.vecscope():
            own = pto.vci(0, dtype=pto.i32) << 8
            for i, m in pto.lanes(bins, limit=t.count):
                at = own + pto.vlds(xs, i, dist="UNPK4", dtype=pto.i32)
                pto.vscatter(pto.vgather2(bins, at, m) + 1, bins, at, m)
    with pto.vecscope():
        for i, m in pto.lanes(total):
            acc = pto.vbr(0, dtype=pto.i32)
            for lane in range(0, LANES * BINS, BINS):
                acc = acc + bins[lane + i]
            total[i, m] = acc
    pto.set_atomic_s32()
    pto.set_atomic_add()
    pto.store(counts[:BINS], total)
    pto.set_atomic_none()
