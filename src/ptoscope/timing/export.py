"""A schedule as a Chrome trace, the JSON that Perfetto and chrome://tracing open.

One process for each core of a block, one track for each of its pipes and for each place in the
vector core where instructions start. A cycle is shown as a microsecond. An arrow leads from the
work that a wait was for to the wait.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from ptoscope.timing.critical import core_name
from ptoscope.timing.run import TimedRun
from ptoscope.timing.slices import (
    INSTRUCTION,
    ISSUE,
    STALLS,
    WAIT,
    WORK,
    Slices,
    slices,
    track_name,
)
from ptoscope.trace.trace import Column

LIMIT = 200_000
"""Slices of a file, unless another number is asked for."""


def chrome_text(timing: TimedRun, limit: int = LIMIT) -> tuple[str, str]:
    """What the file says, and the notice about what was left out, or an empty string."""
    document = chrome_trace(timing, limit)
    text = json.dumps(document, separators=(",", ":"))
    return text, str(document["otherData"].get("notice", ""))


def chrome_trace(timing: TimedRun, limit: int = LIMIT) -> dict[str, Any]:
    """The document. With more slices than the limit, those that start first are in it, and
    `otherData` has a notice."""
    found = slices(timing, limit)
    events = [*_names(timing, found), *_slices(timing, found), *_arrows(timing, found)]
    model = timing.model
    other: dict[str, Any] = {
        "target": model.target,
        "model": model.name,
        "total_cycles": timing.total_cycles,
        "unit": "one microsecond stands for one cycle",
    }
    if found.left_out:
        last = float(found.start.max(initial=0))
        other["notice"] = (
            f"only the first {len(found)} slices are shown, "
            f"up to cycle {last:g} of {timing.total_cycles}"
        )
    return {"traceEvents": events, "displayTimeUnit": "ns", "otherData": other}


def _slices(timing: TimedRun, found: Slices) -> list[dict[str, Any]]:
    trace, text = timing.trace, timing.program.text.split("\n")

    @cache
    def at(iteration: int) -> str:
        return ", ".join(f"{name} = {value}" for name, value in trace.iteration(iteration))

    iterations = trace.events.iteration[found.event]
    processes = _processes(timing, found)
    events: list[dict[str, Any]] = []
    for i in range(len(found)):
        place, kind = trace.places[int(found.place[i])], int(found.kind[i])
        line, row = place.span.line, int(found.row[i])
        said: dict[str, Any] = {"line": line, "source": text[line - 1].strip()}
        if iterations[i] >= 0:
            said["at"] = at(int(iterations[i]))
        if kind == WORK:
            said["cycles"] = int(timing.work.work[row])
        elif kind == INSTRUCTION and timing.scopes.latency is not None:
            said["latency"] = int(timing.scopes.latency[place.index])
        if found.stall[i]:
            said["stalled"] = int(found.stalled[i])
            said["why"] = STALLS[int(found.stall[i])]
            if found.on[i] >= 0:
                said["why"] += f", of line {trace.places[int(found.on[i])].span.line}"
        events.append(
            {
                "ph": "X",
                "name": _title(place.name, kind),
                "cat": "cycles",
                "pid": int(processes[i]),
                "tid": int(found.track[i]),
                "ts": found.start[i].item(),
                "dur": found.length[i].item(),
                "args": said,
            }
        )
    return events


def _title(name: str, kind: int) -> str:
    if kind == WAIT:
        return f"{name} waits"
    return f"issue of {name}" if kind == ISSUE else name


def _names(timing: TimedRun, found: Slices) -> list[dict[str, Any]]:
    """Names of the processes and tracks that have slices."""
    processes = _processes(timing, found)
    used = sorted({(int(b), int(t)) for b, t in zip(processes, found.track, strict=True)})
    names = [
        _name("process_name", process, 0, _process(timing, process))
        for process in sorted({p for p, _ in used})
    ]
    for process, track in used:
        names.append(_name("thread_name", process, track, track_name(timing, track)))
        order = _name("thread_sort_index", process, track, "")
        names.append({**order, "args": {"sort_index": track}})
    return names


def _processes(timing: TimedRun, found: Slices) -> Column:
    """The process of each slice."""
    return found.block * timing.events.cores + found.core


def _process(timing: TimedRun, process: int) -> str:
    block, core = divmod(process, timing.events.cores)
    name = core_name(timing, core)
    return f"block {block}, {name}" if name else f"block {block}"


def _arrows(timing: TimedRun, found: Slices) -> list[dict[str, Any]]:
    """An arrow for each wait that waited, between slices that are in the file."""
    events: list[dict[str, Any]] = []
    processes = _processes(timing, found)
    for number, (source, target) in enumerate(found.arrows.tolist(), 1):
        name = timing.trace.places[int(found.place[target])].name
        events.append(_arrow("s", number, name, found, source, int(processes[source])))
        events.append(_arrow("f", number, name, found, target, int(processes[target])))
    return events


def _name(kind: str, process: int, track: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": process, "tid": track, "args": {"name": name}}


def _arrow(
    phase: str, number: int, name: str, found: Slices, at: int, process: int
) -> dict[str, Any]:
    # Inside the slice, near its end: what waited goes on when what it waited for is over.
    start, length = float(found.start[at]), float(found.length[at])
    event = {"ph": phase, "id": number, "name": name, "cat": "sync",
             "pid": process, "tid": int(found.track[at]),
             "ts": start + length - min(0.5, length / 2)}  # fmt: skip
    return event if phase == "s" else {**event, "bp": "e"}
