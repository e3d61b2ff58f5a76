"""Which bytes a moment read and wrote."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ptoscope.isa.dtypes import DType
from ptoscope.isa.tiles import TileMove
from ptoscope.isa.types import Ptr
from ptoscope.ranges import MemoryRange
from ptoscope.replay.history import History
from ptoscope.trace.trace import Column


class Touched(NamedTuple):
    """Bytes of one memory that a moment read or wrote: `size` of them, all in the range."""

    range: MemoryRange
    size: int
    writes: bool

    def __str__(self) -> str:
        _, begin, end, _ = self.range
        part = "" if self.size == (end or 0) - begin else f" ({self.size} bytes of it)"
        return f"{self.range.space}:{begin:#x}..{end:#x}{part}"


def touched(run: History, index: int) -> list[Touched]:
    """What a moment read and what it wrote, a row for each memory, reads first."""
    found: list[Touched] = []
    for writes in (False, True):
        for name in run.space_names:
            rows = run.memories.accesses(run.space(name), writes)
            first, last = np.searchsorted(rows.step, (index, index + 1))
            if first == last:
                continue
            start, length, count, stride = (
                column[first:last] for column in (rows.start, rows.length, rows.count, rows.stride)
            )
            end = int((start + (count - 1) * stride + length).max())
            size = int((length * count).sum())
            begin = int(start.min())
            here = MemoryRange(name, begin, end)
            found.append(Touched(here, min(size, end - begin), writes))
    return found


def written(run: History, index: int, space: str) -> tuple[Column, Column]:
    """The bytes of a memory that a moment wrote, in the order in which it did, and of each which
    bits are undefined."""
    rows = run.memories.accesses(run.space(space), True)
    first, last = np.searchsorted(rows.step, (index, index + 1))
    sizes = rows.length[first:last] * rows.count[first:last]
    pieces = [
        slice(int(at), int(at + size))
        for at, size in zip(rows.data[first:last], sizes, strict=True)
    ]
    recording = run.recording
    empty = np.zeros(0, np.uint8)
    data = np.concatenate([empty, *(recording.written[piece] for piece in pieces)])
    return data, np.concatenate([empty, *(recording.undefined[piece] for piece in pieces)])


def element_of(run: History, index: int) -> DType | None:
    """The type of the elements in memory that a moment touches, where all its pointers have the
    same; of one that works on tiles that of what it writes."""
    steps = run.recording.tiles.get(index)
    if steps:
        tile = steps[-1].tile
        return tile.target_type if isinstance(tile, TileMove) else tile.result_type
    types, op = run.recording.trace.function.types, run.place(index).op
    pointers = (types[slot] for slot in (*op.operands, *op.results))
    found = {kind.dtype for kind in pointers if isinstance(kind, Ptr)}
    return found.pop() if len(found) == 1 else None
