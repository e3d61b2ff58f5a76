"""Kernels of the matrix core of random shapes and types: both engines give the same bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoscope

KINDS = {"f32": np.float32, "f16": np.float16, "i8": np.int8}
WIDE = {"f32": np.float32, "i32": np.int32, "f16": np.float16}
_PARTS = {"f32": "f32", "f16": "f32", "i8": "i32"}


def product(
    dtype: str, m: int, n: int, k: int, drain: str = "", out: str = "", more: str = ""
) -> str:
    """c (m by n) = a (m by k) * b (n by k), transposed, then what it is drained with; `more` is
    said after the product."""
    made = _PARTS[dtype]
    out = out or made
    size = np.dtype(KINDS[dtype]).itemsize
    tall, wide = -(-m // 16) * 16, -(-n // 16) * 16
    numbers = {
        "m": m, "n": n, "k": k, "row": k * size, "tall": tall, "wide": wide, "zero": 0, "one": 1,
        "second": 262144,
    }  # fmt: skip
    constants = "\n".join(f"%{name} = arith.constant {v} : i64" for name, v in numbers.items())

    def ptr(element: str, space: str) -> str:
        return f"!pto.ptr<{element}, {space}>"

    def load(source: str, to: str, rows: str, step: str) -> str:
        return (
            f"pto.mte_gm_l1_frac {source}, {to}, nd2nz, shape({rows}, %k), src_layout(%row), "
            f"dst_group(%one, %one, {step}, %zero), ctrl(%zero, %false) : {ptr(dtype, 'gm')}, "
            f"{ptr(dtype, 'l1')}, nd2nz, shape i64, i64, src_layout i64, dst_group i64, i64, i64, "
            "i64, ctrl i64, i1"
        )

    def flag(src: str, dst: str) -> str:
        return "\n".join(
            f'pto.{what}_flag["PIPE_{src}", "PIPE_{dst}", "EVENT_ID0"]' for what in ("set", "wait")
        )

    kind = "#pto.kernel_kind<cube>"
    return f"""module attributes {{pto.target_arch = "a5", pto.kernel_kind = {kind}}} {{
func.func @k(%a: {ptr(dtype, "gm")}, %b: {ptr(dtype, "gm")}, %c: {ptr(out, "gm")}) {{
%false = arith.constant false
{constants}
%l1a = pto.castptr %zero : i64 -> {ptr(dtype, "l1")}
%l1b = pto.castptr %second : i64 -> {ptr(dtype, "l1")}
%left = pto.castptr %zero : i64 -> {ptr(dtype, "l0a")}
%right = pto.castptr %zero : i64 -> {ptr(dtype, "l0b")}
%sums = pto.castptr %zero : i64 -> {ptr(made, "l0c")}
{load("%a", "%l1a", "%m", "%tall")}
{load("%b", "%l1b", "%n", "%wide")}
{flag("MTE2", "MTE1")}
pto.mte_l1_l0a %l1a, %left, %m, %k : {ptr(dtype, "l1")}, {ptr(dtype, "l0a")}, i64, i64
pto.mte_l1_l0b %l1b, %right, %k, %n : {ptr(dtype, "l1")}, {ptr(dtype, "l0b")}, i64, i64
{flag("MTE1", "M")}
pto.mad %left, %right, %sums, %m, %n, %k disable_gemv {more}
  : {ptr(dtype, "l0a")}, {ptr(dtype, "l0b")}, {ptr(made, "l0c")}, i64, i64, i64
pto.mad_acc %left, %right, %sums, %m, %n, %k disable_gemv {more}
  : {ptr(dtype, "l0a")}, {ptr(dtype, "l0b")}, {ptr(made, "l0c")}, i64, i64, i64
{flag("M", "FIX")}
pto.mte_l0c_gm %sums, %c, %m, %n, %tall, %n, %zero, %zero{drain}, nz2nd
  : {ptr(made, "l0c")}, {ptr(out, "gm")}, i64, i64, i64, i64, i64, i64
return
}}
}}
"""


def matrices(dtype: str, m: int, n: int, k: int, out: str, seed: int) -> list[Any]:
    noise = np.random.default_rng(seed)
    sides = [(noise.standard_normal((rows, k)) * 30).astype(KINDS[dtype]) for rows in (m, n)]
    return [*sides, np.zeros((m, n), WIDE[out])]


def results(text: str, arguments: list[Any], **how: Any) -> Any:
    """What both engines give."""
    kernel = ptoscope.load(text)
    made: list[Any] = []
    for engine in ("reference", "native"):
        given = [a.copy() for a in arguments]
        kernel(*given, engine=engine, **how)
        made.append(given[-1])
    assert made[0].tobytes() == made[1].tobytes()
    return made[1]


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from(sorted(KINDS)),
    *(st.integers(1, most) for most in (70, 80, 100)),
    st.integers(0, 99),
)
def test_products_of_any_shape(dtype: str, m: int, n: int, k: int, seed: int) -> None:
    out = _PARTS[dtype]
    a, b, c = matrices(dtype, m, n, k, out, seed)
    made = results(product(dtype, m, n, k), [a, b, c])
    wide = 2 * a.astype(np.float64) @ b.astype(np.float64).T
    scale = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64)).T
    assert (np.abs(made - wide) <= 1e-5 * scale + (dtype != "i8") * 1e-30).all()


@pytest.mark.parametrize("how", ["sequential", "exact"])
@pytest.mark.parametrize("dtype", sorted(KINDS))
def test_both_ways_to_add(dtype: str, how: str) -> None:
    arguments = matrices(dtype, 40, 33, 70, _PARTS[dtype], 3)
    results(product(dtype, 40, 33, 70), arguments, accumulate=how)


@pytest.mark.parametrize("out", ["f32", "f16"])
@pytest.mark.parametrize("drain", ["", ", pre_relu(mode = normal_relu)"])
def test_results_that_are_converted(drain: str, out: str) -> None:
    arguments = matrices("f16", 50, 37, 40, out, 4)
    made = results(product("f16", 50, 37, 40, drain, out), arguments)
    assert (made.min() >= 0) == bool(drain)


@pytest.mark.parametrize("more", ["sat", "nosat", "tf32_mode(round_even)", "sat n_dir"])
def test_products_that_are_made_finite(more: str) -> None:
    arguments = matrices("f32", 33, 20, 19, "f32", 5)
    arguments[0][3, 4], arguments[1][5, 6] = np.inf, np.nan
    made = results(product("f32", 33, 20, 19, more=more), arguments)
    assert np.isfinite(made).all() == more.startswith("sat")
