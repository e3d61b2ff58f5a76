"""What a recorded run writes down beside its trace."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.footprint import StridedRun
from ptoscope.machine.lanes import NumpyLanes
from ptoscope.machine.shadow.lanes import ShadowLanes
from ptoscope.machine.shadow.memory import ShadowLoadStream, ShadowStream
from ptoscope.machine.shown import held_bytes
from ptoscope.trace.recording import (
    Content,
    Copied,
    LaneContent,
    MemoryBefore,
    Placed,
    Recording,
    Signals,
    StreamContent,
    TileStep,
)
from ptoscope.trace.spaces import Extent
from ptoscope.trace.trace import Column, Trace


class Notes:
    """The values and the bytes of the first `most` steps of a run, over all its blocks."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.steps = 0
        """Executions so far, also those of which nothing is kept."""
        self._value_steps = array("q")
        self._value_slots = array("q")
        self._value_cores = array("b")
        self._values: list[Content] = []
        self._written = bytearray()
        self._undefined = bytearray()
        self._ends = array("q")
        self._signals: list[tuple[int, Signals]] = []
        self._blocks: list[int] = []
        self._copies: dict[int, Copied] = {}
        self._tiles: dict[int, list[TileStep]] = {}
        self._placed: dict[int, list[Placed]] = {}

    @property
    def full(self) -> bool:
        """Whether nothing more is kept."""
        return self.steps >= self._most

    @property
    def kept(self) -> bool:
        """Whether the last execution is kept."""
        return 0 < self.steps <= self._most

    def value(self, slot: int, value: object, core: int = 0) -> None:
        """A slot of a core has a value from the step on that comes next."""
        if self.full:
            return
        self._value_steps.append(self.steps)
        self._value_slots.append(slot)
        self._value_cores.append(core)
        self._values.append(content(value))

    def bytes(self, data: Column, undefined: Column, start: int, run: StridedRun) -> None:
        """The step that comes next has written a run of bytes of a memory, from a start on."""
        begin = start + run.start
        if run.runs == 1:
            here: Any = slice(begin, begin + run.length)
            self._written += data[here].tobytes()
            self._undefined += undefined[here].tobytes()
            return
        shape, strides = (run.runs, run.length), (run.stride, 1)
        self._written += np.ndarray(shape, np.uint8, data[begin:], 0, strides).tobytes()
        self._undefined += np.ndarray(shape, np.uint8, undefined[begin:], 0, strides).tobytes()

    def copied(self, copy: Copied) -> None:
        """The step that comes next is a copy."""
        if not self.full:
            self._copies[self.steps] = copy

    def placed(self, one: Placed) -> None:
        """The step that comes next has lanes in UB."""
        if not self.full:
            self._placed.setdefault(self.steps, []).append(one)

    def step(self, signals: Signals | None = None, tile: TileStep | None = None) -> None:
        """An instruction was executed; what has been noted since the last one is of it. `tile` is
        what it moved or multiplied."""
        if not self.full:
            self._ends.append(len(self._written))
            self._last(self.steps, signals, tile)
        self.steps += 1

    def further(self, signals: Signals | None = None, tile: TileStep | None = None) -> None:
        """Another part of the last instruction was executed, likewise."""
        self._ends[-1] = len(self._written)
        self._last(self.steps - 1, signals, tile)

    def _last(self, step: int, signals: Signals | None, tile: TileStep | None) -> None:
        if signals is not None:
            self._signals.append((step, signals))
        if tile is not None:
            self._tiles.setdefault(step, []).append(tile)

    def end_block(self) -> None:
        """The steps since the last call were those of one block."""
        self._blocks.append(min(self.steps, self._most))

    def finish(
        self,
        trace: Trace,
        spaces: dict[int, MemoryBefore],
        extents: dict[int, Extent],
        findings: list[Diagnostic],
    ) -> Recording:
        """The recording of a run."""
        return Recording(
            trace,
            self._blocks,
            np.frombuffer(self._value_steps, np.int64),
            np.frombuffer(self._value_slots, np.int64),
            self._values,
            np.frombuffer(self._ends, np.int64),
            np.frombuffer(self._written, np.uint8),
            np.frombuffer(self._undefined, np.uint8),
            self._signals,
            self._copies,
            self._placed,
            spaces,
            findings,
            extents,
            max(0, self.steps - self._most),
            np.frombuffer(self._value_cores, np.int8),
            self._tiles,
        )


def content(value: object) -> Content:
    """What a register of the engine holds, as data."""
    match value:
        case ShadowStream(real=real) | ShadowLoadStream(real=real):
            return StreamContent(*held_bytes(real))
        case ShadowLanes():
            return LaneContent(value.dtype, np.atleast_1d(value.a), value.v)
        case NumpyLanes():
            return LaneContent(value.dtype, np.atleast_1d(value.a), None)
        case _:
            raise TypeError(f"{value!r} is nothing that a slot holds")
