"""The memories of the machine, as data.

Engines, recorders, checks, the race detector and cycle models take the list and every property
from here. A new memory is a new entry, and the instructions that reach it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

KIB = 1024


@dataclass(frozen=True)
class MemorySpace:
    """One memory that pointers may point into: `!pto.ptr<T, name>`.

    `sizes` has its bytes by target. One without sizes is the caller's arrays: each pointer
    argument is a stretch of its own. The others are a core's own, zeroed when a block begins,
    and their addresses start at 0.
    """

    name: str
    title: str
    """As messages write it."""
    doc: str
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])
    copy_alignment: int = 1
    """What the address of every row of a copy is a multiple of, in bytes: a power of two. Where
    it is more than 1, a padded row ends at such an address too."""
    stride_bits: int = 40
    """What a copy's step from row to row in it has to fit."""
    copies_in_order: bool = True
    """Whether copies of one pipe that meet here keep their order; if not, only a barrier of the
    pipe orders them."""

    @property
    def on_core(self) -> bool:
        """Whether it is a core's own."""
        return bool(self.sizes)


MEMORIES: dict[str, MemorySpace] = {
    memory.name: memory
    for memory in (
        MemorySpace("gm", "GM", "Global memory: the caller's arrays.", copies_in_order=False),
        MemorySpace(
            "ub",
            "UB",
            "The unified buffer, which vector instructions load from and store to.",
            {"cpu": 256 * KIB, "a2a3": 192 * KIB, "a5": 256 * KIB},
            copy_alignment=32,
            stride_bits=21,
        ),
    )
}
ON_CORE = tuple(memory for memory in MEMORIES.values() if memory.on_core)
"""Those that each core has for itself, UB first."""
