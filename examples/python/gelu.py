"""gelu.pto in Python: x / (1 + exp(x * (A + B x^2))), which is the form with tanh."""

from math import pi, sqrt

from ptoscope import pto

A = -2 * sqrt(2 / pi)
B = 0.044715 * A


@pto.kernel(target="a5")
def gelu(x: pto.gm[pto.f32], out: pto.gm[pto.f32], n: pto.i32) -> None:
    for t in pto.tiles(n, 8192):
        xs = pto.load(x[t])
        with pto.vecscope():
            for i, m in pto.lanes(xs):
                v = xs[i]
                xs[i, m] = v / (pto.vexp(v * (v * v * B + A)) + 1.0)
        pto.store(out[t], xs)
