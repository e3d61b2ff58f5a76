"""The shadow of a tile that moves: undefined bits go where its elements go.

What is converted on the way is computed with its undefined bits beside it, so that an element of
the target is undefined where its source, or a parameter that it depends on, is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ptoscope.isa import atomics
from ptoscope.isa.copies import BurstLoop
from ptoscope.isa.dtypes import DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.parts import MEMORIES
from ptoscope.isa.record import Site
from ptoscope.isa.tiles import TileLayout, TileMove
from ptoscope.isa.types import Space
from ptoscope.machine.lanes import NumpyLanes
from ptoscope.machine.shadow.findings import ShadowFindings
from ptoscope.machine.shadow.lanes import ShadowLanes
from ptoscope.machine.shadow.memory import ShadowBytes
from ptoscope.machine.shadow.origins import Ids, Origins
from ptoscope.machine.shadow.rules import word
from ptoscope.machine.shadow.transfer import Arrived, Located, updated
from ptoscope.machine.tile_views import offsets

Locate = Callable[[Site, Space, int, int | None], Located]
"""Where an address of a memory is; the last is the vector core whose UB it is."""


def tile_places(layout: TileLayout[int], shape: tuple[int, int], size: int) -> Any:
    """The bytes of the elements of a tile from its first on, one row for each element, row after
    row of the matrix."""
    rows, columns = offsets(layout.rows, shape[0]), offsets(layout.columns, shape[1])
    return (rows[:, None] + columns).reshape(-1, 1) + np.arange(size)


def shadow_of(shadow: ShadowBytes, places: Any) -> tuple[Any, Ids]:
    """The undefined bytes of elements, and of each element the origin."""
    return shadow.read(places)


class MovedShadow:
    """One move of a tile: begun when its pipe comes to it, arrived when it is done."""

    def __init__(self, site: Site, tile: TileMove[int], book: Origins, locate: Locate) -> None:
        self._site, self._tile, self._book, self._locate = site, tile, book, locate
        self._shape = tile.rows, tile.columns
        self._loop = tile.matrices or BurstLoop(1, 0, 0)
        self._made: list[ShadowLanes] = []
        """What has been converted, of each matrix."""

    def begin(self, src: int) -> None:
        """The tile is read from an address on."""
        self._src = src

    def _read(self, matrix: int) -> tuple[Any, Ids]:
        tile = self._tile
        source = self._locate(self._site, tile.source, self._src, tile.core)
        places = tile_places(tile.source_layout, self._shape, tile.source_type.bytes)
        first = source.offset + matrix * self._loop.src_stride
        return shadow_of(source.shadow, places + first)

    def convert(self, elements: Lanes, parameters: tuple[Lanes, ...]) -> Lanes:
        """What elements of the next matrix become."""
        tile = self._tile
        assert tile.convert is not None
        count = len(tile.parameters)
        columns = [
            self._shadowed(lanes, p.dtype, *self._parameter(p.memory, p.address, p.step, p.dtype))
            for lanes, p in zip(parameters[:count], tile.parameters, strict=True)
        ]
        # Scalars of the run come after them, with their own undefined bits.
        given = (*columns, *parameters[count:])
        read = self._read(len(self._made))
        made = tile.convert(self._shadowed(elements, tile.source_type, *read), given)
        assert isinstance(made, ShadowLanes)
        self._made.append(made)
        return made

    def _parameter(self, memory: Space, address: int, step: int, dtype: DType) -> tuple[Any, Ids]:
        """The undefined bytes of a parameter of each column, for every element."""
        place = self._locate(self._site, memory, address, None)
        row = place.offset + np.arange(self._shape[1])[:, None] * step + np.arange(dtype.bytes)
        return shadow_of(place.shadow, np.tile(row, (self._shape[0], 1)))

    def _shadowed(self, lanes: Lanes, dtype: DType, v: Any, o: Ids) -> ShadowLanes:
        assert isinstance(lanes, NumpyLanes)
        words = np.ascontiguousarray(v).view(word(dtype)).reshape(-1)
        return ShadowLanes(lanes.a, dtype, lanes.count, self._book, words, o)

    def arrive(self, dst: int, findings: ShadowFindings) -> None:
        """The tile has been written from an address on."""
        tile, arrived = self._tile, Arrived()
        target = self._locate(self._site, tile.target, dst, tile.core)
        size = tile.target_type.bytes
        for matrix in range(self._loop.count):
            if tile.convert is None:
                v, o = self._read(matrix)
            else:
                made = self._made[matrix]
                v, o = made.undefined().view(np.uint8).reshape(-1, size), made.origins()
            v, o = (
                v.reshape(*self._shape, size),
                np.broadcast_to(o.reshape(self._shape), self._shape),
            )
            if tile.filled is not None and tile.filled > tile.columns:
                more = tile.filled - tile.columns
                v = np.pad(v, ((0, 0), (0, more), (0, 0)))
                o = np.pad(o, ((0, 0), (0, more)))
            places = tile_places(tile.target_layout, v.shape[:2], size)
            places += target.offset + matrix * self._loop.dst_stride
            self._write(target, places, v, np.repeat(o[..., None], size, axis=2), arrived)
        arrived.tell(self._site, target.region.name, findings)

    def _write(self, target: Located, places: Any, v: Any, o: Ids, arrived: Arrived) -> None:
        """The bytes of a matrix, row after row."""
        tile, shadow = self._tile, target.shadow
        rows = places.reshape(v.shape[0], -1)
        for at, bits, origins in zip(
            rows, v.reshape(rows.shape), o.reshape(rows.shape), strict=True
        ):
            if tile.atomic:
                there = shadow.v[at], shadow.o[at]
                width = atomics.element(tile.atomic).bytes
                bits, origins = updated(bits, origins, *there, width)
            if not MEMORIES[tile.target].on_core:
                arrived.row(bits, origins, 0, at, self._book)
            shadow.write(at, bits, origins)
