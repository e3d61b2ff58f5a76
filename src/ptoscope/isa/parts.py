"""The parts of the machine, as data: its memories, its pipes, and the flags between them.

Engines, recorders, checks, the race detector and cycle models take the lists and every property
from here. A new memory is a row of `MEMORIES` and a new pipe a row of `ALL_PIPES`; then come
the instructions that reach them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

KIB = 1024


@dataclass(frozen=True)
class MemorySpace:
    """One memory that pointers may point into: `!pto.ptr<T, name>`, or by one of its `aliases`.

    `sizes` has its bytes by target. One without sizes is the caller's arrays: each pointer
    argument is a stretch of its own. The others are a core's own, zeroed when a block begins,
    and their addresses start at 0.
    """

    name: str
    title: str
    """As messages write it."""
    doc: str
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])
    aliases: tuple[str, ...] = ()
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
            aliases=("vec",),
            copy_alignment=32,
            stride_bits=21,
        ),
    )
}
ON_CORE = tuple(memory for memory in MEMORIES.values() if memory.on_core)
"""Those that each core has for itself, UB first."""


@dataclass(frozen=True)
class Pipe:
    """One pipe: a queue of instructions that one unit executes, named by `unit`.

    `copies` says that these are copies, which begin in order but may overlap: one may be
    complete before an earlier one. Instructions of other pipes complete one after the other.
    """

    name: str
    unit: str
    copies: bool = False
    on_vector_core: bool = False


ALL_PIPES = (
    Pipe("PIPE_S", "scalar unit", on_vector_core=True),
    Pipe("PIPE_V", "vector core", on_vector_core=True),
    Pipe("PIPE_MTE1", "DMA (L1 to L0)", copies=True),
    Pipe("PIPE_MTE2", "DMA (GM to UB)", copies=True, on_vector_core=True),
    Pipe("PIPE_MTE3", "DMA (UB to GM)", copies=True, on_vector_core=True),
    Pipe("PIPE_M", "matrix unit"),
    Pipe("PIPE_FIX", "DMA (L0 to GM)", copies=True),
)
"""The scalar unit first: it issues what the others execute."""

PIPES = tuple(pipe.name for pipe in ALL_PIPES)
SCALAR_PIPE, VECTOR_PIPE, *_ = PIPES
VECSCOPE, STRICT_VECSCOPE = "pto.vecscope", "pto.strict_vecscope"
SECTION_VECTOR = "pto.section.vector"
"""The instructions whose body the vector core executes. Here and not at their records: programs
know them too, and are read and launched without loading any record."""
COPY_PIPES = tuple(pipe.name for pipe in ALL_PIPES if pipe.copies)
VECTOR_CORE_PIPES = tuple(pipe.name for pipe in ALL_PIPES if pipe.on_vector_core)
PIPE_ALL = "PIPE_ALL"
_RESERVED = "the name is kept for later: no instruction is executed there, so nothing is ordered"
NO_PIPES = {
    PIPE_ALL: "it stands for all pipes together, which a barrier waits for; this takes one pipe",
    "PIPE_MTE4": _RESERVED,
    "PIPE_MTE5": _RESERVED,
    "PIPE_V2": _RESERVED,
    "VIRTUAL_PIPE_MTE2_L1A": _RESERVED,
    "VIRTUAL_PIPE_MTE2_L1B": _RESERVED,
}
"""Names that compilers have for pipes and that are none, and why."""
PIPE_NUMBERS = {name: number for number, name in enumerate((*PIPES, PIPE_ALL))}
"""The number of a pipe in a table: its position in `PIPES`, PIPE_ALL after them."""
SCALAR, EVERY = 0, len(PIPES)
"""The numbers of the scalar unit and of all pipes together."""
COPY_NUMBERS = frozenset(PIPE_NUMBERS[name] for name in COPY_PIPES)

EVENTS = tuple(f"EVENT_ID{i}" for i in range(8))
BUFFERS = 32
MOST_PENDING = 15
"""How often a flag may be set before the first is waited for. Chosen: no document gives the
width of these counters; that of the semaphores between cores is 4 bits."""
