"""Float arith operations against exact rational arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import ptoscope
from tests.isa import ieee
from tests.isa.elements import Element
from tests.isa.scalars import WIDTH, run
from tests.isa.test_arith_int import edges as int_edges
from tests.isa.test_arith_int import signed
from tests.isa.values import edges, scattered

FLOATS = ("f16", "bf16", "f32", "f64")
INTS = ("i1", "i8", "i16", "i32", "i64")


def values(e: Element) -> list[int]:
    return [*edges(e), *scattered(e, 12, 3)]


def pairs(e: Element) -> list[tuple[int, int]]:
    return [(a, b) for a in values(e) for b in values(e)]


def _extreme(e: Element, a: int, b: int, highest: bool) -> int:
    """The greater or lesser; -0 is below +0."""
    x, y = e.value(a), e.value(b)
    if x == y == 0:
        return a & b if highest else a | b
    return a if (x > y) == highest else b


def _propagating(highest: bool) -> Callable[[Element, int, int], int]:
    def rule(e: Element, a: int, b: int) -> int:
        return e.nan if e.is_nan(a) or e.is_nan(b) else _extreme(e, a, b, highest)

    return rule


def _numeric(highest: bool) -> Callable[[Element, int, int], int]:
    def rule(e: Element, a: int, b: int) -> int:
        if e.is_nan(a) or e.is_nan(b):
            return a if e.is_nan(b) else b
        return _extreme(e, a, b, highest)

    return rule


RULES: dict[str, Callable[[Element, int, int], int]] = {
    "addf": ieee.add,
    "subf": ieee.sub,
    "mulf": ieee.mul,
    "divf": ieee.div,
    "remf": ieee.fmod,
    "maximumf": _propagating(True),
    "minimumf": _propagating(False),
    "maxnumf": _numeric(True),
    "minnumf": _numeric(False),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", RULES)
def test_two_operands(name: str, dtype: str) -> None:
    e = Element(dtype)
    operands = pairs(e)
    found = run(f"%r0 = arith.{name} %a, %b : {dtype}", (dtype, dtype), (dtype,), operands)
    for (a, b), (r,) in zip(operands, found, strict=True):
        expected = RULES[name](e, a, b)
        if "num" in name and e.is_nan(expected):
            assert e.is_nan(r)  # of two NaNs either serves
        else:
            assert r == expected, (name, dtype, hex(a), hex(b), hex(r), hex(expected))


@pytest.mark.parametrize("dtype", FLOATS)
def test_negf(dtype: str) -> None:
    """The sign bit flips, of -0 and NaN too."""
    e = Element(dtype)
    found = run(f"%r0 = arith.negf %a : {dtype}", (dtype,), (dtype,), [(a,) for a in values(e)])
    assert found == [(a ^ e.sign,) for a in values(e)]


@pytest.mark.parametrize(
    ("name", "dtype"), [("arith.negf", "f16"), ("arith.negf", "bf16"), ("pto.absf", "f16")]
)
def test_a_sign_changes_nothing_else(name: str, dtype: str) -> None:
    """A conversion to f32 and back would make the signalling ones of all NaNs quiet."""
    bits = range(1 << 16)
    found = run(f"%r0 = {name} %a : {dtype}", (dtype,), (dtype,), [(a,) for a in bits])
    assert found == [(a ^ 0x8000 if name == "arith.negf" else a & 0x7FFF,) for a in bits]


def _holds(name: str, x: float, y: float) -> bool:
    if name in ("true", "false"):
        return name == "true"
    unordered = math.isnan(x) or math.isnan(y)
    if name in ("ord", "uno"):
        return unordered == (name == "uno")
    if unordered:
        return name[0] == "u"
    rules = {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}
    return rules[name[1:]]


@pytest.mark.parametrize("dtype", FLOATS)
def test_cmpf(dtype: str) -> None:
    e = Element(dtype)
    operands = [(a, b) for a in edges(e) for b in edges(e)]
    kinds = [o + c for o in "ou" for c in ("eq", "ne", "lt", "le", "gt", "ge")]
    for name in ("false", "ord", "uno", "true", *kinds):
        body = f"%r0 = arith.cmpf {name}, %a, %b : {dtype}"
        for (a, b), (r,) in zip(
            operands, run(body, (dtype, dtype), ("i1",), operands), strict=True
        ):
            assert r == _holds(name, e.value(a), e.value(b)), (name, dtype, hex(a), hex(b))


@pytest.mark.parametrize(
    ("source", "result"),
    [(s, r) for s in FLOATS for r in FLOATS if WIDTH[s] != WIDTH[r]],
)
def test_between_floats(source: str, result: str) -> None:
    """Rounded once, ties to even; also where a value lies next to a tie of the result."""
    name = "extf" if WIDTH[source] < WIDTH[result] else "truncf"
    e, to = Element(source), Element(result)
    operands = [*values(e), *_next_to_ties(e, to)]
    body = f"%r0 = arith.{name} %a : {source} to {result}"
    found = run(body, (source,), (result,), [(a,) for a in operands])
    for a, (r,) in zip(operands, found, strict=True):
        assert r == _converted(e, to, a), (source, result, hex(a), hex(r))


def _converted(e: Element, to: Element, a: int) -> int:
    if e.is_nan(a):
        return to.nan
    sign = to.sign if a & e.sign else 0
    if e.is_inf(a):
        return to.infinity | sign
    return to.round(Fraction(e.value(a)), negative_zero=bool(sign))


def _next_to_ties(e: Element, to: Element) -> list[int]:
    """Values of the wide type beside the middle of two narrow ones."""
    if e.bits <= to.bits:
        return []
    out: list[int] = []
    for a in [*edges(to), *scattered(to, 30, 9)]:
        if to.is_nan(a) or to.is_inf(a) or to.is_inf(a + 1):
            continue
        middle = (Fraction(to.value(a)) + Fraction(to.value(a + 1))) / 2
        raw = e.round(middle)
        out += [raw, raw + 1, max(raw - 1, 0)]
    return out


@pytest.mark.parametrize("result", FLOATS)
@pytest.mark.parametrize("source", INTS)
def test_from_integers(source: str, result: str) -> None:
    """Rounded once: 64-bit integers too, next to ties."""
    bits, to = WIDTH[source], Element(result)
    numbers = {*int_edges(bits), *(1 << i for i in range(bits))}
    for i in range(to.precision, bits):
        tie = (1 << i) + (1 << (i - to.precision))
        numbers |= {tie - 1, tie, tie + 1, (1 << i) + 3 * (1 << (i - to.precision)) + 1}
    operands = [(n % (1 << bits),) for n in sorted(numbers)]
    for name in ("sitofp", "uitofp"):
        body = f"%r0 = arith.{name} %a : {source} to {result}"
        for (a,), (r,) in zip(operands, run(body, (source,), (result,), operands), strict=True):
            number = signed(a, bits) if name == "sitofp" else a
            assert r == to.round(Fraction(number)), (name, source, result, a, hex(r))


@pytest.mark.parametrize("result", INTS[1:])
@pytest.mark.parametrize("source", FLOATS)
def test_to_integers(source: str, result: str) -> None:
    """Cut toward zero; saturating and NaN to 0 where the dialect leaves it undefined."""
    e, bits = Element(source), WIDTH[result]
    numbers = [0.5, -0.5, 0.99, -0.99, 1.5, -1.5, 127.5, 128.0, -128.0, -129.0, 255.5, 256.0]
    limits = [2.0**i for i in (7, 8, 15, 16, 31, 32, 63, 64)]
    exact = [Fraction(n) for n in (*numbers, *limits, *(-v for v in limits))]
    operands = [*values(e), *(e.round(x) for x in exact)]
    operands += [e.round(x) - 1 for x in exact]
    for name, low, high in (
        ("fptosi", -(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        ("fptoui", 0, (1 << bits) - 1),
    ):
        body = f"%r0 = arith.{name} %a : {source} to {result}"
        found = run(body, (source,), (result,), [(a,) for a in operands])
        for a, (r,) in zip(operands, found, strict=True):
            x = e.value(a)
            if math.isnan(x):
                expected = 0
            elif math.isinf(x):
                expected = high if x > 0 else low
            else:
                expected = min(max(math.trunc(x), low), high)
            assert r == expected % (1 << bits), (name, source, result, x, r)


@pytest.mark.parametrize(
    ("source", "result"),
    [
        *(("f16", "bf16"), ("bf16", "f16"), ("f16", "i16"), ("i16", "bf16"), ("f32", "i32")),
        *(("i32", "f32"), ("f64", "i64"), ("i64", "f64"), ("i16", "f16"), ("i32", "i32")),
    ],
)
def test_bitcast(source: str, result: str) -> None:
    bits = WIDTH[source]
    operands = [(a,) for a in int_edges(bits)]
    operands += [(a,) for a in edges(Element({16: "f16", 32: "f32", 64: "f64"}[bits]))]
    body = f"%r0 = arith.bitcast %a : {source} to {result}"
    assert run(body, (source,), (result,), operands) == operands


@pytest.mark.parametrize("bits", [0xFFC00123, 0x7FC00000, 0xFFC00000, 0x7FFFFFFF])
def test_a_nan_constant_keeps_its_bits(bits: int) -> None:
    """A constant is no arithmetic: sign and payload stay as written."""
    kernel = ptoscope.load(f"""func.func @kernel(%x: !pto.ptr<f32, gm>) {{
  %c0 = arith.constant 0 : index
  %nan = arith.constant {bits:#x} : f32
  pto.store_scalar %nan, %x[%c0] : !pto.ptr<f32, gm>, f32
  return
}}
""")
    found = np.zeros(1, np.float32)
    kernel(found)
    assert found.view(np.uint32)[0] == bits
