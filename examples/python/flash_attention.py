"""flash_attention.pto in Python: one pass over the keys, on the matrix and both vector cores."""

from ptoscope import pto

ROWS, KEYS, DEPTH = 128, 64, 64
HALF = ROWS // 2


@pto.kernel(target="a5")
def flash_attention(
    q: pto.gm[pto.f16],
    k: pto.gm[pto.f16],
    v: pto.gm[pto.f16],
    out: pto.gm[pto.f32],
    queries: pto.i32,
    keys: pto.i32,
) -> None:
    # Of each row so far: the largest score, the sum of weights, how much it shrinks, the result.
    top, total, factor, result = [pto.ub(pto.f32, HALF, DEPTH) for _ in range(4)]
    score, part = pto.ub(pto.f32, HALF, KEYS), pto.ub(pto.f32, HALF, DEPTH)
    weight = pto.ub(pto.f16, HALF, KEYS)
    words = pto.castptr(weight, dtype=pto.i32)
    for i in pto.tiles(queries, ROWS):
        half = (i.count + 1) // 2
        mine = pto.get_subblock_idx() * half
        with pto.cube():
            q0 = pto.load(pto.load(q.rows(DEPTH)[i, :], to="l1"), to="l0a")
        with pto.vector(), pto.vecscope():
            for r in range(0, half * DEPTH, DEPTH):
                result[r], total[r], top[r] = pto.vbr(0.0), pto.vbr(0.0), pto.vbr(-1e38)
        for j in pto.pipelined(0, keys, KEYS, stages=2):
            weight1 = pto.l1(pto.f16, ROWS, KEYS, counts=(half * 2, j.count))
            with pto.cube():
                k1 = pto.load(k.rows(DEPTH)[j, :], to="l1")
                v1 = pto.load(v.rows(DEPTH)[j, :], to="l1")
                scores = pto.l0c(pto.f32, ROWS, KEYS)
                pto.matmul(scores, q0, pto.load(k1.T, to="l0b"))
                pto.store(score, scores, core="split_m", pitch=KEYS)
            with pto.vector():
                with pto.vecscope():
                    used, _ = pto.plt_b32(pto.i32(j.count))
                    for r in range(0, half * DEPTH, DEPTH):
                        s = pto.vmuls(score[r], 0.125, used)
                        old = top[r]
                        new = pto.vmax(old, pto.vdup(pto.vcmax(s, used)))
                        shrink = pto.vexp(old - new)
                        e = pto.vexp(s - new, used)
                        total[r] = total[r] * shrink + pto.vdup(pto.vcadd(e, used))
                        top[r], factor[r] = new, shrink
                        f16 = pto.vcvt(e, rnd="R", sat="SAT", part="EVEN", dtype=pto.f16)
                        bits = pto.vbitcast(f16, dtype=pto.i32)
                        pto.vsts(bits, words, r // 2, dist="PK_B32")
                pto.store(weight1[mine : mine + half, :], weight)
            with pto.cube():
                parts = pto.l0c(pto.f32, ROWS, DEPTH)
                pto.matmul(parts, pto.load(weight1, to="l0a"), pto.load(v1, to="l0b"))
                pto.store(part, parts, core="split_m")
            with pto.vector(), pto.vecscope():
                for r in range(0, half * DEPTH, DEPTH):
                    result[r] = result[r] * factor[r] + part[r]
        with pto.vector():
            with pto.vecscope():
                for r in range(0, half * DEPTH, DEPTH):
                    result[r] = result[r] / total[r]
            first, own = i + mine, min(i.count - mine, half)
            pto.store(out.rows(DEPTH)[first : first + own], result, from_pitch=DEPTH)
