"""Memory of the reference engine: the caller's arrays as GM, and UB.

A pointer is a 64-bit number. UB addresses start at 0. Each pointer argument lies in the
middle of its own stretch of GM, so that any address tells which argument it came from,
also when it is before the start or after the end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ptoscope.isa.dtypes import DType
from ptoscope.isa.types import Space
from ptoscope.machine.faults import MISALIGNED, OUT_OF_GM, OUT_OF_UB, READ_ONLY, Fault

if TYPE_CHECKING:
    from ptoscope.arguments import Argument
    from ptoscope.isa.record import Site

_STRETCH = 1 << 44


def gm_base(position: int) -> int:
    """The address of the first byte of the pointer argument at a position."""
    return (position + 1) * _STRETCH + _STRETCH // 2


def gm_position(address: int) -> int:
    """The position of the argument that an address belongs to, if there is one there."""
    return address // _STRETCH - 1


@dataclass
class Region:
    """One dense run of bytes with a name."""

    name: str
    space: Space
    data: np.ndarray[Any, np.dtype[np.uint8]]
    dtype: DType
    base: int = 0
    writeable: bool = True

    @cached_property
    def size(self) -> int:
        return self.data.nbytes

    def out_of_bounds(self, site: Site, start: int, length: int, verb: str) -> Fault:
        """The fault for `length` bytes at byte offset `start`."""
        if self.space == "ub":
            return Fault(
                site,
                OUT_OF_UB,
                f"{verb} {length} bytes at UB address {start}, outside UB",
                found=f"bytes {start} to {start + length - 1}",
                expected=f"bytes 0 to {self.size - 1} ({self.size // 1024} KiB)",
                hint="check the pointer's base, the offset and the loop bounds",
            )
        width = self.dtype.bytes
        outside = start if start < 0 else max(start, self.size)
        return Fault(
            site,
            OUT_OF_GM,
            f"{verb} element {outside // width} of %{self.name}, which has "
            f"{self.size // width} elements",
            found=f"{length} bytes at byte {start} of %{self.name}",
            expected=f"bytes 0 to {self.size - 1}" if self.size else "an array with elements",
            hint="check the offset, the burst length and the array's size",
        )

    def check(self, site: Site, start: int, length: int, verb: str) -> None:
        """Faults unless the bytes lie inside (and may be written)."""
        if start < 0 or start + length > self.size:
            raise self.out_of_bounds(site, start, length, verb)
        if verb == "writes" and not self.writeable:
            raise Fault(
                site,
                READ_ONLY,
                f"writes to %{self.name}, a read-only array",
                hint="pass an array that may be written",
            )


def gm_regions(arguments: Iterable[Argument]) -> dict[int, Region]:
    """The callers' arrays by position."""
    return {
        a.position: Region(a.name, "gm", a.data, a.dtype, gm_base(a.position), a.writeable)
        for a in arguments
        if a.data is not None
    }


class Memory:
    """GM regions by argument position, and UB."""

    def __init__(self, regions: dict[int, Region], ub: Region) -> None:
        self.regions = regions
        self.ub = ub
        self._views: dict[str, Any] = {}

    def ub_view(self, storage: str) -> Any:
        """UB as an array of a storage type."""
        view = self._views.get(storage)
        if view is None:
            view = self._views[storage] = self.ub.data.view(storage)
        return view

    def locate(self, site: Site, space: Space, address: int) -> tuple[Region, int]:
        """The region an address belongs to and the byte offset in it."""
        if space == "ub":
            return self.ub, address
        position = gm_position(address)
        region = self.regions.get(position)
        if region is None:
            raise Fault(
                site,
                OUT_OF_GM,
                f"GM address {address:#x} belongs to no pointer argument",
                hint="GM pointers come from the kernel's arguments; a number cast to one is not",
            )
        return region, address - region.base


def misaligned(site: Site, space: Space, address: int, alignment: int) -> Fault:
    """The fault for an address that is not a multiple of the alignment."""
    return Fault(
        site,
        MISALIGNED,
        f"{space.upper()} address {address} is not a multiple of {alignment} bytes",
        found=f"address {address} (remainder {address % alignment})",
        expected=f"a multiple of {alignment}",
        hint=f"align the base and make the offset a multiple of {alignment} bytes",
    )
