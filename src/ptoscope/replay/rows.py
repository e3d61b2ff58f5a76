"""Which lane, row or run has a byte."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ptoscope.isa.distributions import NOTHING
from ptoscope.isa.footprint import Bursts
from ptoscope.replay.writes import AccessRows
from ptoscope.trace.recording import Placed
from ptoscope.trace.trace import Column


def covered(rows: AccessRows, row: int, at: int, size: int) -> Column:
    """Which bytes of a range an access has."""
    columns = (rows.start, rows.length, rows.count, rows.stride)
    start, length, count, stride = (int(column[row]) for column in columns)
    byte = np.arange(at, at + size) - start
    number = byte // stride if stride > 0 else np.zeros_like(byte)
    number = np.clip(number, 0, count - 1)
    within = byte - number * stride
    return (within >= 0) & (within < length)


def holding(one: Placed, byte: int) -> Column:
    """The lanes that have a byte."""
    offsets = np.asarray(one.offsets, dtype=np.int64)
    within = byte - one.address - offsets
    return np.flatnonzero((offsets != NOTHING) & (within >= 0) & (within < one.width))


def row_byte(written: Bursts[int], read: Bursts[int], byte: int) -> tuple[int, int] | None:
    """Of the last row of a copy that has a byte: where its source begins, and which byte of the
    row it is."""

    def search(level: int, at: int, source: int) -> tuple[int, int] | None:
        if level < 0:
            within = at - written.start
            return (source + read.start, within) if 0 <= within < written.length else None
        count, stride = written.loops[level]
        low, high = 0, written.length
        for inner, step in written.loops[:level]:
            low, high = low + min(0, (inner - 1) * step), high + max(0, (inner - 1) * step)
        numbers: Iterable[int] = range(count)
        if stride:
            # Iterations whose rows may reach the byte.
            edges = sorted(((at - high) / stride, (at - low) / stride))
            numbers = range(max(0, int(edges[0])), min(count, int(edges[1]) + 2))
        for number in reversed(numbers):
            found = search(level - 1, at - number * stride, source + number * read.loops[level][1])
            if found is not None:
                return found
        return None

    return search(len(written.loops) - 1, byte, 0)


class Piece(NamedTuple):
    """Bytes that moved: `size` of them, from byte `at` of where they were to byte `to` of where
    they went."""

    to: int
    at: int
    size: int

    def inside(self, begin: int, size: int) -> Piece | None:
        """What of it was in a part of where it was, counted from the begin of that."""
        first, last = max(self.at, begin), min(self.at + self.size, begin + size)
        return (
            Piece(self.to + first - self.at, first - begin, last - first) if first < last else None
        )


def pieces(moves: Iterable[tuple[int, int]], edge: int = -1) -> list[Piece]:
    """Bytes that moved, each to where and from where, as runs of them; cut at a byte where they
    were."""
    found: list[Piece] = []
    for to, at in moves:
        last = found[-1] if found else None
        if last and (to, at) == (last.to + last.size, last.at + last.size) and at != edge:
            found[-1] = last._replace(size=last.size + 1)
        else:
            found.append(Piece(to, at, 1))
    return found
