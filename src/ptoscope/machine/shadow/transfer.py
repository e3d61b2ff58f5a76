"""The shadow of a DMA: undefined bits go where their bytes go."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ptoscope.isa import atomics
from ptoscope.isa.copies import CopyEnds, Transfer
from ptoscope.isa.footprint import starts
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.parts import MEMORIES
from ptoscope.isa.record import Site
from ptoscope.machine.lanes import number
from ptoscope.machine.memory import Region
from ptoscope.machine.shadow.findings import REACHES_GM, ShadowFindings
from ptoscope.machine.shadow.lanes import ShadowLanes
from ptoscope.machine.shadow.memory import ShadowBytes, tail_of
from ptoscope.machine.shadow.origins import DETAIL, DETAIL_BITS, Ids, Origins


class Located(NamedTuple):
    """The region of an address, its shadow and the byte offset in it."""

    region: Region
    shadow: ShadowBytes
    offset: int


def follow_transfer(
    site: Site,
    read: Located,
    written: Located,
    transfer: Transfer[Lanes],
    ends: CopyEnds[int],
    findings: ShadowFindings,
    book: Origins,
) -> None:
    """Follows a copy that has run without a fault, between these places."""
    source, target = MEMORIES[transfer.path.source], MEMORIES[transfer.path.target]
    length = ends.read.length
    fill = None
    if transfer.padding is not None and ends.written.length > length:
        fill = _Fill(transfer.padding.value, ends)
    mode = 0 if transfer.atomic is None else number(transfer.atomic)
    arrived = Arrived()
    written_rows: list[tuple[int, int]] = []
    reads = starts(ends.read.loops, read.offset)
    writes = starts(ends.written.loops, written.offset)
    for at, to in zip(reads, writes, strict=True):
        v, o = (column[at : at + length].copy() for column in (read.shadow.v, read.shadow.o))
        if mode:
            old = slice(to, to + length)
            there = written.shadow.v[old], written.shadow.o[old]
            v, o = updated(v, o, *there, atomics.element(mode).bytes)
        if not target.on_core:
            arrived.row(v, o, at, to + np.arange(length), book)
        if fill is not None:
            v, o = fill.around(v, o)
        end = to + ends.written.length
        written.shadow.write(slice(to, end), v, o)
        written_rows.append((to, end))
    if not source.on_core:
        for row in _merged(written_rows):
            written.shadow.leave(site, "beyond a tail", tail_of(*row), row, book)
    arrived.tell(site, written.region.name, findings)


def updated(v: Any, o: Ids, old_v: Any, old_o: Ids, size: int) -> tuple[Any, Ids]:
    """What an update makes of bytes and those that were there: elements of so many bytes, each
    undefined if a bit of either is, by the first byte of what is stored or else of what was
    there."""
    both = np.concatenate((v.reshape(-1, size), old_v.reshape(-1, size)), axis=1)
    origins = np.concatenate((o.reshape(-1, size), old_o.reshape(-1, size)), axis=1)
    first = (both != 0).argmax(axis=1)
    made = np.where(both.any(axis=1), 0xFF, 0).astype(np.uint8)
    return np.repeat(made, size), np.repeat(origins[np.arange(len(made)), first], size)


class Arrived:
    """The undefined bytes that a copy takes to GM.

    A kernel that fills a part of a buffer and copies all of it takes along what nobody wrote,
    at the ends of rows or as whole rows: more than there was to copy, and excused. It is not
    if defined bytes of the row stand on both sides, if nothing of the copy is defined, or if
    an instruction left it out beside bytes that it wrote and that are copied too.
    """

    def __init__(self) -> None:
        self.places: list[Any] = []
        self.origins: list[Ids] = []
        self.excused: list[Any] = []
        self.partly = False

    def row(self, v: Any, o: Ids, at: int, to: Any, book: Origins) -> None:
        """A row from the byte `at` on to the bytes `to`."""
        self.partly = self.partly or not v.all()
        if not v.any():
            return
        defined, bad = np.flatnonzero(v == 0), np.flatnonzero(v)
        origins = o[bad]
        excused = np.ones(len(bad), bool)
        if len(defined):
            excused = (bad < defined[0]) | (bad > defined[-1])
        # Bytes may have been copied within UB: what is beside them went with them.
        moved = at + bad - (origins & DETAIL)
        for which, by in np.unique((origins >> DETAIL_BITS, moved), axis=1).T.tolist():
            event = book.events[which]
            if not event.untouched or event.wrote_any(at - by + defined):
                excused &= (origins >> DETAIL_BITS != which) | (moved != by)
        self.places.append(to[bad])
        self.origins.append(origins)
        self.excused.append(excused)

    def tell(self, site: Site, name: str, findings: ShadowFindings) -> None:
        """What has arrived in an array."""
        if not self.places:
            return
        places, origins = np.concatenate(self.places), np.concatenate(self.origins)
        excused = np.concatenate(self.excused) & self.partly
        findings.arrived(
            REACHES_GM, site, lambda i: f"byte {places[i]} of %{name}", origins, excused
        )


def _merged(rows: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Rows that touch each other as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(rows):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


class _Fill:
    """The padding of a row, with its shadow."""

    def __init__(self, value: Lanes | None, ends: CopyEnds[int]) -> None:
        assert isinstance(value, ShadowLanes)
        self._left, self._end = ends.left, ends.written.length
        self._v = np.resize(value.undefined().view(np.uint8), self._end)
        self._o = np.full(self._end, value.origins()[0])

    def around(self, v: Any, o: Any) -> tuple[Any, Any]:
        """A row with its fill before and after it."""
        left, after = self._left, self._end - self._left - len(v)
        return (
            np.concatenate((self._v[:left], v, self._v[:after])),
            np.concatenate((self._o[:left], o, self._o[:after])),
        )
