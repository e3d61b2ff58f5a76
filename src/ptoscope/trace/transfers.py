"""The bytes at both ends of a copy, from its numbers alone."""

from __future__ import annotations

from typing import NamedTuple

from ptoscope.isa.core import Pad, Transfer
from ptoscope.isa.targets import DMA_ALIGNMENT
from ptoscope.machine.core import number
from ptoscope.trace.shapes import Shape, bursts

_ROWS, _TURNS = 1 << 16, 1 << 21
"""Rows, and turns of the loops around them, are fewer than these."""


class Ends(NamedTuple):
    """What a copy reads and writes, relative to its two addresses."""

    read: Shape
    written: Shape


def ends(transfer: Transfer) -> Ends | None:
    """Both ends of a copy; None where a field of it is out of range, which faults."""
    length = number(transfer.length)
    if not 0 <= length < 1 << transfer.length_bits:
        return None
    src: list[tuple[int, int]] = []
    dst: list[tuple[int, int]] = []
    most = _ROWS
    for level in transfer.levels:
        times = number(level.count)
        if not 0 <= times < most:
            return None
        src.append((times, number(level.src_stride)))
        dst.append((times, number(level.dst_stride)))
        most = _TURNS
    pad = transfer.pad
    written = length
    if pad is not None and (pad.enabled is None or number(pad.enabled)):
        padded = _row(pad, length, transfer.dtype.bytes, dst[0][1])
        if padded is None:
            return None
        written = padded
    return Ends(bursts(length, tuple(src)), bursts(written, tuple(dst)))


def _row(pad: Pad, length: int, size: int, stride: int) -> int | None:
    """A padded row is filled up to a whole block, and to the next row."""
    left, right = number(pad.left), number(pad.right)
    if not 0 <= left < 256 or not 0 <= right < 256:
        return None
    filled = length + (left + right) * size
    return max(-(-filled // DMA_ALIGNMENT) * DMA_ALIGNMENT, stride)
