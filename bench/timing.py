"""The cycle models: how far they are from measured points, and how fast they schedule."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator

import ptoscope
from bench import dispatch, points, points_a2a3
from bench.measure import Goal, Job, Remark, Row, best, best_of_all
from ptoscope.timing import time_trace
from ptoscope.timing.bodies import kernel_text
from ptoscope.timing.critical import _back_from, _walk
from ptoscope.timing.in_order import ideal_starts
from ptoscope.timing.loops import sum_runs
from ptoscope.timing.pipe_schedule import run_pipes
from ptoscope.timing.producers import _count_depths, _follow
from ptoscope.timing.vector_core import run_scopes
from ptoscope.tracing import trace

_MEAN, _WORST = 0.05, 0.11
"""Of a family of points."""
_OVERALL, _NEAR = 0.0125, 0.9
"""The mean error of all, and how many instructions of the log are within two cycles."""
_SECONDS, _REPORTED, _BYTES = 5.0, 1.0, 500e6
_ROWS, _VREGS = 2500, 100
"""Iterations of two loops around a body of four instructions: a million in all."""
_SCHEDULE = Goal("schedule a million instructions", "5 s", 1.0)
_REPORT = Goal("the same with reasons and report", "1 s", 1.0)
_MEMORY = Goal("its memory, an event", "100 B", 1.0, unit="B")
_WHOLE_MEMORY = Goal("the same and the trace, all", "500 MB", 1.0, unit="B")
_COLD = Goal("the same with compilation", "5 s")
_MILLION = _SCHEDULE, _REPORT, _MEMORY, _WHOLE_MEMORY, _COLD


def jobs() -> list[Job]:
    """Every row and remark."""
    return [
        Job("profiling points of A5", _points),
        Job("a log of A5, instruction by instruction", _log),
        Job("measured points of A2/A3", points_a2a3.remarks),
        Job("a million instructions", _million, _MILLION),
    ]


def _points() -> Iterator[Row | Remark]:
    found = points.points()
    left_out = points.left_out(found)
    yield Remark(f"left out: where {', '.join(points.FREE)} are fitted to the other bodies alone")
    for family, (mean, worst) in points.errors(found).items():
        mine = [p for p in found if p.family == family]
        yield Remark(
            f"A5, {family}: mean absolute error {mean:.2%} (<= {_MEAN:.0%}), largest {worst:.2%} "
            f"(<= {_WORST:.0%}), {len(mine)} points; left out {left_out[family]:.2%}",
            failed=mean > _MEAN or worst > _WORST,
        )
        yield Remark(f"  rows x registers (+: post-update), model/measured: {_listed(mine)}")
    mean = sum(abs(p.error) for p in found) / len(found)
    yield Remark(
        f"A5, all {len(found)} points: mean absolute error {mean:.2%} (<= {_OVERALL:.2%})",
        failed=mean > _OVERALL,
    )


def _listed(mine: list[points.Point]) -> str:
    return ", ".join(map(str, mine))


def _log() -> Iterator[Row | Remark]:
    found, whole = dispatch.moments()
    for what, off in (
        ("dispatch", [m.modelled_dispatch - m.dispatch for m in found]),
        ("start", [m.modelled_start - m.start for m in found]),
    ):
        near = sum(abs(n) <= 2 for n in off) / len(off)
        exact = sum(n == 0 for n in off) / len(off)
        yield Remark(
            f"A5, log of a softmax, {what} of {len(off)} instructions: {near:.1%} within 2 cycles "
            f"(>= {_NEAR:.0%}), {exact:.1%} exact",
            failed=near < _NEAR,
        )
    yield Remark(f"A5, the same as a whole: {whole} cycles, {dispatch.WHOLE} in the log")


def _million() -> Iterator[Row | Remark]:
    kernel = ptoscope.load(kernel_text("vlds vlds vadd vsts", _ROWS, _VREGS))
    run = trace(kernel, [])

    def schedule() -> None:
        time_trace(run, kernel.program, kernel.target)

    (warm,) = best_of_all([schedule], 3, time.perf_counter)
    yield _SCHEDULE.row(warm, _SECONDS, f"warm, {len(run.events):,} with those of loops")

    def report() -> None:
        timing = time_trace(run, kernel.program, kernel.target)
        timing.table()

    (whole,) = best_of_all([report], 3, time.perf_counter)
    yield _REPORT.row(whole, _REPORTED, "warm")
    tracemalloc.start()
    report()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    yield _MEMORY.row(peak / len(run.events), 100)
    yield _WHOLE_MEMORY.row(peak + run.nbytes, _BYTES)
    (compilation,) = best(_compilation())
    yield _COLD.row(warm + compilation, _SECONDS, "cold")


def _compilation() -> float:
    """Seconds to make the machine code of the loops, without the cache."""
    begun = time.perf_counter()
    loops = run_scopes, run_pipes, _follow, _count_depths, ideal_starts, _walk, _back_from, sum_runs
    for one in loops:
        one.machine_code()
    return time.perf_counter() - begun
