"""Mistakes that pyright finds before anything is compiled. Each line that has one says so; were it
not found, pyright would say that the remark is unnecessary."""

# pyright: strict, reportUnnecessaryTypeIgnoreComment=true, reportUnusedExpression=false
# ruff: noqa: B018

from __future__ import annotations

from ptoscope import pto


@pto.function
def vectors(v: pto.Vector[pto.f32], w: pto.Vector[pto.f16], m: pto.Mask, s: pto.f16) -> None:
    pto.vadd(v, w, m)  # pyright: ignore[reportArgumentType]
    pto.vadds(v, s, m)  # pyright: ignore[reportArgumentType]
    v + w  # pyright: ignore[reportOperatorIssue]
    v * s  # pyright: ignore[reportOperatorIssue]
    v / 2.0  # pyright: ignore[reportOperatorIssue]
    pto.vsel(v, v, v)  # pyright: ignore[reportArgumentType]
    pto.vexp(m)  # pyright: ignore[reportArgumentType]
    pto.vadd(v)  # pyright: ignore[reportCallIssue]
    pto.vcmp(v, v, m, mode="less")  # pyright: ignore[reportArgumentType]
    pto.vcmp(v, v, m)  # pyright: ignore[reportCallIssue]
    pto.vcvt(v, m)  # pyright: ignore[reportCallIssue]
    pto.vcvt(v, m, dtype=pto.f16, round="R")  # pyright: ignore[reportCallIssue]
    pto.vneq(v, v)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


@pto.function
def memory(x: pto.gm[pto.f32], n: pto.i32) -> None:
    xs, words = pto.load(x[0:64]), pto.ub(pto.i32, 64)
    for i, m in pto.lanes(xs):
        words[i, m] = xs[i]  # pyright: ignore[reportArgumentType]
        xs[i, m] = n  # pyright: ignore[reportArgumentType]
        xs[m] = xs[i]  # pyright: ignore[reportArgumentType]
    pto.load(words, x[0:64])  # pyright: ignore[reportArgumentType, reportCallIssue]
    pto.store(xs, x[0:64])  # pyright: ignore[reportArgumentType, reportCallIssue]
    pto.lanes(x)  # pyright: ignore[reportArgumentType]
    pto.ub(64, pto.f32)  # pyright: ignore[reportArgumentType]
    pto.tiles(n)  # pyright: ignore[reportCallIssue]
    for t in pto.tiles(n, 64):
        t.length  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


@pto.function
def scalars(n: pto.i32, a: pto.f32, b: pto.f16) -> None:
    a + b  # pyright: ignore[reportOperatorIssue]
    a + n  # pyright: ignore[reportOperatorIssue]
    n / 2  # pyright: ignore[reportOperatorIssue]
    pto.set_flag("PIPE_MTE2", "PIPE_W", 0)  # pyright: ignore[reportArgumentType]
    pto.barrier("ALL")  # pyright: ignore[reportArgumentType]
    pto.f32("1")  # pyright: ignore[reportArgumentType]
