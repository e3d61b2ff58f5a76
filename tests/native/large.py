"""Kernels that are small to write and large to compile."""

from __future__ import annotations

V = "!pto.vreg<64xf32>"
U = "!pto.vreg<64xui32>"
M = "!pto.mask<b32>"


def kernel(body: list[str], result: str) -> str:
    """One row of %x goes through a vecscope that makes `result` of %v0, with the permute %i."""
    lines = [
        "func.func @large(%x: !pto.ptr<f32, gm>, %y: !pto.ptr<f32, gm>) {",
        "%z = arith.constant 0 : i64",
        "%one = arith.constant 1 : i64",
        "%row = arith.constant 256 : i64",
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        "%c2 = arith.constant 2 : index",
        "%f = arith.constant 0.0 : f32",
        "%n = arith.constant 5 : i32",
        "%u = pto.castptr %z : i64 -> !pto.ptr<f32, ub>",
        "pto.mte_gm_ub %x, %u, %z, %row nburst(%one, %z, %z)"
        " : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64",
        'pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]',
        'pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]',
        "pto.vecscope {",
        f'%m = pto.pset_b32 "PAT_ALL" : {M}',
        f"%v0 = pto.vlds %u[%c0] : !pto.ptr<f32, ub> -> {V}",
        f"%k = pto.vdup %f, %m : f32, {M} -> {V}",
        *body,
        f"pto.vsts {result}, %u[%c0], %m : {V}, !pto.ptr<f32, ub>, {M}",
        "}",
        'pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]',
        'pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]',
        "pto.mte_ub_gm %u, %y, %row nburst(%one, %z, %z)"
        " : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64",
        "return",
        "}",
    ]
    return "\n".join(lines) + "\n"


def permutes(count: int) -> str:
    """So many, each of the one before, by its own bits: temporaries are in stack memory."""
    lines = [
        line
        for i in range(count)
        for line in (
            f"%b{i} = pto.vbitcast %v{i} : {V} -> {U}",
            f"%v{i + 1} = pto.vselr %v{i}, %b{i} : {V}, {U} -> {V}",
        )
    ]
    return kernel(lines, f"%v{count}")


def live_vectors(count: int) -> str:
    """So many that are all needed at the end."""
    lines = [f"%v{i + 1} = pto.vmul %v{i}, %v{i}, %m : {V}, {V}, {M} -> {V}" for i in range(count)]
    lines += [
        f"%s{i} = pto.vadd %{f's{i - 1}' if i else 'k'}, %v{count - i}, %m : {V}, {V}, {M} -> {V}"
        for i in range(count)
    ]
    return kernel(lines, f"%s{count - 1}")


def exponentials(count: int) -> str:
    """A chain: each takes a few hundred machine instructions."""
    lines = [f"%v{i + 1} = pto.vexp %v{i}, %m : {V}, {M} -> {V}" for i in range(count)]
    return kernel(lines, f"%v{count}")


def accumulators(depth: int) -> str:
    """Nested loops, each with an accumulator that starts from a constant."""
    lines = [
        f"%r{i} = scf.for %i{i} = %c0 to %c{2 if i < 4 else 1} step %c1"
        f" iter_args(%a{i} = %k) -> ({V}) {{"
        for i in range(depth)
    ]
    inner = "%v0"
    for i in reversed(range(depth)):
        lines += [f"scf.yield {inner} : {V}", "}"]
        inner = f"%r{i}"
    return kernel(lines, inner)
