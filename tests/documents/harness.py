"""Kernels around snippets as the documents write them: only what they leave undefined is added."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import ptoscope

ROOT = Path(__file__).parents[2]
LANES = 64
SENTINEL = 0x5A5A5A5A
"""What output arrays hold before a run: a store of an inactive lane would show."""

# The chapters of the PTO ISA manual that the tests here state.
LOAD_STORE = "Vector load/store"
OVERVIEW = "Vector instruction set"
BINARY = "Binary vector instructions"
PREDICATE_STORE = "pto.pst"
VECTOR_SCALAR = "Vector-scalar instructions"

SPECIAL = (0.0, -0.0, 1.0, -1.0, 255.0, 256.0, np.inf, -np.inf, np.nan, 1e-45, 3e38, -3e38)


def registers(
    snippet: str,
    vectors: Mapping[str, str],
    results: Mapping[str, str],
    scalars: Mapping[str, str] | None = None,
) -> str:
    """A kernel that runs a snippet once on one register per vector.

    `vectors`, `results` and `scalars` map the snippet's names to element types. The
    parameters are the vectors, the results, the scalars and how many lanes are active.
    """
    scalars = scalars or {}
    arrays = {**vectors, **results}
    parameters = [f"%gm_{name}: !pto.ptr<{kind}, gm>" for name, kind in arrays.items()]
    parameters += [f"%{name}: {kind}" for name, kind in scalars.items()]
    inside, outside = [], []
    for slot, (name, kind) in enumerate(arrays.items()):
        inside += [
            f"%at_{name} = arith.constant {slot * 256} : i64",
            f"%ub_{name} = pto.castptr %at_{name} : i64 -> !pto.ptr<{kind}, ub>",
            f"pto.mte_gm_ub %gm_{name}, %ub_{name}, %at_zero, %size nburst(%one, %size, %size)"
            f" : !pto.ptr<{kind}, gm>, !pto.ptr<{kind}, ub>, i64, i64, i64, i64, i64",
        ]
    for name, kind in results.items():
        outside.append(
            f"pto.mte_ub_gm %ub_{name}, %gm_{name}, %size nburst(%one, %size, %size)"
            f" : !pto.ptr<{kind}, ub>, !pto.ptr<{kind}, gm>, i64, i64, i64, i64"
        )
    loads = [
        f"%{name} = pto.vlds %ub_{name}[%start] : !pto.ptr<{kind}, ub> -> !pto.vreg<64x{kind}>"
        for name, kind in vectors.items()
    ]
    stores = [
        f"pto.vsts %{name}, %ub_{name}[%start], %mask"
        f" : !pto.vreg<64x{kind}>, !pto.ptr<{kind}, ub>, !pto.mask<b32>"
        for name, kind in results.items()
    ]
    return "\n".join(
        [
            f"func.func @snippet({', '.join(parameters)}, %active: i32) {{",
            "%start = arith.constant 0 : index",
            "%at_zero = arith.constant 0 : i64",
            "%one = arith.constant 1 : i64",
            "%size = arith.constant 256 : i64",
            *inside,
            "pto.barrier #pto.pipe",
            "pto.vecscope {",
            "%mask, %left = pto.plt_b32 %active : i32 -> !pto.mask<b32>, i32",
            *loads,
            snippet,
            *stores,
            "}",
            "pto.barrier #pto.pipe",
            *outside,
            "return",
            "}",
        ]
    )


def blank(kind: Any = np.float32, shape: Any = LANES) -> Any:
    """An output array full of the sentinel's bits."""
    return np.full(shape, SENTINEL, np.uint32).view(kind)


def floats(seed: int, shape: Any = LANES) -> Any:
    """Random f32 values, the special ones among them at random places."""
    rng = np.random.default_rng(seed)
    values = (rng.standard_normal(shape) * 200).astype(np.float32)
    chosen = rng.random(shape) < 0.4
    values[chosen] = rng.choice(np.array(SPECIAL, np.float32), int(chosen.sum()))
    return values


def integers(seed: int, shape: Any = LANES) -> Any:
    """Random i32 values, the extremes among them."""
    values = np.random.default_rng(seed).integers(-(1 << 31), 1 << 31, shape, np.int32)
    values[:4] = (0, -1, (1 << 31) - 1, -(1 << 31))
    return values


def run(text: str, *arguments: Any, target: str | None = "a5", grid: int = 1) -> None:
    """Loads a kernel and runs it."""
    ptoscope.load(text, target)(*arguments, grid=grid)


def assert_same(found: Any, expected: Any) -> None:
    """Equal to the bit; NaN equals NaN, for no document speaks of payloads."""
    nan = np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(found), nan)
    bits, wanted = (np.where(nan, 0, x.view(np.uint32)) for x in (found, expected))
    np.testing.assert_array_equal(bits, wanted)


def clamped(x: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """Returns `x` raised to `low`, and that lowered to `high`, by the documents' loops; NaN where
    an operand is, as vmax.md and vmin.md say over them."""
    raised = np.where(x > low, x, low)
    raised = np.where(np.isnan(x) | np.isnan(low), np.float32(np.nan), raised)
    lowered = np.where(raised < high, raised, high)
    lowered = np.where(np.isnan(raised) | np.isnan(high), np.float32(np.nan), lowered)
    return raised, lowered
