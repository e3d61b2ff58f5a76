"""The bytes at both ends of a copy, from its numbers alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ptoscope.isa.core import Transfer
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.targets import DMA_ALIGNMENT
from ptoscope.trace.shapes import Shape, bursts

_ROWS, _TURNS = 1 << 16, 1 << 21
"""Rows, and turns of the loops around them, are fewer than these."""


class End(NamedTuple):
    """Rows of `length` bytes at one end of a copy, repeated by levels of (count, stride)."""

    length: int
    levels: tuple[tuple[int, int], ...]

    def fits(self, offset: int, size: int) -> bool:
        """Whether it stays inside a region; if not, the copy faults."""
        if self.length <= 0 or any(count <= 0 for count, _ in self.levels):
            return True
        spans = [(count - 1) * stride for count, stride in self.levels]
        first = offset + sum(min(span, 0) for span in spans)
        return first >= 0 and offset + sum(max(s, 0) for s in spans) + self.length <= size

    @property
    def shape(self) -> Shape:
        """Its bytes; only of one that stays inside memory, since others have too many."""
        return bursts(self.length, self.levels)


class Ends(NamedTuple):
    """What a copy reads and writes, relative to its two addresses."""

    read: End
    written: End


class Copy(NamedTuple):
    """The numbers of a copy: bytes of a row, which have to be fewer than `limit`; how often,
    and the steps at both ends, for each level. Where rows are padded, the bytes before and
    after them, in elements of `size` bytes."""

    length: int
    limit: int
    levels: tuple[tuple[int, int, int], ...]
    padded: bool = False
    left: int = 0
    right: int = 0
    size: int = 1

    @staticmethod
    def of(transfer: Transfer, number: Callable[[Lanes], int]) -> Copy:
        """The numbers of one whose values are known."""
        levels = tuple(
            (number(level.count), number(level.src_stride), number(level.dst_stride))
            for level in transfer.levels
        )
        length, limit, pad = number(transfer.length), 1 << transfer.length_bits, transfer.pad
        if pad is None or (pad.enabled is not None and not number(pad.enabled)):
            return Copy(length, limit, levels)
        left, right = number(pad.left), number(pad.right)
        return Copy(length, limit, levels, True, left, right, transfer.dtype.bytes)

    @property
    def ends(self) -> Ends | None:
        """Both ends; None where a field is out of range, which faults."""
        if not 0 <= self.length < self.limit:
            return None
        most = _ROWS
        for times, _, _ in self.levels:
            if not 0 <= times < most:
                return None
            most = _TURNS
        written = self.length
        if self.padded:
            if not 0 <= self.left < 256 or not 0 <= self.right < 256:
                return None
            # A padded row is filled up to a whole block, and to the next row.
            filled = self.length + (self.left + self.right) * self.size
            whole = -(-filled // DMA_ALIGNMENT) * DMA_ALIGNMENT
            written = max(whole, self.levels[0][2])
        return Ends(
            End(self.length, tuple((times, src) for times, src, _ in self.levels)),
            End(written, tuple((times, dst) for times, _, dst in self.levels)),
        )
