"""What the steps of a run wrote, and memory as it was at any of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ptoscope.trace.recording import Recording
from ptoscope.trace.trace import REGISTERS, Column

CHECKPOINT = 4096
"""Writes between two states of a memory that are kept. Chosen: going back takes some
milliseconds at most."""


@dataclass(frozen=True, eq=False)
class AccessRows:
    """Accesses of one space, in the order of execution: the step of each, its runs, and of what
    was written the first byte in the recording (-1 of a read)."""

    step: Column
    start: Column
    length: Column
    count: Column
    stride: Column
    data: Column

    def __len__(self) -> int:
        return len(self.step)

    def touching(self, begin: int, end: int) -> Column:
        """The rows that touch any byte from `begin` to before `end`."""
        last = self.start + (self.count - 1) * self.stride + self.length
        rows = np.flatnonzero((self.start < end) & (last > begin))
        if not len(rows):
            return rows
        start, length, stride = self.start[rows], self.length[rows], self.stride[rows]
        # The last run that starts before the end: if it stops before the begin, all do.
        number = np.where(stride > 0, (end - 1 - start) // np.maximum(stride, 1), 0)
        number = np.minimum(number, self.count[rows] - 1)
        return rows[start + number * stride + length > begin]


class Memories:
    """The memories of a recorded run. Contents are found by going through the writes from the
    state that is nearest before; states are kept on the way."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._states: dict[tuple[int, int], dict[int, tuple[Column, Column]]] = {}

    @cached_property
    def _steps(self) -> Column:
        """The step of each event, or -1."""
        executed = self._recording.trace.executed
        steps = np.full(len(self._recording.trace.events), -1, dtype=np.int64)
        steps[executed] = np.arange(len(executed))
        return steps

    @cached_property
    def _rows(self) -> dict[tuple[int, bool], AccessRows]:
        """Accesses by space and whether they write."""
        recording = self._recording
        accesses = recording.trace.accesses
        step = self._steps[accesses.event]
        known = (step >= 0) & (accesses.space != REGISTERS)
        order = np.flatnonzero(known)
        order = order[np.argsort(step[order], kind="stable")]
        step, writes = step[order], accesses.writes[order]
        size = np.where(writes, accesses.length[order] * accesses.count[order], 0)
        data = np.where(writes, np.cumsum(size) - size, -1)
        space = accesses.space[order]
        found: dict[tuple[int, bool], AccessRows] = {}
        for number in recording.spaces:
            for kind in (False, True):
                mine = (space == number) & (writes == kind)
                rows = order[mine]
                columns = (accesses.start, accesses.length, accesses.count, accesses.stride)
                start, length, count, stride = (c[rows].astype(np.int64) for c in columns)
                found[number, kind] = AccessRows(
                    step[mine], start, length, count, stride, data[mine]
                )
        return found

    def accesses(self, space: int, writes: bool) -> AccessRows:
        """The reads or the writes of a space."""
        return self._rows[space, writes]

    def _begin(self, space: int, step: int) -> int:
        """The first step that a state after a step depends on."""
        if not self._recording.spaces[space].own:
            return 0
        blocks = [0, *self._recording.blocks]
        return max((b for b in blocks[:-1] if b <= step), default=0)

    def at(self, space: int, step: int) -> tuple[Column, Column]:
        """Contents and undefined bits of a space after a step; -1 is before the first. Not to
        be written to."""
        begin = self._begin(space, max(step, 0))
        rows = self.accesses(space, True)
        first, last = np.searchsorted(rows.step, (begin, step + 1))
        states = self._states.setdefault((space, begin), {})
        known = max((row for row in states if row <= last), default=-1)
        if known < 0:
            before = self._recording.spaces[space]
            known, states[first] = int(first), (before.before, before.undefined)
        if known == last:
            return states[known]
        data, undefined = (part.copy() for part in states[known])
        for row in range(known, int(last)):
            if row % CHECKPOINT == 0 and row > known:
                states[row] = data.copy(), undefined.copy()
            self._apply(rows, row, data, undefined)
        states[int(last)] = data, undefined
        if len(states) > 2 * (1 + len(rows) // CHECKPOINT):
            for row in [r for r in states if r % CHECKPOINT and r not in (first, last)]:
                del states[row]
        return data, undefined

    def _apply(self, rows: AccessRows, row: int, data: Column, undefined: Column) -> None:
        recording = self._recording
        columns = (rows.start, rows.length, rows.count, rows.stride, rows.data)
        start, length, count, stride, at = (int(column[row]) for column in columns)
        here = slice(at, at + length * count)
        for memory, source in ((data, recording.written), (undefined, recording.undefined)):
            if count == 1:
                memory[start : start + length] = source[here]
            else:
                target: Any = np.ndarray((count, length), np.uint8, memory, start, (stride, 1))
                target[:] = source[here].reshape(count, length)
