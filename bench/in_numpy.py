"""What the measured kernels compute, as people write it in NumPy; in place where one call does it.

Each takes a kernel's arguments and returns the result. Kernels that repeat one step on data in L1
are not here: nobody writes those in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.inputs import COLUMNS, SORTED


def _axpy(x: Any, y: Any, out: Any, alpha: float, n: int) -> Any:
    np.multiply(x, np.float32(alpha), out=out)
    return np.add(out, y, out=out)


def _copy(x: Any, out: Any, n: int) -> Any:
    np.copyto(out, x)
    return out


def _softmax(x: Any, y: Any, rows: int) -> Any:
    x = x.reshape(rows, -1)
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    powers /= powers.sum(axis=1, keepdims=True)
    return powers


def _gelu(x: Any, y: Any, n: int) -> Any:
    inner = np.float32(0.7978846) * (x + np.float32(0.044715) * x * x * x)
    return np.float32(0.5) * x * (1 + np.tanh(inner))


def _scale_f16(x: Any, out: Any, scale: float, n: int) -> Any:
    return (x.astype(np.float32) * np.float32(scale)).astype(np.float16)


def _quantise_i8(x: Any, out: Any, scale: float, n: int) -> Any:
    return np.clip(np.rint(x * np.float16(scale)), -128, 127).astype(np.int8)


def _stencil(x: Any, out: Any, left: float, middle: float, right: float, n: int) -> Any:
    x, out = x.reshape(-1, 4096), out.reshape(-1, 4096)
    np.multiply(x, np.float32(middle), out=out)
    out[:, 1:] += np.float32(left) * x[:, :-1]
    out[:, :-1] += np.float32(right) * x[:, 1:]
    return out


def _transpose(side: int) -> Callable[..., Any]:
    return lambda x, out, n: x.reshape(-1, side, side).transpose(0, 2, 1).copy()


def _sort_rows(x: Any, records: Any, rows: int) -> Any:
    x = x.reshape(rows, SORTED)
    columns = np.argsort(-x, axis=1, kind="stable")
    both = records.reshape(rows, SORTED, 2)
    both[:, :, 0] = np.take_along_axis(x, columns, axis=1)
    both.view(np.int32)[:, :, 1] = columns
    return both


def _add(a: Any, b: Any, out: Any, n: int) -> Any:
    return np.add(a, b, out=out)


IN_NUMPY: dict[str, Callable[..., Any]] = {
    "add": _add,
    "axpy": _axpy,
    "scale": lambda x, out, factor, n: np.multiply(x, np.float32(factor), out=out),
    "copy": _copy,
    "add_tiles": _add,
    "embedding": lambda table, index, out, n: table.reshape(-1, COLUMNS)[index],
    "softmax": _softmax,
    "gelu": _gelu,
    "scale_f16": _scale_f16,
    "quantise_i8": _quantise_i8,
    "gather16": lambda table, index, out, n: table[index],
    "prefix_sum": lambda x, out, n: x.reshape(-1, 2048).cumsum(axis=1, dtype=np.int32),
    "compaction": lambda x, out, n: x[x > 0],
    "stencil": _stencil,
    "transpose16": _transpose(16),
    "transpose_gather": _transpose(64),
    "histogram": lambda x, counts, n: np.bincount(x >> 2, minlength=64),
    "histogram_bytes": lambda x, counts, n: np.bincount(x, minlength=256),
    "sort_rows": _sort_rows,
}
"""By the name of the case."""
