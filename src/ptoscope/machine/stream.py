"""The states of unaligned streams."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ptoscope.isa.dtypes import VREG_BYTES
from ptoscope.isa.record import Site
from ptoscope.isa.roles import StreamKind
from ptoscope.isa.table import names
from ptoscope.isa.targets import BLOCK_BYTES
from ptoscope.machine.faults import STREAM, Fault
from ptoscope.machine.memory import Region


@dataclass(frozen=True)
class Stream:
    """Of a store stream, the bytes that have not reached memory yet, and the address after the
    last of them. Its base is the pointer that names it, its position where its last store said
    that it goes on; `maker` is that store.

    A stream that has not begun has no end. States are values: storing gives a new one.
    """

    pending: bytes = b""
    end: int | None = None
    base: int = 0
    position: int = 0
    maker: Site | None = None

    @property
    def stays(self) -> bool:
        """Returns True if the last store gave another position than its end."""
        return self.end is not None and self.position != self.end

    def store(
        self,
        site: Site,
        memory: Region,
        base: int,
        address: int,
        data: bytes,
        position: int,
        named: bool,
    ) -> Stream:
        """Appends bytes at an address; whole blocks are written, the tail is kept."""
        # Where the end lies in its block must not decide: without a post-update the stream goes on
        # at its end even if nothing is pending.
        if (self.pending or self.stays) and address != self.end:
            count = len(self.pending)
            raise Fault(
                site,
                STREAM,
                f"the stream holds {count} bytes that belong before address {self.end}"
                if count
                else f"the last store of the stream, without a post-update, ended at {self.end}",
                found=f"a store at address {address}",
                expected=f"a store at address {self.end}, or a flush first",
            )
        if address == self.end:
            if named:
                self.check_base(site, base)
            base = self.base
        held = self.pending + data
        end = address + len(data)
        start = end - len(held)
        memory.check(site, start, len(held), "writes")
        if named and base > address:
            raise Fault(
                site,
                STREAM,
                f"the store at address {address} is not in a stream of base {base}",
                found=f"base {base}",
                expected=f"a base up to {address}",
                hint="the base is that of the buffer which the stream fills",
            )
        written = max(0, border(end) - start)
        _write(memory, start, held[:written])
        return Stream(held[written:], end, base, position, site)

    def check_base(self, site: Site, base: int) -> None:
        """A fault where a stream that has begun has another base."""
        if self.end is not None and base != self.base:
            raise Fault(
                site,
                STREAM,
                f"the stream is one of base {self.base}",
                found=f"base {base}",
                expected=f"base {self.base}",
                hint="all stores and the flush of a stream name one base; begin another stream "
                f"with {_doing('begins')}",
            )

    def flush(self, site: Site, memory: Region, address: int, by_base: bool) -> None:
        """Writes the tail, which ends where the stream does."""
        if self.end is None:
            memory.check(site, address, 0, "writes")
            return
        if address not in (self.end, self.position):
            if by_base:
                self.check_base(site, address)
            else:
                raise Fault(
                    site,
                    STREAM,
                    "the flush address is not where the stream ended",
                    found=f"address {address}",
                    expected=f"address {self.end}",
                    hint="flush at the address after the last byte stored",
                )
        _write(memory, self.end - len(self.pending), self.pending)


@dataclass(frozen=True)
class LoadStream:
    """Of a load stream, the first and the last address at which it may go on, and the block
    around them as it was read; nothing where it goes on at the border of a block that has not
    been read."""

    low: int
    high: int
    block: bytes = b""

    @staticmethod
    def prime(site: Site, memory: Region, address: int) -> LoadStream:
        """The stream that may begin anywhere in the block around an address."""
        start = border(address)
        memory.check(site, start, BLOCK_BYTES, "reads")
        return LoadStream(start, start + BLOCK_BYTES - 1, _read(memory, start))

    def load(self, site: Site, memory: Region, address: int) -> tuple[bytes, LoadStream]:
        """The bytes of a register from an address, and the stream after them."""
        if not self.low <= address <= self.high:
            block = f"an address from {self.low} to {self.high}, in the block that was primed"
            raise Fault(
                site,
                STREAM,
                "the address does not follow from the stream",
                found=f"address {address}",
                expected=f"address {self.low}" if self.low == self.high else block,
                hint=f"prime a stream with {_doing('primes')} in the block of the first address; "
                f"each {_doing('loads')} goes on 256 bytes after the one before it",
            )
        memory.check(site, address, VREG_BYTES, "reads")
        end = address + VREG_BYTES
        held = self.block[address - border(address) :]
        data = held + memory.data[address + len(held) : end].tobytes()
        last = border(end)
        return data, LoadStream(end, end, _read(memory, last) if last < end else b"")

    def reads(self, address: int) -> tuple[int, int]:
        """The first byte that a load at an address reads, and the one after the last."""
        start = border(address) + len(self.block)
        return start, border(address + VREG_BYTES - 1) + BLOCK_BYTES


def border(address: int) -> int:
    """Where the block around an address begins."""
    return address // BLOCK_BYTES * BLOCK_BYTES


def store_state(site: Site, state: object) -> Stream:
    """A state for stores; a fault for that of a load stream."""
    if isinstance(state, Stream):
        return state
    raise Fault(
        site,
        STREAM,
        "the align state is that of a load stream",
        found=f"a state of {_doing('primes', 'loads')}",
        expected=f"one of {_doing('begins')} or of an earlier store",
        hint=f"a store stream begins with {_doing('begins')}",
    )


def load_state(site: Site, state: object) -> LoadStream:
    """A state for loads; a fault for that of a store stream."""
    if isinstance(state, LoadStream):
        return state
    raise Fault(
        site,
        STREAM,
        f"no {_doing('primes')} has primed the stream",
        found=f"a state of {_doing('begins')} or of a store",
        expected=f"one of {_doing('primes')} or of an earlier {_doing('loads')}",
        hint=f"a load stream begins with {_doing('primes')}",
    )


def lost(site: Site, count: int) -> Fault:
    """The fault of a store whose last bytes nothing has flushed when its vecscope ends."""
    return Fault(
        site,
        STREAM,
        "the stream is lost: its vecscope ends before a flush",
        found=f"{count} bytes that have not reached UB",
        expected="a flush on every path",
        hint=f"bytes after the last 32-byte boundary reach UB only with {_doing('flushes')}",
    )


def _doing(*kinds: StreamKind) -> str:
    """The instructions that do this to a stream."""
    return names(lambda record: record.stream is not None and record.stream.kind in kinds)


def _read(memory: Region, start: int) -> bytes:
    return memory.data[start : start + BLOCK_BYTES].tobytes()


def _write(memory: Region, start: int, data: bytes) -> None:
    memory.data[start : start + len(data)] = np.frombuffer(data, dtype=np.uint8)
