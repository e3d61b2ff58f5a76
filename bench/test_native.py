"""The sides of the native table: kernels, C and an independent formula give the same results."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptoscope
from bench import c_side
from bench.cases import CASES, KERNELS, Case
from bench.in_numpy import IN_NUMPY
from bench.native import disagreement
from bench.native_compile import HandWritten

_WIDE = np.longdouble


def _exact_gelu(x: Any) -> Any:
    erf = np.vectorize(math.erf)
    wide = x.astype(np.float64)
    return wide * 0.5 * (1 + erf(wide / math.sqrt(2)))


def _exact_softmax(x: Any, y: Any, rows: int) -> Any:
    wide = x.astype(_WIDE).reshape(rows, 128)
    powers = np.exp(wide - wide.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True)).reshape(-1)


def _quantised(x: Any, out: Any, scale: float, n: int) -> Any:
    product = (x.astype(np.float64) * scale).astype(np.float16).astype(np.float64)
    return np.clip(np.rint(product), -128, 127)


def _prefix_sums(x: Any, out: Any, n: int) -> Any:
    return x.reshape(-1, 2048).cumsum(axis=1, dtype=np.int64).astype(np.int32).reshape(-1)


def _compacted(x: Any, out: Any, n: int) -> Any:
    expected = out.copy()
    positive = x[x > 0]
    expected[: positive.size] = positive
    return expected


def _stencil(x: Any, out: Any, left: float, middle: float, right: float, n: int) -> Any:
    rows = np.pad(x.astype(_WIDE).reshape(-1, 4096), ((0, 0), (1, 1)))
    return (left * rows[:, :-2] + middle * rows[:, 1:-1] + right * rows[:, 2:]).reshape(-1)


def _transposed(side: int) -> Callable[..., Any]:
    return lambda x, out, n: x.reshape(-1, side, side).transpose(0, 2, 1).reshape(-1)


def _sorted_rows(x: Any, records: Any, rows: int) -> Any:
    # Equal numbers keep their order; a column is the bits of a float.
    numbers = x.reshape(rows, -1)
    columns = np.argsort(-numbers, axis=1, kind="stable").astype(np.int32)
    ordered = np.take_along_axis(numbers, columns, axis=1)
    return np.stack((ordered, columns.view(np.float32)), axis=-1).reshape(-1)


def _gelu_iterations(a: Any, b: Any, repeats: int) -> Any:
    for _ in range(repeats):
        a = _exact_gelu(a) + b
    return a


# What each kernel computes, in wider arithmetic, and how far from it a result may be.
_FORMULAS: dict[str, tuple[Callable[..., Any], float]] = {
    "add": (lambda a, b, out, n: a.astype(_WIDE) + b, 5e-7),
    "axpy": (lambda x, y, out, alpha, n: x.astype(_WIDE) * np.float32(alpha) + y, 1e-6),
    "scale": (lambda x, out, factor, n: x.astype(_WIDE) * np.float32(factor), 5e-7),
    "copy": (lambda x, out, n: x, 0),
    "add_tiles": (lambda a, b, out, n: a.astype(_WIDE) + b, 5e-7),
    "embedding": (lambda table, index, out, n: table.reshape(-1, 64)[index].reshape(-1), 0),
    "softmax": (_exact_softmax, 1e-6),
    "gelu": (lambda x, y, n: _exact_gelu(x), 1e-4),
    "scale_f16": (lambda x, out, scale, n: x.astype(_WIDE) * np.float32(scale), 0.02),
    "quantise_i8": (_quantised, 0),
    "gather16": (lambda table, index, out, n: table[index], 0),
    "prefix_sum": (_prefix_sums, 0),
    "compaction": (_compacted, 0),
    "stencil": (_stencil, 1e-6),
    "transpose16": (_transposed(16), 0),
    "transpose_gather": (_transposed(64), 0),
    "histogram": (lambda x, counts, n: np.bincount(x // 4, minlength=64), 0),
    "histogram_bytes": (lambda x, counts, n: np.bincount(x, minlength=256), 0),
    "sort_rows": (_sorted_rows, 0),
    "add_in_l1": (lambda a, b, repeats: a + b.astype(_WIDE) * repeats, 2e-6),
    "gelu_in_l1": (_gelu_iterations, 1e-3),
}


def _ids(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", CASES, ids=_ids)
def test_reference_engine_and_c_agree_bit_for_bit(case: Case) -> None:
    kernel = ptoscope.load(case.path)
    arguments = case.arguments(case.small)
    assert disagreement(case, arguments, lambda: kernel(*arguments, engine="reference")) == ""


@pytest.mark.parametrize("case", CASES, ids=_ids)
def test_c_computes_what_its_row_says(case: Case) -> None:
    formula, tolerance = _FORMULAS[case.name]
    arguments = case.arguments(case.small)
    expected = formula(*arguments)
    c_side.function(case.name, case.source)(arguments)
    result = arguments[case.result]
    assert np.abs(result.astype(_WIDE) - expected).max() <= tolerance


@pytest.mark.parametrize("case", [case for case in CASES if case.name in IN_NUMPY], ids=_ids)
def test_numpy_computes_what_its_row_says(case: Case) -> None:
    formula, tolerance = _FORMULAS[case.name]
    arguments = case.arguments(case.small)
    result = IN_NUMPY[case.name](*arguments).reshape(-1)
    # NumPy returns what compaction keeps and nothing after it.
    expected = formula(*case.arguments(case.small))[: result.size]
    # GELU is by tanh there, which is not the same function.
    allowed = 1e-3 if case.name == "gelu" else tolerance
    assert np.abs(result.astype(_WIDE) - expected).max() <= allowed


@pytest.mark.parametrize("case", [case for case in CASES if case.unstaged], ids=_ids)
def test_unstaged_c_computes_the_same(case: Case) -> None:
    staged, unstaged = case.arguments(case.small), case.arguments(case.small)
    c_side.function(case.name, case.source)(staged)
    c_side.function(case.name, "unstaged")(unstaged)
    assert staged[case.result].tobytes() == unstaged[case.result].tobytes()


@pytest.mark.parametrize("case", CASES, ids=_ids)
def test_kernels_are_clean(case: Case) -> None:
    assert ptoscope.load(case.path).findings == []


def test_a_wrong_result_is_seen() -> None:
    case = CASES[0]
    arguments = case.arguments(case.small)

    def wrong() -> None:
        arguments[2][...] = arguments[0] + arguments[1]
        arguments[2][7] = np.nextafter(arguments[2][7], np.float32(np.inf))

    assert disagreement(case, arguments, wrong).startswith("1 of 24576 differ; [7]")


def test_saturation_and_the_special_values_of_f16() -> None:
    """The quantisation of numbers that no random input has."""
    x = np.zeros(16384, np.float16)
    x[:9] = [np.inf, -np.inf, np.nan, 65504, -65504, 0.5, 1.5, -128.4, -0.5]
    case = next(case for case in CASES if case.name == "quantise_i8")
    arguments = [x, np.full(16384, 77, np.int8), 1.0, 16384]
    kernel = ptoscope.load(case.path)
    assert disagreement(case, arguments, lambda: kernel(*arguments, engine="reference")) == ""
    assert arguments[1][:9].tolist() == [127, -128, 0, 127, -128, 0, 2, -128, 0]


def test_the_sixty_line_kernel() -> None:
    path = KERNELS / "sixty_lines.pto"
    assert len(path.read_text().splitlines()) == 60
    kernel = ptoscope.load(path)
    assert kernel.findings == []
    x = np.array([-3.0, -0.5, 0.0, 1.0, 100.0], np.float32)
    rest = np.array([1.0, 2.0, 3.0, 4.0, 5.0], np.float32)
    out = np.zeros_like(x)
    kernel(x, rest, out, 2.0, 0.5, -1.0, 5, engine="reference")
    assert out.tolist() == [1.0, 2.0, 3.5, 6.5, 11.0]


def test_the_hand_written_ir_adds() -> None:
    hand = HandWritten()
    add = hand.compile()
    a, b = np.arange(8192, dtype=np.float32), np.full(8192, 0.5, np.float32)
    out = np.zeros(8192, np.float32)
    add(a.ctypes.data, b.ctypes.data, out.ctypes.data, 8192)
    assert (out == a + b).all()
