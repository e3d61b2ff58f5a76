"""Correct kernels of the matrix core, with launches that say whether one is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from ptoscope.diagnostics import Diagnostic, PtoError
from ptoscope.kernel import Kernel
from ptoscope.sources import choose_target, parse

from .mistakes import Mistake, Tool

EXAMPLES = Path(__file__).parents[2] / "examples"
KERNELS = Path(__file__).parent / "kernels"
SCHEDULES = 3
"""Other orders in which a watched run is tried."""
_F8 = ml_dtypes.float8_e4m3fn


@dataclass(frozen=True)
class MatrixSeed:
    """A correct kernel: arguments for one block, the last array of which is the result, what it
    has to be, and how far it may be off."""

    text: str
    arguments: tuple[Any, ...]
    result: int
    expected: Any
    room: float = 0.0

    def is_right(self, kernel: Kernel) -> bool:
        """Whether a run on native code gives what is expected."""
        given = [a.copy() if isinstance(a, np.ndarray) else a for a in self.arguments]
        kernel(*given)
        off = np.abs(given[self.result].astype(np.float64) - self.expected)
        return bool((off <= self.room).all())


@dataclass(frozen=True)
class MatrixVerdict:
    """What found a mistake, and its findings, by code and line; no tool where nothing did."""

    tool: Tool | None
    found: list[tuple[str, int]]


def judge(mistake: Mistake, seed: MatrixSeed) -> MatrixVerdict:
    """What finds a mistake first: the check, a watched run, or the comparison of results."""
    return judge_text(mistake.text(seed.text), seed)


def judge_text(text: str, seed: MatrixSeed) -> MatrixVerdict:
    """The same of a text."""
    try:
        program = parse(text, "k.pto", None, "manual")
        kernel = Kernel(program, choose_target(program, None), "manual")
    except PtoError as error:
        return MatrixVerdict("check", _places(error.diagnostics))
    found = _places(kernel.findings)
    if found:
        return MatrixVerdict("check", found)
    found = _places(kernel.watch(*seed.arguments, schedules=SCHEDULES).diagnostics)
    if found:
        return MatrixVerdict("run", found)
    return MatrixVerdict(None if seed.is_right(kernel) else "result", [])


def _places(findings: Any) -> list[tuple[str, int]]:
    told: list[Diagnostic] = list(findings)
    return [(d.code, d.line) for d in told if d.severity != "note"]


def _matmul(m: int = 17) -> MatrixSeed:
    n, k = 136, 130
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
    expected = a.astype(np.float64) @ b.astype(np.float64)
    c = np.zeros((m, n), np.float32)
    return MatrixSeed(_example("matmul"), (a, b, c, m, n, k), 2, expected, 1e-3)


def _quantized() -> MatrixSeed:
    m, n, k = 17, 136, 100
    rng = np.random.default_rng(1)
    a, w = (rng.integers(-128, 128, shape, np.int8) for shape in ((m, k), (n, k)))
    bias = rng.integers(-9000, 9000, n, np.int32)
    scales = np.exp2(-rng.integers(9, 12, n)).astype(np.float32)
    sums = a.astype(np.int32) @ w.astype(np.int32).T + bias
    expected = np.clip(np.rint(sums.astype(np.float32) * scales), 0, 255)
    words = scales.view(np.uint32).astype(np.uint64)
    out = np.zeros((m, n), np.uint8)
    text = _example("matmul_quantized")
    return MatrixSeed(text, (a, w, bias, words, out, m, n, k), 4, expected)


def _unit_flags() -> MatrixSeed:
    rng = np.random.default_rng(2)
    a, b = (rng.standard_normal(s).astype(np.float16) for s in ((2, 32, 64), (2, 64, 48)))
    expected = a.astype(np.float64) @ b.astype(np.float64)
    c = np.zeros((2, 32, 48), np.float32)
    return MatrixSeed(_kernel("unit_flags"), (a, b, c), 2, expected, 1e-3)


def _scaled() -> MatrixSeed:
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal((16, 64)).astype(_F8) for _ in "ab")
    a_scales, b_scales = (rng.integers(125, 130, (16, 2)).astype(np.uint8) for _ in "ab")
    bias = rng.standard_normal(16).astype(np.float32)
    left, right = (
        x.astype(np.float64) * np.repeat(np.exp2(s.astype(np.float64) - 127), 32, axis=1)
        for x, s in ((a, a_scales), (b, b_scales))
    )
    c = np.zeros((16, 16), np.float32)
    arguments = (a, b, a_scales.view(_F8), b_scales.view(_F8), bias, c)
    return MatrixSeed(_kernel("scaled"), arguments, 5, left @ right.T + bias, 1e-3)


def _flash_attention() -> MatrixSeed:
    queries, keys = 19, 130
    rng = np.random.default_rng(4)
    shapes = (queries, 64), (keys, 64), (keys, 64)
    q, k, v = (rng.standard_normal(shape).astype(np.float16) for shape in shapes)
    scores = q.astype(np.float64) @ k.astype(np.float64).T / 8
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected = weights / weights.sum(axis=1, keepdims=True) @ v.astype(np.float64)
    out = np.zeros((queries, 64), np.float32)
    text = _example("flash_attention")
    return MatrixSeed(text, (q, k, v, out, queries, keys), 3, expected, 2e-3)


def _example(name: str) -> str:
    return (EXAMPLES / f"{name}.pto").read_text(encoding="utf-8")


def _kernel(name: str) -> str:
    return (KERNELS / f"{name}.pto").read_text(encoding="utf-8")


_MAKERS: dict[str, Callable[[], MatrixSeed]] = {
    "matmul": _matmul,
    "matmul of one row": lambda: _matmul(1),
    "matmul_quantized": _quantized,
    "unit_flags": _unit_flags,
    "scaled": _scaled,
    "flash_attention": _flash_attention,
}
SEEDS = {name: make() for name, make in _MAKERS.items()}
