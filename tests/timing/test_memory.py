"""Very long runs fit: what a schedule and its report take of memory."""

from __future__ import annotations

import tracemalloc

import pytest

import ptoscope
from ptoscope.timing import time_trace
from ptoscope.timing.bodies import kernel_text
from ptoscope.tracing import trace

MOST = 100
"""Bytes an event."""


@pytest.mark.parametrize("target", ["a5", "a2a3"])
@pytest.mark.parametrize("model", ["calibrated", "manual"])
def test_a_report_takes_at_most_so_much_memory_an_event(target: str, model: str) -> None:
    kernel = ptoscope.load(kernel_text("vlds vlds vadd vsts", 500, 50), target=target)
    run = trace(kernel, [])

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
