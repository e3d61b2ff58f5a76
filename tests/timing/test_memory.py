"""Very long runs fit: what a schedule and its report take of memory."""

from __future__ import annotations

import tracemalloc

import pytest

import ptoscope
from ptoscope.timing import time_trace
from ptoscope.timing.bodies import kernel_text
from ptoscope.tracing import trace
from tests.timing.kernels import GM, UB, tiles, whole

MOST = 100
"""Bytes an event."""


_COPY = "nburst(%burst, %bytes, %bytes)"
COPIES = whole(
    "%bytes = arith.constant 256 : i64",
    "%burst = arith.constant 1 : i64",
    'pto.set_flag["PIPE_MTE3", "PIPE_MTE2", "EVENT_ID0"]',
    "scf.for %i = %c0 to %n step %c1 {",
    '  pto.wait_flag["PIPE_MTE3", "PIPE_MTE2", "EVENT_ID0"]',
    f"  pto.mte_gm_ub %gm, %ub, %zero, %bytes {_COPY} : {GM}, {UB}, i64, i64, i64, i64, i64",
    '  pto.set_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]',
    '  pto.wait_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]',
    f"  pto.mte_ub_gm %ub, %gm, %bytes {_COPY} : {UB}, {GM}, i64, i64, i64, i64",
    '  pto.set_flag["PIPE_MTE3", "PIPE_MTE2", "EVENT_ID0"]',
    "}",
    'pto.wait_flag["PIPE_MTE3", "PIPE_MTE2", "EVENT_ID0"]',
    n=50_000,
)
"""Nothing but copies and flags."""
KERNELS = {"vectors": kernel_text("vlds vlds vadd vsts", 500, 50), "copies": COPIES}


@pytest.mark.parametrize("target", ["a5", "a2a3"])
@pytest.mark.parametrize("model", ["calibrated", "manual"])
@pytest.mark.parametrize("name", KERNELS)
def test_a_report_takes_at_most_so_much_memory_an_event(name: str, target: str, model: str) -> None:
    kernel = ptoscope.load(KERNELS[name], target=target)
    run = trace(kernel, [] if name == "vectors" else [tiles(1)])

    def report() -> None:
        timing = time_trace(run, kernel.program, target, model)
        timing.table()
        timing.as_json()

    report()
    tracemalloc.start()
    try:
        report()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # What does not grow with the run is a small part of a run of this size.
    assert peak / len(run.events) <= MOST
