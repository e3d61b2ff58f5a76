"""Values of fixed parameters that Python calls equal, and that are not the same: each has a kernel
of its own, for both engines and in a plain run."""

from __future__ import annotations

import enum
import math
import struct
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from ptoscope import UsageError, load, pto
from ptoscope.lang.fingerprint import fingerprint


class Level(enum.IntEnum):
    LOW = 1


class Other(enum.IntEnum):
    LOW = 1


@dataclass
class Scale:
    factor: Any


@dataclass(frozen=True, slots=True)
class Frozen:
    factor: Any


def nan(bits: int) -> float:
    return struct.unpack("d", struct.pack("Q", bits))[0]


def big(at: int) -> Any:
    """An array whose `repr` leaves its middle out."""
    values = np.zeros(5000)
    values[at] = 1
    return values


def adder(number: Any) -> Callable[[Any], Any]:
    return lambda x: x + number


LISTED = [7]
UNEQUAL: list[list[Any]] = [
    [1, 1.0, True, 1 + 0j, np.int32(1), np.int64(1), np.float32(1), np.float64(1), np.bool_(True)],
    [0.0, -0.0, 0, False, np.float32(0.0), np.float32(-0.0)],
    [complex(0.0, 1), complex(-0.0, 1)],
    [nan(0x7FF8 << 48), nan(0xFFF8 << 48), nan((0x7FF8 << 48) + 1), np.float32("nan")],
    [(2,), (2.0,), (True, True), (True, 1), (1, 1), [2], [2.0], ((2,),), ([2],)],
    [(0.0,), (-0.0,), (nan(0x7FF8 << 48),), (nan(0xFFF8 << 48),)],
    [{1: 2}, {1.0: 2}, {1: 2.0}, {True: 2}, OrderedDict({1: 2})],
    [{"a": 1, "b": 2}, {"b": 2, "a": 1}],
    [frozenset({1}), frozenset({1.0}), {1}],
    [Level.LOW, Other.LOW, 1],
    [Scale(1), Scale(1.0), Scale(True), Frozen(1), Frozen(1.0)],
    [Scale((0.0,)), Scale((-0.0,))],
    [np.array([1]), np.array([1.0]), np.array([[1]]), np.array([0]), np.array([1], np.int32)],
    [np.array([0.0]), np.array([-0.0])],
    [big(2500), big(2501)],
    [np.array([1, None]), np.array([1.0, None])],
    [Decimal("1.0"), Decimal("1.00")],
    [partial(int, 1), partial(int, 1.0)],
    [range(0, 3, 2), range(0, 4, 2)],
    [slice(0, 1), slice(0, 1.0)],
    [object(), object()],
    [int, float, np.int32],
    ["1", b"1", bytearray(b"1")],
    [(LISTED, LISTED), ([7], [7])],
    [adder(1), adder(1.0), adder([1]), lambda x: x + 1],
    [MappingProxyType({1: 2}), MappingProxyType({1: 2.0})],
    [memoryview(b"1"), memoryview(b"2")],
    [[1].index, [1].count],
]


@pytest.mark.parametrize("values", UNEQUAL)
def test_values_that_differ_have_different_fingerprints(values: list[Any]) -> None:
    assert len({fingerprint(value) for value in values}) == len(values)


@pytest.mark.parametrize(
    "make",
    [
        lambda: (1, 2.5, "a", None, True),
        lambda: [1, [2.0, {"a": (np.float32(3),)}]],
        lambda: np.arange(10, dtype=np.int16),
        lambda: Scale([1, 2]),
        lambda: Frozen(2.5),
        lambda: Level.LOW,
        lambda: math.nan,
        lambda: Decimal("1.50"),
        lambda: partial(math.pow, 2.0),
        lambda: adder((1, 2.0)),
        lambda: LISTED.append,
    ],
)
def test_values_that_are_made_alike_have_one_fingerprint(make: Callable[[], Any]) -> None:
    assert fingerprint(make()) == fingerprint(make())
    assert hash(fingerprint(make())) == hash(fingerprint(make()))


def test_a_list_that_contains_itself_has_a_fingerprint() -> None:
    one: list[Any] = [1]
    one.append(one)
    other: list[Any] = [1]
    other.append(other)
    assert fingerprint(one) == fingerprint(other)
    other[0] = 2
    assert fingerprint(one) != fingerprint(other)


def test_a_value_that_is_nested_too_deeply_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(UsageError, match="nested too deeply"):
        fingerprint(deep)


@pto.kernel
def divides(y: pto.gm[pto.f32], n: pto.f32, by: tuple = (1,)):
    if isinstance(by[0], bool):
        y[0] = n
    elif isinstance(by[0], float):
        y[0] = n / by[0]
    else:
        y[0] = n * by[0]


@pto.kernel
def writes(y: pto.gm[pto.f32], number: float = 1.0):
    y[0] = pto.f32(number)


def results(kernel: Any, *given: Any, **fixed: Any) -> list[bytes]:
    """The bytes that the native engine, the reference engine and a plain run write."""
    found: list[bytes] = []
    for run in (
        partial(kernel, engine="native"),
        partial(kernel, engine="reference"),
        kernel.eager,
    ):
        y = np.full(1, 99, np.float32)
        run(y, *given, **fixed)
        found.append(y.tobytes())
    return found


def f32(value: float) -> list[bytes]:
    return [np.float32(value).tobytes()] * 3


def test_a_whole_number_a_float_and_a_truth_value_in_a_tuple() -> None:
    for _ in range(2):
        assert results(divides, 5.0, by=(2,)) == f32(10.0)
        assert results(divides, 5.0, by=(2.0,)) == f32(2.5)
        assert results(divides, 5.0, by=(1,)) == f32(5.0)
        assert results(divides, 5.0, by=(1.0,)) == f32(5.0)
        assert results(divides, 6.0, by=[2]) == f32(12.0)
        assert results(divides, 6.0, by=[True]) == f32(6.0)


def test_zeros_of_both_signs() -> None:
    assert results(writes, number=0.0) == f32(0.0)
    assert results(writes, number=-0.0) == f32(-0.0)
    assert results(writes, number=0.0) == f32(0.0)


@pytest.mark.parametrize("bits", [0x7FF8 << 48, 0xFFF8 << 48, 0x7FF801 << 40, 0x7FF001 << 40])
def test_nans_of_each_sign_and_payload(bits: int) -> None:
    y = np.zeros(1, np.float32)
    load(writes.on(number=nan(bits)).text)(y)
    assert set(results(writes, number=nan(bits))) == {y.tobytes()}
    if bits >> 51 & 1:
        # Of a quiet one, the sign and the upper 23 of 52 bits are kept.
        assert (
            y.view(np.uint32)[0] == bits >> 32 & 0x8000_0000 | 0x7F80_0000 | bits >> 29 & 0x7FFFFF
        )


def test_a_list_that_changes_between_two_calls() -> None:
    by = [2]
    assert results(divides, 5.0, by=by) == f32(10.0)
    by[0] = 3
    # The kernel of [2] was compiled for the list that holds 3 now.
    assert results(divides, 5.0, by=[2]) == f32(10.0)
    assert results(divides, 5.0, by=by) == f32(15.0)


def test_equal_values_share_a_kernel() -> None:
    assert divides.on(by=(2,)) is divides.on(by=(2,))
    assert divides.on(by=[2]) is divides.on(by=[2])
