"""What a tile that moves or is multiplied touches, of the words that generated code logged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ptoscope.isa.copies import INTEGERS
from ptoscope.isa.footprint import Footprint, covered, inside
from ptoscope.isa.tiles import TileMove, TileProduct, move_accesses, product_accesses
from ptoscope.isa.types import Space
from ptoscope.native.runtime import products, tiles
from ptoscope.trace.spaces import Extent
from ptoscope.trace.trace import NONE, UBS, Column

NO_UB = 1 << 15
"""The space of the UB of a core that does not exist."""


class TileTouch(NamedTuple):
    """One access: the space, whether it writes, the mode of an update, the bytes and from where
    on."""

    space: int
    writes: bool
    atomic: int
    footprint: Footprint
    address: int


FindExtent = Callable[[Space, int, int], tuple[Extent, int]]
"""Where an address of a memory is, given the space of UB: the extent and the offset in it."""


def ub_of(core: Any) -> Column:
    """The space of the UB of a vector core that is named."""
    return np.select([core == number for number in range(len(UBS))], UBS, NO_UB)


def touched(
    form: TileMove[int] | TileProduct[int], words: list[int], locate: FindExtent
) -> list[TileTouch]:
    """What it touches; nothing where it faults. The last word is the space of the UB of the core
    itself."""
    ub, atomic = words[-1], 0
    if isinstance(form, TileMove):
        move = form.map(lambda place: words[place])
        loops = 1 if move.matrices is None else move.matrices.count
        if min(move.rows, move.columns, loops) < 1:
            return []
        atomic = move.atomic or 0
        places = {
            "source": (move.source, words[tiles.SRC]),
            "target": (move.target, words[tiles.DST]),
        }
        if move.core is not None:
            ub = int(ub_of(np.array(move.core)))
        accesses = move_accesses(move, INTEGERS)
    else:
        product = form.map(lambda place: words[place])
        if min(product.m, product.n, product.k) < 1:
            return []
        places = {
            "left": ("l0a", words[products.LEFT]),
            "right": ("l0b", words[products.RIGHT]),
            "result": ("l0c", words[products.RESULT]),
        }
        accesses = product_accesses(product, INTEGERS)
    made: list[TileTouch] = []
    for memory, writes, base, bursts in accesses:
        space, address = places[base] if isinstance(base, str) else (memory, base)
        extent, offset = locate(space, address, ub)
        if extent.size == NONE or not inside(bursts, offset, extent.size):
            return []
        mode = atomic if writes else 0
        start = extent.begin + offset + bursts.start
        made.append(TileTouch(extent.space, writes, mode, covered(bursts), start))
    return made
