"""From a recorded run to the data of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ptoscope.diagnostics import Diagnostic
from ptoscope.program import Launchable
from ptoscope.races.find import find_races
from ptoscope.replay.difference import ElementDifference
from ptoscope.replay.run import RecordedRun
from ptoscope.timing import MODELS, time_trace
from ptoscope.view.data import page_data
from ptoscope.watch import told_once


def view_run(
    kernel: Launchable,
    run: RecordedRun,
    findings: Sequence[Diagnostic],
    model: str | None = None,
    title: str = "",
    expect: Mapping[int | str, Any] | None = None,
    rtol: float = 0.0,
    atol: float = 0.0,
) -> dict[str, Any]:
    """The data of the page of a recorded run of a kernel: with races, undefined data and cycles,
    where the target has them and the run ended without a fault. `findings` are those of the text;
    `expect` is what arguments should end as, by position or name, within `rtol` of it and
    `atol`."""
    trace = run.recording.trace
    timing = None
    if run.error is None and MODELS[kernel.target.name]:
        timing = time_trace(trace, kernel.program, kernel.target, model, revision=kernel.revision)
    seen = [*find_races(trace, kernel.program, kernel.target), *run.recording.findings]
    fault = [] if run.error is None else list(run.error.diagnostics)
    all_findings = told_once([*findings, *seen, *fault])
    name = title or kernel.program.file or trace.function.name
    data = page_data(name, run, timing, all_findings, kernel.target, kernel.revision)
    difference = run.first_difference(expect, rtol, atol) if expect else None
    if difference is not None:
        data["difference"] = _difference(difference)
    return data


def _difference(found: ElementDifference) -> dict[str, Any]:
    """A difference for the page: the moment that wrote it, what differs, and all that made it."""
    links = [
        [-1 if link.moment is None else link.moment.index, str(link)] for link in found.origin.shown
    ]
    steps = [step for step, _ in links if step >= 0]
    return {"step": steps[0] if steps else -1, "text": found.head, "links": links}
