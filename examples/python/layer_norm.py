"""layer_norm.pto in Python: mean, variance, scale and shift of rows of up to 2048 floats."""

from ptoscope import pto

ROWS, PITCH = 8, 2048


@pto.kernel(target="a5")
def layer_norm(
    x: pto.gm[pto.f32],
    gamma: pto.gm[pto.f32],
    beta: pto.gm[pto.f32],
    out: pto.gm[pto.f32],
    eps: pto.f32,
    rows: pto.i32,
    columns: pto.i32,
) -> None:
    gammas, betas = pto.ub(pto.f32, PITCH), pto.ub(pto.f32, PITCH)
    pto.load(gammas, gamma[:columns])
    pto.load(betas, beta[:columns])
    share = 1.0 / pto.f32(columns)
    for t in pto.tiles(rows, ROWS):
        xs, ys = pto.load(x.rows(columns)[t], to_pitch=PITCH), pto.ub(pto.f32, ROWS, PITCH)
        with pto.vecscope():
            zero, one = pto.vbr(0.0), pto.vbr(1.0)
            for row in range(0, t.count * PITCH, PITCH):
                total = squares = zero
                for i, m in pto.lanes(xs, limit=columns):
                    total = total + pto.vsel(xs[row + i], zero, m)
                mean = pto.vdup(pto.vcadd(total)) * share
                for i, m in pto.lanes(xs, limit=columns):
                    apart = pto.vsel(xs[row + i] - mean, zero, m)
                    squares = pto.vmula(squares, apart, apart)
                scale = one / pto.vsqrt(pto.vdup(pto.vcadd(squares)) * share + eps)
                for i, m in pto.lanes(xs, limit=columns):
                    ys[row + i, m] = pto.vmula(betas[i], (xs[row + i] - mean) * scale, gammas[i])
        pto.store(out.rows(columns)[t], ys, from_pitch=PITCH)
