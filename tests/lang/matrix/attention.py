"""Attention over the matrix core and both vector cores: softmax(q @ k.T * scale) @ v."""

from typing import Any

from ptoscope import pto

ROWS, KEYS, DEPTH = 64, 64, 64
HALF = ROWS // 2
LEAST = -3e38


@pto.function
def begin(tops: Any, sums: Any, results: Any) -> None:
    with pto.vecscope():
        for r, m in pto.lanes(tops):
            tops[r, m], sums[r, m] = pto.vbr(LEAST), pto.vbr(0.0)
        for r, m in pto.lanes(results):
            results[r, m] = pto.vbr(0.0)


@pto.function
def soften(scores: Any, weights: Any, tops: Any, sums: Any, shrinks: Any, scale: Any) -> None:
    """Scores become weights against the largest score so far; what was summed up to now shrinks."""
    with pto.vecscope():
        for r in range(HALF):
            row = scores[r * KEYS] * scale
            before = tops[r, "BRC_B32"]
            top = pto.vmax(before, pto.vdup(pto.vcmax(row)))
            weight, shrink = pto.vexp(row - top), pto.vexp(before - top)
            total = pto.vmula(pto.vdup(pto.vcadd(weight)), sums[r, "BRC_B32"], shrink)
            sums[r, "1PT_B32"], tops[r, "1PT_B32"], shrinks[r, "1PT_B32"] = total, top, shrink
            half = pto.vcvt(weight, dtype=pto.f16, rnd="R", sat="SAT", part="EVEN")
            weights[r * KEYS, "PK_B32"] = half


@pto.kernel(target="a5", revision="micro")
def flash_attention(
    q: pto.gm[pto.f16],
    k: pto.gm[pto.f16],
    v: pto.gm[pto.f16],
    out: pto.gm[pto.f32],
    scale: pto.f32,
    rows: pto.i32,
    keys: pto.i32,
) -> None:
    tops, sums, shrinks = pto.ub(pto.f32, HALF), pto.ub(pto.f32, HALF), pto.ub(pto.f32, HALF)
    results = pto.ub(pto.f32, HALF, DEPTH)
    for i in pto.tiles(rows, ROWS):
        with pto.cube():
            q0 = pto.load(pto.load(q.rows(DEPTH)[i : i + ROWS, :], to="l1"), to="l0a")
        with pto.vector():
            begin(tops, sums, results)
        for j in pto.pipelined(0, keys, KEYS, stages=2):
            scores, parts = pto.ub(pto.f32, HALF, KEYS), pto.ub(pto.f32, HALF, DEPTH)
            weights1 = pto.l1(pto.f16, ROWS, KEYS)
            with pto.cube():
                k1 = pto.load(k.rows(DEPTH)[j : j + KEYS, :], to="l1")
                score = pto.l0c(pto.f32, ROWS, KEYS)
                pto.matmul(score, q0, pto.load(k1.T, to="l0b"))
                pto.store(scores, score, core="split_m")
            with pto.vector():
                weights = pto.ub(pto.f16, HALF, KEYS)
                soften(scores, weights, tops, sums, shrinks, scale)
                first = pto.get_subblock_idx() * HALF
                pto.store(weights1[first : first + HALF, :], weights)
            with pto.cube():
                v1 = pto.load(v.rows(DEPTH)[j : j + KEYS, :], to="l1")
                part = pto.l0c(pto.f32, ROWS, DEPTH)
                pto.matmul(part, pto.load(weights1, to="l0a"), pto.load(v1, to="l0b"))
                pto.store(parts, part, core="split_m")
            with pto.vector(), pto.vecscope():
                for r in range(HALF):
                    at = r * DEPTH
                    results[at] = pto.vmula(parts[at], results[at], shrinks[r, "BRC_B32"])
        with pto.vector():
            with pto.vecscope():
                for r in range(HALF):
                    results[r * DEPTH] = results[r * DEPTH] / sums[r, "BRC_B32"]
            r = i + pto.get_subblock_idx() * HALF
            pto.store(out.rows(DEPTH)[r : r + HALF], results)
