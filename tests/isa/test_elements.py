"""The tests' own arithmetic, on values computed by hand."""

from __future__ import annotations

import struct
from fractions import Fraction

import pytest

from tests.isa import ieee
from tests.isa.elements import Element
from tests.isa.values import edges

F16, BF16, F32 = Element("f16"), Element("bf16"), Element("f32")


def test_canonical_nan() -> None:
    assert (F16.nan, BF16.nan, F32.nan) == (0x7E00, 0x7FC0, 0x7FC00000)


def test_edges_hold_what_they_name() -> None:
    wanted = {0, 0x80000000, 0x3F800000, 0x7F7FFFFF, 0x00800000, 0x007FFFFF, 1, 0x7F800000}
    assert wanted <= set(edges(F32))
    assert {0, 1, 127, 128, 255} <= set(edges(Element("i8")))


@pytest.mark.parametrize(
    ("element", "exact", "raw"),
    [
        (F32, Fraction(1, 2**150), 0),  # half of the smallest subnormal, tie to even
        (F32, Fraction(3, 2**150), 2),
        (F32, Fraction(2**24 + 1), 0x4B800000),  # tie to even
        (F32, Fraction(2**24 + 3), 0x4B800002),
        (F32, Fraction(2**128), 0x7F800000),
        (F16, Fraction(65519), 0x7BFF),
        (F16, Fraction(65520), 0x7C00),
        (F16, Fraction(-1, 3), 0xB555),
        (BF16, Fraction(257, 256), 0x3F80),
        (BF16, Fraction(259, 256), 0x3F82),
        (BF16, Fraction(1, 3), 0x3EAB),
    ],
)
def test_rounding(element: Element, exact: Fraction, raw: int) -> None:
    assert element.round(exact) == raw


def test_rounding_agrees_with_struct() -> None:
    """Python's own packing rounds f64 to f32 and f16 once."""
    for text in ("0.1", "1e-40", "6e-8", "65503.7", "3.14159", "-2.5e-5"):
        exact = Fraction(float(text))
        assert F32.round(exact) == struct.unpack("<I", struct.pack("<f", float(text)))[0]
        assert F16.round(exact) == struct.unpack("<H", struct.pack("<e", float(text)))[0]


def test_signs_of_zero() -> None:
    zero, minus, one = 0, F32.sign, 0x3F800000
    assert ieee.add(F32, minus, minus) == minus
    assert ieee.add(F32, zero, minus) == zero
    assert ieee.sub(F32, one, one) == zero
    assert ieee.mul(F32, minus, one) == minus
    assert ieee.div(F32, one, minus) == F32.infinity | F32.sign
