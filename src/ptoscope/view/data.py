"""What the page of a run says: source, findings, time, values and memory, as plain data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.targets import Target
from ptoscope.program import For
from ptoscope.replay.run import RecordedRun
from ptoscope.timing import Timing
from ptoscope.timing.slices import KINDS, STALLS, slices, track_name
from ptoscope.trace.trace import UBS, Place, Trace
from ptoscope.version import __version__
from ptoscope.view.columns import Columns
from ptoscope.view.history import add_run
from ptoscope.view.slots import add_codes, arrays, lane_mask, slots

MOST_SLICES = 200_000
"""Slices of a page: the first ones."""


def page_data(
    title: str,
    run: RecordedRun,
    timing: Timing | None,
    findings: Iterable[Diagnostic],
    target: Target,
    revision: str,
) -> dict[str, Any]:
    """One run, for the page: what JSON can say, with the packed columns as `blob`."""
    columns = Columns()
    history = add_run(columns, run)
    trace = run.recording.trace
    _events(columns, run)
    add_codes(columns)
    data: dict[str, Any] = {
        "title": title,
        "file": run.program.file,
        "kernel": trace.function.name,
        "target": target.name,
        "revision": revision,
        "grid": trace.grid,
        "cores": [core.short for core in trace.cores],
        "ubs": [UBS[core.number if core.kind == "vector" else 0] for core in trace.cores],
        "version": __version__,
        "source": run.program.text.split("\n"),
        "findings": [finding.as_json() for finding in findings],
        "places": [
            {
                "line": place.span.line,
                "name": place.name,
                "pipe": place.pipe,
                "operands": list(place.op.operands),
                "results": list(place.op.results),
                "doc": "" if place.record is None else place.record.doc,
                "index": _index(trace, place),
                "mask": lane_mask(place),
                "lanewise": place.record is not None and place.record.lanewise,
                # Of Python, where a line may have several instructions.
                "piece": run.piece(place.span) if run.program.built else "",
            }
            for place in trace.places
        ],
        "slots": slots(trace.function),
        "arrays": arrays(trace.function),
        "times": _times(run),
        "run": history,
        "timing": None if timing is None else _timing(columns, timing),
        "columns": columns.directory,
    }
    data["blob"] = columns.packed()
    return data


def _index(trace: Trace, place: Place) -> str:
    """Of a counted loop the name of its index."""
    return f"%{trace.function.names[place.op.index]}" if isinstance(place.op, For) else ""


def _events(columns: Columns, run: RecordedRun) -> None:
    trace = run.recording.trace
    columns.add("event_place", trace.events.place)
    columns.add("event_block", trace.events.block)
    columns.add("event_core", trace.events.core)
    columns.add("event_iteration", trace.events.iteration)
    columns.add("iteration_parent", trace.iterations.parent)
    columns.add("iteration_loop", trace.iterations.loop)
    columns.add("iteration_value", trace.iterations.value, "float64")


def _times(run: RecordedRun) -> dict[int, int]:
    """By line how often it was executed."""
    trace = run.recording.trace
    counts = np.bincount(trace.events.place, minlength=len(trace.places))
    found: dict[int, int] = defaultdict(int)
    for place in trace.places:
        if place.record is not None and counts[place.index]:
            found[place.span.line] = max(found[place.span.line], int(counts[place.index]))
    return dict(found)


def _timing(columns: Columns, timing: Timing) -> dict[str, Any]:
    found = slices(timing, MOST_SLICES)
    for name in ("block", "core", "track", "event", "place", "stalled", "on"):
        columns.add(f"slice_{name}", getattr(found, name))
    for name in ("start", "length"):
        columns.add(f"slice_{name}", getattr(found, name), "float64")
    for name in ("kind", "stall", "critical"):
        columns.add(f"slice_{name}", getattr(found, name), "uint8")
    columns.add("arrows", found.arrows.reshape(-1))
    units = zip(found.block.tolist(), found.core.tolist(), found.track.tolist(), strict=True)
    return {
        "model": timing.model.name,
        "total": timing.total_cycles,
        "slices": len(found),
        "left_out": found.left_out,
        "kinds": KINDS,
        "stalls": STALLS,
        "tracks": [[*unit, track_name(timing, unit[2])] for unit in sorted(set(units))],
        "lines": {line.line: [line.cycles, line.stalled, line.assumed] for line in timing.table()},
        "line_stalls": _line_stalls(timing),
        "path": [
            [step.line, step.pipe, step.what, step.cycles, step.core]
            for step in timing.reasons.path
        ],
        "assumed": round(timing.reasons.assumed_cycles / max(1, timing.total_cycles), 4),
    }


def _line_stalls(timing: Timing) -> dict[int, list[list[Any]]]:
    """By line the cycles it was held up, by cause, and the line it waited for."""
    found: dict[int, list[list[Any]]] = defaultdict(list)
    for stall in timing.reasons.stalls:
        found[stall.line].append([stall.cause, stall.cycles, stall.on])
    return dict(found)
