"""The shadow of memory, and of the streams that write it: for every byte its undefined bits and
where they come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from ptoscope.isa.distributions import NOTHING, Access
from ptoscope.isa.dtypes import VREG_BYTES
from ptoscope.isa.record import Site
from ptoscope.machine.memory import Region
from ptoscope.machine.shadow.origins import DETAIL_BITS, Ids, Origin, OriginKind, Origins
from ptoscope.machine.stream import LoadStream, Stream, border

Places = Any
"""Byte addresses, one row for each lane."""


@cache
def lane_offsets(access: Access) -> tuple[Any, Any]:
    """The offset of each lane's bytes, and which lanes touch memory."""
    offsets = np.array(access.offsets)
    present = offsets != NOTHING
    rows = np.where(present, offsets, 0)[:, None] + np.arange(access.width)
    return rows, present


@dataclass
class ShadowBytes:
    """One region: `v` the undefined bits of each byte, `o` their origins."""

    v: Any
    o: Ids
    name: str = ""
    unwritten: int = -1
    """The event of bytes that nobody has written; none of it where all were defined."""

    @staticmethod
    def defined(size: int) -> ShadowBytes:
        """A region in which every byte is defined."""
        return ShadowBytes(np.zeros(size, np.uint8), np.zeros(size, np.int64))

    @staticmethod
    def never_written(size: int, name: str, book: Origins) -> ShadowBytes:
        """A region in which no byte is; origins are byte addresses."""
        event = book.event(Origin("never written", name))
        origins = event | np.arange(size, dtype=np.int64)
        return ShadowBytes(np.full(size, 0xFF, np.uint8), origins, name, event >> DETAIL_BITS)

    def part(self, here: slice) -> ShadowBytes:
        """Some of its bytes: what is written to either is in both."""
        return ShadowBytes(self.v[here], self.o[here])

    def read(self, places: Places) -> tuple[Any, Ids]:
        """The undefined bits of rows of bytes, and for each row the origin of the first
        byte that has some."""
        v = self.v[places]
        first = (v != 0).argmax(axis=1)
        return v, self.o[places[np.arange(len(places)), first]]

    def write(self, places: Places, v: Any, o: Any) -> None:
        """Undefined bits and origins of bytes; of equal places the last counts."""
        self.v[places] = v
        self.o[places] = o

    def poisoned(self, start: int, end: int) -> bool:
        """Whether any bit of a run of bytes is undefined."""
        return bool(self.v[start:end].any())

    def leave(
        self,
        site: Site,
        kind: OriginKind,
        places: Ids,
        wrote: tuple[int, int] | None,
        book: Origins,
    ) -> None:
        """Of some bytes, those that nobody has written are what the site left out."""
        places = places[(places >= 0) & (places < len(self.v))]
        unwritten = (self.o[places] >> DETAIL_BITS == self.unwritten) & (self.v[places] != 0)
        places = places[unwritten]
        if len(places):
            event = Origin(kind, self.name, site, None, book.iteration(), wrote=wrote)
            self.o[places] = book.event(event) | places

    def hold_back(self, site: Site, start: int, end: int, book: Origins) -> None:
        """A run of bytes that a stream has taken but not written."""
        if start == end:
            return
        event = book.event(Origin("unflushed align bytes", self.name, site, None, book.iteration()))
        self.v[start:end] = 0xFF
        self.o[start:end] = event | np.arange(start, end, dtype=np.int64)


@dataclass(frozen=True)
class ShadowStream:
    """An unaligned store stream, and the undefined bits and origins of its pending bytes."""

    real: Stream = field(default_factory=Stream)
    v: Any = field(default_factory=lambda: np.zeros(0, np.uint8))
    o: Any = field(default_factory=lambda: np.zeros(0, np.int64))

    def store(
        self,
        site: Site,
        memory: Region,
        shadow: ShadowBytes,
        real: Stream,
        v: Any,
        o: Any,
        book: Origins,
    ) -> ShadowStream:
        """The stream after bytes with their undefined bits and origins were appended, which made
        the real one. What is held back is undefined in memory until it is written."""
        assert real.end is not None
        end, address = real.end, real.end - len(v)
        v, o = np.concatenate((self.v, v)), np.concatenate((self.o, o))
        start, kept = end - len(v), len(real.pending)
        written = len(v) - kept
        shadow.write(slice(start, start + written), v[:written], o[:written])
        held = max(address, end - kept)
        shadow.hold_back(site, held, end, book)
        if book.garbage is not None:
            memory.data[held:end] = np.frombuffer(book.garbage.bytes(end - held), np.uint8)
        return ShadowStream(real, v[written:], o[written:])

    def flush(self, shadow: ShadowBytes) -> None:
        """What is left has been written, up to where the stream ended."""
        if self.real.end is not None:
            shadow.write(slice(self.real.end - len(self.v), self.real.end), self.v, self.o)


@dataclass(frozen=True)
class ShadowLoadStream:
    """An unaligned load stream, and the undefined bits and origins of the block it holds."""

    real: LoadStream
    v: Any
    o: Any

    @staticmethod
    def at(real: LoadStream, shadow: ShadowBytes) -> ShadowLoadStream:
        """The stream that has just read its block."""
        held = slice(border(real.low), border(real.low) + len(real.block))
        return ShadowLoadStream(real, shadow.v[held].copy(), shadow.o[held].copy())

    def load(self, shadow: ShadowBytes, address: int) -> tuple[Any, Any]:
        """The undefined bits and the origins of the bytes of a register at an address."""
        skip = address - border(address)
        v, o = self.v[skip:], self.o[skip:]
        rest = slice(address + len(v), address + VREG_BYTES)
        return np.concatenate((v, shadow.v[rest])), np.concatenate((o, shadow.o[rest]))


def tail_of(start: int, end: int) -> Ids:
    """The bytes after a row up to where the last register ends that it fills in part."""
    return np.arange(end, start + -(-(end - start) // VREG_BYTES) * VREG_BYTES, dtype=np.int64)
