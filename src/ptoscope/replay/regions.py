"""A map of a memory: who wrote each part of it last, and whether anybody will read it."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ptoscope.replay.history import History
from ptoscope.replay.writes import AccessRows
from ptoscope.trace.trace import Column

NEVER = np.iinfo(np.int64).max


class WrittenRegion(NamedTuple):
    """Bytes that one line wrote last: `writer` is the last of its moments. `live` says whether
    they will be read before they are written again; None where the run is not known so far."""

    begin: int
    end: int
    line: int
    writer: int
    live: bool | None


def written_regions(run: History, space: str, index: int) -> list[WrittenRegion]:
    """The parts of a memory that have been written, as they are at a moment, in order; of a
    core's own memory, in the block of that moment."""
    number = run.space(space)
    memory = run.recording.spaces[number]
    first, end = (run.begin_of(index), run.end_of(index)) if memory.own else (0, len(run))
    reads, writes = (run.memories.accesses(number, kind) for kind in (False, True))
    size = len(memory.before)
    writer = _painted(writes, first, index + 1, np.full(size, -1))
    read, written = (
        _painted(rows, index + 1, end, np.full(size, NEVER), back=True) for rows in (reads, writes)
    )
    # What is read and written by one instruction is read first.
    live = (read <= written) & (read != NEVER)
    cut = run.recording.left_out > 0 and end == len(run)
    unknown = (read == NEVER) & (written == NEVER) & cut
    place = np.where(writer < 0, -1, run.places[writer])
    state = np.where(unknown, 2, live.astype(np.int64))
    borders = np.flatnonzero((np.diff(place) != 0) | (np.diff(state) != 0)) + 1
    edges = [0, *borders.tolist(), size]
    found: list[WrittenRegion] = []
    for begin, upto in pairwise(edges):
        if size and place[begin] >= 0:
            known = None if state[begin] == 2 else bool(state[begin])
            last = int(writer[begin:upto].max())
            found.append(WrittenRegion(begin, upto, int(run.lines[last]), last, known))
    return found


def _painted(rows: AccessRows, first: int, end: int, into: Column, back: bool = False) -> Column:
    """Each byte with the step that touched it last of those from one to before another; the
    first one, if seen from the back."""
    low, high = np.searchsorted(rows.step, (first, end))
    order = range(int(high) - 1, int(low) - 1, -1) if back else range(int(low), int(high))
    for row in order:
        start, length, count, stride, step = (
            int(column[row])
            for column in (rows.start, rows.length, rows.count, rows.stride, rows.step)
        )
        if count == 1 or stride == length:
            into[start : start + length * count] = step
        else:
            for run in range(count):
                into[start + run * stride : start + run * stride + length] = step
    return into
