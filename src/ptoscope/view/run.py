"""From a kernel and its arguments to the data of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ptoscope.diagnostics import Diagnostic
from ptoscope.program import Launchable
from ptoscope.races.find import find_races
from ptoscope.replay.run import record_run
from ptoscope.timing import MODELS, time_trace
from ptoscope.trace.recording import MOST_STEPS
from ptoscope.view.data import page_data
from ptoscope.watch import told_once


def view_run(
    kernel: Launchable,
    revision: str,
    findings: Sequence[Diagnostic],
    arguments: Sequence[Any],
    grid: int = 1,
    max_steps: int | None = None,
    model: str | None = None,
    title: str = "",
) -> dict[str, Any]:
    """Runs a kernel, arrays written in place, and gives the data of its page: with races,
    undefined data and cycles, where the target has them and the run ended without a fault.
    `findings` are those of the text. PtoError for wrong arguments."""
    run = record_run(kernel, arguments, grid, max_steps, MOST_STEPS)
    trace = run.recording.trace
    timing = None
    if run.error is None and MODELS[kernel.target.name]:
        timing = time_trace(trace, kernel.program, kernel.target, model)
    seen = [*find_races(trace, kernel.program, kernel.target), *run.recording.findings]
    fault = [] if run.error is None else list(run.error.diagnostics)
    all_findings = told_once([*findings, *seen, *fault])
    name = title or kernel.program.file or trace.function.name
    return page_data(name, run, timing, all_findings, kernel.target, revision)
