"""abs_kernel.pto in Python: absolute values of 32 x 32 floats."""

from ptoscope import pto


@pto.kernel(target="a5")
def kernel_2d(x: pto.gm[pto.f32], out: pto.gm[pto.f32]) -> None:
    xs = pto.load(x[:1024])
    with pto.vecscope():
        for i, m in pto.lanes(xs):
            xs[i, m] = abs(xs[i])
    pto.store(out[:1024], xs)
