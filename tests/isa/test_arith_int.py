"""Integer arith operations against Python integers."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.isa.scalars import WIDTH, run

INTS = ("i1", "i8", "i16", "i32", "i64", "index")
WIDE = INTS[1:]


def signed(value: int, bits: int) -> int:
    """The two's complement reading of raw bits."""
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def edges(bits: int) -> list[int]:
    """Raw values where integer operations go wrong."""
    top = 1 << (bits - 1)
    near = (0, 1, 2, 3, bits - 1, bits, bits + 1, top - 1, top, top + 1, -2, -1, -7, -bits)
    rng = random.Random(bits)
    return sorted({v % (1 << bits) for v in (*near, *(rng.getrandbits(bits) for _ in range(4)))})


def pairs(dtype: str) -> list[tuple[int, int]]:
    return [(a, b) for a in edges(WIDTH[dtype]) for b in edges(WIDTH[dtype])]


def toward_zero(a: int, b: int) -> int:
    """C's division."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


PLAIN: dict[str, Callable[[int, int, int], int]] = {
    "addi": lambda a, b, n: a + b,
    "subi": lambda a, b, n: a - b,
    "muli": lambda a, b, n: a * b,
    "andi": lambda a, b, n: a & b,
    "ori": lambda a, b, n: a | b,
    "xori": lambda a, b, n: a ^ b,
    # From the width on everything is shifted out, the choice where the dialect says nothing.
    "shli": lambda a, b, n: a << b if b < n else 0,
    "shrui": lambda a, b, n: a >> b,
    "shrsi": lambda a, b, n: signed(a, n) >> b,
    "maxsi": lambda a, b, n: max(signed(a, n), signed(b, n)),
    "minsi": lambda a, b, n: min(signed(a, n), signed(b, n)),
    "maxui": lambda a, b, n: max(a, b),
    "minui": lambda a, b, n: min(a, b),
}
DIVISIONS: dict[str, Callable[[int, int, int], int]] = {
    "divui": lambda a, b, n: a // b,
    "remui": lambda a, b, n: a % b,
    "ceildivui": lambda a, b, n: -(-a // b),
    "divsi": lambda a, b, n: toward_zero(signed(a, n), signed(b, n)),
    "remsi": lambda a, b, n: signed(a, n) - signed(b, n) * toward_zero(signed(a, n), signed(b, n)),
    "floordivsi": lambda a, b, n: signed(a, n) // signed(b, n),
    "ceildivsi": lambda a, b, n: -(-signed(a, n) // signed(b, n)),
}


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("name", PLAIN)
def test_plain(name: str, dtype: str) -> None:
    bits = WIDTH[dtype]
    values = pairs(dtype)
    found = run(f"%r0 = arith.{name} %a, %b : {dtype}", (dtype, dtype), (dtype,), values)
    for (a, b), (r,) in zip(values, found, strict=True):
        assert r == PLAIN[name](a, b, bits) % (1 << bits), (name, dtype, a, b)


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("name", DIVISIONS)
def test_division(name: str, dtype: str) -> None:
    """The most negative number by -1 wraps."""
    bits = WIDTH[dtype]
    values = [(a, b) for a, b in pairs(dtype) if b]
    found = run(f"%r0 = arith.{name} %a, %b : {dtype}", (dtype, dtype), (dtype,), values)
    for (a, b), (r,) in zip(values, found, strict=True):
        assert r == DIVISIONS[name](a, b, bits) % (1 << bits), (name, dtype, a, b)


COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


@pytest.mark.parametrize("dtype", INTS)
def test_cmpi(dtype: str) -> None:
    bits = WIDTH[dtype]
    values = pairs(dtype)
    for name in ("eq", "ne", *(s + c for s in "su" for c in ("lt", "le", "gt", "ge"))):
        body = f"%r0 = arith.cmpi {name}, %a, %b : {dtype}"
        found = run(body, (dtype, dtype), ("i1",), values)
        for (a, b), (r,) in zip(values, found, strict=True):
            x, y = (signed(a, bits), signed(b, bits)) if name[0] == "s" else (a, b)
            assert r == COMPARISONS[name[-2:]](x, y), (name, dtype, a, b)


@pytest.mark.parametrize("dtype", WIDE)
def test_extended(dtype: str) -> None:
    """Two results that together are exact."""
    bits = WIDTH[dtype]
    full = 1 << bits
    values = pairs(dtype)
    body = f"%r0, %r1 = arith.addui_extended %a, %b : {dtype}, i1"
    for (a, b), (low, carry) in zip(
        values, run(body, (dtype, dtype), (dtype, "i1"), values), strict=True
    ):
        assert low + carry * full == a + b
    for name, read in (("mului", lambda v: v), ("mulsi", lambda v: signed(v, bits))):
        body = f"%r0, %r1 = arith.{name}_extended %a, %b : {dtype}"
        found = run(body, (dtype, dtype), (dtype, dtype), values)
        for (a, b), (low, high) in zip(values, found, strict=True):
            assert high * full + low == read(a) * read(b) % full**2, (name, a, b)


def _conversions() -> list[tuple[str, str, str]]:
    out: list[tuple[str, str, str]] = []
    for source in INTS[:-1]:
        for result in INTS[:-1]:
            if WIDTH[source] < WIDTH[result]:
                out += [("extsi", source, result), ("extui", source, result)]
            elif WIDTH[source] > WIDTH[result]:
                out.append(("trunci", source, result))
        for name in ("index_cast", "index_castui"):
            out += [(name, source, "index"), (name, "index", source)]
    return out


@pytest.mark.parametrize(("name", "source", "result"), _conversions())
def test_conversion(name: str, source: str, result: str) -> None:
    values = [(a,) for a in edges(WIDTH[source])]
    found = run(f"%r0 = arith.{name} %a : {source} to {result}", (source,), (result,), values)
    by_sign = name in ("extsi", "index_cast")
    for (a,), (r,) in zip(values, found, strict=True):
        number = signed(a, WIDTH[source]) if by_sign else a
        assert r == number % (1 << WIDTH[result]), (name, source, result, a)


@pytest.mark.parametrize("dtype", [*INTS, "f16", "bf16", "f32", "f64"])
def test_select(dtype: str) -> None:
    """Moves bits as they are, NaN payloads too."""
    values = [(c, *pair) for pair in pairs(dtype) for c in (0, 1)]
    body = f"%r0 = arith.select %a, %b, %c : {dtype}"
    found = run(body, ("i1", dtype, dtype), (dtype,), values)
    assert found == [(b if c else a,) for c, b, a in values]


@pytest.mark.parametrize(
    ("dtype", "text", "raw"),
    [
        ("i1", "true", 1),
        ("i1", "false", 0),
        ("i8", "-128", 0x80),
        ("i8", "-1", 0xFF),
        ("i32", "2147483647", 0x7FFFFFFF),
        ("i32", "0xFF", 0xFF),
        ("i64", "-9223372036854775808", 1 << 63),
        ("index", "-3", (1 << 64) - 3),
        ("f32", "-0.0", 0x80000000),
        ("f32", "0.1", 0x3DCCCCCD),
        ("f32", "0x7FC00000", 0x7FC00000),
        ("f32", "0xFF800000", 0xFF800000),
        ("f32", "1.0e-45", 1),
        ("f16", "65504.0", 0x7BFF),
        ("f16", "1.0e-07", 2),
        ("bf16", "1.0", 0x3F80),
        ("bf16", "0.3333333", 0x3EAB),
        ("f64", "0.1", 0x3FB999999999999A),
    ],
)
def test_constant(dtype: str, text: str, raw: int) -> None:
    suffix = "" if text in ("true", "false") else f" : {dtype}"
    assert run(f"%r0 = arith.constant {text}{suffix}", (), (dtype,), [()]) == [(raw,)]


@given(st.integers(0, 2**64 - 1), st.integers(1, 2**64 - 1))
@settings(max_examples=100, deadline=None)
def test_division_of_any_numbers(a: int, b: int) -> None:
    for name, rule in DIVISIONS.items():
        body = f"%r0 = arith.{name} %a, %b : i64"
        assert run(body, ("i64", "i64"), ("i64",), [(a, b)]) == [(rule(a, b, 64) % 2**64,)]
