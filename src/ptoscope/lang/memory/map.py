"""The map of a kernel's buffers: where each lies and when it is live, for people and machines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, overload

from ptoscope.isa.parts import KIB
from ptoscope.isa.targets import Target
from ptoscope.lang.memory.picture import picture
from ptoscope.lang.memory.placement import Placement
from ptoscope.tables import Table, counted


@dataclass(frozen=True, slots=True)
class MemoryMap:
    """Where the buffers of a kernel lie in UB, in the order in which they were allocated. As text
    a table; a notebook shows a picture with it."""

    target: Target
    placements: tuple[Placement, ...]

    def __iter__(self) -> Iterator[Placement]:
        return iter(self.placements)

    def __len__(self) -> int:
        return len(self.placements)

    @overload
    def __getitem__(self, which: int) -> Placement: ...
    @overload
    def __getitem__(self, which: str) -> Placement: ...
    def __getitem__(self, which: int | str) -> Placement:
        """A buffer by its number or its name, the first of that name; KeyError for another name."""
        if isinstance(which, int):
            return self.placements[which]
        for placement in self.placements:
            if placement.name == which:
                return placement
        names = ", ".join(p.name for p in self.placements) or "none"
        raise KeyError(f"no buffer {which}; there are {names}")

    @property
    def capacity(self) -> int:
        """The bytes of UB."""
        return self.target.ub_bytes

    @property
    def end(self) -> int:
        """The address behind the last byte that any buffer has."""
        return max((p.end for p in self.placements), default=0)

    @property
    def used(self) -> int:
        """The bytes that buffers have, those that several have counted once."""
        return sum(high - low for low, high, _ in self._stretches())

    @property
    def reused(self) -> int:
        """The bytes that several buffers have, one after the other."""
        return sum(high - low for low, high, several in self._stretches() if several)

    def sharing(self, placement: Placement) -> list[Placement]:
        """The other buffers that have bytes of this one at other times."""
        return [p for p in self.placements if p is not placement and p.shares(placement)]

    def _stretches(self) -> Iterator[tuple[int, int, bool]]:
        """The pieces of UB that buffers have, and whether several have it."""
        edges = sorted({edge for p in self.placements for edge in (p.address, p.end)})
        for low, high in pairwise(edges):
            owners = sum(p.address <= low and high <= p.end for p in self.placements)
            if owners:
                yield low, high, owners > 1

    def by_address(self) -> list[Placement]:
        """From low addresses to high ones; those at one address in the order of their lines."""
        return sorted(self.placements, key=lambda p: (p.address, p.life.first, p.end))

    def table(self) -> Table:
        """Columns and rows of text, from low addresses to high ones."""
        columns = ("buffer", "elements", "addresses", "bytes", "copies", "live", "shares with")
        return Table(columns, [self._row(p) for p in self.by_address()])

    def _row(self, p: Placement) -> tuple[str, ...]:
        others = ", ".join(other.name for other in self.sharing(p))
        addresses = f"{p.address:#07x} to {p.end - 1:#07x}"
        copies = str(p.allocation.copies)
        reserved = str(p.allocation.reserved)
        return p.name, p.type, addresses, reserved, copies, p.lines, others

    @property
    def summary(self) -> str:
        """How much of UB is taken, in a line."""
        total = f"{self.used} of {self.capacity} bytes ({self.capacity // KIB} KiB)"
        reused = f", {self.reused} of them by several in turn" if self.reused else ""
        return f"{counted(len(self), 'buffer')}, {total} of UB on {self.target.name}{reused}"

    def __str__(self) -> str:
        return f"{self.table() if self.placements else ''}{self.summary}\n"

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "target": self.target.name,
            "capacity": self.capacity,
            "used": self.used,
            "reused": self.reused,
            "buffers": [self._record(p) for p in self.placements],
        }

    def _record(self, p: Placement) -> dict[str, Any]:
        a = p.allocation
        return {
            "name": a.name,
            "dtype": str(a.dtype),
            "shape": list(a.shape),
            "address": p.address,
            "end": p.end,
            "bytes": a.bytes,
            "copies": a.copies,
            "stride": a.stride,
            "line": a.span.line,
            "first_line": p.first_line,
            "last_line": p.last_line,
            "shares_with": [other.name for other in self.sharing(p)],
        }

    def _repr_html_(self) -> str:
        return picture(self.by_address(), self.table(), self.summary)
