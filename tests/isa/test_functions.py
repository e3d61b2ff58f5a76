"""The fused multiply-add against exact rational numbers; predicate registers and their lanes."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoscope.isa.dtypes import I1, dtype
from ptoscope.isa.functions import fma
from ptoscope.isa.lanes import Lanes
from ptoscope.machine.elements import quietly
from ptoscope.machine.lanes import NumpyLanes
from tests.isa import ieee, precise
from tests.isa.elements import FLOATS, Element
from tests.isa.registers import image, lanes_of
from tests.isa.values import edges, scattered

Triple = tuple[int, int, int]
every_float = pytest.mark.parametrize("name", FLOATS)


def _found(e: Element, triples: Sequence[Triple]) -> list[int]:
    kind = dtype(e.name)
    rows = [
        NumpyLanes(np.array(column, e.raw).view(kind.storage), kind, len(triples))
        for column in zip(*triples, strict=True)
    ]
    with quietly():
        result = fma(*rows)
    assert isinstance(result, NumpyLanes)
    return result.a.view(e.raw).tolist()


def _check(e: Element, triples: Sequence[Triple]) -> None:
    for triple, got in zip(triples, _found(e, triples), strict=True):
        wanted = precise.fma(e, *triple)
        assert got == wanted, (e.name, *map(hex, triple), hex(got), hex(wanted))


@every_float
def test_edges(name: str) -> None:
    """Every triple of edges: signed zeros, subnormals, overflow, infinities, NaN."""
    e = Element(name)
    some = [v for v in edges(e) if v not in (e.nan | 5, e.infinity | 1, e.nan | 5 | e.sign)]
    _check(e, [(a, b, c) for a in some for b in some for c in some])


@every_float
def test_random(name: str) -> None:
    e = Element(name)
    columns = [scattered(e, 6000, seed) for seed in (1, 2, 3)]
    _check(e, list(zip(*columns, strict=True)))


@every_float
def test_cancellation(name: str) -> None:
    """The addend is the rounded product with the other sign, or next to it: only the part that
    a separate multiplication loses is left."""
    e = Element(name)
    rng = random.Random(name)
    triples: list[Triple] = []
    for a, b in zip(scattered(e, 4000, 4)[::2], scattered(e, 4000, 5)[::2], strict=True):
        c = ieee.mul(e, a, b) ^ e.sign
        triples.append((a, b, (c + rng.choice((-1, 0, 0, 1))) & e.full))
    _check(e, triples)
    lost = sum(precise.fma(e, *t) != ieee.add(e, ieee.mul(e, t[0], t[1]), t[2]) for t in triples)
    assert lost > len(triples) // 2


@every_float
def test_just_beside_a_tie(name: str) -> None:
    """The product is half a unit of the addend, or that and very little more or less: what a
    sum rounded twice gets wrong."""
    e = Element(name)
    unit = 1 << (e.precision - 1)
    one = e.infinity >> 1 & e.infinity
    rng = random.Random(name)
    triples: list[Triple] = []
    for _ in range(3000):
        c = one | rng.getrandbits(e.precision - 1)
        # a * b = 2**-p * (1 +- small): half of the last place of c.
        a = one + rng.choice((-2, -1, 0, 1, 2))
        b = one - e.precision * unit + rng.choice((-1, 0, 1))
        signs = [rng.choice((0, e.sign)) for _ in range(3)]
        triples.append((a | signs[0], b | signs[1], c | signs[2]))
    _check(e, triples)


@every_float
def test_tiny_and_huge_results(name: str) -> None:
    """Products of numbers near the ends of the exponents, so that sums underflow to
    subnormals or overflow by less than half a unit."""
    e = Element(name)
    unit = 1 << (e.precision - 1)
    rng = random.Random(name)
    one = e.infinity >> 1 & e.infinity
    triples: list[Triple] = []
    for _ in range(3000):
        a = one // 2 // unit * unit + rng.randint(-2, 2) * unit + rng.getrandbits(e.precision - 1)
        b = one // 2 // unit * unit + rng.randint(-2, 2) * unit + rng.getrandbits(e.precision - 1)
        c = rng.getrandbits(e.precision + 1) | rng.choice((0, e.sign))
        triples.append((a, b, c))
        top = e.infinity - rng.randint(1, 4)
        small = one + rng.randint(-3, 2) * unit + rng.getrandbits(e.precision - 1)
        half = e.infinity - (e.precision + rng.randint(-1, 2)) * unit
        triples.append((small, half | rng.choice((0, e.sign)), top))
    _check(e, triples)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_bits(data: st.DataObject) -> None:
    e = Element(data.draw(st.sampled_from(FLOATS)))
    bits = st.integers(0, e.full)
    _check(e, [data.draw(st.tuples(bits, bits, bits)) for _ in range(4)])


def test_the_expected_values_themselves() -> None:
    """By hand: (1 + u)(1 - u) - 1 = -u * u, which the product alone would round away."""
    f32 = Element("f32")
    one = 0x3F800000
    # (1 + 2**-23)(1 - 2**-23) - 1 = -2**-46
    assert precise.fma(f32, one + 1, one - 2, one | f32.sign) == 0xA8800000
    assert _found(f32, [(one + 1, one - 2, one | f32.sign)]) == [0xA8800000]
    assert precise.fma(f32, f32.sign, one, f32.sign) == f32.sign
    assert precise.fma(f32, f32.sign, one, 0) == 0
    assert precise.fma(f32, one, one, one | f32.sign) == 0
    assert precise.fma(f32, f32.infinity, 0, one) == f32.nan


@pytest.mark.parametrize("count", [32, 64, 128, 256])
def test_lanes_and_predicate_registers(count: int) -> None:
    """As every engine derives them, and as the reference engine does it by itself."""
    lanes = [random.Random(count).getrandbits(1) for _ in range(count)]
    row = NumpyLanes(np.array(lanes, dtype=bool), I1, count)
    wanted = image(lanes)
    for register in (row.image(), Lanes.image(row)):
        assert isinstance(register, NumpyLanes)
        assert register.a.astype(int).tolist() == wanted
        for other in (32, 64, 128, 256):
            for seen in (register.gate(other), Lanes.gate(register, other)):
                assert isinstance(seen, NumpyLanes)
                assert seen.a.astype(int).tolist() == lanes_of(wanted, other)
