"""From the log of generated code to the notebooks of a recorder."""

from __future__ import annotations

from typing import Any

import numpy as np

from ptoscope.isa.copies import INTEGERS, Transfer, ends, fits, from_words
from ptoscope.isa.footprint import Bursts, Footprint, covered, dense, hull, lanes
from ptoscope.isa.parts import CoreId
from ptoscope.isa.targets import Target
from ptoscope.isa.types import Space
from ptoscope.machine.memory import gm_base, gm_position
from ptoscope.native.recording import marks
from ptoscope.native.recording.marks import Mark, TileForm
from ptoscope.native.recording.spread import spread_runs
from ptoscope.native.recording.tiles import NO_UB, TouchedTiles, address_words, touched, ub_of
from ptoscope.trace.recorder import Recorder, touch_kind
from ptoscope.trace.spaces import Extent
from ptoscope.trace.trace import NONE, REGISTERS, SPACE_NUMBERS, UBS, Column

_CHUNK = 1 << 16
"""Rows that are written at once: what that takes is small beside what they are written to."""
_SPREAD = 1 << 11
"""The same of those with an address for each lane."""
_TOUCH_TYPES = np.int32, np.int32, np.int32, np.int64


def decode(
    recorder: Recorder,
    known: list[Mark],
    log: tuple[Column, Column],
    ends: list[int],
    extents: dict[int, Extent],
    target: Target,
    cores: tuple[CoreId, ...],
) -> None:
    """Writes the notebooks. `known` are the marks by number; the log is its rows, and the words
    kept beside them; `ends` how many rows there were at the end of each block; `extents` where
    each array is, by position; `cores` those of a block."""
    decoder = _Decoder(recorder, known, log, extents, target, cores)
    decoder.decode()
    recorder.blocks.extend(decoder.segments_before(ends))


