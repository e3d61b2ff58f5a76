"""Tiles and products as generated code: words for the runtime, and functions for what is done to
elements on their way. What the runtime leaves to the engine is the same instruction on the
reference core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import F32, I64, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site
from ptoscope.isa.tiles import TileLayout, TileMove, TileProduct
from ptoscope.native import layout
from ptoscope.native.lanes import NativeLanes, native
from ptoscope.native.pipes import PipeCore
from ptoscope.native.row_functions import RowFunctions
from ptoscope.native.runtime import factors, products, tiles
from ptoscope.native.runtime.tile_layouts import AXIS_WORDS, BLOCK, STEP

_NO_SCALES = -1


class TileCore(PipeCore):
    """The part of a core that moves tiles and multiplies them."""

    @cached_property
    def _row_functions(self) -> RowFunctions:
        return RowFunctions(self)

    def move_tile(self, site: Site, src: Lanes, dst: Lanes, move: TileMove[Lanes]) -> None:
        words, form = self.words_of_move(src, dst, move)
        scalars = [native(scalar) for scalar in move.scalars]
        act = partial(_move_again, site, form, len(words))
        if not _moves_as_usual(move):
            self.side_exits.hand("rt_service", site, act, [*words, *scalars])
            return
        if move.convert is not None:
            words[tiles.CONVERT] = self._row_functions.conversion(
                move.convert,
                move.source_type,
                [p.dtype for p in move.parameters],
                [scalar.dtype for scalar in scalars],
                len(words),
            )
        self.side_exits.hand("rt_move_tile", site, act, [*words, *scalars])

    def words_of_move(
        self, src: Lanes, dst: Lanes, move: TileMove[Lanes]
    ) -> tuple[list[NativeLanes], TileMove[int]]:
        """A move as the words that the runtime takes, then the core whose UB is meant; and the
        move with the places of its numbers among them."""
        loop, none, one = move.matrices, self._word_of(0), self._word_of(1)
        ends = move.source, move.target
        tables = len(move.parameters)
        first_of_job = tiles.FIRST_TABLE + tiles.TABLE_WORDS * tables
        core_at = first_of_job + tiles.CONVERSION + tables
        core = [] if move.core is None else [self._lane_of(move.core)]
        sizes = (move.source_type.bytes, move.target_type.bytes)
        words = [
            *map(self._lane_of, (src, dst, move.rows, move.columns)),
            self._lane_of(move.columns if move.filled is None else move.filled),
            *(
                (one, none, none)
                if loop is None
                else map(self._lane_of, (loop.count, loop.src_stride, loop.dst_stride))
            ),
            none if move.atomic is None else self._lane_of(move.atomic),
            *(NativeLanes(self.code, I64, 1, self.own(s, *core)) for s in ends),
            *map(self._word_of, (*move.alignment, *sizes, 0, tables)),
            *self._words_of_layout(move.source_layout),
            *self._words_of_layout(move.target_layout),
        ]  # fmt: skip
        for p in move.parameters:
            words += [self._word_of(layout.own(p.memory)), self._lane_of(p.address)]
            words += [self._word_of(p.dtype.bytes), self._word_of(p.step)]
        words += [none] * (core_at - first_of_job) + (core or [none])
        table = tiles.FIRST_TABLE + tiles.TABLE_AT
        names = iter(
            (
                *(tiles.ROWS, tiles.COLUMNS),
                *_places(tiles.LAYOUTS),
                *_places(tiles.TARGET_LAYOUT),
                *([] if loop is None else [tiles.MATRICES, tiles.SRC_STRIDE, tiles.DST_STRIDE]),
                *([] if move.filled is None else [tiles.FILLED]),
                *(table + tiles.TABLE_WORDS * i for i in range(tables)),
                *([] if move.atomic is None else [tiles.MODE]),
                *([] if move.core is None else [core_at]),
            )
        )
        form = move.map(lambda _: next(names))
        return words, form

    def multiply(
        self, site: Site, left: Lanes, right: Lanes, result: Lanes, product: TileProduct[Lanes]
    ) -> None:
        words, form = self.words_of_product(left, right, result, product)
        act = partial(_multiply_again, site, form)
        if not self._multiplies_as_usual(site, product):
            self.side_exits.hand("rt_service", site, act, words)
            return
        functions = self._row_functions
        for place, value, dtype, scales in (
            (products.LEFT_VALUE, product.left_value, product.left_type, product.left_scales),
            (products.RIGHT_VALUE, product.right_value, product.right_type, product.right_scales),
        ):
            words[place] = functions.factors(value, dtype, scales is not None)
        if product.result_value is not None:
            change = _OfSums(product.result_value)
            words[products.RESULT_VALUE] = functions.conversion(
                change, product.result_type, (), (), 0
            )
        self.side_exits.hand("rt_multiply", site, act, words)

    def words_of_product(
        self, left: Lanes, right: Lanes, result: Lanes, product: TileProduct[Lanes]
    ) -> tuple[list[NativeLanes], TileProduct[int]]:
        """The same of a product."""

        def optional(number: Lanes | None, otherwise: int) -> NativeLanes:
            return self._word_of(otherwise) if number is None else self._lane_of(number)

        start = products.FROM_ZERO if product.bias is None else products.FROM_BIAS
        if product.start == "result":
            start = products.FROM_RESULT
        sizes = product.left_type.bytes, product.right_type.bytes
        words = [
            *map(self._lane_of, (left, right, result, product.m, product.n, product.k)),
            self._word_of(start),
            optional(product.bias, 0),
            optional(product.left_scales, _NO_SCALES),
            optional(product.right_scales, _NO_SCALES),
            *map(self._word_of, (*sizes, 0, 0, 0, int(product.result_type.is_int))),
            *self._words_of_layout(product.left),
            *self._words_of_layout(product.right),
            *self._words_of_layout(product.result),
            *[self._word_of(0)] * max(factors.JOB_WORDS, tiles.CONVERSION),
        ]
        names = iter(
            (
                *(products.M, products.N, products.K),
                *_places(products.LAYOUTS),
                *_places(products.RIGHT_LAYOUT),
                *_places(products.RESULT_LAYOUT),
                *([] if product.bias is None else [products.BIAS]),
                *([] if product.left_scales is None else [products.LEFT_SCALES]),
                *([] if product.right_scales is None else [products.RIGHT_SCALES]),
            )
        )
        form = product.map(lambda _: next(names))
        return words, form

    def _multiplies_as_usual(self, site: Site, product: TileProduct[Lanes]) -> bool:
        """Whether the runtime can multiply it, given the right numbers."""
        is_usual = site.target.accumulate == "sequential" and product.result_type is F32
        if product.result_type.is_float and not is_usual:
            return False
        if product.start == "result" and product.bias is not None:
            return False
        is_whole = all(map(_is_whole, (product.left_type, product.right_type)))
        return is_whole and product.result_type.bits == 32

    def _lane_of(self, number: Lanes) -> NativeLanes:
        return native(number).cast(I64)

    def _words_of_layout(self, tile: TileLayout[Lanes]) -> list[NativeLanes]:
        return [
            word
            for axis in tile
            for word in (
                self._word_of(axis.width), self._lane_of(axis.block), self._lane_of(axis.step)
            )
        ]  # fmt: skip


class _OfSums:
    """What is done to sums, as a conversion; equal where it is the same."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __call__(self, x: Lanes, _: Sequence[Lanes]) -> Lanes:
        return self._value(x)

    def __hash__(self) -> int:
        return hash(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _OfSums) and self._value == other._value


