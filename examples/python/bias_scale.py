"""bias_scale.pto in Python: rows of any length, each at the begin of a pitch of its own in UB."""

from ptoscope import pto

ROWS, PITCH = 16, 1024


@pto.kernel(target="a5")
def bias_scale(
    x: pto.gm[pto.f32],
    out: pto.gm[pto.f32],
    bias: pto.f32,
    scale: pto.f32,
    rows: pto.i32,
    columns: pto.i32,
) -> None:
    for t in pto.tiles(rows, ROWS):
        xs, ys = pto.load(x.rows(columns)[t], to_pitch=PITCH), pto.ub(pto.f32, ROWS, PITCH)
        with pto.vecscope():
            for row in range(0, t.count * PITCH, PITCH):
                for i, m in pto.lanes(xs, limit=columns):
                    ys[row + i, m] = (xs[row + i] + bias) * scale
        pto.store(out.rows(columns)[t], ys, from_pitch=PITCH)
