"""rope.pto in Python: pairs of floats turned by the angles of their token."""

from ptoscope import pto

HEADS, PITCH = 64, 128


@pto.kernel(target="a5")
def rope(
    x: pto.gm[pto.f32],
    cos: pto.gm[pto.f32],
    sin: pto.gm[pto.f32],
    out: pto.gm[pto.f32],
    tokens: pto.i32,
    heads: pto.i32,
    pairs: pto.i32,
) -> None:
    for token in pto.tiles(tokens, 1):
        xs, ys = pto.ub(pto.f32, HEADS, PITCH), pto.ub(pto.f32, HEADS, PITCH)
        first, last = token * heads, token * heads + heads
        pto.load(xs, x.rows(2 * pairs)[first:last], to_pitch=PITCH)
        cosines = pto.load(cos.rows(pairs)[token], to_pitch=PITCH)
        sines = pto.load(sin.rows(pairs)[token], to_pitch=PITCH)
        with pto.vecscope():
            mask, _ = pto.plt_b32(pairs)
            c, s = cosines[0], sines[0]
            for i in range(0, heads * PITCH, PITCH):
                x0, x1 = pto.vldsx2(xs, i, "DINTLV_B32")
                pto.vstsx2(x0 * c - x1 * s, x1 * c + x0 * s, ys, i, "INTLV_B32", mask)
        pto.store(out.rows(2 * pairs)[first:last], ys, from_pitch=PITCH)
