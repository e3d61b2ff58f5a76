"""The native engine against C with the same staging, one thread and one block on each side."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import ptoscope
from bench import attention, c_side, launches, matrix, native_compile, native_process, others
from bench.cases import CASES, Case
from bench.measure import Job, Remark, Row, best_of, once

TITLE = (
    "The native engine, one thread, one block. With >=: speed as a fraction of the other's; "
    "with <=: time or memory as a multiple. Results equal those of C bit for bit."
)
_REPEATS = 21
_REFERENCE_SIZE = 128 * 1024


def jobs() -> list[Job]:
    """Every row of the table."""
    against_c = [Job(case.what, lambda case=case: _against_c(case)) for case in CASES]
    return [
        Job("memcpy", _memcpy),
        *against_c,
        *matrix.jobs(),
        *attention.jobs(),
        *launches.jobs(),
        Job("reference engine", _against_reference),
        *native_compile.jobs(),
        *native_process.jobs(),
        *others.jobs(),
    ]


def runner(kernel: ptoscope.Kernel, arguments: list[Any]) -> Callable[[], None]:
    """A call of the kernel by the native engine: one thread, one block."""
    call: Any = kernel
    return lambda: call(*arguments, grid=1, engine="native", threads=1)


def disagreement(case: Case, arguments: list[Any], ours: Callable[[], None]) -> str:
    """How the results of one run differ from C's, bit for bit; empty if they do not."""
    result = arguments[case.result]
    before = result.copy()
    c_side.function(case.name, case.source)(arguments)
    expected = result.copy()
    result[...] = before
    ours()
    bits = np.dtype(f"u{result.itemsize}")
    wrong = np.flatnonzero(result.view(bits) != expected.view(bits))
    if not wrong.size:
        return ""
    i = int(wrong[0])
    return f"{wrong.size} of {result.size} differ; [{i}] is {result[i]!r}, of C {expected[i]!r}"


def _memcpy() -> Iterator[Remark]:
    size = 64 << 20
    source, target = np.ones(size, np.uint8), np.zeros(size, np.uint8)
    copy = ctypes.memmove
    best = min(
        once(lambda: copy(target.ctypes.data, source.ctypes.data, size)) for _ in range(_REPEATS)
    )
    rate = 2 * size / best / 1e9
    yield Remark(
        f"memcpy of 64 MiB on this machine: {rate:.1f} GB/s (read and written), as in the notes;"
        f" C side: {c_side.compiler()}, {' '.join(c_side.FLAGS)}"
    )


def _against_c(case: Case) -> Iterator[Row | Remark]:
    kernel = ptoscope.load(case.path)
    for size in (case.small, case.size):
        arguments = case.arguments(size)
        ours = runner(kernel, arguments)
        wrong = disagreement(case, arguments, ours)
        if wrong:
            yield Remark(f"{case.what}: wrong results at size {size}: {wrong}", failed=True)
            return
    c_function = c_side.function(case.name, case.source)
    measured, baseline = best_of(ours, lambda: c_function(arguments), _REPEATS)
    rate = case.traffic(case.size) / measured / 1e9
    note = f"{rate:.1f} GB/s" if rate > 0.1 else ""
    yield Row(case.what, "C", measured, baseline, case.target, speed=True, note=note)
    if case.unstaged is not None:
        plain = c_side.function(case.name, "unstaged")
        measured, baseline = best_of(ours, lambda: plain(arguments), _REPEATS)
        yield Row(case.what, "C, unstaged", measured, baseline, case.unstaged, speed=True)
    if case.name == "softmax":
        rows = arguments[0].reshape(-1, 128)
        measured, baseline = best_of(ours, lambda: _numpy_softmax(rows), 5)
        yield Row(case.what, "NumPy", measured, baseline, speed=True)


def _numpy_softmax(x: Any) -> Any:
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    powers /= powers.sum(axis=1, keepdims=True)
    return powers


def _against_reference() -> Iterator[Row]:
    case = CASES[0]
    kernel = ptoscope.load(case.path)
    arguments = case.arguments(_REFERENCE_SIZE)
    measured, baseline = best_of(
        runner(kernel, arguments), lambda: kernel(*arguments, engine="reference"), 5
    )
    what = f"f32 add, {_REFERENCE_SIZE // 1024} Ki"
    yield Row(what, "the reference engine", measured, baseline, speed=True)
