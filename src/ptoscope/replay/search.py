"""Questions to a recorded run: who touched this, where did it first go wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ptoscope.replay.elements import has_numbers, numbers
from ptoscope.replay.history import History
from ptoscope.trace.recording import LaneContent


def last_access(run: History, space: str, byte: int, index: int, writes: bool) -> int | None:
    """The last moment up to one that wrote, or read, a byte of a memory; of a core's own memory,
    in the same block."""
    number = run.space(space)
    accesses = run.memories.accesses(number, writes)
    steps = accesses.step[accesses.touching(byte, byte + 1)]
    first = run.begin_of(index) if run.recording.spaces[number].own else 0
    steps = steps[(steps <= index) & (steps >= first)]
    return int(steps[-1]) if len(steps) else None


def has_nan(value: LaneContent) -> bool:
    """Whether a defined lane is NaN."""
    if not value.dtype.is_float or not has_numbers(value.dtype):
        return False
    with np.errstate(invalid="ignore"):  # a signalling NaN is one too
        nan = np.isnan(numbers(value.dtype, value.lanes).astype(np.float64))
    # What is undefined may look like anything.
    return bool((nan if value.undefined is None else nan & (value.undefined == 0)).any())


def is_undefined(value: LaneContent) -> bool:
    """Whether any bit is undefined."""
    return value.undefined is not None


def first(run: History, wanted: Callable[[LaneContent], bool], after: int) -> int | None:
    """The first moment after one whose instruction made such a value."""
    recording = run.recording
    for note in range(
        int(np.searchsorted(recording.value_steps, after + 1)), len(recording.values)
    ):
        value, step = recording.values[note], int(recording.value_steps[note])
        made = int(recording.value_slots[note]) in run.place(step).op.results
        if made and isinstance(value, LaneContent) and wanted(value):
            return step
    return None
