"""matmul_quantized.pto in Python: bytes times bytes, with biases, relu and scales of columns."""

from ptoscope import pto

TILE = 128


@pto.kernel(target="a5")
def matmul_quantized(
    a: pto.gm[pto.i8],
    w: pto.gm[pto.i8],
    bias: pto.gm[pto.i32],
    scales: pto.gm[pto.ui64],
    out: pto.gm[pto.ui8],
    m: pto.i32,
    n: pto.i32,
    k: pto.i32,
) -> None:
    down, across = (m + TILE - 1) // TILE, (n + TILE - 1) // TILE
    for t in pto.tiles(down * across, 1):
        i, j = pto.tile(t // across * TILE, m, TILE), pto.tile(t % across * TILE, n, TILE)
        biases = pto.load(pto.load(bias[j], to="l1"), to="bt")
        words = pto.load(scales[j], to="l1")
        sums = pto.l0c(pto.i32, TILE, TILE)
        for s in pto.pipelined(0, k, TILE, stages=2):
            a1, w1 = pto.load(a.rows(k)[i, s], to="l1"), pto.load(w.rows(k)[j, s], to="l1")
            a0, w0 = pto.load(a1, to="l0a"), pto.load(w1.T, to="l0b")
            pto.matmul(sums, a0, w0, init=s == 0, bias=biases)
        pto.store(out.rows(n)[i, j], sums, scale=pto.load(words, to="fb"), relu=True)
