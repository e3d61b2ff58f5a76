"""A core of the reference engine that writes down what it does."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ptoscope.isa.copies import INTEGERS, CopyEnds, Transfer, ends, fits
from ptoscope.isa.distributions import Access
from ptoscope.isa.footprint import Footprint, covered, dense, elements, inside, lanes
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.parts import PIPE_NUMBERS
from ptoscope.isa.record import Site
from ptoscope.isa.targets import BLOCK_BYTES
from ptoscope.isa.tiles import (
    TileAccess,
    TileMove,
    TilePart,
    TileProduct,
    move_accesses,
    part_of,
    product_accesses,
)
from ptoscope.isa.types import Space
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.faults import Fault
from ptoscope.machine.lanes import NumpyLanes, number
from ptoscope.machine.memory import Memory, Region
from ptoscope.machine.stream import LoadStream, Stream, border
from ptoscope.trace.recorder import SEGMENT, Recorder, touch_kind
from ptoscope.trace.recording_core import RecordingCore
from ptoscope.trace.trace import NONE, REGISTERS, SPACE_NUMBERS, UBS


class RecordingReferenceCore(RecordingCore, ReferenceCore):
    """Runs as its base does. A walker tells it which segment begins and which loops and scopes
    it enters; `places` are the numbers of the uses it will see, `spaces` by the id of a region
    its space and where in it the region begins; `more` is for the core that it stands before."""

    def __init__(
        self,
        memory: Memory,
        block: int,
        grid: int,
        max_steps: int | None,
        recorder: Recorder,
        places: dict[Site, int],
        spaces: dict[int, tuple[int, int]],
        *more: Any,
    ) -> None:
        super().__init__(memory, block, grid, max_steps, *more)
        self._recorder = recorder
        self._places = places
        self._iteration = self._entry = NONE
        self._loops: list[list[int]] = []
        self._issued: deque[tuple[int, int]] = deque()
        self._outside: list[tuple[int, int]] = []
        self._known: dict[object, int] = {}
        own = {id(r): (space_of(r), 0) for r in (*memory.own.values(), *memory.ubs.values())}
        self._spaces = {**own, **spaces}
        self._ub_space = space_of(memory.ub)
        self.number = 0 if self.seat is None else self.seat.number
        """Which core of its block it is."""

    # Where the run is.

    def begin_segment(self, segment: int) -> None:
        """The instructions of a segment come next."""
        begun = self._recorder.begun
        self.segment = len(begun) // SEGMENT
        begun.extend((segment, self._iteration, self._entry, self.number))

    def begin_loop(self, place: int, first: int, step: int) -> None:
        """A loop whose iterations have these values."""
        self._loops.append([self._iteration, place, first, step])

    def iteration(self, site: Site) -> None:
        super().iteration(site)
        loop = self._loops[-1]
        iterations = self._recorder.iterations
        self._iteration = len(iterations) // 3
        iterations.extend(loop[:3])
        loop[2] += loop[3]

    def end_loop(self) -> None:
        """It has ended."""
        self._iteration = self._loops.pop()[0]

    def issue_scope(self) -> None:
        """A vecscope is issued next; PIPE_V comes to them in this order."""
        self._issued.append((self._iteration, len(self._recorder.entries)))
        self._recorder.entries.append(self.segment)

    def begin_scope(self) -> None:
        """The body of the next vecscope runs."""
        self._outside.append((self._iteration, self._entry))
        self._iteration, self._entry = self._issued.popleft()

    def end_scope(self) -> None:
        """It has ended."""
        self._iteration, self._entry = self._outside.pop()

    # Notes.

    def _touch(
        self,
        site: Site,
        space: int,
        writes: bool,
        footprint: int,
        address: int,
        atomic: int = 0,
    ) -> None:
        kind = touch_kind(space, writes, atomic)
        self._recorder.touches.extend((self.segment, self._places[site], kind, footprint, address))

    def note_lanes(
        self, site: Site, writes: bool, address: Lanes, access: Access, mask: Lanes | None
    ) -> None:
        assert mask is None or isinstance(mask, NumpyLanes)
        gate = None if mask is None or mask.is_full() else mask
        key = access if gate is None else (access, gate.a.tobytes())
        footprint = self._known.get(key)
        if footprint is None:
            touched = lanes(access, None if gate is None else gate.active().tolist())
            footprint = self._known[key] = self._recorder.footprint(touched)
        self._touch(site, self._ub_space, writes, footprint, number(address))

    def note_spread(
        self, site: Site, writes: bool, base: Lanes, offsets: Lanes, active: Lanes, width: int
    ) -> None:
        assert isinstance(offsets, NumpyLanes)
        assert isinstance(active, NumpyLanes)
        starts = np.unique(offsets.a[active.active()].astype(np.int64))
        if not len(starts):
            return
        first = int(starts[0])
        key = (width, (starts - first).tobytes())
        footprint = self._known.get(key)
        if footprint is None:
            touched = elements((starts - first).tolist(), width)
            footprint = self._known[key] = self._recorder.footprint(touched)
        self._touch(site, self._ub_space, writes, footprint, number(base) + first)

    def note_stream(self, site: Site, before: Stream, address: Lanes, after: Stream | None) -> None:
        end = number(address) if before.end is None else before.end
        start = (end if after is None else number(address)) - len(before.pending)
        length = len(before.pending)
        if after is not None:
            assert after.end is not None
            length = after.end - len(after.pending) - start
        self._touch(site, self._ub_space, True, self._recorder.footprint(dense(length)), start)

    def note_stream_load(self, site: Site, before: LoadStream | None, address: Lanes) -> None:
        at = number(address)
        start, end = (border(at), border(at) + BLOCK_BYTES) if before is None else before.reads(at)
        self._touch(
            site, self._ub_space, False, self._recorder.footprint(dense(end - start)), start
        )

    def note_scalar(
        self, site: Site, writes: bool, space: Space, address: Lanes, size: int
    ) -> None:
        region, offset = self.memory.locate(site, space, number(address))
        self._at(site, writes, region, offset, dense(size))

    def _at(
        self,
        site: Site,
        writes: bool,
        region: Region,
        offset: int,
        touched: Footprint,
        atomic: int = 0,
    ) -> None:
        known = self._known.get(touched)
        if known is None:
            known = self._known[touched] = self._recorder.footprint(touched)
        space, start = self.located(region, offset)
        self._touch(site, space, writes, known, start, atomic)

    def located(self, region: Region, offset: int) -> tuple[int, int]:
        """The space of a byte of a region, and which byte of the space it is."""
        space, begin = self._spaces[id(region)]
        return space, begin + offset

    def note_copy(self, site: Site, src: Lanes, dst: Lanes, transfer: Transfer[Lanes]) -> None:
        copy, path = transfer.map(number), transfer.path
        made = ends(copy, INTEGERS) if fits(copy) else None
        if made is None:
            return
        try:
            source, at = self.memory.locate(site, path.source, number(src), copy.core)
            target, to = self.memory.locate(site, path.target, number(dst), copy.core)
        except Fault:
            # The copy itself faults, when its pipe comes to it.
            return
        if inside(made.read, at, source.size) and inside(made.written, to, target.size):
            self._at(site, False, source, at, covered(made.read, path.by_rows))
            written = covered(made.written, path.by_rows)
            self._at(site, True, target, to, written, copy.atomic or 0)
            self.note_rows((source, at), (target, to), made)

    def note_rows(
        self, source: tuple[Region, int], target: tuple[Region, int], ends: CopyEnds[int]
    ) -> None:
        """The rows of a copy between two regions; a trace does not have them."""

    def note_move(self, site: Site, src: Lanes, dst: Lanes, move: TileMove[Lanes]) -> None:
        tile = move.map(number)
        repeated = 1 if tile.matrices is None else tile.matrices.count
        if min(tile.rows, tile.columns, repeated) < 1:
            return
        places = {"source": (tile.source, number(src)), "target": (tile.target, number(dst))}
        self._note_tiles(site, tile, move_accesses(tile, INTEGERS), places)

    def note_product(
        self, site: Site, left: Lanes, right: Lanes, result: Lanes, product: TileProduct[Lanes]
    ) -> None:
        tile = product.map(number)
        if min(tile.m, tile.n, tile.k) < 1:
            return
        at = {"left": ("l0a", left), "right": ("l0b", right), "result": ("l0c", result)}
        places = {base: (space, number(address)) for base, (space, address) in at.items()}
        self._note_tiles(site, tile, product_accesses(tile, INTEGERS), places)

    def _note_tiles(
        self,
        site: Site,
        tile: TileMove[int] | TileProduct[int],
        accesses: list[TileAccess[int]],
        places: dict[str, tuple[Space, int]],
    ) -> None:
        """What a tile touches, from where its parts begin."""
        core, atomic = (tile.core, tile.atomic) if isinstance(tile, TileMove) else (None, None)
        begins: dict[TilePart, tuple[Region, int]] = {}
        try:
            for access in accesses:
                base = access.base
                space, address = places[base] if isinstance(base, str) else (access.memory, base)
                found = self.memory.locate(site, space, address, core)
                region, at = begins[part_of(access)] = found
                if not inside(access.bursts, at, region.size):
                    return
        except Fault:
            # The instruction itself faults, when its pipe comes to it.
            return
        for access in accesses:
            region, at = begins[part_of(access)]
            mode = (atomic or 0) if access.writes else 0
            start = at + access.bursts.start
            self._at(site, access.writes, region, start, covered(access.bursts), mode)
        self.note_tile(tile, begins)

    def note_tile(
        self,
        tile: TileMove[int] | TileProduct[int],
        begins: dict[TilePart, tuple[Region, int]],
    ) -> None:
        """A tile that moves or is multiplied, and where its parts begin; a trace does not have
        it."""

    def note_register(self, site: Site, writes: bool, name: str) -> None:
        footprint = self._recorder.footprint(dense(8))
        address = self._recorder.register(name, self.number)
        self._touch(site, REGISTERS, writes, footprint, address)

    def note_sync(
        self, site: Site, kind: int, src: str, dst: str, numbers: tuple[Lanes, ...]
    ) -> None:
        self._recorder.syncs.extend(
            (
                self.segment,
                self._places[site],
                kind,
                PIPE_NUMBERS.get(src, NONE),
                PIPE_NUMBERS.get(dst, NONE),
                *[number(value) for value in numbers],
                *[NONE] * (2 - len(numbers)),
            )
        )


def space_of(region: Region) -> int:
    """The space of a core's own memory."""
    return UBS[region.number] if region.space == "ub" else SPACE_NUMBERS[region.space]
