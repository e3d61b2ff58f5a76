"""The shadow of a DMA: undefined bits go where their bytes go."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ptoscope.isa.core import Transfer
from ptoscope.isa.record import Site
from ptoscope.isa.targets import DMA_ALIGNMENT
from ptoscope.isa.types import Space
from ptoscope.machine.core import number
from ptoscope.machine.memory import Region
from ptoscope.machine.shadow.findings import REACHES_GM, Findings
from ptoscope.machine.shadow.lanes import ShadowLanes
from ptoscope.machine.shadow.memory import ShadowBytes, tail_of
from ptoscope.machine.shadow.origins import DETAIL, DETAIL_BITS, Ids, Origins

Locate = Callable[[Space, int], tuple[Region, ShadowBytes, int]]
"""The region of an address, its shadow and the byte offset in it."""


def follow_transfer(
    site: Site,
    locate: Locate,
    src: int,
    dst: int,
    transfer: Transfer,
    findings: Findings,
    book: Origins,
) -> None:
    """Follows a transfer that has run without a fault."""
    length = number(transfer.length)
    pad = _Pad.of(transfer, length)
    rows = list(_rows(transfer))
    if not rows or (length == 0 and pad is None):
        return
    _, read, start = locate(transfer.src_space, src)
    region, written, first = locate(transfer.dst_space, dst)
    arrived = _Arrived()
    written_rows: list[tuple[int, int]] = []
    for src_step, dst_step in rows:
        at, to = start + src_step, first + dst_step
        v, o = read.v[at : at + length].copy(), read.o[at : at + length].copy()
        if transfer.dst_space == "gm":
            arrived.row(v, o, at, to, book)
        end = to + length
        if pad is not None:
            v, o = pad.around(v, o)
            end = to + pad.end
        written.write(slice(to, end), v, o)
        written_rows.append((to, end))
    if transfer.src_space == "gm":
        for row in _merged(written_rows):
            written.leave(site, "beyond a tail", tail_of(*row), row, book)
    if arrived.places:
        places, origins = np.concatenate(arrived.places), np.concatenate(arrived.origins)
        excused = np.concatenate(arrived.excused) & arrived.partly
        findings.arrived(
            REACHES_GM, site, lambda i: f"byte {places[i]} of %{region.name}", origins, excused
        )


class _Arrived:
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

    def row(self, v: Any, o: Ids, at: int, to: int, book: Origins) -> None:
        """A row from the byte `at` on to the byte `to` on."""
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
        self.places.append(to + bad)
        self.origins.append(origins)
        self.excused.append(excused)


def _merged(rows: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Rows that touch each other as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(rows):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _rows(transfer: Transfer) -> Iterator[tuple[int, int]]:
    """The byte steps of source and destination of every row, in the order they are copied."""
    levels = list(reversed(transfer.levels))
    steps = [(number(level.src_stride), number(level.dst_stride)) for level in levels]
    # A level that does not move copies the same bytes again: once is enough.
    counts = [
        number(level.count) if any(step) else min(number(level.count), 1)
        for level, step in zip(levels, steps, strict=True)
    ]
    for index in itertools.product(*map(range, counts)):
        pairs = list(zip(index, steps, strict=True))
        yield sum(i * s for i, (s, _) in pairs), sum(i * d for i, (_, d) in pairs)


class _Pad:
    """The layout of a padded row in UB, with the shadow of its fill."""

    def __init__(self, value: ShadowLanes, left: int, end: int) -> None:
        self.left, self.end = left, end
        self.v = np.resize(value.undefined().view(np.uint8), end)
        self.o = np.full(end, value.origins()[0])

    @staticmethod
    def of(transfer: Transfer, length: int) -> _Pad | None:
        pad = transfer.pad
        if pad is None or (pad.enabled is not None and not number(pad.enabled)):
            return None
        assert isinstance(pad.value, ShadowLanes)
        left, right = (number(n) * transfer.dtype.bytes for n in (pad.left, pad.right))
        blocks = -(-(left + length + right) // DMA_ALIGNMENT)
        stride = number(transfer.levels[0].dst_stride) if transfer.levels else 0
        return _Pad(pad.value, left, max(blocks * DMA_ALIGNMENT, stride))

    def around(self, v: Any, o: Any) -> tuple[Any, Any]:
        """A row with its fill before and after it."""
        after = self.end - self.left - len(v)
        before_v, before_o = self.v[: self.left], self.o[: self.left]
        return (
            np.concatenate((before_v, v, self.v[:after])),
            np.concatenate((before_o, o, self.o[:after])),
        )
