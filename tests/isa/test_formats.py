"""Conversions lane by lane: every code of the narrow formats, every f16 and bf16, and f32 and
integers on both sides of every boundary, in every rounding mode, saturated or not."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

import ml_dtypes
import numpy as np
import pytest

from ptoscope.isa.dtypes import UI8, dtype
from ptoscope.isa.formats import FORMATS, ROUNDINGS, Rounding, converter, whole
from ptoscope.machine.elements import quietly
from ptoscope.machine.lanes import NumpyLanes
from tests.isa import exact
from tests.isa.elements import NARROW, Element
from tests.isa.exact import MODES
from tests.isa.values import edges

every_mode = pytest.mark.parametrize("mode", MODES)


def raw_type(name: str) -> str:
    return "uint8" if name in NARROW else Element(name).raw


def lanes(name: str, raw: Any) -> NumpyLanes:
    """Raw bits as lanes; of a 4-bit format bytes with one code each."""
    kind = UI8 if name.startswith("f4") else dtype(name)
    return NumpyLanes(raw.astype(raw_type(name)).view(kind.storage), kind, len(raw))


def convert(source: str, target: str, mode: str, saturate: bool, raw: Any) -> Any:
    """The product's conversion of raw bits."""
    rnd: Rounding = next(r for r in ROUNDINGS if r == mode)
    with quietly():
        out = converter(dtype(source), dtype(target), rnd, saturate)(lanes(source, raw))
    assert isinstance(out, NumpyLanes)
    return out.a.view(raw_type(target))


def compare(found: Any, expected: Any, raw: Any, about: str) -> None:
    wrong = np.flatnonzero(found != expected)
    shown = [(hex(raw[i]), hex(found[i]), hex(expected[i])) for i in wrong[:5]]
    assert not len(wrong), f"{about}: {len(wrong)} wrong, (input, found, expected): {shown}"


@cache
def f32_near(target: str) -> Any:
    """f32 bits at and next to the values of a format and the middles between them, the edges
    of f32, and random ones."""
    rng = np.random.default_rng(7)
    values = exact.grid(target).values[:-1]
    if len(values) > 4096:
        ends = np.r_[0:64, 1000:1100, len(values) - 64 : len(values)]
        values = values[np.unique(np.r_[ends, rng.integers(0, len(values), 3000)])]
    middles = (values[1:] + values[:-1]) / 2
    with np.errstate(over="ignore"):
        points = np.r_[values, middles, values[-1] * np.array([2, 3, 1e9])].astype(np.float32)
    around = points.view(np.uint32)[:, None].astype(np.int64) + np.arange(-2, 3)
    around = around[(around >= 0) & (around <= 0x7F800000)].astype(np.uint32)
    e = Element("f32")
    bits = rng.integers(0, 2**32, 8000, dtype=np.uint32)
    size = rng.uniform(-2, 2, 8000) * exact.grid(target).limit
    with np.errstate(over="ignore"):
        sized = size.astype(np.float32).view(np.uint32)
    return np.r_[around, around | e.sign, bits, sized, np.array(edges(e), np.uint32)]


def source_bits(source: str, target: str) -> Any:
    if source == "f32":
        return f32_near(target)
    return np.arange(65536, dtype=np.uint16)


def as_f64(source: str, raw: Any) -> Any:
    """What raw bits of f32, f16 or bf16 stand for."""
    kind = ml_dtypes.bfloat16 if source == "bf16" else Element(source).storage
    with np.errstate(invalid="ignore"):
        return raw.view(kind).astype(np.float64)


@every_mode
@pytest.mark.parametrize(
    ("source", "target"),
    [
        *(("f32", t) for t in ("f16", "bf16", *NARROW)),
        *(("f16", t) for t in NARROW),
        *(("bf16", t) for t in ("f16", *NARROW)),
    ],
)
def test_narrowing(source: str, target: str, mode: str) -> None:
    raw = source_bits(source, target)
    x = as_f64(source, raw)
    for saturate in (False, True):
        expected = exact.to_float(x, target, mode, saturate)
        found = convert(source, target, mode, saturate, raw)
        compare(found, expected, raw, f"{source} to {target} {mode} {saturate}")


@pytest.mark.parametrize("target", ["f8e4m3", "f8e5m2", "f4e2m1", "bf16"])
def test_nearest_even_is_that_of_ml_dtypes(target: str) -> None:
    raw = f32_near(target)
    x = raw.view(np.float32)
    known = raw[~np.isnan(x)]
    kind = {
        "f8e4m3": ml_dtypes.float8_e4m3fn,
        "f8e5m2": ml_dtypes.float8_e5m2,
        "f4e2m1": ml_dtypes.float4_e2m1fn,
        "bf16": ml_dtypes.bfloat16,
    }[target]
    with np.errstate(all="ignore"):
        expected = known.view(np.float32).astype(kind).view(raw_type(target))
    compare(convert("f32", target, "R", False, known), expected, known, target)


