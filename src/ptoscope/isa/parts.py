"""The parts of the machine, as data: its memories, its pipes, and the flags between them.

Engines, recorders, checks, the race detector and cycle models take the lists and every property
from here. A new memory is a row of `MEMORIES` and a new pipe a row of `ALL_PIPES`; then come
the instructions that reach them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

KIB = 1024
CoreKind = Literal["cube", "vector"]
"""A block of a kernel that uses the matrix unit is a cluster: one matrix core ("cube", as the
documents call it) and two vector cores. Any other block is one vector core."""

CORE_TITLES: dict[CoreKind, str] = {"cube": "the matrix core", "vector": "a vector core"}
"""As messages write a core of a kind."""


class CoreId(NamedTuple):
    """Which core of its block it is: its kind, its number among those of its kind, and how many
    vector cores there are. A core of another kind than the only one counts itself as 0."""

    kind: CoreKind
    number: int
    vectors: int

    @property
    def title(self) -> str:
        """As messages write it."""
        return "the matrix core" if self.kind == "cube" else f"vector core {self.number}"

    def coordinates(self, block: int, grid: int) -> dict[str, int]:
        """What a kernel can ask of where it runs."""
        return {
            "block_idx": block,
            "block_num": grid,
            "subblock_idx": self.number,
            "subblock_num": self.vectors,
            "is_cube": int(self.kind == "cube"),
        }

    @property
    def short(self) -> str:
        """As tables and timelines write it."""
        return "cube" if self.kind == "cube" else f"vector {self.number}"


ALONE = CoreId("vector", 0, 1)


def core_ids(cores: tuple[CoreKind, ...]) -> tuple[CoreId, ...]:
    """The cores of a block."""
    count = max(1, cores.count("vector"))
    return tuple(CoreId(kind, cores[:place].count(kind), count) for place, kind in enumerate(cores))


@dataclass(frozen=True)
class MemorySpace:
    """One memory that pointers may point into: `!pto.ptr<T, name>`, or by one of its `aliases`.

    `sizes` has its bytes by target. One without sizes is the caller's arrays: each pointer
    argument is a stretch of its own. The others are on the chip, zeroed when a block begins,
    and their addresses start at 0. `core` is the kind of core that they belong to: each vector
    core has a UB of its own, the matrix core one of each of the others.
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
    core: CoreKind = "vector"
    grain: int = 32
    """What is allocated in it is a multiple of: a vector register, a fractal, a row of
    parameters."""
    named: bool = True
    """Whether a pointer may name it; if not, instructions reach it by a pointer to another one."""
    needed: bool = False
    """Whether pages demand that it is loaded before it is read."""

    @property
    def on_core(self) -> bool:
        """Whether it is a core's own."""
        return bool(self.sizes)


