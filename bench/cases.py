"""The kernels that are measured against C: arguments, sizes, targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

KERNELS = Path(__file__).with_name("kernels")
_MI = 1 << 20
TABLE = 8192


@dataclass(frozen=True)
class Case:
    """A kernel, and the C function of the same name and parameters.

    `arguments(size)` makes fresh arguments; the one at `result` is what the kernel writes.
    `target` is the least speed as a fraction of C's; `traffic` the bytes that pass between
    GM and UB at the full size. The small size is for checks of the results.
    """

    name: str
    what: str
    target: float
    size: int
    small: int
    arguments: Callable[[int], list[Any]]
    result: int
    traffic: Callable[[int], int]
    source: str | None = None

    @property
    def path(self) -> Path:
        return KERNELS / f"{self.name}.pto"


def _floats(seed: int, size: int, low: float = -4.0, high: float = 4.0) -> Any:
    values = np.random.default_rng(seed).random(size, dtype=np.float32)
    return values * np.float32(high - low) + np.float32(low)


def _halves(size: int) -> Any:
    return _floats(1, size, -100.0, 100.0).astype(np.float16)


def _empty(size: int, dtype: Any = np.float32) -> Any:
    # Not zeros: an element that a side forgets to write has to show.
    return np.full(size, 77, dtype)


def _add(n: int) -> list[Any]:
    return [_floats(1, n), _floats(2, n), _empty(n), n]


def _axpy(n: int) -> list[Any]:
    return [_floats(1, n), _floats(2, n), _empty(n), 1.7, n]


def _softmax(rows: int) -> list[Any]:
    return [_floats(1, rows * 128, -20.0, 20.0), _empty(rows * 128), rows]


def _gelu(n: int) -> list[Any]:
    return [_floats(1, n, -6.0, 6.0), _empty(n), n]


def _scale_f16(n: int) -> list[Any]:
    return [_halves(n), _empty(n, np.float16), 0.37, n]


def _quantise_i8(n: int) -> list[Any]:
    # The scale is a number of f16, as the kernel's parameter is; an eighth of all saturates.
    return [_halves(n), _empty(n, np.int8), 1.4501953125, n]


def _gather16(n: int) -> list[Any]:
    random = np.random.default_rng(1)
    table = random.integers(-(1 << 15), 1 << 15, TABLE, dtype=np.int16)
    return [table, random.integers(0, TABLE, n, dtype=np.int16), _empty(n, np.int16), n]


def _integers(n: int) -> list[Any]:
    # Sums of a row wrap, some of them.
    x = np.random.default_rng(1).integers(-(1 << 31), 1 << 31, n, dtype=np.int32)
    return [x, _empty(n, np.int32), n]


def _rows(n: int) -> list[Any]:
    return [_floats(1, n), _empty(n), n]


def _stencil(n: int) -> list[Any]:
    return [_floats(1, n), _empty(n), 0.25, 0.5, -0.75, n]


def _halfwords(n: int) -> list[Any]:
    x = np.random.default_rng(1).integers(-(1 << 15), 1 << 15, n, dtype=np.int16)
    return [x, _empty(n, np.int16), n]


def _samples(n: int) -> list[Any]:
    return [np.random.default_rng(1).integers(0, 256, n, dtype=np.uint8), _empty(64, np.int32), n]


def _in_l1(repeats: int) -> list[Any]:
    return [_floats(1, 1024, 0.0, 1.0), _floats(2, 1024, 0.5, 1.0), repeats]


CASES = (
    Case("add", "f32 add, 16 Mi", 0.95, 16 * _MI, 3 * 8192, _add, 2, lambda n: 12 * n),
    Case(
        "axpy",
        "f32 axpy, masks and a tail, 16 Mi + 13",
        0.95,
        16 * _MI + 13,
        2 * 8192 + 77,
        _axpy,
        2,
        lambda n: 12 * n,
    ),
    Case(
        "softmax",
        "row softmax, 64 Ki rows of 128",
        1.0,
        65536,
        37,
        _softmax,
        1,
        lambda rows: 8 * 128 * rows,
    ),
    Case("gelu", "GELU polynomial, 16 Mi", 0.9, 16 * _MI, 3 * 8192, _gelu, 1, lambda n: 8 * n),
    Case(
        "scale_f16",
        "f16 to f32, scale, to f16, 16 Mi",
        1.0,
        16 * _MI,
        2 * 16384,
        _scale_f16,
        1,
        lambda n: 4 * n,
    ),
    Case(
        "quantise_i8",
        "f16 to i8, scale and saturate, 16 Mi",
        1.0,
        16 * _MI,
        2 * 16384,
        _quantise_i8,
        1,
        lambda n: 3 * n,
    ),
    Case(
        "gather16",
        "gather of 16-bit elements, 4 Mi",
        0.5,
        4 * _MI,
        3 * 2048,
        _gather16,
        2,
        lambda n: 4 * n + 2 * TABLE,
    ),
    Case(
        "prefix_sum",
        "prefix sums of i32 rows, vshift, 16 Mi",
        0.9,
        16 * _MI,
        3 * 2048,
        _integers,
        1,
        lambda n: 8 * n,
    ),
    Case(
        "compaction",
        "positive f32 elements, vsqz, 16 Mi",
        0.9,
        16 * _MI,
        3 * 4096,
        _rows,
        1,
        lambda n: 6 * n,
    ),
    Case(
        "stencil",
        "three-point stencil of f32 rows, vslide, 16 Mi",
        0.9,
        16 * _MI,
        3 * 4096,
        _stencil,
        1,
        lambda n: 8 * n,
    ),
    Case(
        "transpose16",
        "16x16 tiles of i16, vtranspose, 16 Mi",
        0.9,
        16 * _MI,
        2 * 8192,
        _halfwords,
        1,
        lambda n: 4 * n,
    ),
    Case(
        "transpose_gather",
        "64x64 tiles of f32, vgather2, 16 Mi",
        0.9,
        16 * _MI,
        2 * 4096,
        _rows,
        1,
        lambda n: 8 * n,
    ),
    Case(
        "histogram",
        "histogram of 64 bins, vgather2 and vscatter, 16 Mi",
        0.8,
        16 * _MI,
        2 * 16384,
        _samples,
        1,
        lambda n: n,
    ),
    Case(
        "add_in_l1",
        "f32 add on 4 KiB in L1",
        0.8,
        400_000,
        5,
        _in_l1,
        0,
        lambda repeats: 3 * 4096,
        source="in_l1",
    ),
    Case(
        "gelu_in_l1",
        "GELU on 4 KiB in L1",
        0.8,
        40_000,
        5,
        _in_l1,
        0,
        lambda repeats: 3 * 4096,
        source="in_l1",
    ),
)
