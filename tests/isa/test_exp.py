"""vexp: correctly rounded, against f64 where that decides and 50 digits where it does not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.isa import precise
from tests.isa.elements import Element
from tests.isa.harness import Case, Direct, mask_type, same, vreg, zeroed
from tests.isa.values import masks, scattered, singles

F16, F32 = Element("f16"), Element("f32")


def _expected(e: Element, raw: Any) -> Any:
    """exp of many values. math.exp is within one unit of f64; where a change of eight such
    units could change the rounded result, the precise one decides."""
    with np.errstate(all="ignore"):
        x = raw.view(e.storage).astype(np.float64)
        wide = np.array([math.exp(v) if v < 200 else math.inf for v in x.tolist()])
        low = (wide * (1 - 2.0**-49)).astype(e.storage).view(e.raw)
        high = (wide * (1 + 2.0**-49)).astype(e.storage).view(e.raw)
    special = np.isnan(x) | np.isinf(x)
    unsure = np.flatnonzero((low != high) | special)
    out = low.copy()
    out[unsure] = [precise.exp(e, int(raw[i])) for i in unsure]
    return out


def _direct(e: Element, raw: Any) -> Any:
    run = Direct("vexp", (f"v:{e.name}", f"m:{e.bits}"), (f"v:{e.name}",))
    lanes, full = e.lanes, [1] * e.lanes
    rows = np.resize(raw, (-(-len(raw) // lanes), lanes))
    found = [run(row.tolist(), full)[0] for row in rows]
    return np.array(found, dtype=e.raw).reshape(-1)[: len(raw)]


def _compare(e: Element, raw: Any) -> None:
    found, expected = _direct(e, raw), _expected(e, raw)
    wrong = np.flatnonzero(found != expected)
    shown = [(hex(raw[i]), hex(found[i]), hex(expected[i])) for i in wrong[:5]]
    assert not len(wrong), f"exp {e.name}: {len(wrong)} wrong, (input, found, expected): {shown}"


def test_every_f16() -> None:
    _compare(F16, np.arange(65536, dtype=np.uint16))


def test_random_f32() -> None:
    """All bit patterns, and those where the result is finite."""
    rng = np.random.default_rng(11)
    _compare(F32, rng.integers(0, 2**32, 60_000, dtype=np.uint32))
    _compare(F32, rng.uniform(-104, 89, 200_000).astype(np.float32).view(np.uint32))
    small = rng.uniform(-1, 1, 40_000) * 2.0 ** rng.integers(-30, 0, 40_000)
    _compare(F32, small.astype(np.float32).view(np.uint32))


def test_f32_near_ties() -> None:
    """Inputs whose exponential lies next to the middle of two results."""
    rng = np.random.default_rng(12)
    middles = 1 + (rng.integers(-(2**21), 2**21, 60_000) + 0.5) * 2.0**-23
    raw = np.log(middles).astype(np.float32).view(np.uint32)
    _compare(F32, np.concatenate([raw - np.uint32(1), raw, raw + np.uint32(1)]))


def test_f32_hardest() -> None:
    """Here an error of a few units of f64 shows."""
    raw = np.array(precise.HARDEST_EXP, dtype=np.uint32)
    assert _direct(F32, raw).tolist() == [precise.exp(F32, int(r)) for r in raw]


def test_f32_at_the_ends() -> None:
    """Overflow, the first subnormal, the last one, zero."""
    ends = np.array([88.72284, -87.33655, -103.27893, -103.97208, 2.0**-24, -(2.0**-25)])
    middle = ends.astype(np.float32).view(np.uint32).astype(np.int64)
    around = (middle[:, None] + np.arange(-200, 201)).ravel().astype(np.uint32)
    _compare(F32, around)


@pytest.mark.parametrize("revision", ["manual", "micro"])
@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_edges_and_masks(dtype: str, revision: str) -> None:
    e = Element(dtype)
    v, m = vreg(e), mask_type(e)
    body = f"%r0 = pto.vexp %v0, %mask : {v}, {m} -> {v}"
    case = Case(body, (dtype,), (dtype,), revision=revision)
    source = singles(e, 4)
    full = [[precise.exp(e, a) for a in row] for row in source]
    for mask in masks(e.lanes, len(source)):
        if e.bits == 16:  # a lane count makes tails only
            mask = [sorted(row, reverse=True) for row in mask]
        (found,) = case.run((source,), mask)
        same(found, zeroed(e, full, mask), f"vexp {dtype}", source)


def test_the_expected_values_themselves() -> None:
    assert precise.exp(F32, 0x3F800000) == 0x402DF854
    assert precise.exp(F16, 0) == 0x3C00
    assert precise.exp(F32, F32.infinity | F32.sign) == 0
    sample = np.array(scattered(F32, 200, 1)[::2], dtype=np.uint32)
    assert _expected(F32, sample).tolist() == [precise.exp(F32, int(r)) for r in sample]