def _of_matrix_core(
    name: str,
    title: str,
    doc: str,
    sizes: Mapping[str, int],
    aliases: tuple[str, ...] = (),
    grain: int = 512,
    named: bool = True,
    needed: bool = False,
) -> MemorySpace:
    return MemorySpace(
        name,
        title,
        doc,
        sizes,
        aliases,
        32,
        21,
        core="cube",
        grain=grain,
        named=named,
        needed=needed,
    )


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
            grain=256,
        ),
        _of_matrix_core(
            "l1",
            "L1",
            "The matrix core's first buffer, which holds tiles on their way.",
            {"cpu": 512 * KIB, "a2a3": 512 * KIB, "a5": 512 * KIB},
            aliases=("mat", "cbuf"),
        ),
        _of_matrix_core(
            "l0a",
            "L0A",
            "The left operands of the matrix unit.",
            {"cpu": 64 * KIB, "a2a3": 64 * KIB, "a5": 64 * KIB},
            aliases=("left", "ca"),
        ),
        _of_matrix_core(
            "l0b",
            "L0B",
            "The right operands of the matrix unit.",
            {"cpu": 64 * KIB, "a2a3": 64 * KIB, "a5": 64 * KIB},
            aliases=("right", "cb"),
        ),
        _of_matrix_core(
            "l0c",
            "L0C",
            "The results of the matrix unit, to which it adds.",
            {"cpu": 256 * KIB, "a2a3": 128 * KIB, "a5": 256 * KIB},
            aliases=("acc", "cc"),
            grain=1024,
        ),
        _of_matrix_core(
            "bt",
            "BT",
            "The table of biases, one for each column of a result.",
            {"cpu": 4 * KIB, "a2a3": 1 * KIB, "a5": 4 * KIB},
            aliases=("bias",),
            grain=64,
        ),
        _of_matrix_core(
            "fb",
            "FB",
            "The parameters that results are scaled with on their way out.",
            {"cpu": 4 * KIB, "a2a3": 2 * KIB, "a5": 4 * KIB},
            aliases=("scaling",),
            grain=128,
        ),
        _of_matrix_core(
            "l0a_scale",
            "L0A scales",
            "The scales of the blocks of left operands.",
            {"cpu": 4 * KIB, "a2a3": 4 * KIB, "a5": 4 * KIB},
            grain=32,
            named=False,
            needed=True,
        ),
        _of_matrix_core(
            "l0b_scale",
            "L0B scales",
            "The scales of the blocks of right operands.",
            {"cpu": 4 * KIB, "a2a3": 4 * KIB, "a5": 4 * KIB},
            grain=32,
            named=False,
            needed=True,
        ),
    )
}
ON_CORE = tuple(memory for memory in MEMORIES.values() if memory.on_core)
"""Those on the chip, UB first."""
VECTOR_CORES = 2
"""How many a cluster has."""


@dataclass(frozen=True)
class Pipe:
    """One pipe: a queue of instructions that one unit executes, named by `unit`.

    `copies` says that these are copies, which begin in order but may overlap: one may be
    complete before an earlier one. Instructions of other pipes complete one after the other.
    """

    name: str
    unit: str
    copies: bool = False
    cores: tuple[CoreKind, ...] = ("cube",)
    """The kinds of core that have it."""

    @property
    def on_vector_core(self) -> bool:
        return "vector" in self.cores


_BOTH: tuple[CoreKind, ...] = ("cube", "vector")
ALL_PIPES = (
    Pipe("PIPE_S", "scalar unit", cores=_BOTH),
    Pipe("PIPE_V", "vector core", cores=("vector",)),
    Pipe("PIPE_MTE1", "DMA (L1 to L0)", copies=True),
    Pipe("PIPE_MTE2", "DMA (GM to UB or L1)", copies=True, cores=_BOTH),
    Pipe("PIPE_MTE3", "DMA (UB to GM or L1)", copies=True, cores=_BOTH),
    Pipe("PIPE_M", "matrix unit"),
    Pipe("PIPE_FIX", "DMA (L0C to GM, L1 or UB)", copies=True),
)
"""The scalar unit first: it issues what the others execute."""

PIPES = tuple(pipe.name for pipe in ALL_PIPES)
SCALAR_PIPE, VECTOR_PIPE, *_ = PIPES
VECSCOPE, STRICT_VECSCOPE = "pto.vecscope", "pto.strict_vecscope"
SECTION_VECTOR, SECTION_CUBE = "pto.section.vector", "pto.section.cube"
IN_SECTION = "pto.in_section"
SECTIONS: dict[str, CoreKind] = {SECTION_VECTOR: "vector", SECTION_CUBE: "cube"}
"""The instructions whose body the cores of a kind execute. Here and not at their records: programs
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
UNIT_FLAGS = 256
"""Those of the tiles of L0C, where it is largest."""
PER_CORE = 16
"""The semaphores between two cores."""
SEMAPHORES = PER_CORE * VECTOR_CORES
MOST_PENDING = 15
"""How often a flag may be set before the first is waited for. Chosen: no document gives the
width of these counters; that of the semaphores between cores is 4 bits."""
