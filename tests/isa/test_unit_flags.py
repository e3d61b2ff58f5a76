"""Unit flags: the matrix unit and what drains L0C hand a tile to each other without other flags."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope.diagnostics import PtoError

L0 = [f"!pto.ptr<f16, {space}>" for space in ("l0a", "l0b")]
L0C, OUT = "!pto.ptr<f32, l0c>", "!pto.ptr<f32, gm>"
MAD = (
    f"pto.mad %a, %b, %c, %n, %n, %n {{flag}} disable_gemv : {L0[0]}, {L0[1]}, {L0C}, i64, i64, i64"
)
DRAIN = (
    "pto.mte_l0c_gm %c, %{to}, %n, %n, %n, %n, %zero, %zero, {flag}nz2nd : "
    f"{L0C}, {OUT}, i64, i64, i64, i64, i64, i64"
)


def kernel(*lines: str) -> str:
    """A kernel of the matrix core with ones in L0A and L0B: each result is 16."""
    l1 = "!pto.ptr<f16, l1>"
    loads = [
        f"pto.mte_l1_{space} %l, %{name}, %n, %n : {l1}, {kind}, i64, i64"
        for space, name, kind in zip(("l0a", "l0b"), "ab", L0, strict=True)
    ]
    body = "\n".join(
        [
            "%zero = arith.constant 0 : i64",
            "%one = arith.constant 1 : i64",
            "%n = arith.constant 16 : i64",
            "%ones = arith.constant 1006648320 : i32",
            f"%l = pto.castptr %zero : i64 -> {l1}",
            *(f"%{n} = pto.castptr %zero : i64 -> {t}" for n, t in zip("ab", L0, strict=True)),
            f"%c = pto.castptr %zero : i64 -> {L0C}",
            "pto.raw_fill_l1 %l, %zero, %ones, %one, %n, %zero {fill_word_bits = 32} : "
            f"{l1}, i64, i32, i64, i64, i64",
            'pto.set_flag["PIPE_MTE2", "PIPE_MTE1", "EVENT_ID0"]',
            'pto.wait_flag["PIPE_MTE2", "PIPE_MTE1", "EVENT_ID0"]',
            *loads,
            'pto.set_flag["PIPE_MTE1", "PIPE_M", "EVENT_ID0"]',
            'pto.wait_flag["PIPE_MTE1", "PIPE_M", "EVENT_ID0"]',
            *lines,
            "pto.barrier #pto.pipe<PIPE_ALL>",
            "return",
        ]
    )
    return (
        'module attributes {pto.target_arch = "a5", pto.kernel_kind = #pto.kernel_kind<cube>} {\n'
        f"func.func @k(%x: {OUT}, %y: {OUT}) attributes {{pto.aicore}} {{\n{body}\n}}\n}}\n"
    )


def mad(flag: str) -> str:
    return MAD.format(flag=f"unit_flag({flag})")


def drain(to: str, flag: str) -> str:
    return DRAIN.format(to=to, flag=f"unit_flag({flag}), ")


def _arrays() -> tuple[Any, Any]:
    return np.full(256, 7, np.float32), np.full(256, 7, np.float32)


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_a_tile_is_handed_over_and_back(engine: str) -> None:
    """Two products one after the other, each drained before the next may overwrite it."""
    lines = [
        mad("check_and_set"),
        drain("x", "check_and_clear"),
        mad("check_and_set"),
        drain("y", "check_only"),
    ]
    x, y = _arrays()
    ptoscope.load(kernel(*lines), revision="micro")(x, y, engine=engine)
    assert (x == 16).all()
    assert (y == 16).all()


def test_a_tile_that_nobody_publishes() -> None:
    """It is found before a run."""
    text = kernel(mad("check_only"), drain("x", "check_only"))
    with pytest.raises(PtoError) as found:
        ptoscope.load(text, revision="micro")
    assert "pto.mte_l0c_gm: PIPE_FIX waits for something that never happens" in str(found.value)
