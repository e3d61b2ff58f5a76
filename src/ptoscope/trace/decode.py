"""From the notes of generated code to the notebooks of a recorder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ptoscope.isa.types import Space
from ptoscope.machine.memory import gm_base, gm_position
from ptoscope.trace import marks
from ptoscope.trace.marks import Mark
from ptoscope.trace.recorder import Recorder
from ptoscope.trace.shapes import Shape, dense, elements, lanes
from ptoscope.trace.trace import NONE, REGISTERS, UB, Column
from ptoscope.trace.transfers import Copy

Spaces = dict[int, tuple[int, int]]
"""By the position of an array: its space, and where in it the array begins."""


def decode(
    recorder: Recorder,
    known: list[Mark],
    notes: Column,
    kept: Column,
    ends: list[int],
    spaces: Spaces,
) -> None:
    """Writes the notebooks. `known` are the marks by number, `ends` how many notes there were
    at the end of each block."""
    _Decoder(recorder, known, notes, kept, spaces).decode()
    begun = np.concatenate(([0], np.cumsum(_of_kind(known, notes) == marks.SEGMENT)))
    recorder.blocks.extend(begun[ends].tolist())


def _of_kind(known: list[Mark], notes: Column) -> Column:
    return np.array([mark.kind for mark in known], dtype=np.int8)[notes[:, 0]]


class _Decoder:
    def __init__(
        self,
        recorder: Recorder,
        known: list[Mark],
        notes: Column,
        kept: Column,
        spaces: Spaces,
    ) -> None:
        self._recorder, self._known, self._kept = recorder, known, kept
        self._notes = notes
        self._mark, self._a, self._b, self._c = notes.T
        self._kind = _of_kind(known, notes)
        self._spaces = spaces
        self._touches: list[Column] = []

    def decode(self) -> None:
        """Writes all notebooks."""
        recorder = self._recorder
        segments, turns, entries = (
            np.flatnonzero(self._kind == k) for k in (marks.SEGMENT, marks.TURN, marks.ENTRY)
        )
        self._segments = segments
        number = self._static(lambda mark: mark.detail if mark.kind == marks.SEGMENT else NONE)
        turn, entry = self._a[segments], self._b[segments]
        begun = (number[segments], _rank(turns, turn), _rank(entries, entry))
        _write(recorder.begun, begun)
        place = self._static(lambda mark: mark.place)
        _write(recorder.turns, (_rank(turns, self._a[turns]), place[turns], self._b[turns]))
        _write(recorder.entries, (_rank(segments, self._a[entries]),))
        self._syncs(place)
        self._accesses(place)

    def _static(self, property: Callable[[Mark], int]) -> Column:
        """What a mark says, for each note."""
        return np.array([property(mark) for mark in self._known], dtype=np.int64)[self._mark]

    def _syncs(self, place: Column) -> None:
        at = np.flatnonzero(self._kind == marks.SYNC)
        parts = [(0, 0, 0) if m.kind != marks.SYNC else m.detail for m in self._known]
        kind, src, dst = np.array(parts, dtype=np.int64).reshape(-1, 3)[self._mark[at]].T
        begun = _rank(self._segments, self._a[at])
        _write(self._recorder.syncs, (begun, place[at], kind, src, dst, self._b[at], self._c[at]))

    # Accesses: number of the note, space twice plus whether it writes, shape, address.

    def _accesses(self, place: Column) -> None:
        self._plain()
        order = np.argsort(self._mark, kind="stable")
        first = np.searchsorted(self._mark[order], np.arange(len(self._known) + 1))
        by_kind = {
            marks.MASKED: self._masked,
            marks.SPREAD: self._spread,
            marks.RUN: self._run,
            marks.SCALAR: self._scalar,
            marks.COPY: self._copy,
        }
        for number, mark in enumerate(self._known):
            at = order[first[number] : first[number + 1]]
            if mark.kind in by_kind and len(at):
                by_kind[mark.kind](mark, at)
        note, kind, shape, address = np.hstack(self._touches)
        if len(self._touches) > 1:
            # Stable: of the two ends of a copy the one that is read stays first.
            sort = np.argsort(note, kind="stable")
            note, kind, shape, address = note[sort], kind[sort], shape[sort], address[sort]
        begun = _rank(self._segments, self._a[note])
        _write(self._recorder.touches, (begun, place[note], kind, shape, address))

    def _touch(self, at: Column, kind: Any, shape: Any, address: Column) -> None:
        rows = np.empty((4, len(at)), dtype=np.int64)
        rows[0], rows[1], rows[2], rows[3] = at, kind, shape, address
        self._touches.append(rows)

    def _plain(self) -> None:
        """Accesses whose shape is the mark's."""
        at = np.flatnonzero((self._kind == marks.LANES) | (self._kind == marks.REGISTER))
        shapes, kinds = np.zeros((2, len(self._known)), dtype=np.int64)
        addresses = np.zeros(len(self._known), dtype=np.int64)
        which = self._mark[at]
        for number in dict.fromkeys(which.tolist()):
            mark = self._known[number]
            if mark.kind == marks.LANES:
                shapes[number] = self._shape(lanes(mark.detail, None))
                kinds[number] = UB * 2 + mark.writes
            else:
                shapes[number] = self._shape(dense(8))
                kinds[number] = REGISTERS * 2 + mark.writes
                addresses[number] = self._recorder.register(mark.detail)
        self._touch(at, kinds[which], shapes[which], self._b[at] + addresses[which])

    def _shape(self, shape: Shape) -> int:
        return self._recorder.shape(shape)

    def _masked(self, mark: Mark, at: Column) -> None:
        access, count = mark.detail
        if count <= 64:
            bits, which = np.unique(self._c[at], return_inverse=True)
            rows = bits[:, None]
        else:
            rows, which = _unique(self._words(at, count // 64))
        active = np.unpackbits(rows.view(np.uint8), axis=1, count=count, bitorder="little")
        shapes = [self._shape(lanes(access, row)) for row in active.astype(bool)]
        self._touch(at, UB * 2 + 1, np.array(shapes)[which], self._b[at])

    def _words(self, at: Column, count: int) -> Column:
        """The words that notes have kept."""
        return self._kept[self._c[at][:, None] + np.arange(count)]

    def _spread(self, mark: Mark, at: Column) -> None:
        width, count = mark.detail
        places = self._words(at, count // 2).view(np.int32)
        at = at[some := (places >= 0).any(axis=1)]
        places = np.sort(places[some], axis=1)
        first = np.where(places >= 0, places, np.iinfo(np.int32).max).min(axis=1, initial=1 << 30)
        relative = np.where(places >= 0, places - first[:, None], NONE)
        rows, which = _unique(relative)
        shapes = [self._shape(elements(np.unique(r[r >= 0]).astype(np.int64), width)) for r in rows]
        self._touch(at, UB * 2 + mark.writes, np.array(shapes, dtype=np.int64)[which], first)

    def _run(self, mark: Mark, at: Column) -> None:
        at = at[self._c[at] > 0]
        lengths, which = np.unique(self._c[at], return_inverse=True)
        shapes = np.array([self._shape(dense(int(n))) for n in lengths], dtype=np.int64)
        self._touch(at, UB * 2 + 1, shapes[which], self._b[at])

    def _scalar(self, mark: Mark, at: Column) -> None:
        space, size = mark.detail
        self._end(at, space, self._b[at], np.full(len(at), self._shape(dense(size))), mark.writes)

    def _copy(self, mark: Mark, at: Column) -> None:
        src_space, dst_space, limit, size, levels = mark.detail
        words = self._words(at, 7 + 3 * levels)
        rows, which = _unique(np.delete(words, (0, 1, 6), axis=1))
        shapes = np.full((len(rows), 2), NONE)
        for i, (length, padded, left, right, *steps) in enumerate(rows.tolist()):
            every = tuple((steps[k], steps[k + 1], steps[k + 2]) for k in range(0, len(steps), 3))
            ends = Copy(length, limit, every, bool(padded), left, right, size).ends
            if ends is not None:
                shapes[i] = self._shape(ends.read), self._shape(ends.written)
        read, written = shapes[which].T
        self._end(at, src_space, words[:, 0], read, False)
        self._end(at, dst_space, words[:, 1], written, True)

    def _end(self, at: Column, space: Space, address: Column, shape: Column, writes: bool) -> None:
        """Accesses in a space; one without a shape, or in no array, is of a copy at fault."""
        if space == "ub":
            where, begin, found = np.full(len(at), UB), address, shape != NONE
        else:
            position = gm_position(address)
            most = max(self._spaces, default=0) + 1
            table = np.full((most + 1, 2), NONE)
            for known, entry in self._spaces.items():
                table[known] = entry
            there = (position >= 0) & (position < most)
            where, low = table[np.where(there, position, most)].T
            begin = address - gm_base(position) + low
            found = (where != NONE) & (shape != NONE)
        self._touch(at[found], (where * 2 + writes)[found], shape[found], begin[found])


def _rank(sorted_notes: Column, notes: Column) -> Column:
    """Which one of its kind each note is."""
    return np.where(notes == NONE, NONE, np.searchsorted(sorted_notes, notes))


def _unique(rows: Column) -> tuple[Column, Column]:
    """The rows that differ, in the order of their first, and which of them each is."""
    seen: dict[bytes, int] = {}
    rows = np.ascontiguousarray(rows)
    which = np.array([seen.setdefault(row.tobytes(), len(seen)) for row in rows], dtype=np.int64)
    data = np.frombuffer(b"".join(seen), dtype=rows.dtype)
    return data.reshape(-1, rows.shape[1]), which


def _write(notebook: Any, columns: tuple[Column, ...]) -> None:
    notebook.frombytes(np.stack(columns, axis=1).astype(notebook.typecode).tobytes())
