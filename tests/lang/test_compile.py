"""Python becomes operations: loops, branches, helpers, and what they carry."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope import PtoError, pto
from ptoscope.lang.kernel import PythonKernel


@pto.function
def collatz(n):
    """How many steps it takes from n to 1."""
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
            steps += 0
        steps += 1
    return steps


@pto.kernel
def scalars(out: pto.gm[pto.i32], n: pto.i32, bound: int = 3):
    total = 0
    for i in range(n):
        total = total + i * i
    out[0] = pto.i32(total)
    for k in pto.static(range(bound)):
        out[k + 1] = 10 * k
    out[bound + 1] = pto.i32(collatz(pto.i32(n)))
    out[bound + 2] = pto.i32(7) if n > 5 and out[0] > 0 else pto.i32(-n)
    out[bound + 3] = max(n, 4) - min(n, 4)


def test_scalars() -> None:
    for n, steps in ((6, 8), (3, 7), (1, 0)):
        out = np.full(9, -1, np.int32)
        scalars(out, n, engine="reference")
        other = np.full(9, -1, np.int32)
        scalars(other, n, engine="native")
        expected = [sum(i * i for i in range(n)), 0, 10, 20, steps]
        expected += [7 if n > 5 else -n, abs(n - 4), -1, -1]
        assert out.tolist() == expected
        assert other.tolist() == expected


def test_fixed_parameters_make_kernels_of_their_own() -> None:
    out = np.zeros(9, np.int32)
    scalars(out, 6, bound=5)
    assert out.tolist() == [55, 0, 10, 20, 30, 40, 8, 7, 2]


def test_an_empty_array_is_given_back() -> None:
    out = scalars(pto.empty(9), 3)
    assert out.dtype == np.int32
    assert out[0] == 5


@pto.kernel
def emptied(out: pto.gm[pto.i32], n: pto.i32):
    if n > 3:
        print("big")
    else:
        out[1] = 4
    if n > 4:
        print(n + 1)
    out[0] = n


def test_branches_without_anything() -> None:
    assert emptied.text.count("scf.if") == 1
    assert "scf.if %cmpi {\n    } else {\n" in emptied.text
    for n in (3, 4):
        out = np.zeros(2, np.int32)
        emptied(out, n)
        assert out.tolist() == [n, 4 if n <= 3 else 0]


@pto.kernel
def picked(x: pto.gm[pto.f32], rows: pto.gm[pto.i32], out: pto.gm[pto.f32], n: pto.i32):
    for j in range(n):
        row = rows[j]
        pto.store(out[j * 64 : j * 64 + 64], pto.load(x[row * 64 : row * 64 + 64]))


def test_the_length_of_a_slice_is_known_where_its_ends_differ_by_a_number() -> None:
    x = np.arange(640, dtype=np.float32)
    rows = np.array([3, 1, 9, 1], np.int32)
    expected = x.reshape(10, 64)[rows].reshape(-1)
    assert np.array_equal(picked(x, rows, pto.empty(256), 4), expected)
    assert np.array_equal(picked.eager(x, rows, pto.empty(256), 4), expected)


@pto.kernel
def kept_in_a_list(out: pto.gm[pto.i32], n: pto.i32):
    sums = [pto.i32(0)]
    for i in range(n):
        sums[0] = sums[0] + pto.i32(i)
        out[i] = sums[0]


@pto.kernel
def left_in_a_scope(out: pto.gm[pto.f32]):
    xs, found = pto.ub(pto.f32, 64), []
    with pto.vecscope():
        found.append(xs[0])
    with pto.vecscope():
        xs[0] = found[0]
    pto.store(out[0:64], xs)


@pto.kernel
def named_in_a_side(out: pto.gm[pto.i32], n: pto.i32):
    y = n
    z = (y := n + 1) if n > 3 else n
    out[0] = y + z


@pto.kernel
def named_in_a_condition(out: pto.gm[pto.i32], n: pto.i32):
    y = n
    while (y := n - 1) > 3:
        n = y
    out[0] = n


@pytest.mark.parametrize(
    ("kernel", "code", "line"),
    [
        (kept_in_a_list, "PTO1001", "for i in range(n):"),
        (left_in_a_scope, "PTO1002", "xs[0] = found[0]"),
        (named_in_a_side, "PTO1003", "out[0] = y + z"),
        (named_in_a_condition, "PTO1003", "n = y"),
    ],
)
def test_values_stay_where_a_run_makes_them(kernel: PythonKernel, code: str, line: str) -> None:
    with pytest.raises(PtoError) as caught:
        assert kernel.text
    (found,) = caught.value.diagnostics
    assert (found.code, found.source_line.strip()) == (code, line)


@pto.kernel
def of_two_widths(out: pto.gm[pto.i64], x: pto.gm[pto.i32], n: pto.i32):
    found = x[0] if n > 3 else pto.i64(n) << 33
    out[0] = pto.i64(found)


def test_the_sides_of_a_condition_meet_in_the_wider_type() -> None:
    for n in (3, 4):
        out = np.zeros(1, np.int64)
        of_two_widths(out, np.array([-7], np.int32), n)
        assert out[0] == (-7 if n > 3 else n << 33)
