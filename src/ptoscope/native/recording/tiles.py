"""What a tile that moves or is multiplied touches, of the words that generated code logged."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ptoscope.isa.copies import INTEGERS
from ptoscope.isa.footprint import Bursts
from ptoscope.isa.tiles import TileMove, TileProduct, move_accesses, product_accesses
from ptoscope.isa.types import Space
from ptoscope.native.runtime import products, tiles
from ptoscope.trace.trace import UBS, Column

NO_UB = 1 << 15
"""The space of the UB of a core that does not exist."""

_MOVED = tiles.SRC, tiles.DST
_MULTIPLIED = products.LEFT, products.RIGHT, products.RESULT


class TileTouch(NamedTuple):
    """One access: the memory, whether it writes, the mode of an update, and the bytes from an
    address on: what a word has, or a number."""

    memory: Space
    writes: bool
    atomic: int
    word: int | None
    address: int
    bursts: Bursts[int]


class TouchedTiles(NamedTuple):
    """What is touched, and the space of the UB that is meant where it is not the core's own."""

    touches: list[TileTouch]
    ub: int | None = None


def ub_of(core: Any) -> Column:
    """The space of the UB of a vector core that is named."""
    return np.select([core == number for number in range(len(UBS))], UBS, NO_UB)


def address_words(form: TileMove[int] | TileProduct[int]) -> list[int]:
    """Which words are addresses of tiles: only where they are depends on those."""
    return list(_MOVED if isinstance(form, TileMove) else _MULTIPLIED)


def touched(form: TileMove[int] | TileProduct[int], words: list[int]) -> TouchedTiles:
    """What it touches; nothing where it does nothing. `words` but for those of `address_words`."""
    ub, atomic = None, 0
    if isinstance(form, TileMove):
        move = form.map(lambda place: words[place])
        loops = 1 if move.matrices is None else move.matrices.count
        if min(move.rows, move.columns, loops) < 1:
            return TouchedTiles([])
        atomic = move.atomic or 0
        places: dict[str, tuple[Space, int]] = {
            "source": (move.source, tiles.SRC),
            "target": (move.target, tiles.DST),
        }
        if move.core is not None:
            ub = int(ub_of(np.array(move.core)))
        accesses = move_accesses(move, INTEGERS)
    else:
        product = form.map(lambda place: words[place])
        if min(product.m, product.n, product.k) < 1:
            return TouchedTiles([])
        places = {
            "left": ("l0a", products.LEFT),
            "right": ("l0b", products.RIGHT),
            "result": ("l0c", products.RESULT),
        }
        accesses = product_accesses(product, INTEGERS)
    made: list[TileTouch] = []
    for memory, writes, base, bursts in accesses:
        space, word, address = memory, None, 0
        if isinstance(base, str):
            space, word = places[base]
        else:
            address = base
        made.append(TileTouch(space, writes, atomic if writes else 0, word, address, bursts))
    return TouchedTiles(made, ub)
