"""The recorded run as columns: steps, values, accesses and what was written."""

from __future__ import annotations

from typing import Any

import numpy as np

from ptoscope.replay.history import History
from ptoscope.replay.search import has_nan, is_undefined
from ptoscope.trace.recording import LaneContent, StreamContent
from ptoscope.trace.trace import SPACE_NAMES
from ptoscope.view.columns import Columns
from ptoscope.view.tiles import tiles

MOST_BYTES = 12 << 20
"""Bytes of values and of memory that a page keeps. Chosen: random ones do not become smaller, and
a page stays under 25 MB."""
MADE, HAS_NAN, HAS_UNDEFINED = 1, 2, 4
"""What a page knows of a value: its step's instruction made it, it has a NaN, undefined bits."""
MOST_OF_AN_ARRAY = 1 << 20
"""Bytes of an array of the caller's that a page has as they were before the run."""


def add_run(columns: Columns, run: History) -> dict[str, Any]:
    """Adds the columns of a run; gives what else the page needs of it."""
    steps = _kept(run)
    _values(columns, run, steps)
    _accesses(columns, run, steps)
    trace = run.recording.trace
    columns.add("executed", trace.executed[:steps])
    return {
        "steps": steps,
        "left_out": len(run) - steps + run.recording.left_out,
        "blocks": [min(steps, end) for end in run.recording.blocks],
        "signals": [
            [step, int(run.cores[step]), signals.flags, signals.held]
            for step, signals in run.recording.signals
            if step < steps
        ],
        "spaces": _spaces(columns, run),
        "tiles": tiles(run.recording, steps),
    }


def _kept(run: History) -> int:
    """How many steps the page has room for."""
    recording = run.recording
    sizes = np.zeros(len(run) + 1, dtype=np.int64)
    for step, value in zip(recording.value_steps.tolist(), recording.values, strict=True):
        if step < len(run):
            sizes[step] += 16 + _size(value)
    total = np.cumsum(sizes[:-1]) + 2 * recording.ends
    return int(np.searchsorted(total, MOST_BYTES, side="right"))


def _size(value: LaneContent | StreamContent) -> int:
    return value.lanes.nbytes if isinstance(value, LaneContent) else len(value.held)


def _values(columns: Columns, run: History, steps: int) -> None:
    """Bytes of each value, one after the other; of those that have undefined bits, one byte for
    each lane that says so, likewise; of a stream the address of its bytes."""
    recording = run.recording
    count = int(np.searchsorted(recording.value_steps, steps))
    data, undefined = bytearray(), bytearray()
    at, sizes, undefined_at, addresses, marks = np.zeros((5, count), dtype=np.int64)
    for number, value in enumerate(recording.values[:count]):
        at[number], undefined_at[number], addresses[number] = len(data), -1, -1
        if isinstance(value, LaneContent):
            data += value.lanes.tobytes()
            if value.undefined is not None:
                undefined_at[number] = len(undefined)
                undefined += (value.undefined != 0).tobytes()
            marks[number] = HAS_NAN * has_nan(value) + HAS_UNDEFINED * is_undefined(value)
        else:
            data += value.held
            addresses[number] = -1 if value.address is None else value.address
        sizes[number] = len(data) - at[number]
        # As JavaScript wants them: views of numbers begin at multiples of their size.
        data += bytes(-len(data) % 8)
    steps_of, slots_of = recording.value_steps[:count], recording.value_slots[:count]
    results = [place.op.results for place in recording.trace.places]
    cores = recording.value_cores[:count]
    own = (cores == run.cores[steps_of]).tolist()
    places = run.places[steps_of].tolist()
    made = [
        mine and slot in results[place]
        for slot, place, mine in zip(slots_of.tolist(), places, own, strict=True)
    ]
    columns.add("value_step", steps_of)
    columns.add("value_slot", slots_of)
    columns.add("value_core", cores)
    columns.add("value_marks", marks + MADE * np.array(made, dtype=np.int64), "uint8")
    columns.add("value_address", addresses)
    columns.add("value_at", at)
    columns.add("value_size", sizes)
    columns.add("value_undefined_at", undefined_at)
    columns.add("value_bytes", np.frombuffer(data, np.uint8), "uint8")
    columns.add("value_undefined", np.frombuffer(undefined, np.uint8), "uint8")


def _accesses(columns: Columns, run: History, steps: int) -> None:
    """Reads and writes in the order of execution; `data` is where what was written begins."""
    names = ("step", "start", "length", "count", "stride", "data")
    rows: dict[str, list[Any]] = {name: [] for name in (*names, "space", "writes")}
    for space in run.recording.spaces:
        for writes in (False, True):
            found = run.memories.accesses(space, writes)
            mine = found.step < steps
            for name in names:
                rows[name].append(getattr(found, name)[mine])
            rows["space"].append(np.full(int(mine.sum()), space))
            rows["writes"].append(np.full(int(mine.sum()), writes))
    joined = {name: np.concatenate(parts) for name, parts in rows.items()}
    order = np.argsort(joined["step"], kind="stable")
    for name, column in joined.items():
        columns.add(f"access_{name}", column[order])
    end = int(run.recording.ends[steps - 1]) if steps else 0
    columns.add("written", run.recording.written[:end], "uint8")
    columns.add("written_undefined", run.recording.undefined[:end] != 0, "uint8")


def _spaces(columns: Columns, run: History) -> list[dict[str, Any]]:
    """The memories. Of an array that is too large its contents before the run are left out."""
    found: list[dict[str, Any]] = []
    for number, space in run.recording.spaces.items():
        size = len(space.before)
        kept = not space.own and size <= MOST_OF_AN_ARRAY
        if kept:
            columns.add(f"before_{number}", space.before, "uint8")
            columns.add(f"before_undefined_{number}", space.undefined != 0, "uint8")
        name = SPACE_NAMES.get(number, space.name)
        row = {"number": number, "name": name, "size": size, "own": space.own, "before": kept}
        found.append(row)
    return found
