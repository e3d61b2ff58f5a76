"""The native engine against C with the same staging, one thread and one block on each side."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

import ptoscope
from bench import c_side
from bench.cases import CASES, Case
from bench.in_numpy import IN_NUMPY
from bench.measure import Goal, Job, Remark, Row, best_of, best_of_all

_REPEATS, _SECONDS, _NUMPY_REPEATS = 21, 0.5, 3
_CACHE = 32 << 20
"""A kernel that moves more bytes is measured against the memory's bandwidth."""
_COPIED = 64 << 20
_REFERENCE_SIZE = 128 * 1024
_REFERENCE = Goal(f"f32 add, {_REFERENCE_SIZE // 1024} Ki", "the reference engine", speed=True)
STAGED, UNSTAGED, NUMPY, MEMCPY = "C", "C, unstaged", "NumPy", "memcpy, by bytes"
"""What kernels are measured against."""


def jobs() -> list[Job]:
    """Every kernel."""
    against_c = [Job(case.what, lambda case=case: _against_c(case), goals(case)) for case in CASES]
    return [Job("the machine", _machine), *against_c]


def reference_jobs() -> list[Job]:
    """The one row against the reference engine."""
    return [Job("reference engine", _against_reference, (_REFERENCE,))]


def goals(case: Case) -> tuple[Goal, ...]:
    """Those of a kernel's rows."""
    found = [Goal(case.what, STAGED, case.target, speed=True)]
    if case.unstaged is not None:
        found.append(Goal(case.what, UNSTAGED, case.unstaged, speed=True))
    if case.name in IN_NUMPY:
        found.append(Goal(case.what, NUMPY, speed=True))
    if case.traffic(case.size) > _CACHE:
        found.append(Goal(case.what, MEMCPY, speed=True))
    return tuple(found)


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


@cache
def _memcpy() -> Callable[[], object]:
    """A copy that is larger than the caches."""
    source, target = np.ones(_COPIED, np.uint8), np.zeros(_COPIED, np.uint8)
    return lambda: ctypes.memmove(target.ctypes.data, source.ctypes.data, _COPIED)


def _machine() -> Iterator[Remark]:
    (best,) = best_of_all([_memcpy()], _REPEATS)
    rate = 2 * _COPIED / best / 1e9
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
    sides = _sides(case, arguments)
    measured, *others = best_of_all([ours, *sides.values()], _REPEATS, seconds=_SECONDS)
    times = dict(zip(sides, others, strict=True))
    moved = case.traffic(case.size)

    def in_numpy() -> None:
        IN_NUMPY[case.name](*arguments)

    for goal in goals(case):
        if goal.against == NUMPY:
            yield goal.row(*best_of(ours, in_numpy, _NUMPY_REPEATS))
        elif goal.against == MEMCPY:
            per_byte = times[MEMCPY] / (2 * _COPIED)
            yield goal.row(measured, per_byte * moved, f"{moved / measured / 1e9:.1f} GB/s")
        else:
            yield goal.row(measured, times[goal.against])


def _sides(case: Case, arguments: list[Any]) -> dict[str, Callable[[], object]]:
    """What takes turns with the kernel, by what rows call it."""
    staged = c_side.function(case.name, case.source)
    sides: dict[str, Callable[[], object]] = {STAGED: lambda: staged(arguments)}
    if case.unstaged is not None:
        unstaged = c_side.function(case.name, "unstaged")
        sides[UNSTAGED] = lambda: unstaged(arguments)
    if any(goal.against == MEMCPY for goal in goals(case)):
        sides[MEMCPY] = _memcpy()
    return sides


def _against_reference() -> Iterator[Row]:
    case = CASES[0]
    kernel = ptoscope.load(case.path)
    arguments = case.arguments(_REFERENCE_SIZE)
    measured, baseline = best_of(
        runner(kernel, arguments), lambda: kernel(*arguments, engine="reference"), 5
    )
    yield _REFERENCE.row(measured, baseline)