@pytest.mark.parametrize("target", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("source", NARROW)
def test_widening_every_code(source: str, target: str) -> None:
    raw = np.arange(16 if source.startswith("f4") else 256, dtype=np.uint8)
    numbers = exact.numbers(source)
    e = Element(target)
    with np.errstate(invalid="ignore"):
        single = numbers.astype(np.float32)
    if target == "bf16":
        expected = single.astype(ml_dtypes.bfloat16).view(np.uint16)
    else:
        expected = single.astype(e.storage).view(e.raw)
    expected = np.where(np.isnan(numbers), e.nan, expected)
    assert np.array_equal(expected.astype(e.raw), expected)
    compare(convert(source, target, "R", False, raw), expected, raw, f"{source} to {target}")


@pytest.mark.parametrize("source", ["f16", "bf16"])
def test_widening_every_half(source: str) -> None:
    raw = np.arange(65536, dtype=np.uint16)
    x = as_f64(source, raw)
    with np.errstate(invalid="ignore"):
        expected = np.where(np.isnan(x), 0x7FC00000, x.astype(np.float32).view(np.uint32))
    compare(convert(source, "f32", "R", False, raw), expected, raw, source)


@pytest.mark.parametrize("name", NARROW)
def test_every_code_comes_back(name: str) -> None:
    """Exact numbers stay in every mode, saturated or not; infinities unless saturated."""
    numbers = exact.numbers(name)
    codes = np.flatnonzero(np.isfinite(numbers))
    raw = numbers[codes].astype(np.float32).view(np.uint32)
    for mode in MODES:
        for saturate in (False, True):
            assert np.array_equal(convert("f32", name, mode, saturate, raw), codes)
    infinite = np.flatnonzero(np.isinf(numbers))
    raw = numbers[infinite].astype(np.float32).view(np.uint32)
    for mode in MODES:
        assert np.array_equal(convert("f32", name, mode, False, raw), infinite)


@cache
def f32_for_integers() -> Any:
    """f32 bits around the ends of every integer type, halves, and random ones."""
    rng = np.random.default_rng(9)
    powers = 2.0 ** np.array([7, 8, 15, 16, 31, 32, 63, 64, 23, 24, 52, 100, 126])
    small = np.r_[np.arange(0, 20, 0.25), powers, powers - 0.5, powers + 0.5, powers - 1]
    middle = small.astype(np.float32).view(np.uint32).astype(np.int64)
    around = (middle[:, None] + np.arange(-3, 4)).ravel()
    around = around[around >= 0].astype(np.uint32)
    sized = rng.uniform(-1, 1, 6000) * 2.0 ** rng.integers(0, 70, 6000)
    e = Element("f32")
    return np.r_[
        around,
        around | e.sign,
        sized.astype(np.float32).view(np.uint32),
        rng.integers(0, 2**32, 3000, dtype=np.uint32),
        np.array(edges(e), np.uint32),
    ]


@cache
def floats(source: str) -> tuple[Any, list[float]]:
    raw = f32_for_integers() if source == "f32" else np.arange(65536, dtype=np.uint16)
    return raw, as_f64(source, raw).tolist()


@cache
def rounded(source: str, mode: str) -> list[int]:
    return exact.to_integers(floats(source)[1], mode)


@every_mode
@pytest.mark.parametrize(
    ("source", "targets"),
    [("f32", "si64 si32 si16"), ("f16", "si32 si16 si8 ui8"), ("bf16", "si32")],
)
def test_float_to_integer(source: str, targets: str, mode: str) -> None:
    raw, _ = floats(source)
    for e in map(Element, targets.split()):
        for saturate in (False, True):
            expected = exact.fit(rounded(source, mode), e, saturate)
            found = convert(source, e.name, mode, saturate, raw)
            compare(found, np.array(expected, e.raw), raw, f"{source} to {e.name} {mode}")


@cache
def integers(name: str) -> tuple[Any, list[int]]:
    """All of 8 and 16 bits; of the wider ones the surroundings of powers of two and random."""
    e = Element(name)
    if e.bits <= 16:
        raw = list(range(1 << e.bits))
    else:
        near = [2**k + d for k in range(e.bits) for d in range(-3, 4)]
        ties = [(2**24 + 2 * m + 1) << k for m in range(4) for k in range(e.bits - 25)]
        around = [t + d for t in ties for d in (-1, 0, 1)]
        rng = np.random.default_rng(3)
        sized = [int(v) >> int(k) for v, k in rng.integers(0, [2**62, 62], (2000, 2))]
        raw = [v & e.full for n in (*near, *around, *sized) for v in (n, -n)]
    return np.array(raw, e.raw), [e.number(r) for r in raw]


@every_mode
@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("ui8", "f16"),
        ("si8", "f16"),
        ("si16", "f16"),
        ("si16", "f32"),
        ("si32", "f32"),
        ("ui32", "f32"),
        ("si64", "f32"),
    ],
)
def test_integer_to_float(source: str, target: str, mode: str) -> None:
    raw, numbers = integers(source)
    e = Element(target)
    wide = np.array([exact.from_integer(n, e.precision, mode) for n in numbers])
    expected = wide.astype(e.storage)
    assert np.array_equal(expected, wide)
    found = convert(source, target, mode, False, raw)
    compare(found, expected.view(e.raw), raw, f"{source} to {target} {mode}")


