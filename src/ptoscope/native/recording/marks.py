"""What generated code can log: each mark is one place of the text and one thing it does.

A row is the number of its mark and three words. Its own number stands for it: a segment, an
iteration and a vecscope are known to later rows by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from ptoscope.isa.tiles import TileMove, TileProduct
from ptoscope.trace.trace import NONE

SEGMENT = 0
"""A segment begins (detail: its number): the iteration, the vecscope, which core of the block."""
ITERATION = 1
"""An iteration of the loop at the place: the iteration around the loop, the value."""
ENTRY = 2
"""A vecscope is issued: the segment that ends with it."""
SYNC = 3
"""Detail: kind, source and destination pipe. The segment, the id, the mode."""
LANES = 4
"""Every lane of an access (detail) to UB. This one and those below: the segment, the address,
and a word of their own."""
MASKED = 5
"""Active lanes of an access; detail: the access and how many lanes. The word has their bits,
or where they are kept if they are more than 64."""
SPREAD = 6
"""An address for each lane; detail: bytes of each and how many lanes. Where they are kept, as
32-bit numbers, IDLE for a lane that takes no part."""
RUN = 7
"""One run of bytes in UB: how many."""
SCALAR = 8
"""Detail: the space and the bytes."""
COPY = 9
"""Detail: its path, the element type, how many loops, whether it names a core. Where its numbers
are kept: both addresses, then those of `isa.copies.from_words`, with the fill before the mode,
then the core whose UB is meant."""
REGISTER = 10
"""A special register; detail: its name."""
TILE = 11
"""A tile that moves or is multiplied; detail: a `TileForm`. Where its words are kept."""


IDLE = (1 << 31) - 1


@dataclass(frozen=True, eq=False)
class TileForm:
    """A move or a product, with the places of its numbers among so many words."""

    tile: TileMove[int] | TileProduct[int]
    words: int


class Mark(NamedTuple):
    """See the kinds above."""

    kind: int
    place: int = NONE
    detail: Any = None
    writes: bool = False
