"""The arguments of the kernels that are measured: fresh ones, of the size that is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

TABLE = 8192
EMBEDDINGS, COLUMNS = 1024, 64
"""Rows of the table of which rows are taken, and how long they are."""
SORTED = 2048
"""Numbers of a row that is sorted."""


def add(n: int) -> list[Any]:
    return [_floats(1, n), _floats(2, n), _empty(n), n]


def axpy(n: int) -> list[Any]:
    return [_floats(1, n), _floats(2, n), _empty(n), 1.7, n]


def scale(n: int) -> list[Any]:
    return [_floats(1, n), _empty(n), 1.7, n]


def softmax(rows: int) -> list[Any]:
    return [_floats(1, rows * 128, -20.0, 20.0), _empty(rows * 128), rows]


def gelu(n: int) -> list[Any]:
    return [_floats(1, n, -6.0, 6.0), _empty(n), n]


def scale_f16(n: int) -> list[Any]:
    return [_halves(n), _empty(n, np.float16), 0.37, n]


def quantise_i8(n: int) -> list[Any]:
    # The scale is a number of f16, as the kernel's parameter is; an eighth of all saturates.
    return [_halves(n), _empty(n, np.int8), 1.4501953125, n]


def gather16(n: int) -> list[Any]:
    random = np.random.default_rng(1)
    table = random.integers(-(1 << 15), 1 << 15, TABLE, dtype=np.int16)
    return [table, random.integers(0, TABLE, n, dtype=np.int16), _empty(n, np.int16), n]


def integers(n: int) -> list[Any]:
    # Sums of a row wrap, some of them.
    x = np.random.default_rng(1).integers(-(1 << 31), 1 << 31, n, dtype=np.int32)
    return [x, _empty(n, np.int32), n]


def rows(n: int) -> list[Any]:
    return [_floats(1, n), _empty(n), n]


def stencil(n: int) -> list[Any]:
    return [_floats(1, n), _empty(n), 0.25, 0.5, -0.75, n]


def halfwords(n: int) -> list[Any]:
    x = np.random.default_rng(1).integers(-(1 << 15), 1 << 15, n, dtype=np.int16)
    return [x, _empty(n, np.int16), n]


def samples(n: int) -> list[Any]:
    return _bytes(n, 64)


def bytes_of(n: int) -> list[Any]:
    return _bytes(n, 256)


def in_l1(repeats: int) -> list[Any]:
    return [_floats(1, 1024, 0.0, 1.0), _floats(2, 1024, 0.5, 1.0), repeats]


def embedding(n: int) -> list[Any]:
    index = np.random.default_rng(1).integers(0, EMBEDDINGS, n, dtype=np.int32)
    return [_floats(2, EMBEDDINGS * COLUMNS), index, _empty(n * COLUMNS), n]


def sort_rows(rows: int) -> list[Any]:
    # Of a few thousand numbers, so that some are equal.
    numbers = np.random.default_rng(1).integers(-4096, 4096, rows * SORTED)
    return [numbers.astype(np.float32), _empty(2 * rows * SORTED), rows]


def _floats(seed: int, size: int, low: float = -4.0, high: float = 4.0) -> Any:
    values = np.random.default_rng(seed).random(size, dtype=np.float32)
    return values * np.float32(high - low) + np.float32(low)


def _halves(size: int) -> Any:
    return _floats(1, size, -100.0, 100.0).astype(np.float16)


def _empty(size: int, dtype: Any = np.float32) -> Any:
    # Not zeros: an element that a side forgets to write has to show.
    return np.full(size, 77, dtype)


def _bytes(n: int, bins: int) -> list[Any]:
    return [np.random.default_rng(1).integers(0, 256, n, dtype=np.uint8), _empty(bins, np.int32), n]
