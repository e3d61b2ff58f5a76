"""Products of the reference engine: two tiles multiplied into a third."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ptoscope.isa.copies import INTEGERS
from ptoscope.isa.dtypes import UI8, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.parts import MEMORIES
from ptoscope.isa.record import Site
from ptoscope.isa.tiles import SCALED, TileLayout, TileProduct, product_accesses
from ptoscope.isa.types import Space
from ptoscope.machine.elements import storage
from ptoscope.machine.exact_sums import exact_sums
from ptoscope.machine.lanes import number
from ptoscope.machine.memory import Memory
from ptoscope.machine.sums import Matrix, fused_sums, wrapping_sums
from ptoscope.machine.tile_views import write_tile
from ptoscope.machine.tiles import TileStart, check_accesses, lanes_of, matrix_of


class ProductEnds(NamedTuple):
    """Where the tiles of a product begin."""

    left: TileStart
    right: TileStart
    result: TileStart


def run_product(
    site: Site,
    memory: Memory,
    left: int,
    right: int,
    result: int,
    product: TileProduct[Lanes],
) -> ProductEnds:
    """Multiplies two tiles; nothing is written if any byte is illegal. Gives where they begin."""
    tile = product.map(number)

    def locate(space: Space, address: int) -> TileStart:
        return TileStart(*memory.locate(site, space, address))

    ends = ProductEnds(locate("l0a", left), locate("l0b", right), locate("l0c", result))
    for place in ends:
        place.aligned(site, MEMORIES[place.region.space].copy_alignment)
    check_accesses(site, product_accesses(tile, INTEGERS), ends._asdict(), locate)
    lefts = _factors(
        ends.left,
        tile.left,
        (tile.m, tile.k),
        tile.left_type,
        tile.left_value,
        None if tile.left_scales is None else locate("l0a_scale", tile.left_scales),
    )
    rights = _factors(
        ends.right,
        tile.right,
        (tile.n, tile.k),
        tile.right_type,
        tile.right_value,
        None if tile.right_scales is None else locate("l0b_scale", tile.right_scales),
    )
    start = _start(ends.result, tile, None if tile.bias is None else locate("bt", tile.bias))
    sums = _sums(site, start, lefts, rights, tile.result_type)
    if tile.result_value is not None:
        made = tile.result_value(lanes_of(sums, tile.result_type))
        sums = matrix_of(made).reshape(sums.shape)
    write_tile(ends.result.region.data, ends.result.at, tile.result, sums)
    return ends


def _factors(
    place: TileStart,
    layout: TileLayout[int],
    shape: tuple[int, int],
    dtype: DType,
    value: Callable[..., Lanes],
    scales: TileStart | None,
) -> Matrix:
    """What is multiplied of an operand, rows by k."""
    elements = lanes_of(place.matrix(layout, shape, dtype), dtype)
    if scales is None:
        return matrix_of(value(elements)).reshape(shape)
    return matrix_of(value(elements, lanes_of(_scales(scales, shape), UI8))).reshape(shape)


def _scales(place: TileStart, shape: tuple[int, int]) -> Matrix:
    """The scale of each element: a byte for every 32 of a row."""
    rows, k = shape
    groups = -(-k // SCALED)
    stored = place.region.data[place.at : place.at + rows * groups].reshape(rows, groups)
    return np.repeat(stored, SCALED, axis=1)[:, :k]


def _start(result: TileStart, tile: TileProduct[int], bias: TileStart | None) -> Matrix:
    """What the sums begin with."""
    shape, dtype = (tile.m, tile.n), tile.result_type
    if tile.start == "result":
        return result.matrix(tile.result, shape, dtype)
    if bias is None:
        return np.zeros(shape, storage(dtype))
    row = bias.region.data[bias.at : bias.at + tile.n * dtype.bytes].view(storage(dtype))
    return np.broadcast_to(row, shape)


def _sums(site: Site, start: Matrix, left: Matrix, right: Matrix, dtype: DType) -> Matrix:
    if dtype.is_int:
        return wrapping_sums(start, left, right)
    return (exact_sums if site.target.accumulate == "exact" else fused_sums)(start, left, right)
