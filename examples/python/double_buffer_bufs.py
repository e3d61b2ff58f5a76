"""double_buffer_bufs.pto in Python: the kernel orders its two stages itself, by buffer ids."""

from ptoscope import pto


@pto.kernel(target="a5", sync="manual")
def double_buffer_bufs(
    a: pto.gm[pto.f32], b: pto.gm[pto.f32], out: pto.gm[pto.f32], n: pto.i32
) -> None:
    for t in pto.tiles(n, 1024, stages=2):
        inputs, output = t.stage, t.stage + 2
        pto.get_buf("PIPE_MTE2", inputs, 0)
        xs, ys, zs = pto.load(a[t]), pto.load(b[t]), pto.ub(pto.f32, 1024)
        pto.rls_buf("PIPE_MTE2", inputs, 0)

        pto.get_buf("PIPE_V", inputs, 0)
        pto.get_buf("PIPE_V", output, 0)
        with pto.vecscope():
            for i, m in pto.lanes(xs):
                zs[i, m] = xs[i] + ys[i]
        pto.rls_buf("PIPE_V", inputs, 0)
        pto.rls_buf("PIPE_V", output, 0)

        pto.get_buf("PIPE_MTE3", output, 0)
        pto.store(out[t], zs)
        pto.rls_buf("PIPE_MTE3", output, 0)
    pto.barrier("PIPE_ALL")
