"""The shadow of a product: an element is undefined where anything is that it was made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from ptoscope.isa.dtypes import DType
from ptoscope.isa.record import Site
from ptoscope.isa.tiles import SCALED, TileLayout, TileProduct
from ptoscope.isa.types import Space
from ptoscope.machine.shadow.origins import Ids, Origins
from ptoscope.machine.shadow.tiles import Locate, shadow_of, tile_places

_NOTHING = np.iinfo(np.int64).max
"""The origin of what is defined: later than all others."""


def follow_product(
    site: Site,
    at: tuple[int, int, int],
    tile: TileProduct[int],
    locate: Locate,
    book: Origins,
) -> None:
    """Follows a product that has run without a fault, of tiles at these addresses. Of all that an
    element was made of, what was left undefined first is where it comes from."""

    def origins(
        memory: Space, address: int, layout: TileLayout[int], shape: tuple[int, int], dtype: DType
    ) -> Ids:
        """Of each element of a tile, its origin."""
        place = locate(site, memory, address, None)
        places = tile_places(layout, shape, dtype.bytes) + place.offset
        return _first(*shadow_of(place.shadow, places)).reshape(shape)

    def dense(memory: Space, address: int, count: int, size: int) -> Ids:
        place = locate(site, memory, address, None)
        places = place.offset + np.arange(count * size).reshape(count, size)
        return _first(*shadow_of(place.shadow, places))

    groups = -(-tile.k // SCALED)
    sides: list[Ids] = []
    for memory, address, layout, rows, dtype, scales in (
        ("l0a", at[0], tile.left, tile.m, tile.left_type, tile.left_scales),
        ("l0b", at[1], tile.right, tile.n, tile.right_type, tile.right_scales),
    ):
        side = origins(memory, address, layout, (rows, tile.k), dtype).min(axis=1)
        if scales is not None:
            scale = dense(f"{memory}_scale", scales, rows * groups, 1).reshape(rows, groups)
            side = np.minimum(side, scale.min(axis=1))
        sides.append(side)
    found = np.minimum(sides[0][:, None], sides[1])
    shape, size = (tile.m, tile.n), tile.result_type.bytes
    result = locate(site, "l0c", at[2], None)
    places = tile_places(tile.result, shape, size) + result.offset
    # What it adds to was made by an earlier product, and keeps where it came from.
    added = np.full(shape, _NOTHING)
    if tile.start == "result":
        # The result has been written, its shadow not yet.
        added = _first(*shadow_of(result.shadow, places)).reshape(shape)
    elif tile.bias is not None:
        added = np.broadcast_to(dense("bt", tile.bias, tile.n, size), shape)
    found = np.minimum(found, added).reshape(-1)
    undefined = found != _NOTHING
    o = np.where(undefined, found, 0)
    if undefined.any():
        o = book.loaded(site, o, undefined, tile.n)
    v = np.where(undefined, np.uint8(0xFF), np.uint8(0))
    result.shadow.write(places, v[:, None], o[:, None])


def _first(v: Any, o: Ids) -> Ids:
    """The origin of each element that has undefined bits."""
    return np.where(v.any(axis=1), o, _NOTHING)
