"""Predicate algebra on whole predicate registers: 256 bits in, 256 bits out."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoscope import PtoError
from tests.isa.registers import BITS, WORDS, Code, image, lanes_of, noise, written
from tests.isa.values import Rows, masks

both = pytest.mark.parametrize("revision", ["manual", "micro"])
every_width = pytest.mark.parametrize("kind", WORDS)

LOGIC: dict[str, Callable[..., int]] = {
    "pand": lambda a, b, m: a & b if m else 0,
    "por": lambda a, b, m: a | b if m else 0,
    "pxor": lambda a, b, m: a ^ b if m else 0,
    "pnot": lambda a, m: 1 - a if m else 0,
    "psel": lambda a, b, s: a if s else b,
    "psel %mask": lambda a, b, s, m: (a if s else b) if m else 0,
}


def _count(kind: str) -> int:
    return 2048 // int(kind[1:])


def _images(kind: str, rows: int, seed: int) -> Rows:
    """Lane masks of every sort, then bits anywhere."""
    of_lanes = [image(m) for sort in masks(_count(kind), 3, seed) for m in sort]
    return (of_lanes + noise(rows, seed))[:rows]


@both
@every_width
@pytest.mark.parametrize("name", LOGIC)
def test_logic(name: str, kind: str, revision: str) -> None:
    """Lane by lane; a lane is the lowest bit of its group, and the others come out 0."""
    arity = len(signature(LOGIC[name]).parameters)
    operands = ", ".join(f"%i{i}" for i in range(arity))
    types = ", ".join([written(kind)] * arity)
    code = Code(
        f"%o0 = pto.{name.split()[0]} {operands} : {types} -> {written(kind)}",
        (kind,) * arity,
        (kind,),
        revision=revision,
    )
    sources = [_images(kind, 40, seed) for seed in range(arity)]
    sources[-1] = sources[-1][::-1]
    n = _count(kind)
    expected = [
        image([LOGIC[name](*bits) for bits in zip(*(lanes_of(s, n) for s in row), strict=True)])
        for row in zip(*sources, strict=True)
    ]
    assert code.run(*sources) == [expected]


def _packed(bits: list[int], part: str) -> list[int]:
    """Every second bit of the register, in one half."""
    half = BITS // 2
    result = [0] * BITS
    for i in range(half):
        result[(half if part == "HIGHER" else 0) + i] = bits[2 * i]
    return result


def _unpacked(bits: list[int], part: str) -> list[int]:
    """One half of the register, to every second bit."""
    half = BITS // 2
    result = [0] * BITS
    for i in range(half):
        result[2 * i] = bits[(half if part == "HIGHER" else 0) + i]
    return result


@both
@pytest.mark.parametrize("part", ["LOWER", "HIGHER"])
@pytest.mark.parametrize("target", WORDS)
@pytest.mark.parametrize("source", WORDS)
def test_packing(source: str, target: str, part: str, revision: str) -> None:
    """The bits of the whole register move; the granularity stays or goes one step with them."""
    rows = _images(source, 24, 5)
    steps = {"ppack": [("b32", "b16"), ("b16", "b8")], "punpack": [("b8", "b16"), ("b16", "b32")]}
    for name, rule in (("ppack", _packed), ("punpack", _unpacked)):
        body = f'%o0 = pto.{name} %i0, "{part}" : {written(source)} -> {written(target)}'
        code = Code(body, (source,), (target,), revision=revision)
        if source != target and (source, target) not in steps[name]:
            with pytest.raises(PtoError, match="PTO0108"):
                code.run(rows)
        else:
            assert code.run(rows) == [[rule(row, part) for row in rows]], name


@every_width
def test_unpacking_undoes_packing(kind: str) -> None:
    body = f"""%low = pto.ppack %i0, "LOWER" : {written(kind)} -> {written(kind)}
        %high = pto.ppack %i0, "HIGHER" : {written(kind)} -> {written(kind)}
        %o0 = pto.punpack %low, "LOWER" : {written(kind)} -> {written(kind)}
        %o1 = pto.punpack %high, "HIGHER" : {written(kind)} -> {written(kind)}"""
    rows = noise(8, 4)
    even = [[0 if i % 2 else b for i, b in enumerate(row)] for row in rows]
    assert Code(body, (kind,), (kind, kind)).run(rows) == [even, even]


def _interleaved(a: list[int], b: list[int]) -> tuple[list[int], list[int]]:
    stream = [bit for pair in zip(a, b, strict=True) for bit in pair]
    return stream[: len(a)], stream[len(a) :]


def _separated(a: list[int], b: list[int]) -> tuple[list[int], list[int]]:
    return (a + b)[::2], (a + b)[1::2]


@both
@every_width
@pytest.mark.parametrize("name", ["pintlv", "pdintlv"])
def test_interleaving(name: str, kind: str, revision: str) -> None:
    m = written(kind)
    body = f"%o0, %o1 = pto.{name}_{kind} %i0, %i1 : {m}, {m} -> {m}, {m}"
    code = Code(body, (kind, kind), (kind, kind), revision=revision)
    left, right = _images(kind, 30, 6), _images(kind, 30, 7)[::-1]
    rule = _interleaved if name == "pintlv" else _separated
    n = _count(kind)
    pairs = [rule(lanes_of(a, n), lanes_of(b, n)) for a, b in zip(left, right, strict=True)]
    low, high = code.run(left, right)
    assert low == [image(p[0]) for p in pairs]
    assert high == [image(p[1]) for p in pairs]


@pytest.mark.parametrize("kind", WORDS)
def test_separating_undoes_interleaving(kind: str) -> None:
    m = written(kind)
    body = f"""%a, %b = pto.pintlv_{kind} %i0, %i1 : {m}, {m} -> {m}, {m}
        %o0, %o1 = pto.pdintlv_{kind} %a, %b : {m}, {m} -> {m}, {m}"""
    n = _count(kind)
    left, right = ([image(lanes_of(row, n)) for row in noise(8, seed)] for seed in (1, 2))
    assert Code(body, (kind, kind), (kind, kind)).run(left, right) == [left, right]


@both
@pytest.mark.parametrize("target", WORDS)
@pytest.mark.parametrize("source", WORDS)
def test_bitcast_keeps_all_bits(source: str, target: str, revision: str) -> None:
    """There and back: nothing between the lanes is lost."""
    body = f"""%o0 = pto.pbitcast %i0 : {written(source)} -> {written(target)}
        %o1 = pto.pbitcast %o0 : {written(target)} -> {written(source)}"""
    rows = noise(10, 3)
    assert Code(body, (source,), (target, source), revision=revision).run(rows) == [rows, rows]


def test_bitcast_changes_which_bits_are_lanes() -> None:
    """Every fourth bit: all lanes of b32, every second of b16, every fourth of b8."""
    body = """%a = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
        %wide = pto.pbitcast %a : !pto.mask<b32> -> !pto.mask<b16>
        %bytes = pto.pbitcast %a : !pto.mask<b32> -> !pto.mask<b8>
        %o0 = pto.pnot %wide, %i0 : !pto.mask<b16>, !pto.mask<b16> -> !pto.mask<b16>
        %o1 = pto.pnot %bytes, %i1 : !pto.mask<b8>, !pto.mask<b8> -> !pto.mask<b8>"""
    full = [[1] * BITS]
    found = Code(body, ("b16", "b8"), ("b16", "b8")).run(full, full)
    assert found == [
        [[int(i % 4 == 2) for i in range(BITS)]],
        [[int(i % 4 != 0) for i in range(BITS)]],
    ]


PATTERNS: dict[str, Callable[[int, int], bool]] = {
    "PAT_ALL": lambda i, n: True,
    "PAT_ALLF": lambda i, n: False,
    "PAT_H": lambda i, n: i < n // 2,
    "PAT_Q": lambda i, n: i < n // 4,
    "PAT_M3": lambda i, n: i % 3 == 0,
    "PAT_M4": lambda i, n: i % 4 == 0,
    "PAT_VL1": lambda i, n: i < 1,
    "PAT_VL3": lambda i, n: i < 3,
    "PAT_VL32": lambda i, n: i < 32,
    "PAT_VL128": lambda i, n: i < 128,
}


@both
@every_width
@pytest.mark.parametrize("name", ["pset", "pge"])
def test_patterns_fill_the_lowest_bit_of_each_group(name: str, kind: str, revision: str) -> None:
    n = _count(kind)
    tokens = list(PATTERNS)
    lines = [
        f'%o{i} = pto.{name}_{kind} "{token}" : {written(kind)}'
        for i, token in enumerate(tokens[:6])
    ]
    more = [
        f'%o{i} = pto.{name}_{kind} "{token}" : {written(kind)}'
        for i, token in enumerate(tokens[6:])
    ]
    found = [
        *Code("\n".join(lines), ("ui8",), (kind,) * 6, revision=revision).run([[0] * 256]),
        *Code("\n".join(more), ("ui8",), (kind,) * 4, revision=revision).run([[0] * 256]),
    ]
    for token, rows in zip(tokens, found, strict=True):
        rule = PATTERNS[token]
        assert rows == [image([int(rule(i, n)) for i in range(n)])], token


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_de_morgan(data: st.DataObject) -> None:
    """not (a and b) = (not a) or (not b), under any mask."""
    kind = data.draw(st.sampled_from(WORDS))
    m = written(kind)
    body = f"""%and = pto.pand %i0, %i1, %i2 : {m}, {m}, {m} -> {m}
        %o0 = pto.pnot %and, %i2 : {m}, {m} -> {m}
        %a = pto.pnot %i0, %i2 : {m}, {m} -> {m}
        %b = pto.pnot %i1, %i2 : {m}, {m} -> {m}
        %o1 = pto.por %a, %b, %i2 : {m}, {m}, {m} -> {m}"""
    bits = st.lists(st.integers(0, 1), min_size=BITS, max_size=BITS)
    rows = [[data.draw(bits)] for _ in range(3)]
    left, right = Code(body, (kind,) * 3, (kind, kind)).run(*rows)
    assert left == right
