"""Memory of the reference engine: the caller's arrays as GM, and what a core has for itself.

A pointer is a 64-bit number. In a core's own memories addresses start at 0. Each pointer
argument lies in the middle of its own stretch of GM, so that any address tells which argument
it came from, also when it is before the start or after the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ptoscope.isa.dtypes import I8, DType
from ptoscope.isa.parts import ALONE, MEMORIES, ON_CORE, VECTOR_CORES, CoreKind, core_ids
from ptoscope.isa.types import Space
from ptoscope.machine.faults import (
    MISALIGNED,
    OUT_OF_GM,
    OUT_OF_UB,
    READ_ONLY,
    SYNC_MISUSE,
    Fault,
)

if TYPE_CHECKING:
    from ptoscope.arguments import Argument
    from ptoscope.isa.record import Site
    from ptoscope.isa.targets import Target
    from ptoscope.program import Function

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
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
    data: Bytes
    dtype: DType
    base: int = 0
    writeable: bool = True
    number: int = 0
    """Of a UB: the vector core that has it."""

    @cached_property
    def size(self) -> int:
        return self.data.nbytes

    @property
    def key(self) -> tuple[Space, int]:
        """What tells it from the others of a run."""
        return self.space, self.base + self.number

    def out_of_bounds(self, site: Site, start: int, length: int, verb: str) -> Fault:
        """The fault for `length` bytes at byte offset `start`."""
        if MEMORIES[self.space].on_core:
            return Fault(
                site,
                OUT_OF_UB,
                f"{verb} {length} bytes at {self.name} address {start}, outside {self.name}",
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
                hint="pass an array that may be written, such as a copy; "
                "of a tensor that is lent read-only, its .numpy()",
            )


def gm_regions(arguments: Iterable[Argument]) -> dict[int, Region]:
    """The callers' arrays by position."""
    return {
        a.position: Region(a.name, "gm", a.data, a.dtype, gm_base(a.position), a.writeable)
        for a in arguments
        if a.data is not None
    }


def zeroed(size: int) -> Bytes:
    """What a memory holds when a block begins."""
    return np.zeros(size, dtype=np.uint8)


def own_regions(
    target: Target,
    content: Callable[[int], Bytes] = zeroed,
    matrix: bool = False,
) -> list[Region]:
    """The memories on the chip of one core, of so many bytes of content each; with `matrix`,
    those of a matrix core too."""
    memories = [m for m in ON_CORE if matrix or m.core == "vector"]
    return [Region(m.title, m.name, content(target.bytes_of(m.name)), I8) for m in memories]


def cluster_regions(
    function: Function,
    target: Target,
    content: Callable[[int], Bytes] = zeroed,
) -> list[list[Region]]:
    """The memories on the chip as each core of a block of a kernel sees them."""
    return block_regions(function.cores, function.uses_matrix_memories, target, content)


def block_regions(
    cores: tuple[CoreKind, ...],
    matrix: bool,
    target: Target,
    content: Callable[[int], Bytes] = zeroed,
) -> list[list[Region]]:
    """The same of these cores, UB first, and with `matrix` or several of them those of a matrix
    core. They are the same ones, but for UB: a vector core sees its own, the matrix core that of
    each of the others."""
    ids = core_ids(cores)
    if ids == (ALONE,) and not matrix:
        return [own_regions(target, content)]
    shared = own_regions(target, content, matrix=True)
    first = next(region for region in shared if region.space == "ub")
    data = content(target.ub_bytes)
    second = Region(ub_name(1), "ub", data, I8, number=1)
    seen: list[list[Region]] = []
    for core in ids:
        mine = second if core.number == 1 else first
        rest = [region for region in shared if region is not first]
        seen.append([mine, *rest, *([second] if core.kind == "cube" else [])])
    return seen


def ub_name(number: int) -> str:
    """The UB of a vector core as messages write it."""
    title = MEMORIES["ub"].title
    return title if number == 0 else f"{title} of vector core {number}"


class Memory:
    """GM regions by argument position, and what a core has for itself, UB among it."""

    def __init__(self, regions: dict[int, Region], own: Iterable[Region]) -> None:
        self.regions = regions
        self.own: dict[Space, Region] = {}
        self.ubs: dict[int, Region] = {}
        """Those UBs that it reaches, by the number of their vector core."""
        for region in own:
            self.own.setdefault(region.space, region)
            if region.space == "ub":
                self.ubs[region.number] = region
        self.ub = self.own["ub"]
        self._views: dict[str, Any] = {}

    def ub_view(self, storage: str) -> Any:
        """UB as an array of a storage type."""
        view = self._views.get(storage)
        if view is None:
            view = self._views[storage] = self.ub.data.view(storage)
        return view

    def _ub_of(self, site: Site, core: int) -> Region:
        if core not in self.ubs:
            raise no_such_core(site, core)
        return self.ubs[core]

    def locate(
        self, site: Site, space: Space, address: int, core: int | None = None
    ) -> tuple[Region, int]:
        """The region an address belongs to and the byte offset in it. `core` is the vector core
        whose UB it is, where that is not this one's."""
        if space == "ub" and core is not None:
            return self._ub_of(site, core), address
        if space in self.own:
            return self.own[space], address
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


def no_such_core(site: Site, number: int) -> Fault:
    """The fault for a vector core that the cluster does not have."""
    return Fault(
        site,
        SYNC_MISUSE,
        f"the cluster has no vector core {number}",
        found=str(number),
        expected=" or ".join(map(str, range(VECTOR_CORES))),
    )


def misaligned(site: Site, space: Space, address: int, alignment: int) -> Fault:
    """The fault for an address that is not a multiple of the alignment."""
    return Fault(
        site,
        MISALIGNED,
        f"{MEMORIES[space].title} address {address} is not a multiple of {alignment} bytes",
        found=f"address {address} (remainder {address % alignment})",
        expected=f"a multiple of {alignment}",
        hint=f"align the base and make the offset a multiple of {alignment} bytes",
    )
