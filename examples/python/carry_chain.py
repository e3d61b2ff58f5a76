"""carry_chain.pto in Python: 128-bit integers added limb by limb, the loop over limbs unrolled."""

from ptoscope import pto

TILE, LIMBS = 1024, 4


@pto.kernel(target="a5")
def carry_chain(
    a: pto.gm[pto.ui32], b: pto.gm[pto.ui32], total: pto.gm[pto.ui32], n: pto.i32
) -> None:
    for t in pto.tiles(n, TILE):
        xs = pto.load(a[t], rows=LIMBS, pitch=n, to_pitch=TILE)
        ys = pto.load(b[t], rows=LIMBS, pitch=n, to_pitch=TILE)
        zs = pto.ub(pto.ui32, LIMBS + 1, TILE)
        with pto.vecscope():
            zero = pto.vbr(0, dtype=pto.ui32)
            for i, m in pto.lanes(zs, limit=t.count):
                zs[i, m], carry = pto.vaddc(xs[i], ys[i], m)
                for limb in pto.static(range(1, LIMBS)):
                    at = limb * TILE + i
                    zs[at, m], carry = pto.vaddcs(xs[at], ys[at], carry, m)
                zs[LIMBS * TILE + i, m], _ = pto.vaddcs(zero, zero, carry, m)
        pto.store(total[t], zs, rows=LIMBS + 1, from_pitch=TILE, pitch=n)
