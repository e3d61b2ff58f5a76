"""Carry chains: vaddc, vsubc, vaddcs, vsubcs, with the polarity of each revision."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.isa.elements import INTS32, Element
from tests.isa.harness import Case, Direct, same
from tests.isa.values import masks, pairs, scattered

BITS = 32
WIDE = 1 << BITS
REVISIONS = ("manual", "micro")
Loop = Callable[[int, int, int], tuple[int, int]]


def _vaddc(a: int, b: int, c: int) -> tuple[int, int]:
    r = a + b
    return r % WIDE, r >> BITS


def _vaddcs(a: int, b: int, c: int) -> tuple[int, int]:
    r = a + b + c
    return r % WIDE, r >> BITS


def _vsubc(a: int, b: int, c: int) -> tuple[int, int]:
    return (a - b) % WIDE, int(a < b)


def _vsubc_micro(a: int, b: int, c: int) -> tuple[int, int]:
    return (a - b) % WIDE, int(a >= b)


def _vsubcs(a: int, b: int, c: int) -> tuple[int, int]:
    return (a - b - c) % WIDE, int(a < b + c)


def _vsubcs_micro(a: int, b: int, c: int) -> tuple[int, int]:
    return (a - b - (1 - c)) % WIDE, int(a >= b + (1 - c))


LOOPS: dict[tuple[str, str], Loop] = {
    ("vaddc", "manual"): _vaddc,
    ("vaddc", "micro"): _vaddc,
    ("vsubc", "manual"): _vsubc,
    ("vsubc", "micro"): _vsubc_micro,
    ("vaddcs", "manual"): _vaddcs,
    ("vaddcs", "micro"): _vaddcs,
    ("vsubcs", "manual"): _vsubcs,
    ("vsubcs", "micro"): _vsubcs_micro,
}


def _case(name: str, dtype: str, revision: str, target: str) -> Case:
    """The incoming carry is made by adding all ones to 0 or 1; the outgoing one is seen as
    a vector of 0 and 1."""
    e = Element(dtype)
    v, m = f"!pto.vreg<{e.lanes}x{dtype}>", "!pto.mask<b32>"
    chained = name.endswith("s")
    operands = "%v0, %v1, %in, %mask" if chained else "%v0, %v1, %mask"
    types = f"{v}, {v}, {m}, {m}" if chained else f"{v}, {v}, {m}"
    body = f"""
        %x, %in = pto.vaddc %v2, %ones, %all : !pto.vreg<64xui32>, !pto.vreg<64xui32>, {m}
            -> !pto.vreg<64xui32>, {m}
        %r0, %out = pto.{name} {operands} : {types} -> {v}, {m}
        %unit = arith.constant 1 : i32
        %r1 = pto.vdup %unit, %out : i32, {m} -> !pto.vreg<64xi32>"""
    return Case(body, (dtype, dtype, "ui32"), (dtype, "i32"), target=target, revision=revision)


@pytest.mark.parametrize("target", ["a5", "a2a3", "cpu"])
@pytest.mark.parametrize("dtype", INTS32)
@pytest.mark.parametrize(("name", "revision"), LOOPS)
def test_carry(name: str, revision: str, dtype: str, target: str) -> None:
    e = Element(dtype)
    case = _case(name, dtype, revision, target)
    left, right = pairs(e)
    carry = [[v & 1 for v in scattered(e, e.lanes, 40 + i)] for i in range(len(left))]
    loop = LOOPS[name, revision]
    full = [
        [loop(a, b, c) for a, b, c in zip(*row, strict=True)]
        for row in zip(left, right, carry, strict=True)
    ]
    for mask in masks(64, len(left)):
        lanes = [list(zip(row, m, strict=True)) for row, m in zip(full, mask, strict=True)]
        value, out = case.run((left, right, carry), mask)
        about = f"{name} {dtype} {revision}"
        same(value, [[r * on for (r, _), on in row] for row in lanes], about, left, right)
        same(out, [[c * on for (_, c), on in row] for row in lanes], about, left, right, carry)


@pytest.mark.parametrize("revision", REVISIONS)
@given(
    st.lists(st.integers(0, 2**64 - 1), min_size=64, max_size=64),
    st.lists(st.integers(0, 2**64 - 1), min_size=64, max_size=64),
)
@settings(max_examples=60, deadline=None)
def test_two_links_are_64_bit_arithmetic(revision: str, a: list[int], b: list[int]) -> None:
    """A chain of two links adds and subtracts 64-bit numbers, whatever the polarity."""
    every = [1] * 64
    for first, second, exact in (
        ("vaddc", "vaddcs", [x + y for x, y in zip(a, b, strict=True)]),
        ("vsubc", "vsubcs", [x - y for x, y in zip(a, b, strict=True)]),
    ):
        head = Direct(first, ("v:ui32", "v:ui32", "m:32"), ("v:ui32", "m:32"), revision=revision)
        tail = Direct(
            second, ("v:ui32", "v:ui32", "m:32", "m:32"), ("v:ui32", "m:32"), revision=revision
        )
        low, carry = head([x % WIDE for x in a], [y % WIDE for y in b], every)
        high, _ = tail([x >> 32 for x in a], [y >> 32 for y in b], carry, every)
        found = [h << 32 | low for h, low in zip(high, low, strict=True)]
        assert found == [x % 2**64 for x in exact]
