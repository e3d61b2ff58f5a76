"""DMA of the reference engine: nested loops of bursts between two regions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ptoscope.isa.core import Transfer
from ptoscope.isa.record import Site
from ptoscope.isa.targets import DMA_ALIGNMENT
from ptoscope.machine.faults import DMA_FIELD, Fault
from ptoscope.machine.lanes import NumpyLanes
from ptoscope.machine.memory import Memory, Region, misaligned

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


def _number(value: object) -> int:
    assert isinstance(value, NumpyLanes)
    return int(value.a)


@dataclass
class _Side:
    """One end of a transfer: where rows start and how far they step."""

    region: Region
    start: int
    strides: list[int]
    counts: list[int]
    row: int

    def first(self) -> int:
        return self.start + sum(min(0, s) * (c - 1) for s, c in self._levels())

    def last(self) -> int:
        return self.start + sum(max(0, s) * (c - 1) for s, c in self._levels())

    def _levels(self) -> Iterator[tuple[int, int]]:
        return zip(self.strides, self.counts, strict=True)

    def check(self, site: Site, verb: str) -> None:
        """Bounds and alignment of every row, without visiting them all unless one is wrong."""
        if self.region.space == "ub":
            self._check_alignment(site)
        inside = self.first() >= 0 and self.last() + self.row <= self.region.size
        if not inside:
            for start in self.rows():
                self.region.check(site, start, self.row, verb)
        if not self.region.writeable:
            self.region.check(site, self.start, self.row, verb)

    def _check_alignment(self, site: Site) -> None:
        steps = [s for s, c in self._levels() if c > 1]
        for address in (self.start, *(self.start + s for s in steps)):
            if address % DMA_ALIGNMENT:
                raise misaligned(site, "ub", address, DMA_ALIGNMENT)

    def rows(self) -> Iterator[int]:
        """The start of every row, in the order they are copied."""
        outer = [range(c) for c in reversed(self.counts)]
        steps = list(reversed(self.strides))
        for index in itertools.product(*outer):
            yield self.start + sum(i * s for i, s in zip(index, steps, strict=True))


def run_transfer(site: Site, memory: Memory, src: int, dst: int, transfer: Transfer) -> None:
    """Copies every burst, innermost level first; nothing is written if any row is illegal."""
    length = _field(site, "burst length", _number(transfer.length), transfer.length_bits)
    rows, *loops = (_number(level.count) for level in transfer.levels)
    counts = [_field(site, "row count", rows, 16)]
    counts += [_field(site, "loop count", count, 21) for count in loops]
    if 0 in counts:
        return
    src_strides = [_number(level.src_stride) for level in transfer.levels]
    dst_strides = [_number(level.dst_stride) for level in transfer.levels]
    # A level that does not move copies the same bytes again: once is enough.
    steps = zip(counts, src_strides, dst_strides, strict=True)
    counts = [count if src_step or dst_step else 1 for count, src_step, dst_step in steps]
    padding = _Padding.of(site, transfer, length, dst_strides[0] if dst_strides else 0)
    if length == 0 and padding is None:
        return
    source = _Side(*memory.locate(site, transfer.src_space, src), src_strides, counts, length)
    target = _Side(
        *memory.locate(site, transfer.dst_space, dst),
        dst_strides,
        counts,
        padding.end if padding else length,
    )
    source.check(site, "reads")
    target.check(site, "writes")
    if padding:
        for read, write in zip(source.rows(), target.rows(), strict=True):
            row = target.region.data[write : write + padding.end]
            padding.fill(row, source.region.data[read : read + length])
    else:
        _copy(source, target, length)


def _field(site: Site, name: str, value: int, bits: int) -> int:
    if 0 <= value < 1 << bits:
        return value
    raise Fault(
        site,
        DMA_FIELD,
        f"the {name} does not fit its {bits}-bit field",
        found=str(value),
        expected=f"0 to {(1 << bits) - 1}",
        hint="split the transfer into more rows or several copies",
    )


def _copy(source: _Side, target: _Side, length: int) -> None:
    rows, step_in, step_out = source.counts[0], source.strides[0], target.strides[0]
    # Rows that overlap in the destination have to be written one after the other.
    dense = step_in >= 0 and step_out >= length and source.region is not target.region
    outer_in = _Side(source.region, source.start, source.strides[1:], source.counts[1:], length)
    outer_out = _Side(target.region, target.start, target.strides[1:], target.counts[1:], length)
    for read, write in zip(outer_in.rows(), outer_out.rows(), strict=True):
        if dense and rows > 1:
            _rows(target.region.data, write, rows, step_out, length)[:] = _rows(
                source.region.data, read, rows, step_in, length
            )
            continue
        for r in range(rows):
            at, to = read + r * step_in, write + r * step_out
            target.region.data[to : to + length] = source.region.data[at : at + length]


def _rows(data: Bytes, start: int, rows: int, step: int, length: int) -> Bytes:
    if step == length:
        return data[start : start + rows * length].reshape(rows, length)
    return as_strided(data[start:], (rows, length), (step, 1))


@dataclass
class _Padding:
    """The layout of a padded UB row: left fill, data, fill up to the end."""

    element: Bytes
    left: int
    end: int

    @staticmethod
    def of(site: Site, transfer: Transfer, length: int, row_stride: int) -> _Padding | None:
        pad = transfer.pad
        if pad is None or (pad.enabled is not None and not _number(pad.enabled)):
            return None
        size = transfer.dtype.bytes
        left = _field(site, "left padding", _number(pad.left), 8) * size
        right = _field(site, "right padding", _number(pad.right), 8) * size
        filled = left + length + right
        end = max(-(-filled // DMA_ALIGNMENT) * DMA_ALIGNMENT, row_stride)
        value = pad.value
        assert isinstance(value, NumpyLanes)
        return _Padding(np.frombuffer(value.a.tobytes(), dtype=np.uint8), left, end)

    @cached_property
    def pattern(self) -> Bytes:
        """What a row is filled with; only rows that are inside UB can be so long."""
        return np.resize(self.element, self.end)

    def fill(self, row: Bytes, data: Bytes) -> None:
        row[: self.left] = self.pattern[: self.left]
        after = self.left + len(data)
        row[self.left : after] = data
        row[after:] = self.pattern[: self.end - after]
