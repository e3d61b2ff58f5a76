"""What a kernel asks for when it allocates memory on the chip."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ptoscope.diagnostics import NOWHERE, Span
from ptoscope.isa.dtypes import DType
from ptoscope.isa.parts import MEMORIES
from ptoscope.program import Loop


@dataclass(eq=False, slots=True)
class Allocation:
    """One buffer. `root` is the pointer from which all its addresses are made.

    `loop` is the loop in whose iterations it is made anew, so that nothing in it is carried to the
    next one; None outside of all loops. With several `copies`, iterations take turns with them.
    `at` is its address, where the author has decided it.
    """

    name: str
    dtype: DType
    shape: tuple[int, ...]
    root: int
    span: Span = NOWHERE
    copies: int = 1
    loop: Loop | None = None
    at: int | None = None
    memory: str = "ub"

    @property
    def alignment(self) -> int:
        """What copies want of an address, and fractals of a tile; vector loads and stores want no
        more on any target."""
        memory = MEMORIES[self.memory]
        return memory.copy_alignment if memory.core == "vector" else memory.grain

    @property
    def bytes(self) -> int:
        """The bytes of its elements, of one copy."""
        return prod(self.shape) * self.dtype.bytes

    @property
    def stride(self) -> int:
        """The bytes from one copy to the next: whole vector registers or fractals, so that a load
        or a store of its last elements reaches nothing else."""
        grain = MEMORIES[self.memory].grain
        return -(-self.bytes // grain) * grain

    @property
    def reserved(self) -> int:
        """The bytes that all copies take."""
        return self.stride * self.copies
