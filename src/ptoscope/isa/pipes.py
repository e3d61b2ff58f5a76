"""The pipes of a core, and what flags and buffer ids they have between them.

A pipe is a queue of instructions that one unit executes. What differs between pipes stands in
their records and nowhere else: a new one is a row of `ALL_PIPES`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pipe:
    """One pipe. `unit` is what executes its instructions.

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
