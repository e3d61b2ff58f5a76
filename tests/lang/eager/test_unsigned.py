"""Operators on scalars of signed and unsigned types: Python's results, modulo the type's width, on
both engines and in a plain run."""

from __future__ import annotations

import itertools
from typing import Any, cast

import numpy as np
import pytest

from ptoscope import PtoError, pto
from tests.lang.eager.agreement import agreed


@pto.kernel
def on_ui8(out: pto.gm[pto.ui8], a: pto.ui8, b: pto.ui8):
    results = operations(a, b)
    for i in pto.static(range(len(results))):
        out[i] = pto.ui8(results[i])


@pto.kernel
def on_ui16(out: pto.gm[pto.ui16], a: pto.ui16, b: pto.ui16):
    results = operations(a, b)
    for i in pto.static(range(len(results))):
        out[i] = pto.ui16(results[i])


@pto.kernel
def on_ui32(out: pto.gm[pto.ui32], a: pto.ui32, b: pto.ui32):
    results = operations(a, b)
    for i in pto.static(range(len(results))):
        out[i] = pto.ui32(results[i])


@pto.kernel
def on_ui64(out: pto.gm[pto.ui64], a: pto.ui64, b: pto.ui64):
    results = operations(a, b)
    for i in pto.static(range(len(results))):
        out[i] = pto.ui64(results[i])


@pto.kernel
def on_si8(out: pto.gm[pto.si8], a: pto.si8, b: pto.si8):
    results = operations(a, b)
    for i in pto.static(range(len(results))):
        out[i] = pto.si8(results[i])


@pto.kernel
def on_si32(out: pto.gm[pto.si32], a: pto.si32, b: pto.si32):
    results = operations(a, b)
    for i in pto.static(range(len(results))):
        out[i] = pto.si32(results[i])


@pto.function
def operations(a, b):
    return (
        *(a // b, a % b, b // a if a != 0 else a, a // 3, a % 7, 100 // b, 100 % b),
        *(a >> 1, a >> (b & 7), a << (b & 7), 1 << (b & 7)),
        *(a + b, a - b, a * b, -a, ~a, abs(a), a & b, a | b, a ^ b, a + 1, 5 - a),
        *(max(a, b), min(a, b), a < b, a <= b, a > b, a >= b, a == b, a != b, a > 100),
        *(a if a > b else b,),
    )


KERNELS: dict[type[np.integer[Any]], Any] = {
    np.uint8: on_ui8,
    np.uint16: on_ui16,
    np.uint32: on_ui32,
    np.uint64: on_ui64,
    np.int8: on_si8,
    np.int32: on_si32,
}


@pytest.mark.parametrize("kind", KERNELS, ids=lambda kind: kind.__name__)
def test_operators_are_those_of_python(kind: type[np.integer[Any]]) -> None:
    info, helper = np.iinfo(kind), cast(Any, operations)
    bits = info.bits
    values = {0, 1, 2, 3, 7, 100, info.max // 2, info.max // 2 + 1, info.max - 1, int(info.max)}
    if info.min < 0:
        values |= {-1, -2, -3, -7, -100, info.min + 1, int(info.min)}
    for a, b in itertools.product(sorted(values), repeat=2):
        if b == 0:
            continue
        # On numbers of Python, which have no width.
        expected = [int(number) % (1 << bits) for number in helper.function(a, b)]
        (out,) = agreed(KERNELS[kind], np.zeros(len(expected), kind), a, b)
        assert [int(number) % (1 << bits) for number in out] == expected, (a, b)


@pto.kernel
def converts(out: pto.gm[pto.i64], a: pto.ui32, b: pto.ui8, x: pto.f32):
    out[0] = pto.i64(a)
    out[1] = pto.i64(pto.ui8(a))
    out[2] = pto.i64(pto.ui64(b) + a)
    out[3] = pto.i64(pto.f32(a))
    out[4] = pto.i64(pto.ui32(x))
    out[5] = pto.i64(pto.index(a))
    out[6] = a + pto.i64(-1)
    out[7] = pto.i64(a // b)
    out[8] = pto.i64(pto.ui32(pto.i32(-1)) >> 4)
    out[9] = pto.i64(pto.si32(a))


def test_unsigned_numbers_are_widened_with_zeros() -> None:
    a, b, x = 0xFFFF_FF81, 200, 4.0e9
    (out,) = agreed(converts, np.zeros(10, np.int64), a, b, x)
    assert out.tolist() == [
        *(a, 0x81, a + b, 1 << 32, 4_000_000_000),
        *(a, a - 1, a // b, 0x0FFF_FFFF, a - (1 << 32)),
    ]


@pto.kernel
def of_truth(out: pto.gm[pto.i32], n: pto.i32, x: pto.f32):
    yes, no = n > 0, n < 0
    out[0] = pto.i32(no < yes)
    out[1] = pto.i32(yes < no)
    out[2] = pto.i32(max(yes, no))
    out[3] = pto.i32(min(yes, no))
    out[4] = pto.i32(pto.i1(x))


def test_false_is_less_than_true() -> None:
    (out,) = agreed(of_truth, np.zeros(5, np.int32), 1, 1.0)
    assert out.tolist() == [1, 0, 1, 0, 1]


@pto.kernel
def loops(out: pto.gm[pto.ui32], n: pto.ui32):
    total = pto.ui32(0)
    for i in range(n // 2):
        total += n // pto.ui32(i + 1)
        if n % 3 == 1:
            total = total ^ n >> 1
    rest = n
    while rest > 1:
        rest = rest >> 1
        total += rest
    out[0] = total
    out[1] = n % 10


def test_values_that_loops_and_branches_carry() -> None:
    for n in (0, 1, 7, 100, 1000):
        (out,) = agreed(loops, np.zeros(2, np.uint32), n)
        total = 0
        for i in range(n // 2):
            total += n // (i + 1)
            if n % 3 == 1:
                total ^= n >> 1
        rest = n
        while rest > 1:
            rest >>= 1
            total += rest
        assert out.tolist() == [total % (1 << 32), n % 10]


def test_a_division_by_zero_is_a_fault() -> None:
    for run in (on_ui32, on_ui32.eager):
        with pytest.raises(PtoError, match="PTO0906"):
            run(np.zeros(64, np.uint32), 1, 0)


@pto.kernel
def mixes(out: pto.gm[pto.i32], a: pto.ui32, b: pto.i32):
    out[0] = pto.i32(a // b)


@pto.kernel
def mixes_index(out: pto.gm[pto.i32], a: pto.ui64):
    out[0] = pto.i32(a + pto.index(1))


@pto.kernel
def negative(out: pto.gm[pto.ui32], a: pto.ui32):
    out[0] = a + (-1)


@pto.kernel
def divides_truth(out: pto.gm[pto.i32], a: pto.i32):
    out[0] = pto.i32((a > 1) // (a > 0))


@pto.kernel
def remainder_of_truth(out: pto.gm[pto.i32], a: pto.i32):
    out[0] = pto.i32((a > 1) % (a > 0))


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (mixes, "ui32 and a value of type i32 do not go together in '//'"),
        (mixes_index, "ui64 and a value of type index do not go together in '+'"),
        (negative, "-1 is no number of type ui32"),
        (divides_truth, "'//' is not defined for scalars of type i1"),
        (remainder_of_truth, "'%' is not defined for scalars of type i1"),
    ],
)
def test_what_has_no_meaning_is_an_error_of_the_kernel(kernel: Any, message: str) -> None:
    (finding,) = kernel.findings
    assert finding.code == "PTO1002"
    assert message in finding.message
