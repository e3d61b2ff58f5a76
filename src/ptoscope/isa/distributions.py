"""How lanes lie in memory: distribution modes as data.

An access maps each lane to a byte offset from the effective address. Engines, bounds and
alignment checks, race detection and the reference pages read the same map.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

from ptoscope.isa.dtypes import DType


@dataclass(frozen=True, eq=False)
class Access:
    """Lane i is `width` bytes at `offsets[i]`; addresses are multiples of `alignment`."""

    offsets: tuple[int, ...]
    width: int
    alignment: int

    @cached_property
    def contiguous(self) -> bool:
        """Whether the lanes are one dense run of bytes."""
        return self.offsets == tuple(i * self.width for i in range(len(self.offsets)))

    @cached_property
    def extent(self) -> int:
        """Bytes from the address to the end of the last lane."""
        return max(self.offsets) + self.width


@cache
def norm(dtype: DType, alignment: int) -> Access:
    """NORM: one full register, dense. Alignment 0 stands for the element size."""
    size = dtype.bytes
    return Access(tuple(i * size for i in range(dtype.lanes)), size, alignment or size)


@cache
def broadcast(dtype: DType) -> Access:
    """BRC: one element to every lane."""
    size = dtype.bytes
    return Access((0,) * dtype.lanes, size, size)


LOAD_MODES = ("NORM", "BRC_B8", "BRC_B16", "BRC_B32")
STORE_MODES = ("NORM_B8", "NORM_B16", "NORM_B32")


def suffix_bits(mode: str) -> int:
    """The element width a mode's name carries, 0 if none."""
    _, _, bits = mode.rpartition("_B")
    return int(bits) if bits.isdigit() else 0


def load_access(mode: str, dtype: DType, alignment: int) -> Access:
    """The map of a vlds mode."""
    if mode == "NORM":
        return norm(dtype, alignment)
    return broadcast(dtype)


def store_access(mode: str, dtype: DType, alignment: int) -> Access:
    """The map of a vsts mode."""
    return norm(dtype, alignment)
