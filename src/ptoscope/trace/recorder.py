"""The notebooks of a run, which say as little as possible for each instruction, and the trace
that they are laid out to. The reference engine writes them as it goes; `decode` does for the
native one.

Instructions that follow each other without control flow between them are one segment of the
text: a run notes each segment it begins, and the events are laid out afterwards. An access
notes its segment, its place, and which of the known footprints it has.
"""

from __future__ import annotations

from array import array
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ptoscope.diagnostics import PtoError
from ptoscope.isa.atomics import MODES
from ptoscope.isa.footprint import Footprint
from ptoscope.program import Function
from ptoscope.trace.footprints import Footprints
from ptoscope.trace.trace import (
    NONE,
    Accesses,
    Column,
    Events,
    Iterations,
    Place,
    Syncs,
    Trace,
)

TOUCH, SEGMENT = 5, 4
"""How many numbers a row of the accesses has, and one of the segments begun."""
_ITERATION, _SYNC, _EXECUTED = 3, 7, 2
"""The same of the other notebooks."""

_T = TypeVar("_T", int, Column)


def touch_kind(space: _T, writes: bool, atomic: _T | int = 0) -> _T:
    """The space of an access, whether it writes and the mode of an update, as one number."""
    return (space * 2 + writes) * MODES + atomic


def touch_parts(kind: _T) -> tuple[_T, _T, _T]:
    """Of such a number the space, 1 where it writes, and the mode."""
    return kind // (2 * MODES), kind // MODES % 2, kind % MODES


class RunEnd(NamedTuple):
    """Where a run ended in a segment: which of those begun, and the place."""

    begun: int
    place: int