@pytest.mark.parametrize("source", ["ui8", "si8", "ui16", "si16", "i16", "ui32", "si32", "i32"])
def test_integer_to_integer(source: str) -> None:
    raw, numbers = integers(source)
    for name in ("ui8", "si8", "ui16", "si16", "ui32", "si32", "si64"):
        e = Element(name)
        for saturate in (False, True):
            wide = np.array(numbers).clip(*exact.bounds(e)) if saturate else np.array(numbers)
            found = convert(source, name, "R", saturate, raw)
            compare(found, wide.astype(e.raw), raw, f"{source} to {name} {saturate}")


@every_mode
@pytest.mark.parametrize("source", ["f32", "f16", "bf16"])
def test_whole(source: str, mode: str) -> None:
    rnd: Rounding = next(r for r in ROUNDINGS if r == mode)
    raw, numbers = floats(source)
    e = Element(source)
    with quietly():
        out = whole(lanes(source, raw).cast(dtype("f32")), rnd).cast(dtype(source))
    assert isinstance(out, NumpyLanes)
    x = np.array(numbers)
    size = np.array([abs(n) for n in rounded(source, mode)], dtype=np.float64)
    size[np.isinf(x)] = np.inf
    kind = ml_dtypes.bfloat16 if source == "bf16" else e.storage
    expected = np.copysign(size, x).astype(kind).view(e.raw)
    expected = np.where(np.isnan(x), e.nan, expected)
    compare(out.a.view(e.raw), expected, raw, f"whole {source} {mode}")


def test_masks_keep_both_halves_of_a_byte() -> None:
    kind = dtype("f4e2m1")
    row = NumpyLanes(np.arange(256, dtype=np.uint8), kind, 256)
    active = NumpyLanes(np.arange(256) % 2 == 1, dtype("i1"), 256)
    found = row.masked(active)
    assert found.a.tolist() == [i if i % 2 else 0 for i in range(256)]


# The expected values themselves, at points known from the formats' descriptions.


def test_hif8_is_the_published_format() -> None:
    known = {0x08: 1.0, 0x6E: 2.0**15, 0x7E: 2.0**-15, 0x01: 2.0**-22, 0x07: 2.0**-16}
    known |= {0x38: 0.125, 0x18: 0.5, 0x10: 2.0, 0x09: 1.125, 0x6F: float("inf"), 0x00: 0.0}
    numbers = exact.numbers("hif8")
    assert {c: numbers[c] for c in known} == known
    assert np.isnan(numbers[0x80])
    assert np.count_nonzero(np.isnan(numbers)) == 1
    sizes = numbers[:128]
    assert len(np.unique(sizes)) == 128
    # 7 exponents with 3 mantissa bits, 8 with 2, 16 with 1, and 7 more powers of two.
    assert 7 * 8 + 8 * 4 + 16 * 2 + 7 + 1 == 128


@pytest.mark.parametrize(
    ("target", "x", "mode", "code"),
    [
        ("f16", 65519.0, "R", 0x7BFF),
        ("f16", 65520.0, "R", 0x7C00),
        ("f16", 65520.0, "Z", 0x7BFF),
        ("f16", -65505.0, "F", 0xFC00),
        ("f16", -65505.0, "C", 0xFBFF),
        ("f16", 2.0**-25, "R", 0),
        ("f16", 2.0**-25, "A", 1),
        ("f16", 1 + 2.0**-20, "O", 0x3C01),
        ("f8e4m3", 464.0, "R", 0x7E),
        ("f8e4m3", 464.0, "A", 0x7F),
        ("f8e4m3", -1e9, "R", 0xFF),
        ("f8e5m2", 61440.0, "R", 0x7C),
        ("hif8", 40960.0, "A", 0x6F),
        ("hif8", 40960.0, "R", 0x6E),
        ("hif8", -(2.0**-23), "A", 0x81),
        ("hif8", -(2.0**-23), "R", 0),
        ("hif8", -0.0, "R", 0),
        ("hif8", 1.0625, "A", 0x09),
        ("hif8", 1.0625, "R", 0x08),
        ("f4e2m1", 5.0, "R", 6),
        ("f4e2m1", 100.0, "R", 7),
        ("f4e1m2", -1.6, "Z", 0xE),
    ],
)
def test_by_hand(target: str, x: float, mode: str, code: int) -> None:
    raw = np.array([x, x], np.float32).view(np.uint32)
    assert exact.to_float(raw.view(np.float32).astype(float), target, mode, False)[0] == code
    assert convert("f32", target, mode, False, raw)[0] == code


def test_formats_and_modes_are_all_here() -> None:
    assert {d.name for d in FORMATS} == set(exact.FORMATS)
    assert get_args(Rounding) == ROUNDINGS == MODES
    for d, form in FORMATS.items():
        if d.name != "f32":
            assert form.limit == exact.grid(d.name).limit
