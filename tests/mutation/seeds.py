"""Correct kernels to make faulty ones of, each with a run that says whether it is right."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import ml_dtypes
import numpy as np

import ptoscope
from ptoscope.isa.targets import Revision
from ptoscope.kernel import Kernel

EXAMPLES = Path(__file__).parents[2] / "examples"
KERNELS = Path(__file__).parent / "kernels"

# Positional arguments of an example's main: several tiles, and a short last one.
SIZES: dict[str, tuple[int, ...]] = {
    "vector_add": (16_500, 1),
    "abs_kernel": (),
    "clamp": (8_300, 1),
    "bias_scale": (35, 70, 1),
    "carry_chain": (2_100, 1),
    "double_buffer_flags": (3_100, 1),
    "double_buffer_bufs": (3_100, 1),
    "row_softmax": (37, 1),
}


# The smallest launch that does anything.
SMALLEST: dict[str, tuple[int, ...]] = {
    "vector_add": (1, 1),
    "clamp": (1, 1),
    "bias_scale": (1, 1, 1),
    "carry_chain": (1, 1),
    "double_buffer_flags": (1, 1),
    "double_buffer_bufs": (1, 1),
    "row_softmax": (1, 1),
}


@dataclass(frozen=True)
class Seed:
    """A correct kernel. `run` calls one made from its text, perhaps changed, and says whether
    the results are right; it raises PtoError where the kernel faults. `run_smallest` does so
    for the smallest launch; for a kernel of one size both are the same."""

    name: str
    text: str
    revision: Revision
    run: Callable[[Kernel], bool]
    run_smallest: Callable[[Kernel], bool]


def reference(kernel: Kernel) -> Callable[..., None]:
    """The kernel as a call on the reference engine."""

    def call(*arguments: Any, grid: int = 1) -> None:
        kernel(*arguments, grid=grid, engine="reference")

    return call


def _example(name: str) -> Seed:
    spec = importlib.util.spec_from_file_location(f"seed_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def run(kernel: Kernel, sizes: tuple[int, ...] = SIZES[name]) -> bool:
        with mock.patch.object(ptoscope, "load", return_value=reference(kernel)):
            return module.main(*sizes) == 0

    def run_smallest(kernel: Kernel) -> bool:
        return run(kernel, SMALLEST.get(name, SIZES[name]))

    text = (EXAMPLES / f"{name}.pto").read_text(encoding="utf-8")
    return Seed(name, text, "manual", run, run_smallest)


def _unaligned(kernel: Kernel) -> bool:
    x = np.arange(1, 265, dtype=np.float32)
    y = np.zeros(264, np.float32)
    reference(kernel)(x, y)
    return bool((y[3:259] == -x[1:257]).all())


def _appended(kernel: Kernel) -> bool:
    x = np.arange(1, 129, dtype=np.float32)
    y = np.zeros(200, np.float32)
    reference(kernel)(x, y)
    return bool((y[1:193] == np.concatenate([x, x[:64]])).all())


def _compact(kernel: Kernel) -> bool:
    x = np.random.default_rng(0).standard_normal(256, np.float32)
    y = np.zeros(256, np.float32)
    reference(kernel)(x, y)
    kept = x[x > 0]
    return bool((y[: kept.size] == kept).all())


def _halves(kernel: Kernel) -> bool:
    x = np.random.default_rng(1).standard_normal(128, np.float32)
    y = np.ones(128, np.float16)
    reference(kernel)(x, y)
    expected = np.where((x > 0) & (np.arange(128) < 100), x, 0).astype(np.float16)
    return bool((y == expected).all())


def _reversed(kernel: Kernel) -> bool:
    x = np.random.default_rng(2).integers(-1000, 1000, 64, np.int32)
    y = np.ones(66, np.int32)
    reference(kernel)(x, y)
    bits = np.packbits(x > 0, bitorder="little").view(np.int32)
    return bool((y == np.concatenate([(x >> 3)[::-1], bits])).all())


def _eighths(kernel: Kernel) -> bool:
    x = np.random.default_rng(3).standard_normal(64, np.float32)
    y = np.zeros(64, ml_dtypes.float8_e4m3fn)
    reference(kernel)(x, y)
    return bool((y.view(np.uint8) == x.astype(ml_dtypes.float8_e4m3fn).view(np.uint8)).all())


_OWN: dict[str, tuple[Revision, Callable[[Kernel], bool]]] = {
    "unaligned": ("manual", _unaligned),
    "appended": ("manual", _appended),
    "compact": ("micro", _compact),
    "halves": ("manual", _halves),
    "reversed": ("manual", _reversed),
    "eighths": ("micro", _eighths),
}


def seeds() -> list[Seed]:
    """The examples, and kernels for what the examples do not use."""
    own = [
        Seed(name, (KERNELS / f"{name}.pto").read_text(encoding="utf-8"), revision, run, run)
        for name, (revision, run) in _OWN.items()
    ]
    return [*(_example(name) for name in SIZES), *own]
