"""vcadd, vcmax and vcmin against their loops."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.isa import ieee
from tests.isa.elements import Element
from tests.isa.harness import Case, Direct, mask_type, same, vreg
from tests.isa.legality import cases
from tests.isa.values import masks, scattered, to_reduce, writable


def _widened(e: Element) -> Element:
    """8-bit integers sum to 16 bits, 16-bit ones to 32."""
    if e.is_float or e.bits >= 32:
        return e
    return Element(e.name.replace(str(e.bits), str(2 * e.bits)))


def _sum(e: Element, row: list[int], mask: list[int]) -> list[int]:
    """Integers: the loop. Floats: halves, lane i with lane i + n/2, rounded at each step;
    inactive lanes count as +0, and the sum starts from +0."""
    wide = _widened(e)
    if not e.is_float:
        total = wide.wrap(sum(e.number(v) for v, on in zip(row, mask, strict=True) if on))
        return [total] + [0] * (wide.lanes - 1)
    lanes = [v if on else 0 for v, on in zip(row, mask, strict=True)]
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [ieee.add(e, a, b) for a, b in zip(lanes[:half], lanes[half:], strict=True)]
    return [ieee.add(e, lanes[0], 0)] + [0] * (e.lanes - 1)


def _extreme(name: str, e: Element, row: list[int], mask: list[int]) -> list[int]:
    """The loop: from the worst value and index 0, a lane that is strictly better wins."""
    highest = name == "vcmax"
    if e.is_float:
        best = e.infinity | (e.sign if highest else 0)
    elif e.signed:
        best = e.sign if highest else e.sign - 1
    else:
        best = 0 if highest else e.full
    index = 0
    number = e.value if e.is_float else e.number
    for i, (v, on) in enumerate(zip(row, mask, strict=True)):
        better = number(v) > number(best) if highest else number(v) < number(best)
        if on and better:
            best, index = v, i
    return [best, index] + [0] * (e.lanes - 2)


def _expected(name: str, e: Element, row: list[int], mask: list[int]) -> list[int]:
    return _sum(e, row, mask) if name == "vcadd" else _extreme(name, e, row, mask)


def _direct(name: str, e: Element) -> Direct:
    result = _widened(e) if name == "vcadd" else e
    types = (f"v:{e.name}", f"m:{e.bits}")
    return Direct(name, types, (f"v:{result.name}",))


@pytest.mark.parametrize(
    ("name", "dtype", "target", "revision"),
    # Lanes of 64 bits have no masks of their own; test_forms_of_pages.py sums them.
    [case for case in cases(("vcadd", "vcmax", "vcmin")) if Element(case[1]).bits < 64],
)
def test_reduction(name: str, dtype: str, target: str, revision: str) -> None:
    e = Element(dtype)
    result = _widened(e) if name == "vcadd" else e
    body = f"%r0 = pto.{name} %v0, %mask : {vreg(e)}, {mask_type(e)} -> {vreg(result)}"
    case = Case(body, (dtype,), (result.name,), target=target, revision=revision)
    source = to_reduce(e)
    for mask in writable(e.bits, masks(e.lanes, len(source))):
        expected = [_expected(name, e, *row) for row in zip(source, mask, strict=True)]
        (found,) = case.run((source,), mask)
        same(found, expected, f"{name} {dtype} {revision}")


@pytest.mark.parametrize("dtype", ["f32", "f16"])
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_exact_sums_do_not_depend_on_the_order(dtype: str, data: st.DataObject) -> None:
    """Small whole numbers: the loop in its own order gives the same sum."""
    e = Element(dtype)
    whole = st.lists(st.integers(-8, 8), min_size=e.lanes, max_size=e.lanes)
    numbers, mask = data.draw(whole), data.draw(whole.map(lambda m: [int(v > 0) for v in m]))
    total = sum(n for n, on in zip(numbers, mask, strict=True) if on)
    row = [e.round(Fraction(n)) for n in numbers]
    assert _direct("vcadd", e)(row, mask)[0][0] == e.round(Fraction(total))


@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_the_sum_is_close(dtype: str) -> None:
    """A tree of log2(n) roundings: at most that many half units of the sum of magnitudes."""
    e = Element(dtype)
    for seed in range(20):
        row = [v & ~e.sign for v in scattered(e, 2 * e.lanes, seed)[::2]]
        exact = sum(Fraction(e.value(v)) for v in row)
        found = Fraction(e.value(_direct("vcadd", e)(row, [1] * e.lanes)[0][0]))
        depth = e.lanes.bit_length()
        assert abs(found - exact) <= depth * exact / 2**e.precision


@pytest.mark.parametrize("name", ["vcmax", "vcmin"])
@given(st.data())
@settings(max_examples=100, deadline=None)
def test_first_of_equals(name: str, data: st.DataObject) -> None:
    e = Element("i16")
    few = st.sampled_from([0, 1, 0x7FFF, 0x8000, 0xFFFF])
    row = data.draw(st.lists(few, min_size=e.lanes, max_size=e.lanes))
    mask = data.draw(st.lists(st.integers(0, 1), min_size=e.lanes, max_size=e.lanes))
    assert _direct(name, e)(row, mask)[0] == _extreme(name, e, row, mask)
