"""Code for processors that lack instructions of this one: whatever they have, the same bits."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import ptoscope
from ptoscope import native
from ptoscope.native.cpu import NEVER, CpuFeatures, features_of
from tests.isa.elements import Element
from tests.isa.legality_more import legal
from tests.isa.registers import Code, gates, lanes_of, mask_kind, written
from tests.isa.values import singles

NOTHING = CpuFeatures()
PARTS = (
    NOTHING,
    CpuFeatures(fma=True, masked_stores=4),
    CpuFeatures(fma=True, masked_stores=1, compress=4, permute=2),
)
COMPACT = Path(__file__).parents[1] / "mutation" / "kernels" / "compact.pto"


@pytest.fixture(params=PARTS, ids=["nothing", "AVX2", "AVX-512BW"])
def features(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> CpuFeatures:
    """Less than this machine may have; what it lacks is not asked of it."""
    own, less = native.machine_features(), request.param
    least = {n: max(getattr(own, n), getattr(less, n)) for n in ("compress", "permute")}
    asked = CpuFeatures(own.fma and less.fma, less.masked_stores, maximum=own.maximum, **least)
    monkeypatch.setattr(native, "machine_features", lambda: asked)
    return asked


@pytest.mark.parametrize("dtype", legal("vsqz"))
def test_lanes_in_an_order_known_only_when_running(dtype: str, features: CpuFeatures) -> None:
    e = Element(dtype)
    v, gate, index = written(dtype), mask_kind(e), f"ui{8 * e.bytes}"
    body = f"""%o0 = pto.vsqz %i0, %i1 : {v}, {written(gate)} -> {v}
    %o1 = pto.vselr %i0, %i2 : {v}, {written(index)} -> {v} // {features}"""
    code = Code(body, (dtype, gate, index), (dtype, dtype))
    rows, rng = singles(e, 6), random.Random(dtype)
    order = [[rng.randrange(e.lanes) for _ in range(e.lanes)] for _ in rows]
    masks = [mask for kind in gates(e, 2) for mask in kind]
    source = [rows[i % 6] for i in range(len(masks))]
    orders = [order[i % 6] for i in range(len(masks))]
    packed, picked = code.run(source, masks, orders)
    for row, mask, numbers, some, other in zip(source, masks, orders, packed, picked, strict=True):
        kept = [x for x, on in zip(row, lanes_of(mask, e.lanes), strict=True) if on]
        assert some == kept + [0] * (e.lanes - len(kept))
        assert other == [row[i] for i in numbers]


@pytest.mark.parametrize("share", [0.0, 0.02, 0.4, 1.0])
def test_a_stream(share: float, features: CpuFeatures) -> None:
    """Few elements, whose blocks fill slowly, and all of them."""
    text = f"// {features}\n{COMPACT.read_text(encoding='utf-8')}"
    x = np.random.default_rng(1).random(256, np.float32) - np.float32(1 - share)
    y = np.zeros(256, np.float32)
    ptoscope.load(text, revision="micro")(x, y)
    positive = x[x > 0]
    assert (positive.size > 0) == (share > 0)
    assert y[: positive.size].tolist() == positive.tolist()


def test_what_a_processor_has() -> None:
    x86, wide = "x86_64-linux", "+avx2,+fma,+avx512f,+avx512bw,+avx512vl"
    assert features_of(x86, "+sse2,-avx2") == NOTHING
    assert features_of(x86, "+avx2,+fma") == CpuFeatures(True, 4)
    assert features_of(x86, wide) == CpuFeatures(True, 1, 4, 2)
    assert features_of(x86, f"{wide},+avx512vbmi,+avx512vbmi2") == CpuFeatures(True, 1, 1, 1)
    assert features_of("aarch64-linux", "+neon") == CpuFeatures(True, NEVER, maximum=True)