class Recorder:
    """The notebooks of a run over all its blocks. `segments` are the places of each segment."""

    def __init__(self, segments: list[list[int]]) -> None:
        self._segments = segments
        self.begun = array("i")
        """Of each segment begun: its number, the iteration, the entry of a vecscope, the core."""
        self.iterations = array("q")
        """Of each iteration: its parent, the place of the loop, the value."""
        self.touches = array("q")
        """Of each access: the segment begun, the place, its `touch_kind`, the footprint, the
        address."""
        self.syncs = array("q")
        """Of each: the segment begun, the place, and the columns of `Syncs`."""
        self.executed = array("q")
        """Of each execution that was noted as such: the segment begun, the place."""
        self.entries = array("i")
        """Of each vecscope issued: the segment begun that ends with it."""
        self.blocks: list[int] = []
        """How many segments had begun at the end of each block."""
        self._registers: list[tuple[str, int]] = []
        self.footprints = Footprints()

    def footprint(self, footprint: Footprint) -> int:
        """The number of a footprint."""
        return self.footprints.number(footprint)

    def register(self, name: str, core: int = 0) -> int:
        """The address of a special register of a core."""
        if (name, core) not in self._registers:
            self._registers.append((name, core))
        return 8 * self._registers.index((name, core))

    @property
    def registers(self) -> tuple[str, ...]:
        """The special registers in the order of their addresses."""
        return tuple(name for name, _ in self._registers)

    def end_block(self) -> None:
        """The segments begun since the last call were those of one block."""
        self.blocks.append(len(self.begun) // SEGMENT)

    def last_place(self, place: int, core: int = 0) -> RunEnd | None:
        """A place at fault, if it is in the segment that its core has begun last; otherwise
        none."""
        for row in reversed(range(0, len(self.begun), SEGMENT)):
            if self.begun[row + SEGMENT - 1] == core:
                inside = place in self._segments[self.begun[row]]
                return RunEnd(row // SEGMENT, place) if inside else None
        return None

    def finish(
        self,
        function: Function,
        grid: int,
        places: list[Place],
        error: PtoError | None = None,
        last: RunEnd | None = None,
    ) -> Trace:
        """The trace. After a fault, `last` is where it ended."""
        return _Layout(self, self._segments, places, last).trace(
            function, grid, np.array(self.blocks), error
        )


def _numbered(entry: Column, number: Column) -> Column:
    """Entries by other numbers; none stays none."""
    return entry if not len(number) else np.where(entry == NONE, entry, number[entry])


def _table(notebook: array[int], width: int) -> Column:
    return np.frombuffer(notebook, dtype=notebook.typecode).reshape(-1, width).T


class _Layout:
    """From segments to events."""

    def __init__(
        self,
        recorder: Recorder,
        segments: list[list[int]],
        places: list[Place],
        last: RunEnd | None,
    ) -> None:
        self._recorder, self._places = recorder, places
        self._sizes = np.array([len(s) for s in segments], dtype=np.int64)
        self._flat = np.array([p for s in segments for p in s], dtype=np.int32)
        self._offset = np.zeros(len(places), dtype=np.int64)
        for segment in segments:
            self._offset[segment] = range(len(segment))
        self._begun = _table(recorder.begun, SEGMENT)
        lengths = self._sizes[self._begun[0]]
        if last is not None:
            lengths[last.begun] = self._offset[last.place] + 1
        self._lengths = lengths
        self._order = self._issue_order()
        self._start = np.empty(len(lengths), dtype=np.int64)
        """The first event of each segment begun."""
        placed = lengths if self._order is None else lengths[self._order]
        starts = np.cumsum(placed) - placed
        self._start[slice(None) if self._order is None else self._order] = starts

    def _issue_order(self) -> Column | None:
        """The segments in the order of issue, where that is not how they were begun."""
        _, _, entry, core = self._begun
        issued = np.frombuffer(self._recorder.entries, dtype=np.int32)
        key = np.arange(len(entry))
        inside = entry != NONE
        key[inside] = issued[entry[inside]]
        if core.any():
            block = np.searchsorted(self._recorder.blocks, np.arange(len(key)), side="right")
            return np.lexsort((key, core, block))
        if (key[1:] >= key[:-1]).all():
            return None
        return np.argsort(key, kind="stable")

    def _sorted(self, column: Column) -> Column:
        return column if self._order is None else column[self._order]

    def trace(
        self,
        function: Function,
        grid: int,
        blocks: Column,
        error: PtoError | None,
    ) -> Trace:
        events = self._events(blocks)
        iterations = _table(self._recorder.iterations, _ITERATION)
        return Trace(
            function,
            grid,
            self._places,
            events,
            Iterations(
                iterations[0].astype(np.int32), iterations[1].astype(np.int32), iterations[2].copy()
            ),
            self._accesses(),
            self._syncs(),
            error,
            self._recorder.registers,
            executed=self._event(*_table(self._recorder.executed, _EXECUTED)),
        )

    def _events(self, blocks: Column) -> Events:
        lengths = self._sorted(self._lengths)
        numbers, iteration, entry, core = (self._sorted(column) for column in self._begun)
        starts = np.cumsum(lengths) - lengths
        base = np.cumsum(self._sizes) - self._sizes
        index = np.repeat(base[numbers] - starts, lengths)
        index += np.arange(len(index))
        segments = np.diff(np.concatenate(([0], blocks)))
        block = np.repeat(np.arange(len(segments), dtype=np.int32), segments)
        issued = np.frombuffer(self._recorder.entries, dtype=np.int32)
        scopes = self._start[issued] + self._lengths[issued] - 1
        # Vecscopes are numbered as their events are: core after core.
        number = np.argsort(np.argsort(scopes, kind="stable"), kind="stable").astype(np.int32)
        entries = np.repeat(_numbered(entry, number), lengths)
        entries[scopes] = number
        return Events(
            self._flat[index],
            np.repeat(block, lengths),
            np.repeat(iteration, lengths),
            entries,
            np.repeat(core.astype(np.int8), lengths),
        )

    def _event(self, begun: Column, place: Column) -> Column:
        return (self._start[begun] + self._offset[place]).astype(np.int32)

    def _accesses(self) -> Accesses:
        begun, place, kind, footprint, address = _table(self._recorder.touches, TOUCH)
        event = self._event(begun, place)
        order = None if (event[1:] >= event[:-1]).all() else np.argsort(event, kind="stable")
        if order is not None:
            columns = event, kind, footprint, address
            event, kind, footprint, address = (c[order] for c in columns)
        size, start, length, count, stride = self._recorder.footprints.columns()
        first = np.cumsum(size, dtype=np.int32) - size
        row, times = first[footprint], None
        if (size != 1).any():
            times = size[footprint]
            row = np.repeat(row - (np.cumsum(times, dtype=np.int32) - times), times)
            row += np.arange(len(row), dtype=np.int32)

        def each(column: Column) -> Column:
            return column if times is None else np.repeat(column, times)

        space, writes, atomic = touch_parts(kind.astype(np.int32))
        space, writes, atomic = space.astype(np.int16), writes.astype(bool), atomic.astype(np.int8)
        # One after the other: they are large.
        begin = each(address)
        begin = begin + start[row] if begin is address else np.add(begin, start[row], out=begin)
        return Accesses(
            each(event),
            each(space),
            each(writes),
            each(atomic),
            begin,
            length[row].astype(np.int64, copy=False),
            count[row].astype(np.int32, copy=False),
            stride[row].astype(np.int64, copy=False),
        )

    def _syncs(self) -> Syncs:
        begun, place, *columns = _table(self._recorder.syncs, _SYNC)
        event = self._event(begun, place)
        order = slice(None) if (event[1:] >= event[:-1]).all() else np.argsort(event, kind="stable")

        def narrow(column: Column, kind: type[np.signedinteger[Any]]) -> Column:
            # A number beyond all ids stays one: its instruction faults.
            limits = np.iinfo(kind)
            return np.clip(column, limits.min, limits.max).astype(kind)[order]

        kinds = np.int8, np.int8, np.int8, np.int16, np.int8
        return Syncs(event[order], *map(narrow, columns, kinds))
