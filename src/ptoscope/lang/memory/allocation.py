"""What a kernel asks for when it allocates UB."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ptoscope.diagnostics import NOWHERE, Span
from ptoscope.isa.dtypes import VREG_BYTES, DType
from ptoscope.isa.parts import MEMORIES
from ptoscope.program import Loop

ALIGNMENT = MEMORIES["ub"].copy_alignment
"""What copies want of an address; vector loads and stores want no more on any target."""


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
    alignment: int = ALIGNMENT

    @property
    def bytes(self) -> int:
        """The bytes of its elements, of one copy."""
        return prod(self.shape) * self.dtype.bytes

    @property
    def stride(self) -> int:
        """The bytes from one copy to the next: whole vector registers, so that a load or a store
        of its last lanes reaches nothing else."""
        return -(-self.bytes // VREG_BYTES) * VREG_BYTES

    @property
    def reserved(self) -> int:
        """The bytes that all copies take."""
        return self.stride * self.copies