def _is_whole(dtype: DType) -> bool:
    """Whether elements are a whole number of bytes, no more than 4."""
    return dtype.bits in (8, 16, 32)


def _moves_as_usual(move: TileMove[Lanes]) -> bool:
    """Whether the runtime can move it, given the right numbers."""
    kinds = move.source_type, move.target_type
    if not all(dtype.bits in (8, 16, 32, 64) for dtype in kinds):
        return False
    if move.convert is None and kinds[0].bytes != kinds[1].bytes:
        return False
    if any(alignment & (alignment - 1) for alignment in move.alignment):
        return False
    tables = all(layout.own(p.memory) and p.memory != "ub" for p in move.parameters)
    return tables and move.source != move.target


def _places(first: int) -> list[int]:
    """Where the numbers of a layout stand among words, from a place on: those of `map`."""
    return [first + AXIS_WORDS * axis + word for axis in range(2) for word in (BLOCK, STEP)]


# Instructions on the reference core, with the values that generated code handed over.


def _move_again(
    site: Site, form: TileMove[int], first_scalar: int, core: Core, *words: Lanes
) -> None:
    move = form.map(lambda place: words[place])
    move = replace(move, scalars=words[first_scalar:])
    core.move_tile(site, words[tiles.SRC], words[tiles.DST], move)


def _multiply_again(site: Site, form: TileProduct[int], core: Core, *words: Lanes) -> None:
    product = form.map(lambda place: words[place])
    left, right, result = words[: products.M]
    core.multiply(site, left, right, result, product)
