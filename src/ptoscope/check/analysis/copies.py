"""Which bytes a DMA copies, in expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ptoscope.check.analysis.expr import ONE, Expr, Symbol, of
from ptoscope.check.analysis.nodes import Bytes
from ptoscope.isa.core import Pad, Transfer
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.targets import DMA_ALIGNMENT

Number = Callable[[Lanes], Expr]
Levels = tuple[tuple[Expr, Expr], ...]
LENGTH, ROWS, LOOPS, PADDING = "burst length", "row count", "loop count", "padding"
_ROW_BITS, _LOOP_BITS, _PADDING_BITS = 16, 21, 8


@dataclass(frozen=True)
class Copy:
    """Rows of `length` bytes that become rows of `row` bytes: more where they are padded.
    `certain` is false where so much may be written and perhaps less is."""

    length: Expr
    row: Expr
    certain: bool
    read: Levels
    write: Levels
    fields: tuple[tuple[str, Expr, int], ...]
    """Numbers that the instruction encodes, with the bits of their fields."""


def copy_of(number: Number, transfer: Transfer) -> Copy:
    """A transfer whose numbers are made known."""
    length = number(transfer.length)
    fields = [(LENGTH, length, transfer.length_bits)]
    read: list[tuple[Expr, Expr]] = []
    write: list[tuple[Expr, Expr]] = []
    for index, level in enumerate(transfer.levels):
        count = number(level.count)
        fields.append((LOOPS, count, _LOOP_BITS) if index else (ROWS, count, _ROW_BITS))
        src, dst = number(level.src_stride), number(level.dst_stride)
        # A level that does not move copies the same bytes again.
        if count.number == 0 or (count.number != 1 and not src.number == dst.number == 0):
            read.append((count, src))
            write.append((count, dst))
    stride = write[0][1] if write else Expr(0)
    row, certain = length, True
    if transfer.pad is not None:
        enabled = ONE if transfer.pad.enabled is None else number(transfer.pad.enabled)
        if enabled.number != 0:
            left, right = _padding(number, transfer.pad)
            if enabled.number is not None:
                fields += [(f"left {PADDING}", left, _PADDING_BITS)]
                fields += [(f"right {PADDING}", right, _PADDING_BITS)]
            filled = length + (left + right).times(transfer.dtype.bytes)
            row = _padded(filled, stride) if enabled.number is not None else _UNKNOWN
            certain = row is not _UNKNOWN
    return Copy(length, row, certain, tuple(read), tuple(write), tuple(fields))


_UNKNOWN = of(Symbol("any", "row", low=0))


def _padding(number: Number, pad: Pad) -> tuple[Expr, Expr]:
    return number(pad.left), number(pad.right)


def _padded(filled: Expr, stride: Expr) -> Expr:
    """Padding goes on to the next block, and on to the next row."""
    if filled.number is None or stride.number is None:
        return _UNKNOWN
    return Expr(max(-(-filled.number // DMA_ALIGNMENT) * DMA_ALIGNMENT, stride.number))


def starts(rows: Bytes) -> tuple[Expr, ...]:
    """The first row, and one a step further on every level."""
    steps = (stride for count, stride in rows.levels if (count.number or 0) > 1)
    return (rows.start, *(rows.start + stride for stride in steps))
