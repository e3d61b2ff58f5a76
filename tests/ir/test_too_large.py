"""Floats beyond the greatest of their type: errors that name the literal, not infinities."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError
from tests.cli.conftest import store

GREATEST = {"f16": 65504.0, "bf16": (2 - 2**-7) * 2.0**127, "f32": (2 - 2**-23) * 2.0**127}
"""IEEE 754: all fraction bits set, the greatest exponent."""
INFINITE = {"f16": "0x7C00", "bf16": "0x7F80", "f32": "0x7F800000"}


def constant(literal: str, dtype: str) -> str:
    """A kernel with a constant."""
    return f"func.func @k() {{\n  %a = arith.constant {literal} : {dtype}\n  return\n}}\n"


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("dtype", GREATEST)
def test_a_literal_that_is_too_large(dtype: str, sign: str) -> None:
    ptoscope.load(constant(f"{sign}{GREATEST[dtype]:.1f}", dtype))
    ptoscope.load(constant(INFINITE[dtype], dtype))
    bits = INFINITE[dtype] if not sign else INFINITE[dtype].replace("x7", "xF")
    for literal in ("1.0e+999", f"{2 * GREATEST[dtype]:.1f}"):
        with pytest.raises(PtoError) as raised:
            ptoscope.load(constant(sign + literal, dtype))
        (found,) = raised.value.diagnostics
        assert "does not fit" in found.message
        assert found.found == (sign + literal)[:40]
        assert bits in found.hint


@pytest.mark.parametrize("dtype", ["f16", "f32"])
def test_an_argument_that_is_too_large(dtype: str) -> None:
    kernel: Any = ptoscope.load(store(dtype))
    y = np.zeros(1, f"f{int(dtype[1:]) // 8}")
    for engine in ("native", "reference", "native"):
        for value in (GREATEST[dtype], float("inf"), float("-inf")):
            kernel(y, value, engine=engine)
            assert y[0] == value
        for value in (2 * GREATEST[dtype], -1e300, 10**400):
            with pytest.raises(PtoError, match=f"does not fit {dtype}"):
                kernel(y, value, engine=engine)
    # Half a step above the greatest is rounded to an even number, which is infinity.
    step = struct.unpack("<f", struct.pack("<f", 2.0**104))[0] if dtype == "f32" else 32.0
    with pytest.raises(PtoError, match=f"does not fit {dtype}"):
        kernel(y, GREATEST[dtype] + step / 2)
