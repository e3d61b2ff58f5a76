"""Tiles of the reference engine: a matrix from one memory to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ptoscope.isa import atomics
from ptoscope.isa.copies import INTEGERS, LOOPS, BurstLoop
from ptoscope.isa.dtypes import DType
from ptoscope.isa.footprint import first_outside
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site
from ptoscope.isa.tiles import ColumnParameters, TileAccess, TileLayout, TileMove, move_accesses
from ptoscope.isa.types import Space
from ptoscope.machine.dma import GM_UPDATE
from ptoscope.machine.elements import storage
from ptoscope.machine.faults import DMA_FIELD, NOT_MODELLED, Fault
from ptoscope.machine.lanes import NumpyLanes, number
from ptoscope.machine.memory import Memory, Region, misaligned
from ptoscope.machine.tile_views import Matrix, are_apart, offsets, read_tile, write_tile


class TileStart(NamedTuple):
    """Where a tile begins: a byte of a region."""

    region: Region
    at: int

    def aligned(self, site: Site, alignment: int) -> None:
        """A fault unless it is a multiple of the alignment."""
        if self.at % alignment:
            raise misaligned(site, self.region.space, self.at, alignment)

    def matrix(self, layout: TileLayout[int], shape: tuple[int, int], dtype: DType) -> Matrix:
        """The elements of a tile from here on."""
        return read_tile(self.region.data, self.at, layout, shape, storage(dtype))

    def further(self, count: int) -> TileStart:
        """So many bytes further on."""
        return TileStart(self.region, self.at + count)


Locate = Callable[[Space, int], TileStart]


class MoveEnds(NamedTuple):
    """Where a move begins in its two memories."""

    source: TileStart
    target: TileStart


def run_move(
    site: Site, memory: Memory, src: int, dst: int, move: TileMove[Lanes]
) -> MoveEnds | None:
    """Moves a tile, one matrix after the other; nothing is written if any byte is illegal. Gives
    where it begins, or None if there was nothing to move."""
    tile = move.map(number)
    if not _has_elements(site, tile):
        return None

    def locate(space: Space, address: int) -> TileStart:
        return TileStart(*memory.locate(site, space, address, tile.core))

    source, target = locate(tile.source, src), locate(tile.target, dst)
    source.aligned(site, tile.alignment[0])
    target.aligned(site, _target_alignment(site, tile))
    places = {"source": source, "target": target}
    check_accesses(site, move_accesses(tile, INTEGERS), places, locate)
    shape = tile.rows, tile.columns
    columns = (column_parameters(locate, p, shape) for p in tile.parameters)
    count = tile.rows * tile.columns
    given = (*columns, *(one if count == 1 else one.splat(count) for one in tile.scalars))
    loop = tile.matrices or BurstLoop(1, 0, 0)
    for matrix in range(loop.count):
        read = source.further(matrix * loop.src_stride)
        elements = read.matrix(tile.source_layout, shape, tile.source_type)
        if tile.convert is not None:
            elements = matrix_of(tile.convert(lanes_of(elements, tile.source_type), given))
            elements = elements.reshape(shape)
        written = target.further(matrix * loop.dst_stride)
        if tile.atomic:
            with GM_UPDATE:
                _update(written, tile, elements)
        else:
            write_tile(written.region.data, written.at, tile.target_layout, _filled(elements, tile))
    return MoveEnds(source, target)


def _has_elements(site: Site, tile: TileMove[int]) -> bool:
    counts = {"row count": tile.rows, "column count": tile.columns}
    if tile.matrices is not None:
        counts[LOOPS] = tile.matrices.count
    for name, count in counts.items():
        if count < 0:
            raise Fault(
                site, DMA_FIELD, f"the {name} is negative", found=str(count), expected="0 or more"
            )
    return all(counts.values())


def _target_alignment(site: Site, tile: TileMove[int]) -> int:
    """What the address of the target is a multiple of: whole elements are updated."""
    if not tile.atomic:
        return tile.alignment[1]
    element = atomics.element(tile.atomic)
    if element.bytes != tile.target_type.bytes:
        raise Fault(
            site,
            NOT_MODELLED,
            f"an {atomics.title(tile.atomic)} with elements of another size is not modelled",
            found=f"elements of {tile.target_type}",
            expected=f"elements of {8 * element.bytes} bits",
            hint="set atomic stores to the type that is stored, or switch them off before it",
        )
    return max(tile.alignment[1], element.bytes)


def check_accesses(
    site: Site, accesses: list[TileAccess[int]], places: dict[str, TileStart], locate: Locate
) -> None:
    """Faults at the first byte that is outside of its memory, or may not be written."""
    for memory, writes, base, bursts in accesses:
        region, at = places[base] if isinstance(base, str) else locate(memory, base)
        verb = "writes" if writes else "reads"
        if writes and not region.writeable:
            region.check(site, at, bursts.length, verb)
        outside = first_outside(bursts, at, region.size)
        if outside is not None:
            raise region.out_of_bounds(site, outside, bursts.length, verb)


def column_parameters(
    locate: Locate, given: ColumnParameters[int], shape: tuple[int, int]
) -> NumpyLanes:
    """A parameter of each column, for every element of a matrix, row after row."""
    place = locate(given.memory, given.address)
    kind = storage(given.dtype)
    row = np.ndarray(shape[1:], kind, place.region.data, place.at, (given.step,))
    return lanes_of(np.tile(row, shape[0]), given.dtype)


def lanes_of(elements: Any, dtype: DType) -> NumpyLanes:
    """Elements as lanes, row after row; a row of one is a scalar."""
    row = elements.reshape(-1)
    return NumpyLanes(row[0] if row.size == 1 else row, dtype, row.size)


def matrix_of(lanes: Lanes) -> Any:
    """Lanes as an array of elements."""
    assert isinstance(lanes, NumpyLanes)
    return np.atleast_1d(lanes.a)


def _filled(elements: Matrix, tile: TileMove[int]) -> Matrix:
    """The columns of a matrix, and zeros up to where it is filled."""
    if tile.filled is None or tile.filled <= tile.columns:
        return elements
    made = np.zeros((tile.rows, tile.filled), elements.dtype)
    made[:, : tile.columns] = elements
    return made


def _update(target: TileStart, tile: TileMove[int], elements: Matrix) -> None:
    """Updates a matrix in GM at once, or where its elements lie on each other one by one: each
    finds what the one before it left."""
    assert tile.atomic is not None
    dtype, values = atomics.element(tile.atomic), _filled(elements, tile)
    values = values.view(storage(dtype))
    layout, shape = tile.target_layout, values.shape
    if are_apart(layout, shape, dtype.bytes):
        _update_part(target, layout, values, tile.atomic, dtype)
        return
    rows, columns = offsets(layout.rows, shape[0]), offsets(layout.columns, shape[1])
    for (row, column), value in np.ndenumerate(values):
        here = target.further(int(rows[row] + columns[column]))
        _update_part(here, layout, np.full((1, 1), value), tile.atomic, dtype)


def _update_part(
    target: TileStart, layout: TileLayout[int], values: Matrix, mode: int, dtype: DType
) -> None:
    old = target.matrix(layout, values.shape, dtype)
    made = atomics.updated(mode, lanes_of(old, dtype), lanes_of(values, dtype))
    write_tile(target.region.data, target.at, layout, matrix_of(made).reshape(values.shape))
