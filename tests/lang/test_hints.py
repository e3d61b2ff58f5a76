"""What errors of kernels in Python suggest can be written as it stands there."""

# Mistakes are what this is about.
# pyright: reportOperatorIssue=false, reportArgumentType=false

from __future__ import annotations

import math
from typing import Any

import pytest

import ptoscope
from ptoscope import pto


def _halved(v: Any) -> Any:
    return v * 0.5


@pto.kernel
def divides_by_a_scalar(x: pto.gm[pto.f32], a: pto.f32):
    xs = pto.load(x[0:64])
    xs[0] = xs[0] / a


@pto.kernel
def subtracts_from_a_number(x: pto.gm[pto.f16]):
    xs = pto.load(x[0:128])
    xs[0] = 1 - xs[0]


@pto.kernel
def calls_python(x: pto.gm[pto.f32]):
    xs = pto.load(x[0:64])
    xs[0] = _halved(xs[0])


@pto.kernel
def calls_a_library(x: pto.gm[pto.f32]):
    xs = pto.load(x[0:64])
    xs[0] = math.exp(xs[0])


@pto.kernel
def calls_what_no_instruction_does(x: pto.gm[pto.f32]):
    xs = pto.load(x[0:64])
    xs[0] = math.gamma(xs[0])


@pytest.mark.parametrize(
    ("kernel", "hint"),
    [
        (divides_by_a_scalar, "make a vector of the scalar: pto.vbr(..., dtype=pto.f32)"),
        (subtracts_from_a_number, "make a vector of the scalar: pto.vbr(1, dtype=pto.f16)"),
        (calls_python, "put @pto.function before def _halved, or use instructions of pto"),
        (calls_a_library, "use pto.vexp"),
        (calls_what_no_instruction_does, "use instructions of pto"),
    ],
    ids=lambda case: getattr(case, "__name__", ""),
)
def test_hint(kernel: Any, hint: str) -> None:
    with pytest.raises(ptoscope.PtoError) as caught:
        kernel.on()
    (finding,) = caught.value.diagnostics
    assert finding.hint == hint


@pto.kernel
def as_suggested(x: pto.gm[pto.f16]):
    xs = pto.load(x[0:128])
    xs[0] = pto.vexp(pto.vbr(1, dtype=pto.f16) - xs[0])


def test_what_is_suggested_compiles() -> None:
    assert {"pto.vbr", "pto.vsub", "pto.vexp"} <= {
        word for word in as_suggested.text.split() if word.startswith("pto.")
    }