class _Decoder:
    def __init__(
        self,
        recorder: Recorder,
        known: list[Mark],
        log: tuple[Column, Column],
        extents: dict[int, Extent],
        target: Target,
        cores: tuple[CoreId, ...],
    ) -> None:
        # The UB of each core, and which core wrote a row: that of its segment.
        self._ubs = np.array([UBS[core.number] for core in cores])
        self._recorder, self._known = recorder, known
        rows, self._beside = log
        self._mark, self._a, self._b, self._c = rows.T
        self._kind = np.array([mark.kind for mark in known], dtype=np.int8)[self._mark]
        self._number_of = np.zeros(len(self._kind), dtype=np.int32)
        """Which one of its kind each segment, iteration and vecscope is."""
        self._segments, self._iterations, self._entries = (
            self._numbered(kind) for kind in (marks.SEGMENT, marks.ITERATION, marks.ENTRY)
        )
        self._places = np.array([mark.place for mark in known], dtype=np.int32)
        self._target = target
        most = max(extents, default=-1) + 1
        self._extents = np.full((most + 1, 3), NONE)
        """Of each position; the last one of none."""
        for position, extent in extents.items():
            self._extents[position] = extent
        self._touches: list[list[Column]] = [[] for _ in _TOUCH_TYPES]
        """Of accesses the number of the row, the `touch_kind`, the footprint, the address."""

    def segments_before(self, ends: list[int]) -> list[int]:
        """How many segments had begun after so many rows."""
        return np.searchsorted(self._segments, ends).tolist()

    def decode(self) -> None:
        """Writes all notebooks."""
        recorder, segments = self._recorder, self._segments
        iterations, entries = self._iterations, self._entries
        segment = [m.detail if m.kind == marks.SEGMENT else NONE for m in self._known]
        number = np.array(segment, dtype=np.int32)[self._mark[segments]]
        around, entry = self._rank(self._a[segments]), self._rank(self._b[segments])
        _write(recorder.begun, number, around, entry, self._c[segments])
        place = self._place(iterations)
        _write(recorder.iterations, self._rank(self._a[iterations]), place, self._b[iterations])
        _write(recorder.entries, self._rank(self._a[entries]))
        self._syncs()
        self._accesses()

    def _numbered(self, kind: int) -> Column:
        """The rows of a kind, each of which gets its number."""
        rows = np.flatnonzero(self._kind == kind)
        self._number_of[rows] = np.arange(len(rows), dtype=np.int32)
        return rows

    def _rank(self, rows: Column) -> Column:
        """Which one of its kind each row is."""
        return np.where(rows == NONE, np.int32(NONE), self._number_of[rows])

    def _place(self, rows: Column) -> Column:
        return self._places[self._mark[rows]]

    def _syncs(self) -> None:
        at = np.flatnonzero(self._kind == marks.SYNC)
        parts = [(0, 0, 0) if m.kind != marks.SYNC else m.detail for m in self._known]
        kind, src, dst = np.array(parts, dtype=np.int64).reshape(-1, 3)[self._mark[at]].T
        begun = self._rank(self._a[at])
        columns = begun, self._place(at), kind, src, dst, self._b[at], self._c[at]
        _write(self._recorder.syncs, *columns)

    # Accesses.

    def _accesses(self) -> None:
        self._plain()
        others = np.flatnonzero(self._kind > marks.LANES)
        # Numbers of 16 bits are sorted without comparing them.
        which = self._mark[others]
        small = which.astype(np.uint16) if len(self._known) < 1 << 16 else which
        order = np.argsort(small, kind="stable")
        first = np.searchsorted(small[order], np.arange(len(self._known) + 1))
        by_kind = {
            marks.MASKED: self._masked,
            marks.SPREAD: self._spread,
            marks.RUN: self._run,
            marks.SCALAR: self._scalar,
            marks.COPY: self._copy,
            marks.TILE: self._tile,
        }
        for number, mark in enumerate(self._known):
            at = others[order[first[number] : first[number + 1]]]
            if mark.kind in by_kind and len(at):
                by_kind[mark.kind](mark, at)
        del others, which, small, order
        columns = [np.concatenate(parts) for parts in self._touches]
        self._touches.clear()
        # Stable: of the two ends of a copy the one that is read stays first.
        row = columns[0]
        sort = None if (row[1:] >= row[:-1]).all() else np.argsort(row, kind="stable")
        for start in range(0, len(row), _CHUNK):
            some = slice(start, start + _CHUNK)
            row, kind, footprint, address = (
                column[some if sort is None else sort[some]] for column in columns
            )
            begun = self._rank(self._a[row])
            touch = begun, self._place(row), kind, footprint, address
            _write(self._recorder.touches, *touch)

    def _touch(self, at: Column, kind: Any, footprint: Any, address: Column) -> None:
        values = at, kind, footprint, address
        for parts, value, dtype in zip(self._touches, values, _TOUCH_TYPES, strict=True):
            parts.append(np.broadcast_to(value, at.shape).astype(dtype))

    def _core(self, at: Column) -> Column:
        """Which core of its block wrote each row."""
        return self._c[self._a[at]]

    def _ub(self, at: Column) -> Column:
        """The space of its UB."""
        return self._ubs[self._core(at)]

    def _plain(self) -> None:
        """Accesses whose footprint is the mark's."""
        at = np.flatnonzero(self._kind == marks.LANES)
        footprints, writes = np.zeros((2, len(self._known)), dtype=np.int64)
        which = self._mark[at]
        for number in np.flatnonzero(np.bincount(which)).tolist():
            mark = self._known[number]
            footprints[number] = self._number(lanes(mark.detail, None))
            writes[number] = mark.writes
        wrote: Any = writes[which]
        self._touch(at, touch_kind(self._ub(at), wrote), footprints[which], self._b[at])
        at = np.flatnonzero(self._kind == marks.REGISTER)
        if not len(at):
            return
        named = [self._known[number] for number in self._mark[at].tolist()]
        pairs = zip(named, self._core(at).tolist(), strict=True)
        address = [self._recorder.register(mark.detail, core) for mark, core in pairs]
        wrote = np.array([mark.writes for mark in named])
        place = np.array(address, dtype=np.int64)
        self._touch(at, touch_kind(REGISTERS, wrote), self._number(dense(8)), place)

    def _number(self, footprint: Footprint) -> int:
        return self._recorder.footprint(footprint)

    def _masked(self, mark: Mark, at: Column) -> None:
        access, count = mark.detail
        if count <= 64:
            bits, which = np.unique(self._c[at], return_inverse=True)
            rows = bits[:, None]
        else:
            rows, which = _unique(self._words(at, count // 64))
        active = np.unpackbits(rows.view(np.uint8), axis=1, count=count, bitorder="little")
        found = [self._number(lanes(access, np.flatnonzero(row).tolist())) for row in active]
        self._touch(at, touch_kind(self._ub(at), True), np.array(found)[which], self._b[at])

    def _words(self, at: Column, count: int) -> Column:
        """The words that rows have beside them."""
        return self._beside[self._c[at][:, None] + np.arange(count)]

    def _spread(self, mark: Mark, at: Column) -> None:
        width, count = mark.detail
        for begin in range(0, len(at), _SPREAD):
            here = at[begin : begin + _SPREAD]
            places = np.sort(self._words(here, count // 2).view(np.int32), axis=1)
            some = places[:, 0] != marks.IDLE
            if not some.all():
                here, places = here[some], np.ascontiguousarray(places[some])
            sizes, runs = spread_runs(places, width)
            number = self._recorder.footprints.add(sizes, runs) + np.arange(len(here))
            kind = touch_kind(self._ub(here), mark.writes)
            self._touch(here, kind, number, places[:, 0])

    def _run(self, mark: Mark, at: Column) -> None:
        lengths, which = np.unique(self._c[at], return_inverse=True)
        found = np.array([self._number(dense(int(n))) for n in lengths], dtype=np.int64)
        self._touch(at, touch_kind(self._ub(at), mark.writes), found[which], self._b[at])

    def _scalar(self, mark: Mark, at: Column) -> None:
        space, size = mark.detail
        extent, offset = self._located(space, self._b[at], self._ub(at))
        kind = touch_kind(extent[0], mark.writes)
        self._touch(at, kind, self._number(dense(size)), extent[1] + offset)

    def _copy(self, mark: Mark, at: Column) -> None:
        path, dtype, levels, names_core = mark.detail
        words = self._words(at, 8 + 3 * levels + names_core)
        ub = self._ub(at)
        if names_core:
            words, named = words[:, :-1], words[:, -1]
            ub = ub_of(named)
        src, src_at = self._located(path.source, words[:, 0], ub)
        dst, dst_at = self._located(path.target, words[:, 1], ub)
        rows, which = _unique(np.delete(words, (0, 1, 6), axis=1))
        made = [_ends(from_words(path, dtype, row)) for row in rows.tolist()]
        # Where copies of these numbers reach, from their addresses on.
        hulls = [(0, NONE) * 2 if m is None else (*hull(m.read), *hull(m.written)) for m in made]
        low, high, low_to, high_to = np.array(hulls, dtype=np.int64).reshape(-1, 4)[which].T
        fine = np.array([m is not None for m in made], dtype=bool)[which]
        for extent, first, last in (
            (src, src_at + low, src_at + high),
            (dst, dst_at + low_to, dst_at + high_to),
        ):
            fine &= (extent[2] != NONE) & (first >= 0) & (last <= extent[2])
        found = np.full((len(rows), 2), NONE)
        for i in np.unique(which[fine]).tolist():
            both = made[i].read, made[i].written
            found[i] = [self._number(covered(end, path.by_rows)) for end in both]
        read, written = found[which].T
        for extent, offset, writes, footprint, mode in (
            (src, src_at, False, read, 0),
            (dst, dst_at, True, written, words[:, 7]),
        ):
            kind = touch_kind(extent[0], writes, mode)
            self._touch(at[fine], kind[fine], footprint[fine], (extent[1] + offset)[fine])

    def _tile(self, mark: Mark, at: Column) -> None:
        form: TileForm = mark.detail
        words = self._words(at, form.words)
        # Tiles of one shape at other places are followed together.
        shapes = words.copy()
        shapes[:, address_words(form.tile)] = 0
        rows, which = _unique(shapes)
        order = np.argsort(which, kind="stable")
        ends = np.cumsum(np.bincount(which))
        for row, here in zip(rows.tolist(), np.split(order, ends[:-1]), strict=True):
            self._tiles(at[here], words[here], touched(form.tile, row))

    def _tiles(self, at: Column, words: Column, tiles: TouchedTiles) -> None:
        """Tiles of one shape. What is not inside of its memory faults, and touches nothing."""
        ub = self._ub(at) if tiles.ub is None else np.full(len(at), tiles.ub)
        fine = np.ones(len(at), dtype=bool)
        found: list[tuple[Column, Bursts[int], Column]] = []
        for memory, writes, mode, word, address, bursts in tiles.touches:
            begins = np.full(len(at), address) if word is None else words[:, word]
            extent, offset = self._located(memory, begins, ub)
            low, high = hull(bursts)
            fine &= (extent[2] != NONE) & (offset + low >= 0) & (offset + high <= extent[2])
            kind = touch_kind(extent[0], writes, mode)
            found.append((kind, bursts, extent[1] + offset + bursts.start))
        # A tile that faults may have more rows than anyone can visit.
        for kind, bursts, begin in found if fine.any() else ():
            footprint = self._number(covered(bursts))
            self._touch(at[fine], kind[fine], footprint, begin[fine])

    def _located(self, space: Space, address: Column, ub: Column) -> tuple[Column, Column]:
        """Space, begin and size of what each address is in, as Extent says, size NONE where it
        is in nothing; and the offset in it. `ub` is the space of UB."""
        if space in SPACE_NUMBERS:
            whole = np.array([SPACE_NUMBERS[space], 0, self._target.bytes_of(space)])
            made = np.repeat(whole[:, None], len(address), axis=1)
            if space == "ub":
                made[0] = ub
                made[2, ub == NO_UB] = NONE
            return made, address
        # What holds of one address holds of a column of them.
        column: Any = address
        position: Any = gm_position(column)
        none = len(self._extents) - 1
        there = np.where((position >= 0) & (position < none), position, none)
        return self._extents[there].T, address - gm_base(position)


def _ends(copy: Transfer[int]) -> Any:
    """What a copy touches; None where it does nothing."""
    return ends(copy, INTEGERS) if fits(copy) else None


def _unique(rows: Column) -> tuple[Column, Column]:
    """The rows that differ, in the order of their first, and which of them each is."""
    seen: dict[bytes, int] = {}
    rows = np.ascontiguousarray(rows)
    which = np.array([seen.setdefault(row.tobytes(), len(seen)) for row in rows], dtype=np.int64)
    data = np.frombuffer(b"".join(seen), dtype=rows.dtype)
    return data.reshape(-1, rows.shape[1]), which


def _write(notebook: Any, *columns: Column) -> None:
    for start in range(0, len(columns[0]), _CHUNK):
        some = [column[start : start + _CHUNK] for column in columns]
        rows = np.stack(some, axis=1, dtype=notebook.typecode, casting="same_kind")
        notebook.frombytes(rows.data.cast("B"))
