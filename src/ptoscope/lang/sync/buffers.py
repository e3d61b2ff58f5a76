"""Buffers on the chip, as those who synchronise have to know them."""

from __future__ import annotations

from dataclasses import dataclass

from ptoscope.program import For


@dataclass(frozen=True, eq=False)
class PlacedBuffer:
    """Bytes of a memory that accesses name through the pointers `roots`: slots that are not made
    of one another, such as the results of casts from its address.

    One with several `copies`, each of so many `bytes`, has another one in every iteration of
    `loop`: copy s lies s times `bytes` behind the address, and `stage`, an argument of the body
    (i64), is s, which goes round from 0.
    """

    roots: tuple[int, ...]
    address: int
    bytes: int
    copies: int = 1
    loop: For | None = None
    stage: int | None = None
    memory: str = "ub"

    @property
    def end(self) -> int:
        """The byte after the last of all copies."""
        return self.address + self.bytes * self.copies

    def meets(self, other: PlacedBuffer) -> bool:
        """Whether two share bytes."""
        return self.memory == other.memory and self.address < other.end and other.address < self.end
