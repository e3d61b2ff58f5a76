"""What stops a run is the same finding, at the same line, as on the reference engine."""

# Mistakes are what this is about.
# pyright: reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ptoscope import Diagnostic, PtoError, pto
from ptoscope.lang.kernel import PythonKernel


def _stopped(run: Callable[..., Any], *arguments: Any, **options: Any) -> Diagnostic:
    with pytest.raises(PtoError) as caught:
        run(*arguments, **options)
    (found,) = caught.value.diagnostics
    return found


def _both(kernel: PythonKernel, *arguments: Any, **options: Any) -> Diagnostic:
    plain = _stopped(kernel.eager, *arguments, **options)
    compiled = _stopped(kernel, *arguments, engine="reference", **options)
    assert (plain.code, plain.message, plain.span) == (
        compiled.code,
        compiled.message,
        compiled.span,
    )
    assert plain.file == __file__
    return plain


@pto.function
def kept(out, i, value):
    out[i] = value


@pto.kernel
def outside(out: pto.gm[pto.i32], n: pto.i32):
    for i in range(n):
        for j in range(i):
            out[i + j] = 1
    kept(out, n, pto.i32(3))


@pto.kernel
def unaligned(x: pto.gm[pto.f32], out: pto.gm[pto.f32], n: pto.i32):
    xs = pto.load(x[0:64])
    with pto.vecscope():
        for i in range(n):
            v = xs[i]
            xs[0] = v
    pto.store(out[0:64], xs)


@pto.kernel
def stuck(out: pto.gm[pto.i32], n: pto.i32):
    step = n - n
    for i in range(0, 10, step):
        out[0] = pto.i32(i)


@pto.kernel
def endless(out: pto.gm[pto.i32], n: pto.i32):
    while n == n:
        n = n + 1
    out[0] = n


@pto.kernel
def divided(out: pto.gm[pto.i32], n: pto.i32):
    out[0] = 7 // n


def test_out_of_an_array() -> None:
    found = _both(outside, np.zeros(4, np.int32), 5)
    assert found.code == "PTO0902"
    assert "%i = 3, %j = 1" in found.message
    assert found.source_line.strip() == "out[i + j] = 1"


def test_in_a_helper() -> None:
    found = _both(outside, np.zeros(0, np.int32), 0)
    assert found.source_line.strip() == "out[i] = value"
    assert len(found.span.calls) == 1


def test_a_misaligned_load() -> None:
    found = _both(unaligned, np.zeros(64, np.float32), np.zeros(64, np.float32), 2)
    assert found.code == "PTO0903"
    assert found.source_line.strip() == "v = xs[i]"


def test_a_step_of_zero() -> None:
    assert _both(stuck, np.zeros(1, np.int32), 3).code == "PTO0908"


def test_a_loop_without_end() -> None:
    assert _both(endless, np.zeros(1, np.int32), 3, max_steps=20).code == "PTO0915"


def test_a_division_by_zero() -> None:
    assert _both(divided, np.zeros(1, np.int32), 0).code == "PTO0906"


def test_the_block_is_named() -> None:
    found = _both(divided, np.zeros(1, np.int32), 0, grid=2)
    assert "block 0 of 2" in found.message


def test_wrong_arguments() -> None:
    assert _both(divided, np.zeros(1, np.float32), 0).code.startswith("PTO08")


@pto.kernel
def misprinted(x: pto.gm[pto.f32]):
    xs = pto.load(x[0:64])
    with pto.vecscope():
        print(xs[0, 1])  # pyright: ignore


def test_what_a_print_does_wrong_is_an_error_there() -> None:
    found = _stopped(misprinted.eager, np.zeros(64, np.float32))
    assert found.source_line.strip().startswith("print(xs[0, 1])")
