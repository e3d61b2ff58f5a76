"""What bytes that a tile was moved to, or a product written to, were made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ptoscope.isa.copies import BurstLoop
from ptoscope.isa.tiles import SCALED, TileLayout, TileMove, TileProduct
from ptoscope.machine.tile_views import offsets
from ptoscope.replay.parts import MadeOf, MemoryBytes
from ptoscope.replay.rows import Piece, pieces
from ptoscope.trace.recording import TileStep
from ptoscope.trace.trace import SPACE_NUMBERS, Column

SpaceRange = tuple[int, int, int]
"""A space, the first byte and how many."""


def sources_of(done: TileStep, step: int, space: int, wanted: range) -> list[MadeOf]:
    """What bytes of a space were made of that a step wrote there by moving or multiplying tiles;
    nothing for those that it did not write, or filled."""
    tile = done.tile
    if isinstance(tile, TileMove):
        found = list(_moved(tile, done, step, space, wanted))
        if tile.convert is not None:
            found += _parameters(tile, done, step, space, wanted)
        return found
    return [
        MadeOf(MemoryBytes(*one, step - 1 if one[0] == SPACE_NUMBERS["l0c"] else step))
        for one in _multiplied(tile, done, space, wanted)
    ]


def _moved(
    tile: TileMove[int], done: TileStep, step: int, space: int, wanted: range
) -> Iterator[MadeOf]:
    """The elements that the bytes are, or were converted from."""
    (source, start), (target, to) = done.begins["source"], done.begins["target"]
    if target != space:
        return
    shape, size = (tile.rows, tile.columns), tile.target_type.bytes
    loop = tile.matrices or BurstLoop(1, 0, 0)
    moves: list[tuple[int, int]] = []
    whole: list[SpaceRange] = []
    for matrix in range(loop.count):
        first = to + matrix * loop.dst_stride
        for at, row, column in _elements(tile.target_layout, shape, size, wanted, first):
            begin = start + matrix * loop.src_stride + _place(tile.source_layout, row, column)
            if tile.convert is None:
                here = range(max(at, wanted.start), min(at + size, wanted.stop))
                moves += [(byte - wanted.start, begin + byte - at) for byte in here]
            else:
                whole.append((source, begin, tile.source_type.bytes))
    for piece in pieces(moves):
        yield MadeOf(
            MemoryBytes(source, piece.at, piece.size, step), Piece(piece.to, 0, piece.size)
        )
    for one in joined(whole):
        yield MadeOf(MemoryBytes(*one, step))


def _parameters(
    tile: TileMove[int], done: TileStep, step: int, space: int, wanted: range
) -> Iterator[MadeOf]:
    """The parameters of the columns that they are in."""
    target, to = done.begins["target"]
    if target != space:
        return
    shape, size = (tile.rows, tile.columns), tile.target_type.bytes
    columns = {c for _, _, c in _elements(tile.target_layout, shape, size, wanted, to)}
    for p in tile.parameters:
        memory, begin = done.begins[p.memory, p.address]
        ranges = [(memory, begin + c * p.step, p.dtype.bytes) for c in sorted(columns)]
        for one in joined(ranges):
            yield MadeOf(MemoryBytes(*one, step))


def _multiplied(
    tile: TileProduct[int], done: TileStep, space: int, wanted: range
) -> Iterator[SpaceRange]:
    """Of each element its row of the left operand and that of the right one, with their scales,
    and what it was added to."""
    result, to = done.begins["result"]
    if result != space:
        return
    shape, size = (tile.m, tile.n), tile.result_type.bytes
    places = list(_elements(tile.result, shape, size, wanted, to))
    rows, columns = ({place[n] for place in places} for n in (1, 2))
    groups = -(-tile.k // SCALED)
    for base, layout, numbers, dtype, held, scales in (
        ("left", tile.left, rows, tile.left_type, "l0a_scale", tile.left_scales),
        ("right", tile.right, columns, tile.right_type, "l0b_scale", tile.right_scales),
    ):
        memory, begin = done.begins[base]
        along = offsets(layout.columns, tile.k)
        starts = [begin + _place(layout, n, 0) + int(k) for n in sorted(numbers) for k in along]
        yield from joined((memory, start, dtype.bytes) for start in starts)
        if scales is not None:
            memory, begin = done.begins[held, scales]
            yield from joined((memory, begin + n * groups, groups) for n in sorted(numbers))
    if tile.start == "result":
        yield from joined((result, at, size) for at, _, _ in places)
    elif tile.bias is not None:
        memory, begin = done.begins["bt", tile.bias]
        yield from joined((memory, begin + c * size, size) for c in sorted(columns))


def _elements(
    layout: TileLayout[int], shape: tuple[int, int], size: int, wanted: range, first: int
) -> Iterator[tuple[int, int, int]]:
    """The elements of a tile from a byte on that have any of the wanted bytes: where each begins,
    its row and its column."""
    rows, columns = offsets(layout.rows, shape[0]), offsets(layout.columns, shape[1])
    starts: Column = first + rows[:, None] + columns
    inside = (starts < wanted.stop) & (starts + size > wanted.start)
    for row, column in np.argwhere(inside).tolist():
        yield int(starts[row, column]), row, column


def _place(layout: TileLayout[int], row: int, column: int) -> int:
    return sum(
        index // axis.width * axis.block + index % axis.width * axis.step
        for axis, index in ((layout.rows, row), (layout.columns, column))
    )


def joined(ranges: Iterable[SpaceRange]) -> list[SpaceRange]:
    """Ranges without what touches or overlaps twice."""
    found: list[SpaceRange] = []
    for space, start, size in sorted(set(ranges)):
        last = found[-1] if found else None
        if last is not None and last[0] == space and start <= last[1] + last[2]:
            found[-1] = space, last[1], max(last[2], start + size - last[1])
        else:
            found.append((space, start, size))
    return found
