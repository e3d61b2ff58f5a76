"""Fused and special functions against their loops."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.isa import ieee, precise
from tests.isa.elements import Element
from tests.isa.harness import same
from tests.isa.legality_more import cases
from tests.isa.registers import Code, gates, kept, lanes_of, mask_kind, written
from tests.isa.values import Rows, edges, pairs, scattered, singles

F32 = Element("f32")


def _relu(e: Element, a: int) -> int:
    """a > 0 ? a : 0; NaN gives 0."""
    return a if e.value(a) > 0 else 0


LOOPS: dict[str, Callable[[Element, int, int], int]] = {
    "vprelu": lambda e, a, b: a if e.value(a) >= 0 else ieee.mul(e, b, a),
    "vaddrelu": lambda e, a, b: _relu(e, ieee.add(e, a, b)),
    "vsubrelu": lambda e, a, b: _relu(e, ieee.sub(e, a, b)),
}


@pytest.mark.parametrize(("name", "dtype", "revision"), cases(*LOOPS))
def test_two_vectors(name: str, dtype: str, revision: str) -> None:
    e = Element(dtype)
    v, kind = written(dtype), mask_kind(e)
    body = f"%o0 = pto.{name} %i0, %i1, %i2 : {v}, {v}, {written(kind)} -> {v}"
    code = Code(body, (dtype, dtype, kind), (dtype,), revision=revision)
    left, right = pairs(e)
    full = [
        [LOOPS[name](e, a, b) for a, b in zip(x, y, strict=True)]
        for x, y in zip(left, right, strict=True)
    ]
    for mask in gates(e, len(left)):
        (found,) = code.run(left, right, mask)
        same(found, kept(e, full, mask), f"{name} {dtype}", left, right)


@pytest.mark.parametrize("revision", ["manual", "micro"])
@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_vlrelu(dtype: str, revision: str) -> None:
    """The slope is a scalar; it is the loop of vprelu otherwise."""
    e = Element(dtype)
    v, kind = written(dtype), mask_kind(e)
    body = f"%o0 = pto.vlrelu %i0, %s0, %i1 : {v}, {dtype}, {written(kind)} -> {v}"
    code = Code(body, (dtype, kind), (dtype,), (dtype,), revision=revision)
    slopes = [*edges(e)]
    source = singles(e, len(slopes))
    full = [[LOOPS["vprelu"](e, a, b) for a in row] for row, b in zip(source, slopes, strict=True)]
    for mask in gates(e, len(source)):
        (found,) = code.run(source, mask, scalars=(slopes,))
        same(found, kept(e, full, mask), f"vlrelu {dtype}", source)


@pytest.mark.parametrize(("name", "dtype", "revision"), cases("vaxpy"))
def test_vaxpy(name: str, dtype: str, revision: str) -> None:
    """alpha * src0 + src1, rounded once."""
    e = Element(dtype)
    v, kind = written(dtype), mask_kind(e)
    body = f"%o0 = pto.{name} %i0, %i1, %s0, %i2 : {v}, {v}, {dtype}, {written(kind)} -> {v}"
    code = Code(body, (dtype, dtype, kind), (dtype,), (dtype,), revision=revision)
    alphas = [*edges(e), *scattered(e, 6, 2)[::2]]
    x, y = singles(e, len(alphas)), singles(e, 2 * len(alphas))[len(alphas) :]
    full = [
        [precise.fma(e, alpha, a, b) for a, b in zip(p, q, strict=True)]
        for alpha, p, q in zip(alphas, x, y, strict=True)
    ]
    for mask in gates(e, len(x))[::2]:
        (found,) = code.run(x, y, mask, scalars=(alphas,))
        same(found, kept(e, full, mask), f"vaxpy {dtype}", x, y)


def _accumulated(e: Element, acc: int, a: int, b: int) -> int:
    return precise.fma(e, a, b, acc) if e.is_float else e.wrap(acc + a * b)


def _near_products(e: Element, left: Rows, right: Rows) -> Rows:
    """Accumulators that the product nearly cancels: fused and separate rounding differ."""
    return [
        [ieee.mul(e, a, b) ^ e.sign if i % 2 else a for i, (a, b) in enumerate(pair)]
        for pair in (list(zip(x, y, strict=True)) for x, y in zip(left, right, strict=True))
    ]


@pytest.mark.parametrize(("name", "dtype", "revision"), cases("vmula"))
def test_vmula(name: str, dtype: str, revision: str) -> None:
    """acc + lhs * rhs: floats rounded once, integers wrap."""
    e = Element(dtype)
    v, kind = written(dtype), mask_kind(e)
    body = f"%o0 = pto.{name} %i0, %i1, %i2, %i3 : {v}, {v}, {v}, {written(kind)} -> {v}"
    code = Code(body, (dtype, dtype, dtype, kind), (dtype,), revision=revision)
    left, right = pairs(e, 256)
    acc = _near_products(e, left, right) if e.is_float else singles(e, len(left))
    full = [
        [_accumulated(e, *lane) for lane in zip(*row, strict=True)]
        for row in zip(acc, left, right, strict=True)
    ]
    for mask in gates(e, len(left)):
        (found,) = code.run(acc, left, right, mask)
        same(found, kept(e, full, mask), f"vmula {dtype}", acc, left, right)


@pytest.mark.parametrize(("name", "dtype", "revision"), cases("vmull"))
def test_vmull(name: str, dtype: str, revision: str) -> None:
    """The 64-bit product in two registers; signless integers are signed."""
    e = Element(dtype)
    v, kind = written(dtype), mask_kind(e)
    body = f"%o0, %o1 = pto.{name} %i0, %i1, %i2 : {v}, {v}, {written(kind)} -> {v}, {v}"
    code = Code(body, (dtype, dtype, kind), (dtype, dtype), revision=revision)
    left, right = pairs(e)
    products = [
        [e.number(a) * e.number(b) for a, b in zip(x, y, strict=True)]
        for x, y in zip(left, right, strict=True)
    ]
    low = [[p & 0xFFFFFFFF for p in row] for row in products]
    high = [[p >> 32 & 0xFFFFFFFF for p in row] for row in products]
    for mask in gates(e, len(left)):
        found = code.run(left, right, mask)
        same(found[0], kept(e, low, mask), f"vmull low {dtype}", left, right)
        same(found[1], kept(e, high, mask), f"vmull high {dtype}", left, right)


def _as_f32(e: Element, raw: int) -> int:
    """The same number as f32: every f16 is one."""
    if e.is_nan(raw):
        return F32.nan
    if e.is_inf(raw):
        return F32.infinity | (F32.sign if raw & e.sign else 0)
    return F32.round(Fraction(e.value(raw)), negative_zero=bool(raw & e.sign))


def _difference(e: Element, x: int, most: int) -> int:
    """exp(x - max): the difference in f32, its exponential correctly rounded."""
    return precise.exp(F32, ieee.sub(F32, _as_f32(e, x), _as_f32(e, most)))


def _softmax_rows(e: Element) -> tuple[Rows, Rows]:
    """Logits below a maximum as a softmax has them, then edges and random bits."""
    ordinary = [scattered(e, 2 * e.lanes, s)[::2] for s in range(3)]
    tops = [[max((v & ~e.sign) for v in row)] * e.lanes for row in ordinary]
    left, right = pairs(e, 64)
    return ordinary + left[:6], tops + right[:6]


@pytest.mark.parametrize(("name", "dtype", "revision"), cases("vexpdif"))
@pytest.mark.parametrize("part", ["EVEN", "ODD"])
def test_vexpdif(name: str, dtype: str, part: str, revision: str) -> None:
    """f32 lane by lane, whatever the part; of f16 the even or the odd lanes, with their own
    mask bits."""
    e = Element(dtype)
    v, kind = written(dtype), mask_kind(e)
    types = f"{v}, {v}, {written(kind)} -> {written('f32')}"
    code = Code(
        f'%o0 = pto.{name} %i0, %i1, %i2, "{part}" : {types}',
        (dtype, dtype, kind),
        ("f32",),
        revision=revision,
    )
    chosen = range(part == "ODD", 128, 2) if dtype == "f16" else range(64)
    x, most = _softmax_rows(e)
    full = [
        [_difference(e, row[i], top[i]) for i in chosen] for row, top in zip(x, most, strict=True)
    ]
    for mask in gates(e, len(x)):
        expected = [
            [value if on[i] else 0 for value, i in zip(row, chosen, strict=True)]
            for row, on in zip(full, (lanes_of(m, e.lanes) for m in mask), strict=True)
        ]
        (found,) = code.run(x, most, mask)
        same(found, expected, f"vexpdif {dtype} {part}")


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_a_widened_product_is_exact(data: st.DataObject) -> None:
    """high * 2**32 + low is the product, signed or unsigned."""
    e = Element(data.draw(st.sampled_from(["i32", "si32", "ui32"])))
    v = written(e.name)
    body = f"%o0, %o1 = pto.vmull %i0, %i1, %i2 : {v}, {v}, {written('b32')} -> {v}, {v}"
    row = st.lists(st.integers(0, e.full), min_size=64, max_size=64)
    x, y = data.draw(row), data.draw(row)
    code = Code(body, (e.name, e.name, "b32"), (e.name, e.name))
    (low,), (high,) = code.run([x], [y], [[1] * 256])
    for a, b, lo, hi in zip(x, y, low, high, strict=True):
        assert (e.number(hi) << 32) + lo == e.number(a) * e.number(b)
