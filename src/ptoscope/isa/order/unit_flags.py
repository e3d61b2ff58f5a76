"""Unit flags: the matrix unit and what drains its results hand tiles of L0C to each other.

A flag belongs to a tile of L0C, by where it begins. The matrix unit works on a tile whose flag is
clear, and may set it; what drains the tile waits for the set flag, and may clear it. Chosen, as no
document gives the state: it is clear at first, and there is one flag for each fractal.
"""

from __future__ import annotations

from ptoscope.isa.order.ledger import Chain, Ledger, Number, PipeT, Ticket
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.parts import UNIT_FLAGS

TILE_BYTES = 1024
"""What flags are apart: the bytes of 16 x 16 results."""
_TILES = (("tile", UNIT_FLAGS),)
_SET, _CLEAR = "unit_set", "unit_clear"


def _settle_free(
    ledger: Ledger[PipeT], src: PipeT, dst: PipeT | None, numbers: tuple[Number, ...]
) -> Ticket[PipeT]:
    """The matrix unit waits until all that it published of a tile so far is drained."""
    sets = ledger.counts[_SET, src, numbers]
    return Ticket(src, awaits=(((_CLEAR, dst, numbers), sets),) if sets else ())


def _settle_set(
    ledger: Ledger[PipeT], src: PipeT, dst: PipeT | None, numbers: tuple[Number, ...]
) -> Ticket[PipeT]:
    return Ticket(src, gives=ledger.next(_SET, src, numbers), signals=True, lasting=True)


def _settle_ready(
    ledger: Ledger[PipeT], src: PipeT, dst: PipeT | None, numbers: tuple[Number, ...]
) -> Ticket[PipeT]:
    """What drains a tile waits until it is published once more than it was drained."""
    clears = ledger.counts[_CLEAR, src, numbers]
    return Ticket(src, awaits=(((_SET, dst, numbers), clears + 1),))


def _settle_clear(
    ledger: Ledger[PipeT], src: PipeT, dst: PipeT | None, numbers: tuple[Number, ...]
) -> Ticket[PipeT]:
    return Ticket(src, gives=ledger.next(_CLEAR, src, numbers), signals=True, lasting=True)


FREE = OrderRule(
    "unit_free",
    "mad",
    _TILES,
    _settle_free,
    awaited="tile {tile} of L0C to be drained",
    text="unit_flag(check_only)",
    given_by=_CLEAR,
    stall="unit flag wait",
    account="unit_flag",
    by_counts=True,
)
PUBLISH = OrderRule(
    _SET,
    "mad",
    _TILES,
    _settle_set,
    text="unit_flag(check_and_set)",
    account="unit_flag",
    by_counts=True,
)
READY = OrderRule(
    "unit_ready",
    "mte_l0c_gm",
    _TILES,
    _settle_ready,
    awaited="tile {tile} of L0C to be published",
    text="unit_flag(check_only)",
    given_by=_SET,
    stall="unit flag wait",
    account="unit_flag",
    by_counts=True,
)
CLEAR = OrderRule(
    _CLEAR,
    "mte_l0c_gm",
    _TILES,
    _settle_clear,
    text="unit_flag(check_and_clear)",
    account="unit_flag",
    by_counts=True,
)


def unit_chains(tile: int) -> tuple[Chain[str], Chain[str]]:
    """The chains of what is published and of what is cleared of a tile, on the pipes that do."""
    return (_SET, "PIPE_M", (tile,)), (_CLEAR, "PIPE_FIX", (tile,))
