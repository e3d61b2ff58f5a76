"""quantize_int8.pto in Python: rows as signed bytes, each with a scale of its own."""

from ptoscope import pto

ROWS, PITCH = 8, 2048
LEAST = 2.0**-126


@pto.kernel(target="a5")
def quantize_int8(
    x: pto.gm[pto.f32],
    q: pto.gm[pto.i8],
    scales: pto.gm[pto.f32],
    limit: pto.f32,
    rows: pto.i32,
    columns: pto.i32,
) -> None:
    for t in pto.tiles(rows, ROWS):
        xs, qs = pto.load(x.rows(columns)[t], to_pitch=PITCH), pto.ub(pto.i8, ROWS, PITCH)
        row_scales, words = pto.ub(pto.f32, ROWS), pto.castptr(qs, dtype=pto.i32)
        with pto.vecscope():
            zero, c127 = pto.vbr(0.0), pto.vbr(127.0)
            for row in range(t.count):
                top = zero
                for i, m in pto.lanes(xs, limit=columns):
                    top = pto.vmax(top, pto.vsel(abs(xs[row * PITCH + i]), zero, m))
                clipped = pto.vmins(pto.vdup(pto.vcmax(top)), limit)
                scale = pto.vmaxs(clipped / c127, LEAST)
                row_scales[row, "1PT_B32"] = scale
                for i, m in pto.lanes(xs, limit=columns):
                    at = row * PITCH + i
                    # To odd first, so that the second rounding cannot be wrong.
                    half = pto.vcvt(xs[at] / scale, rnd="O", sat="SAT", part="EVEN", dtype=pto.f16)
                    byte = pto.vcvt(half, rnd="R", sat="SAT", part="EVEN", dtype=pto.i8)
                    lowest = pto.vbitcast(byte, dtype=pto.i32)
                    pto.vsts(lowest, words, at // 4, m, dist="PK4_B32")
        pto.store(q.rows(columns)[t], qs, from_pitch=PITCH)
        pto.store(scales[t], row_scales)
