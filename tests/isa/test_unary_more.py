"""vln, vsqrt, vrsqrt, vrec, vnot, vbcnt, vcls and vmov, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoscope
from ptoscope import PtoError
from tests.isa import ieee, precise
from tests.isa.elements import Element
from tests.isa.harness import Direct, same
from tests.isa.legality_more import cases
from tests.isa.registers import Code, gates, kept, mask_kind, written
from tests.isa.values import scattered, singles

F16, F32 = Element("f16"), Element("f32")


def _one(e: Element) -> int:
    return e.infinity >> 1 & e.infinity


def _leading(e: Element, a: int) -> int:
    """How many bits from the top one on equal it, itself included."""
    bits = f"{a:0{e.bits}b}"
    return len(bits) - len(bits.lstrip(bits[0]))


LOOPS: dict[str, Callable[[Element, int], int]] = {
    "vln": precise.ln,
    "vsqrt": precise.sqrt,
    "vrsqrt": precise.rsqrt,
    "vrec": lambda e, a: ieee.div(e, _one(e), a),
    "vnot": lambda e, a: a ^ e.full,
    "vbcnt": lambda e, a: a.bit_count(),
    "vcls": _leading,
    "vmov": lambda e, a: a,
}
FLOAT = ("vln", "vsqrt", "vrsqrt", "vrec")


@pytest.mark.parametrize(("name", "dtype", "revision"), cases(*LOOPS))
def test_edges_and_masks(name: str, dtype: str, revision: str) -> None:
    e = Element(dtype)
    v, kind = written(dtype), mask_kind(e)
    body = f"%o0 = pto.{name} %i0, %i1 : {v}, {written(kind)} -> {v}"
    code = Code(body, (dtype, kind), (dtype,), revision=revision)
    source = singles(e, 6)
    full = [[LOOPS[name](e, a) for a in row] for row in source]
    for mask in gates(e, len(source)):
        (found,) = code.run(source, mask)
        same(found, kept(e, full, mask), f"{name} {dtype} {revision}", source)


def test_inverting_floats_is_of_revision_micro() -> None:
    v, m = written("f16"), written("b16")
    text = Code(f"%o0 = pto.vnot %i0, %i1 : {v}, {m} -> {v}", ("f16", "b16"), ("f16",)).text()
    ptoscope.load(text, revision="micro")
    with pytest.raises(PtoError, match="f16") as error:
        ptoscope.load(text, revision="manual")
    assert any("micro" in d.hint for d in error.value.diagnostics)


def _direct(name: str, e: Element, raw: Any) -> Any:
    run = Direct(name, (f"v:{e.name}", f"m:{e.bits}"), (f"v:{e.name}",))
    lanes, full = e.lanes, [1] * e.lanes
    rows = np.resize(raw, (-(-len(raw) // lanes), lanes))
    found = [run(row.tolist(), full)[0] for row in rows]
    return np.array(found, dtype=e.raw).reshape(-1)[: len(raw)]


def _wide(name: str, x: Any) -> Any:
    """The function in f64, within a few units of f64."""
    with np.errstate(all="ignore"):
        return np.log(x) if name == "vln" else 1 / np.sqrt(x) if name == "vrsqrt" else np.sqrt(x)


def _expected(name: str, e: Element, raw: Any) -> Any:
    """The f64 value decides where a change of eight of its units changes nothing; where it
    does, and for what is not a positive finite number, the precise one."""
    with np.errstate(all="ignore"):
        x = raw.view(e.storage).astype(np.float64)
        wide = _wide(name, x)
        low = (wide * (1 - 2.0**-49)).astype(e.storage).view(e.raw)
        high = (wide * (1 + 2.0**-49)).astype(e.storage).view(e.raw)
        unsure = np.flatnonzero((low != high) | ~((x > 0) & (x < np.inf)) | (wide == 0))
    out = low.copy()
    out[unsure] = [LOOPS[name](e, int(raw[i])) for i in unsure]
    return out


def _compare(name: str, e: Element, raw: Any) -> None:
    found, expected = _direct(name, e, raw), _expected(name, e, raw)
    wrong = np.flatnonzero(found != expected)
    shown = [(hex(raw[i]), hex(found[i]), hex(expected[i])) for i in wrong[:5]]
    assert not len(wrong), f"{name}: {len(wrong)} wrong, (input, found, expected): {shown}"


@pytest.mark.parametrize("name", FLOAT)
def test_every_f16(name: str) -> None:
    raw = np.arange(65536, dtype=np.uint16)
    found = _direct(name, F16, raw).tolist()
    expected = [LOOPS[name](F16, a) for a in range(65536)]
    wrong = [(hex(a), hex(found[a])) for a in range(65536) if found[a] != expected[a]]
    assert not wrong, wrong[:5]


@pytest.mark.parametrize("name", ["vln", "vsqrt", "vrsqrt"])
def test_random_f32(name: str) -> None:
    """All bit patterns; numbers around 1; subnormals."""
    rng = np.random.default_rng(21)
    _compare(name, F32, rng.integers(0, 2**32, 30_000, dtype=np.uint32))
    _compare(name, F32, rng.integers(0, 2**31, 60_000, dtype=np.uint32))
    _compare(name, F32, rng.uniform(0.4, 2.1, 30_000).astype(np.float32).view(np.uint32))
    _compare(name, F32, rng.integers(0, 2**23, 20_000, dtype=np.uint32))


@pytest.mark.parametrize("name", ["vln", "vsqrt", "vrsqrt"])
def test_f32_next_to_one(name: str) -> None:
    """Where the logarithm is as small as it gets, and powers of two."""
    one = 0x3F800000
    around = np.arange(one - 4000, one + 4000, dtype=np.uint32)
    powers = np.arange(1, 255, dtype=np.uint32) << np.uint32(23)
    for raw in (around, powers - np.uint32(1), powers, powers + np.uint32(1)):
        _compare(name, F32, raw)


INVERSE: dict[str, Callable[[Any], Any]] = {
    "vln": np.exp,
    "vsqrt": np.square,
    "vrsqrt": lambda y: 1 / np.square(y),
}


@pytest.mark.parametrize("name", INVERSE)
def test_f32_near_ties(name: str) -> None:
    """Inputs whose result lies next to the middle of two results."""
    rng = np.random.default_rng(22)
    middles = 1 + (rng.integers(0, 2**23, 20_000) + 0.5) * 2.0**-23
    raw = INVERSE[name](middles).astype(np.float32).view(np.uint32)
    _compare(name, F32, np.concatenate([raw - np.uint32(1), raw, raw + np.uint32(1)]))


def test_the_hardest_logarithms() -> None:
    """Here an error of a few units of f64 shows."""
    raw = np.array(precise.HARDEST_LN, dtype=np.uint32)
    assert _direct("vln", F32, raw).tolist() == [precise.ln(F32, int(r)) for r in raw]


def test_f32_reciprocals() -> None:
    raw = np.array(scattered(F32, 8000, 3), dtype=np.uint32)
    tiny = np.arange(0x00200000 - 500, 0x00200000 + 500, dtype=np.uint32)  # around 2**-128
    huge = np.arange(0x7E800000 - 500, 0x7E800000 + 500, dtype=np.uint32)  # around 2**126
    for part in (raw, tiny, huge):
        expected = [LOOPS["vrec"](F32, int(a)) for a in part]
        assert _direct("vrec", F32, part).tolist() == expected


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_bits_of_integers(data: st.DataObject) -> None:
    """A number and its complement have the width's bits between them, and equal runs."""
    e = Element(data.draw(st.sampled_from(["i8", "ui8", "i16", "si16", "ui32", "i64", "ui64"])))
    row = data.draw(st.lists(st.integers(0, e.full), min_size=e.lanes, max_size=e.lanes))
    bits = 2048 // e.granularity

    def run(name: str, values: list[int]) -> list[int]:
        types = (f"v:{e.name}", f"m:{e.granularity}")
        return Direct(name, types, (f"v:{e.name}",))(values, [1] * bits)[0]

    inverted = run("vnot", row)
    counts = zip(run("vbcnt", row), run("vbcnt", inverted), strict=True)
    assert all(a + b == e.bits for a, b in counts)
    assert run("vcls", row) == run("vcls", inverted) == [_leading(e, a) for a in row]


def test_the_expected_values_themselves() -> None:
    assert precise.ln(F32, 0x40000000) == 0x3F317218
    assert precise.ln(F32, 0x3F800000) == 0
    assert precise.rsqrt(F32, 0x40800000) == 0x3F000000
    assert precise.rsqrt(F32, 0x40000000) == 0x3F3504F3
    assert precise.sqrt(F32, 0x40000000) == 0x3FB504F3
    assert precise.sqrt(F16, 0x0001) == 0x0C00
    assert [_leading(Element("i8"), a) for a in (0, 0xFF, 1, 0xFE, 0x7F, 0x80)] == [
        8,
        8,
        7,
        7,
        1,
        1,
    ]
    sample = np.array(scattered(F32, 300, 1)[::2], dtype=np.uint32)
    for name in INVERSE:
        assert _expected(name, F32, sample).tolist() == [LOOPS[name](F32, int(r)) for r in sample]
