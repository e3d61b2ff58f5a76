"""matmul.pto in Python: a product of f16 matrices of any size, double buffered."""

from ptoscope import pto

TILE, DEEP = 128, 64


@pto.kernel(target="a5")
def matmul(
    a: pto.gm[pto.f16],
    b: pto.gm[pto.f16],
    c: pto.gm[pto.f32],
    m: pto.i32,
    n: pto.i32,
    k: pto.i32,
) -> None:
    down, across = (m + TILE - 1) // TILE, (n + TILE - 1) // TILE
    for t in pto.tiles(down * across, 1):
        i, j = pto.tile(t // across * TILE, m, TILE), pto.tile(t % across * TILE, n, TILE)
        sums = pto.l0c(pto.f32, TILE, TILE)
        for s in pto.pipelined(0, k, DEEP, stages=2):
            a1, b1 = pto.load(a.rows(k)[i, s], to="l1"), pto.load(b.rows(n)[s, j], to="l1")
            pto.matmul(sums, pto.load(a1, to="l0a"), pto.load(b1, to="l0b"), init=s == 0)
        pto.store(c.rows(n)[i, j], sums)
