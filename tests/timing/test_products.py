"""Cycles of the matrix unit, against what was published of runs on the machines."""

from __future__ import annotations

from typing import Any

import pytest

from ptoscope.isa.copy_costs import transfer
from ptoscope.isa.cost import product
from tests.timing.kernels import timed

FRACTAL_ROWS, BLOCK_BYTES = 16, 32


def _cycles(target: str, dtype: str, size: int, shape: tuple[int, int, int]) -> float:
    """By the formula of the public cost model: head + repeats of 16 x 32 bytes from each side."""
    head, each = product(target, dtype, manual=False)
    m, n, k = shape
    repeats = -(-m // FRACTAL_ROWS) * -(-n // FRACTAL_ROWS) * -(-k * size // BLOCK_BYTES)
    return head.value + each.value * repeats


@pytest.mark.parametrize(("dtype", "size", "expected"), [("f16", 2, 18), ("f32", 4, 46)])
def test_points_of_the_public_cost_model(dtype: str, size: int, expected: int) -> None:
    """31 x 17 x 33: 12 repeats of one cycle, 20 of two, and 6 to begin."""
    assert _cycles("a2a3", dtype, size, (31, 17, 33)) == expected


def test_a_published_run_on_a3() -> None:
    """6144 in each direction, f16, 24 cores at 1.85 GHz: 86.7% of 1.506 ms. Tiles of 128 x 256,
    64 along k. The models have no more than 3% to go."""
    tile = (128, 256, 64)
    tiles = 6144**3 // (tile[0] * tile[1] * tile[2])
    modelled = _cycles("a2a3", "f16", 2, tile) * tiles / 24
    measured = 0.867 * 1.506e-3 * 1.85e9
    assert modelled == pytest.approx(measured, rel=0.03)


def test_loads_beside_products_in_a_published_run_on_a5() -> None:
    """f8, tiles of 128 x 256, 128 along k: loads from L1 work for 57.3% of the time, the matrix
    unit for 91.6% of it. Clocks do not matter."""
    tile = (128, 256, 128)
    rates = [transfer(f"l1_to_{side}", "a5", manual=False)[0].value for side in ("l0a", "l0b")]
    loads = tile[0] * tile[2] / rates[0] + tile[1] * tile[2] / rates[1]
    assert loads / _cycles("a5", "f8e4m3", 1, tile) == pytest.approx(0.573 / 0.916, rel=0.02)


@pytest.mark.parametrize(
    ("target", "manual", "source"),
    [("a2a3", False, "measured"), ("a2a3", True, "assumed"), ("a5", False, "assumed")],
)
def test_sources(target: str, manual: bool, source: str) -> None:
    assert [figure.source for figure in product(target, "f16", manual)] == [source] * 2


_KERNEL = """module {{
  func.func @k() attributes {{pto.aicore}} {{
    %zero = arith.constant 0 : i64
    %m = arith.constant {m} : i64
    %n = arith.constant {n} : i64
    %k = arith.constant {k} : i64
    %a = pto.castptr %zero : i64 -> !pto.ptr<{dtype}, l0a>
    %b = pto.castptr %zero : i64 -> !pto.ptr<{dtype}, l0b>
    %c = pto.castptr %zero : i64 -> !pto.ptr<{result}, l0c>
    pto.section.cube {{
      pto.{name} %a, %b, %c, %m, %n, %k : {types}
    }}
    return
  }}
}}
"""


def _product(dtype: str, shape: tuple[int, int, int], name: str = "mad") -> str:
    m, n, k = shape
    result = "i32" if dtype == "i8" else "f32"
    spaces = (("l0a", dtype), ("l0b", dtype), ("l0c", result))
    types = ", ".join([*(f"!pto.ptr<{kind}, {space}>" for space, kind in spaces), *["i64"] * 3])
    return _KERNEL.format(dtype=dtype, result=result, m=m, n=n, k=k, name=name, types=types)


def _busy(text: str, **options: Any) -> int:
    """Of the matrix unit."""
    timing = timed(text, **options)
    (unit,) = (p for p in timing.reasons.pipes if p.pipe == "PIPE_M")
    return unit.busy


@pytest.mark.parametrize("target", ["a5", "a2a3"])
@pytest.mark.parametrize("name", ["mad", "mad_acc"])
@pytest.mark.parametrize(
    "shape", [(16, 16, 16), (31, 17, 33), (128, 64, 96), (1, 40, 64), (5, 1, 1)]
)
@pytest.mark.parametrize(("dtype", "size"), [("f16", 2), ("bf16", 2), ("f32", 4), ("i8", 1)])
def test_a_product_takes_what_its_shape_asks_for(
    target: str, name: str, shape: tuple[int, int, int], dtype: str, size: int
) -> None:
    found = _busy(_product(dtype, shape, name), target=target)
    assert found == _cycles(target, dtype, size, shape)


def test_figures_of_products_can_be_given() -> None:
    text = _product("f16", (32, 32, 32))
    assert _busy(text, overrides={"mad.f16.head": 20, "mad.per_repeat": 3}) == 20 + 3 * 8
    timing = timed(text)
    assumed = {row["set"]: row["value"] for row in timing.as_json()["assumed"]}
    assert (assumed["mad.f16.head"], assumed["mad.f16.per_repeat"]) == (6, 1)
    measured = timed(text, target="a2a3").as_json()["figures"]
    assert {f["set"]: f["source"] for f in measured}["mad.f16.head"] == "measured"


def test_products_on_the_critical_path() -> None:
    path = timed(_product("f16", (64, 64, 64))).reasons.path
    steps = [(s.what, s.core, s.cycles) for s in path if s.pipe == "PIPE_M"]
    assert steps == [("start-up", "cube", 6), ("product", "cube", 64)]
