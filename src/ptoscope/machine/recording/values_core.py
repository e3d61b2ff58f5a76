"""A core that follows undefined data and writes down what it does, with every byte it writes."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np

from ptoscope.isa.copies import CopyEnds
from ptoscope.isa.distributions import NOTHING, Access
from ptoscope.isa.dtypes import VREG_BYTES
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site
from ptoscope.isa.tiles import TileMove, TilePart, TileProduct
from ptoscope.machine.lanes import NumpyLanes, number
from ptoscope.machine.memory import Region
from ptoscope.machine.pipes import Thunk
from ptoscope.machine.recording.core import RecordingReferenceCore
from ptoscope.machine.recording.notes import Notes
from ptoscope.machine.shadow.core import ShadowCore
from ptoscope.machine.shown import signals
from ptoscope.trace.recorder import TOUCH, touch_parts
from ptoscope.trace.recording import Copied, Placed, Signals, TileStep
from ptoscope.trace.trace import Column


class ValuesCore(RecordingReferenceCore, ShadowCore):
    """Runs as its bases do. A step is noted when an instruction has been executed: by the walker
    where the scalar unit or a vecscope executes it, here where a pipe does."""

    def begin(
        self, notes: Notes, spaces: dict[int, tuple[Column, Column]], scopes: Container[int]
    ) -> None:
        """Where steps are noted; by space its bytes and the undefined bits of them; and the
        places of vecscopes, whose step comes before those of their body."""
        self.notes = notes
        self._bytes = spaces
        self._scopes = scopes
        self._rows: list[int] = []
        self._copy: Copied | None = None
        self._tile: TileStep | None = None
        self._in_order = False
        self.issued = False
        """Whether the instruction of the scalar unit went to a pipe, which notes it."""
        self.pipes.around = self._around

    def _around(self, site: Site, thunk: Thunk) -> Thunk:
        """An instruction that notes its step when its pipe has executed it."""
        self.issued = True
        segment, touched = self.segment, self._touched()
        copy, self._copy = self._copy, None
        tile, self._tile = self._tile, None
        if self._places[site] in self._scopes:

            def begins() -> object:
                self.step(site, segment, touched)
                return thunk()

            return begins

        def run() -> object:
            ended = thunk()
            if ended is not False:
                if copy is not None:
                    self.notes.copied(copy)
                self.step(site, segment, [*touched, *self._touched()], tile)
            return ended

        return run

    def _touched(self) -> list[int]:
        """The accesses that this core noted since the last call: where their rows begin."""
        rows, self._rows = self._rows, []
        return rows

    def _touch(
        self, site: Site, space: int, writes: bool, footprint: int, address: int, atomic: int = 0
    ) -> None:
        self._rows.append(len(self._recorder.touches))
        super()._touch(site, space, writes, footprint, address, atomic)

    def executed(self, site: Site) -> None:
        """The scalar unit, or a vecscope, has executed an instruction."""
        self.step(site, self.segment, self._touched())

    def step(
        self, site: Site, segment: int, touched: list[int], tile: TileStep | None = None
    ) -> None:
        """An instruction, or a part of one, has been executed, after which its bytes are as it
        left them. Parts follow each other: each is given to the same pipe right after the one
        before it."""
        notes, executed = self.notes, self._recorder.executed
        after, here = None, (segment, self._places[site])
        is_part = notes.kept and tuple(executed[-2:]) == here
        if is_part or not notes.full:
            for row in touched:
                self._write_down(row)
            if site.record.order is not None or is_part:
                after = Signals(*signals(self.pipes))
        if is_part:
            notes.further(after, tile)
            return
        if not notes.full:
            executed.extend(here)
        notes.step(after, tile)

    def _write_down(self, row: int) -> None:
        _, _, kind, footprint, address = self._recorder.touches[row : row + TOUCH]
        space, writes, _ = touch_parts(kind)
        seen = self._bytes.get(space)
        if writes and seen is not None:
            for run in self._recorder.footprints.numbered(footprint):
                self.notes.bytes(*seen, address, run)

    def note_rows(
        self, source: tuple[Region, int], target: tuple[Region, int], ends: CopyEnds[int]
    ) -> None:
        self._copy = Copied(*self.located(*source), *self.located(*target), ends)

    def note_tile(
        self,
        tile: TileMove[int] | TileProduct[int],
        begins: dict[TilePart, tuple[Region, int]],
    ) -> None:
        places = {base: self.located(*place) for base, place in begins.items()}
        self._tile = TileStep(tile, places)

    def note_lanes(
        self, site: Site, writes: bool, address: Lanes, access: Access, mask: Lanes | None
    ) -> None:
        super().note_lanes(site, writes, address, access, mask)
        self.notes.placed(Placed(writes, number(address), access.offsets, access.width))

    def note_spread(
        self, site: Site, writes: bool, base: Lanes, offsets: Lanes, active: Lanes, width: int
    ) -> None:
        super().note_spread(site, writes, base, offsets, active, width)
        assert isinstance(offsets, NumpyLanes)
        assert isinstance(active, NumpyLanes)
        places = np.where(active.a, offsets.a.astype(np.int64), NOTHING)
        if writes:
            # Of lanes that go to one place, the one that the engine writes last.
            kept = np.full_like(places, NOTHING)
            order = np.arange(len(places))[:: -1 if self._in_order else 1]
            winners = order[np.unique(places[order], return_index=True)[1]]
            kept[winners] = places[winners]
            places = kept
        self.notes.placed(Placed(writes, number(base), places.tolist(), width))

    def scatter(
        self,
        site: Site,
        base: Lanes,
        offsets: Lanes,
        active: Lanes,
        value: Lanes,
        width: int,
        in_order: bool = False,
    ) -> None:
        self._in_order = in_order
        super().scatter(site, base, offsets, active, value, width, in_order)

    def note_stream(self, site: Site, before: Any, address: Lanes, after: Any) -> None:
        super().note_stream(site, before.real, address, None if after is None else after.real)

    def note_stream_load(self, site: Site, before: Any, address: Lanes) -> None:
        super().note_stream_load(site, None if before is None else before.real, address)
        if before is not None:
            self.notes.placed(Placed(False, number(address), range(VREG_BYTES), 1))
