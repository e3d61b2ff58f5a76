"""The state of an unaligned store stream."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ptoscope.isa.record import Site
from ptoscope.isa.targets import BLOCK_BYTES
from ptoscope.machine.faults import STREAM, Fault
from ptoscope.machine.memory import Region


@dataclass(frozen=True)
class Stream:
    """Bytes that have not reached memory yet, and the address after the last of them.

    A stream that has not begun has no end. States are values: storing gives a new one.
    """

    pending: bytes = b""
    end: int | None = None

    def store(self, site: Site, memory: Region, address: int, data: bytes) -> Stream:
        """Appends bytes at an address; whole blocks are written, the tail is kept."""
        if self.pending and address != self.end:
            raise Fault(
                site,
                STREAM,
                f"the stream holds {len(self.pending)} bytes that belong before address {self.end}",
                found=f"a store at address {address}",
                expected=f"a store at address {self.end}, or a flush first",
            )
        held = self.pending + data
        end = address + len(data)
        start = end - len(held)
        memory.check(site, start, len(held), "writes")
        border = end // BLOCK_BYTES * BLOCK_BYTES
        written = max(0, border - start)
        _write(memory, start, held[:written])
        return Stream(held[written:], end)

    def flush(self, site: Site, memory: Region, address: int) -> None:
        """Writes the tail, which ends at the address."""
        if self.end is not None and address != self.end:
            raise Fault(
                site,
                STREAM,
                "the flush address is not where the stream ended",
                found=f"address {address}",
                expected=f"address {self.end}",
                hint="flush at the address after the last byte stored",
            )
        start = address - len(self.pending)
        memory.check(site, start, len(self.pending), "writes")
        _write(memory, start, self.pending)


def _write(memory: Region, start: int, data: bytes) -> None:
    memory.data[start : start + len(data)] = np.frombuffer(data, dtype=np.uint8)
