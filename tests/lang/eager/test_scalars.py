"""Scalars, loops, branches and helpers: the types that the compiler gives to numbers of Python
decide how they are rounded and where they wrap."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope import pto
from tests.lang.eager.agreement import agreed


@pto.kernel
def grown(out: pto.gm[pto.f32], n: pto.i32):
    x = 0.1
    for _ in range(n):
        x = x * 1.1
    out[0] = x


def test_a_number_that_a_loop_changes_is_rounded() -> None:
    (out,) = agreed(grown, np.zeros(1, np.float32), 31)
    expected = np.float32(0.1)
    for _ in range(31):
        expected = np.float32(expected * np.float32(1.1))
    assert out[0] == expected
    assert out[0] != np.float32(0.1 * 1.1**31)


@pto.kernel
def wrapped(out: pto.gm[pto.i32], n: pto.i32):
    hash = pto.i32(5381)
    for i in range(n):
        hash = hash * 33 + pto.i32(i)
    out[0] = hash
    small = pto.i8(100)
    while small > 0:
        small += 1
    out[1] = pto.i32(small)


def test_whole_numbers_wrap() -> None:
    (out,) = agreed(wrapped, np.zeros(2, np.int32), 40)
    expected = 5381
    for i in range(40):
        expected = (expected * 33 + i) & 0xFFFFFFFF
    assert out.tolist() == [expected - (1 << 32) if expected >> 31 else expected, -128]


@pto.kernel
def branches(out: pto.gm[pto.f32], n: pto.i32, x: pto.f32):
    y = 1
    if n > 3:
        y = x
    elif y < 2:
        y = 0.1
    z = 2 if n % 2 == 0 else 0.7
    if n == 4:
        z = z + 1
    flag = not n
    both = n and x > 0.5
    out[0] = y * 0.1
    out[1] = z * 0.1
    out[2] = pto.f32(flag) + pto.f32(both)
    out[3] = pto.f32(0 < n < 5)
    w = 5
    if n > 2:
        w = 5
        if n > 3:
            w = 6
    out[4] = pto.f32(w // 2)


@pytest.mark.parametrize("n", [0, 3, 4, 5, -1])
def test_branches(n: int) -> None:
    (out,) = agreed(branches, np.zeros(5, np.float32), n, 0.7)
    y = np.float32(0.7 if n > 3 else 0.1)
    z = np.float32(2 if n % 2 == 0 else 0.7) + np.float32(n == 4)
    assert out[0] == y * np.float32(0.1)
    assert out[1] == z * np.float32(0.1)
    assert out[2:].tolist() == [(n == 0) + (n != 0), 0 < n < 5, 3 if n > 3 else 2]


@pto.function
def power(x, k):
    if k == 0:
        return 1.0
    return x * power(x, k - 1)


@pto.function
def total(values):
    found = values[0]
    for value in values[1:]:
        found = found + value
    return found


@pto.kernel
def helpers(out: pto.gm[pto.f32], x: pto.f32, n: pto.i32, *, most: int = 4):
    out[0] = power(x, 3)
    out[1] = total([x * k for k in range(most)])
    for i in range(n):
        out[2 + i] = total([power(x, k) for k in (1, 2)]) + pto.f32(i)


def test_helpers() -> None:
    (out,) = agreed(helpers, np.zeros(6, np.float32), 1.1, 4, most=3)
    x = np.float32(1.1)
    assert out[0] == x * (x * (x * np.float32(1)))
    assert out[1] == (x * 0 + x) + x * 2
    pair = x * np.float32(1) + x * (x * np.float32(1))
    assert out[2:].tolist() == [pair + np.float32(i) for i in range(4)]


SCALE = 3


def made(factor: int, halves: bool):
    @pto.kernel
    def inner(out: pto.gm[pto.f16], x: pto.f16):
        y = x * factor
        if halves:
            y = y / 2
        out[0] = y * SCALE

    return inner


def test_names_from_around_and_decisions_of_python() -> None:
    for halves in (True, False):
        (out,) = agreed(made(7, halves), np.zeros(1, np.float16), 0.3)
        y = np.float16(0.3) * np.float16(7)
        assert out[0] == (y / np.float16(2) if halves else y) * np.float16(3)


@pto.kernel
def nested(out: pto.gm[pto.i64], n: pto.i32):
    count = 0
    last = pto.i64(-1)
    for i in range(n):
        j = i
        while j > 0:
            if j % 3 == 0:
                count += 1
                last = pto.i64(j)
            j = j - 2
        for k in range(j, n, 2):
            count = count + k
    out[0], out[1] = pto.i64(count), last


def test_nested_loops() -> None:
    (out,) = agreed(nested, np.zeros(2, np.int64), 11)
    count, last = 0, -1
    for i in range(11):
        j = i
        while j > 0:
            if j % 3 == 0:
                count, last = count + 1, j
            j -= 2
        count += sum(range(j, 11, 2))
    assert out.tolist() == [count, last]


@pto.kernel
def blocks(out: pto.gm[pto.i32]):
    b = pto.i32(pto.get_block_idx())
    out[b] = 10 * b + pto.i32(pto.get_block_num())


def test_blocks_run_one_after_the_other() -> None:
    (out,) = agreed(blocks, np.zeros(3, np.int32), grid=3)
    assert out.tolist() == [3, 13, 23]


def test_an_empty_array_is_given_back() -> None:
    assert blocks.eager(pto.empty(2), grid=2).tolist() == [2, 12]
