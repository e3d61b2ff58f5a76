"""vcgadd, vcgmax, vcgmin and vcpadd against their loops."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.isa import ieee
from tests.isa.elements import Element
from tests.isa.harness import same
from tests.isa.legality_more import cases
from tests.isa.registers import Code, gates, image, lanes_of, mask_kind, written
from tests.isa.values import to_reduce

GROUPS = 8


def _code(name: str, dtype: str, revision: str = "manual") -> Code:
    v, kind = written(dtype), mask_kind(Element(dtype))
    body = f"%o0 = pto.{name} %i0, %i1 : {v}, {written(kind)} -> {v}"
    return Code(body, (dtype, kind), (dtype,), revision=revision)


def _sum(e: Element, values: list[int], on: list[int]) -> int:
    """Integers wrap. Floats in halves, lane i with lane i + n/2, as vcadd; inactive lanes count
    as +0 and the sum starts from +0."""
    lanes = [v if active else 0 for v, active in zip(values, on, strict=True)]
    if not e.is_float:
        return e.wrap(sum(lanes))
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [ieee.add(e, a, b) for a, b in zip(lanes[:half], lanes[half:], strict=True)]
    return ieee.add(e, lanes[0], 0)


def _worst(e: Element, highest: bool) -> int:
    if e.is_float:
        return e.infinity | (e.sign if highest else 0)
    if e.signed:
        return e.sign if highest else e.sign - 1
    return 0 if highest else e.full


def _extreme(e: Element, highest: bool, values: list[int], on: list[int], micro: bool) -> int:
    """From the worst value, a lane that is strictly better wins; NaN never is. In micro +0 is
    better than -0 for a maximum, and worse for a minimum."""
    number = e.value if e.is_float else e.number
    best = _worst(e, highest)
    for v, active in zip(values, on, strict=True):
        better = number(v) > number(best) if highest else number(v) < number(best)
        if micro and e.is_float and number(v) == number(best) == 0:
            better = bool(v & e.sign) != highest
        if active and better:
            best = v
    return best


def _wide_sum(e: Element, values: list[int], on: list[int]) -> list[int]:
    """32 bits, the low half first."""
    total = sum(e.number(v) for v, active in zip(values, on, strict=True) if active) % 2**32
    return [total % 2**16, total >> 16]


def _grouped(
    name: str, e: Element, row: list[int], mask: list[int], micro: bool = False
) -> list[int]:
    size = e.lanes // GROUPS
    on = lanes_of(mask, e.lanes)
    out: list[int] = []
    for g in range(0, e.lanes, size):
        values, active = row[g : g + size], on[g : g + size]
        if name == "vcgadd" and micro and e.bits == 16 and not e.is_float:
            out += _wide_sum(e, values, active)
        elif name == "vcgadd":
            out.append(_sum(e, values, active))
        else:
            out.append(_extreme(e, name == "vcgmax", values, active, micro))
    return out + [0] * (e.lanes - len(out))


@pytest.mark.parametrize(("name", "dtype", "revision"), cases("vcgadd", "vcgmax", "vcgmin"))
def test_groups(name: str, dtype: str, revision: str) -> None:
    """One result for each 32-byte group, in lanes 0 to 7; in micro 16-bit integers have sums of
    32 bits, in two lanes each."""
    e, micro = Element(dtype), revision == "micro"
    code = _code(name, dtype, revision)
    source = to_reduce(e)
    for mask in gates(e, len(source)):
        expected = [_grouped(name, e, row, m, micro) for row, m in zip(source, mask, strict=True)]
        (found,) = code.run(source, mask)
        same(found, expected, f"{name} {dtype}")


def _prefix(e: Element, row: list[int], mask: list[int]) -> list[int]:
    """running = 0; if (mask[i]) running += src[i]; dst[i] = running."""
    running, out = 0, list[int]()
    for v, on in zip(row, lanes_of(mask, e.lanes), strict=True):
        if on:
            running = ieee.add(e, running, v)
        out.append(running)
    return out


def _pairs(e: Element, row: list[int], mask: list[int]) -> list[int]:
    """dst[i] = src[2i] + src[2i + 1] in the lower half, inactive lanes as 0; zeros above."""
    lanes = [v if on else 0 for v, on in zip(row, lanes_of(mask, e.lanes), strict=True)]
    sums = [ieee.add(e, a, b) for a, b in zip(lanes[::2], lanes[1::2], strict=True)]
    return sums + [0] * (e.lanes // 2)


@pytest.mark.parametrize(("name", "dtype", "revision"), cases("vcpadd"))
def test_vcpadd(name: str, dtype: str, revision: str) -> None:
    """A scan in lane order, rounded at each step; in revision micro sums of pairs."""
    e = Element(dtype)
    code = _code(name, dtype, revision)
    rule = _pairs if revision == "micro" else _prefix
    source = [row for row in to_reduce(e) if len(row) == e.lanes]
    for mask in gates(e, len(source)):
        expected = [rule(e, row, m) for row, m in zip(source, mask, strict=True)]
        (found,) = code.run(source, mask)
        same(found, expected, f"vcpadd {dtype} {revision}", source)


@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_a_scan_of_the_first_numbers(dtype: str) -> None:
    """1, 2, 3, 4, 5, ... gives 1, 3, 6, 10, 15, ..."""
    e = Element(dtype)
    row = [e.round(Fraction(min(i + 1, 8))) for i in range(e.lanes)]
    (found,) = _code("vcpadd", dtype).run([row], [[1] * 256])
    totals = [sum(min(j + 1, 8) for j in range(i + 1)) for i in range(e.lanes)]
    assert found == [[e.round(Fraction(t)) for t in totals]]


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_whole_numbers_sum_exactly_in_any_order(data: st.DataObject) -> None:
    """The sums of the groups are those of the loop in its own order."""
    e = Element(data.draw(st.sampled_from(["f32", "f16"])))
    whole = st.lists(st.integers(-8, 8), min_size=e.lanes, max_size=e.lanes)
    numbers, mask = data.draw(whole), [int(v > 0) for v in data.draw(whole)]
    row = [e.round(Fraction(n)) for n in numbers]
    (found,) = _code("vcgadd", e.name).run([row], [image(mask)])
    size = e.lanes // GROUPS
    totals = [
        sum(n * on for n, on in zip(numbers[g : g + size], mask[g : g + size], strict=True))
        for g in range(0, e.lanes, size)
    ]
    assert found[0][:GROUPS] == [e.round(Fraction(t)) for t in totals]


@pytest.mark.parametrize("name", ["vcgmax", "vcgmin"])
def test_a_group_without_active_lanes(name: str) -> None:
    """The worst value: -infinity or infinity, or the end of an integer type."""
    for dtype, highest, lowest in (
        ("f32", 0xFF800000, 0x7F800000),
        ("f16", 0xFC00, 0x7C00),
        ("i16", 0x8000, 0x7FFF),
        ("ui32", 0, 0xFFFFFFFF),
    ):
        e = Element(dtype)
        (found,) = _code(name, dtype).run([[1] * e.lanes], [[0] * 256])
        worst = highest if name == "vcgmax" else lowest
        assert found == [[worst] * GROUPS + [0] * (e.lanes - GROUPS)]
