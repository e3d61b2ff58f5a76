"""The map of a kernel's buffers: where each lies and when it is live, for people and machines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, overload

from ptoscope.isa.parts import KIB, MEMORIES
from ptoscope.isa.targets import Target
from ptoscope.lang.memory.picture import picture
from ptoscope.lang.memory.placement import Placement
from ptoscope.tables import Table, counted


@dataclass(frozen=True, slots=True)
class MemoryMap:
    """Where the buffers of a kernel lie, in the order in which they were allocated. As text a
    table; a notebook shows a picture with it. Bytes are counted for each memory by itself: `of`
    is the map of one."""

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
    def memories(self) -> tuple[str, ...]:
        """Those that buffers lie in, in the order of `isa.parts`; UB if there are none."""
        used = {p.memory for p in self.placements}
        return tuple(name for name in MEMORIES if name in used) or ("ub",)

    def of(self, memory: str) -> MemoryMap:
        """The buffers of one memory."""
        return MemoryMap(self.target, tuple(p for p in self.placements if p.memory == memory))

    @property
    def capacity(self) -> int:
        """The bytes of the memories that buffers lie in."""
        return sum(self.target.bytes_of(memory) for memory in self.memories)

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
        """The pieces of the memories that buffers have, and whether several have it."""
        for memory in self.memories:
            here = [p for p in self.placements if p.memory == memory]
            edges = sorted({edge for p in here for edge in (p.address, p.end)})
            for low, high in pairwise(edges):
                owners = sum(p.address <= low and high <= p.end for p in here)
                if owners:
                    yield low, high, owners > 1

    def by_address(self) -> list[Placement]:
        """Memory by memory from low addresses to high ones; those at one address in the order of
        their lines."""
        order = self.memories
        return sorted(
            self.placements,
            key=lambda p: (order.index(p.memory), p.address, p.life.first, p.end),
        )

    def table(self) -> Table:
        """Columns and rows of text, from low addresses to high ones."""
        columns = ("buffer", "elements", "addresses", "bytes", "copies", "live", "shares with")
        rows = [self._row(p) for p in self.by_address()]
        if self.memories == ("ub",):
            return Table(columns, rows)
        titles = (MEMORIES[p.memory].title for p in self.by_address())
        return Table(("memory", *columns), [(t, *row) for t, row in zip(titles, rows, strict=True)])

    def _row(self, p: Placement) -> tuple[str, ...]:
        others = ", ".join(other.name for other in self.sharing(p))
        addresses = f"{p.address:#07x} to {p.end - 1:#07x}"
        copies = str(p.allocation.copies)
        reserved = str(p.allocation.reserved)
        return p.name, p.type, addresses, reserved, copies, p.lines, others

    @property
    def summary(self) -> str:
        """How much of each memory is taken, in a line."""
        said = "; ".join(self.of(memory)._taken(memory) for memory in self.memories)
        return f"{counted(len(self), 'buffer')}, {said}"

    def _taken(self, memory: str) -> str:
        total = f"{self.used} of {self.capacity} bytes ({self.capacity // KIB} KiB)"
        reused = f", {self.reused} of them by several in turn" if self.reused else ""
        return f"{total} of {MEMORIES[memory].title} on {self.target.name}{reused}"

    def __str__(self) -> str:
        return f"{self.table() if self.placements else ''}{self.summary}\n"

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "target": self.target.name,
            "capacity": self.capacity,
            "used": self.used,
            "reused": self.reused,
            "memories": {m: self.of(m)._total(m) for m in self.memories},
            "buffers": [self._record(p) for p in self.placements],
        }

    def _total(self, memory: str) -> dict[str, int]:
        capacity = self.target.bytes_of(memory)
        return {"capacity": capacity, "used": self.used, "reused": self.reused}

    def _record(self, p: Placement) -> dict[str, Any]:
        a = p.allocation
        return {
            "name": a.name,
            "memory": a.memory,
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
        maps = [self.of(memory) for memory in self.memories]
        return "".join(picture(m.by_address(), m.table(), m.summary) for m in maps)
