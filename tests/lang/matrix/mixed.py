"""A kernel of which fixed parameters say much: shapes, stages, how data goes between the cores."""

from __future__ import annotations

from ptoscope import pto


@pto.kernel(target="a5", revision="micro")
def mixed(
    a: pto.gm[pto.f16],
    b: pto.gm[pto.f16],
    y: pto.gm[pto.f32],
    m: int,
    n: int,
    k: int,
    step: int = 32,
    outer: int = 2,
    inner: int = 2,
    way: str = "split_m",
    back: bool = False,
):
    """y = 2 * (a @ b) + 1, by rows of 32: products go to the vector cores as `way` says, and with
    `back` over L1 to the matrix core again, which adds them up: y = (2 * (a @ b) + 1) @ ones."""
    high = 16 if way == "split_m" else 32
    wide = n // 2 if way == "split_n" else n
    ones0 = pto.l0b(pto.f16, n, 16)
    ones1 = pto.l1(pto.f16, n, 16)
    if back:
        with pto.cube():
            pto.load(ones1, b.rows(16)[k * n // 16 : k * n // 16 + n, :])
            pto.load(ones0, ones1)
    for i in pto.pipelined(0, m, 32, stages=outer):
        rows = pto.ub(pto.f32, high, wide)
        halves = pto.ub(pto.f16, high, wide)
        sums1 = pto.l1(pto.f16, 32, n)
        with pto.cube():
            c = pto.l0c(pto.f32, 32, n)
            for t in pto.pipelined(0, k, step, stages=inner):
                a1 = pto.load(a.rows(k)[i, t], to="l1")
                b1 = pto.load(b.rows(n)[t, :], to="l1")
                pto.matmul(c, pto.load(a1, to="l0a"), pto.load(b1, to="l0b"), init=t == 0)
            if way in ("split_m", "split_n"):
                pto.store(rows, c, core=way)
            else:
                pto.store(rows, c, core=0)
                pto.store(rows, c, core=1)
        with pto.vector():
            with pto.vecscope():
                for r, p in pto.lanes(rows):
                    row = rows[r] * 2.0 + 1.0
                    if back:
                        half = pto.vcvt(row, dtype=pto.f16, rnd="R", sat="SAT", part="EVEN")
                        halves[r, p, "PK_B32"] = half
                    else:
                        rows[r, p] = row
            core = pto.get_subblock_idx()
            if back:
                if way == "split_n":
                    pto.store(sums1[:, core * wide : core * wide + wide], halves)
                elif way == "split_m":
                    pto.store(sums1[core * 16 : core * 16 + 16, :], halves)
                else:
                    first = core * 16
                    pto.store(sums1[first : first + 16, :], halves[first * n : first * n + 16 * n])
            elif way == "split_n":
                begin = i * n + core * wide
                pto.store(y[begin : begin + wide], rows[0:wide], rows=32, pitch=n)
            elif way == "split_m":
                first = (i + core * 16) * n
                pto.store(y[first : first + 16 * n], rows)
            else:
                first = core * 16 * n
                pto.store(y[i * n + first : i * n + first + 16 * n], rows[first : first + 16 * n])
        if back:
            with pto.cube():
                e = pto.l0c(pto.f32, 32, 16)
                pto.matmul(e, pto.load(sums1, to="l0a"), ones0)
                pto.store(y.rows(16)[i, :], e)
