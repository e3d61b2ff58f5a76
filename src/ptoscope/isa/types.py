"""Types of SSA values, as the whole product knows them outside the text reader."""

from __future__ import annotations

from dataclasses import dataclass

from ptoscope.isa.dtypes import DType
from ptoscope.isa.parts import MEMORIES

Space = str
"""The name of a memory: one of SPACES."""
SPACES: tuple[Space, ...] = tuple(name for name, memory in MEMORIES.items() if memory.named)
GRANULARITIES = (8, 16, 32)


@dataclass(frozen=True)
class VReg:
    """A 256-byte vector register of one element type."""

    dtype: DType

    @property
    def lanes(self) -> int:
        return self.dtype.lanes

    def __str__(self) -> str:
        return f"!pto.vreg<{self.lanes}x{self.dtype}>"


@dataclass(frozen=True)
class Mask:
    """A predicate register seen with 8, 16 or 32 bits per lane."""

    bits: int

    @property
    def lanes(self) -> int:
        return 2048 // self.bits

    def __str__(self) -> str:
        return f"!pto.mask<b{self.bits}>"


def granularity(bits: int) -> int:
    """The mask bits per lane of elements this wide. There is no b64 mask: a 64-bit lane is
    governed by a b32 pair, of which the first counts."""
    return min(32, max(8, bits))


@dataclass(frozen=True)
class Ptr:
    """A pointer to elements in a memory; its value is a byte address."""

    dtype: DType
    space: Space

    def __str__(self) -> str:
        return f"!pto.ptr<{self.dtype}, {self.space}>"


@dataclass(frozen=True)
class Align:
    """The state of an unaligned load or store stream."""

    def __str__(self) -> str:
        return "!pto.align"


@dataclass(frozen=True)
class VAddr:
    """An offset in bytes that the loops around it make, for elements of 8, 16 or 32 bits."""

    bits: int

    def __str__(self) -> str:
        return f"!pto.vaddr<b{self.bits}>"


@dataclass(frozen=True)
class Scalar:
    """A scalar of the surrounding program."""

    dtype: DType

    def __str__(self) -> str:
        return str(self.dtype)


Type = VReg | Mask | Ptr | Align | VAddr | Scalar

AttrValue = str | int | float | bool | tuple[str, ...]
"""What a static attribute of an operation may be."""


def is_vector_state(type: Type) -> bool:
    """Whether values of this type live only inside a vecscope."""
    return isinstance(type, (VReg, Mask, Align, VAddr))


def can_be_passed(kind: Type) -> bool:
    """Whether a launch can pass a value of a type: a core's own memory has no addresses outside
    of it, and vectors no place."""
    return isinstance(kind, Scalar) or (isinstance(kind, Ptr) and not MEMORIES[kind.space].on_core)
