"""The state of an unaligned store stream with the shadow of what it holds back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ptoscope.isa.record import Site
from ptoscope.machine.memory import Region
from ptoscope.machine.shadow.memory import ShadowBytes
from ptoscope.machine.shadow.origins import Origins
from ptoscope.machine.stream import Stream


@dataclass(frozen=True)
class ShadowStream:
    """The stream, and the undefined bits and origins of its pending bytes."""

    real: Stream = field(default_factory=Stream)
    v: Any = field(default_factory=lambda: np.zeros(0, np.uint8))
    o: Any = field(default_factory=lambda: np.zeros(0, np.int64))

    def store(
        self,
        site: Site,
        memory: Region,
        shadow: ShadowBytes,
        address: int,
        data: tuple[bytes, Any, Any],
        book: Origins,
    ) -> ShadowStream:
        """Appends bytes with their undefined bits and origins. What is held back is undefined
        in memory until it is written."""
        content, v, o = data
        real = self.real.store(site, memory, address, content)
        v, o = np.concatenate((self.v, v)), np.concatenate((self.o, o))
        end = address + len(content)
        start, kept = end - len(v), len(real.pending)
        written = len(v) - kept
        shadow.write(slice(start, start + written), v[:written], o[:written])
        held = max(address, end - kept)
        shadow.hold_back(site, held, end, book)
        if book.garbage is not None:
            memory.data[held:end] = np.frombuffer(book.garbage.bytes(end - held), np.uint8)
        return ShadowStream(real, v[written:], o[written:])

    def flush(self, site: Site, memory: Region, shadow: ShadowBytes, address: int) -> None:
        """Writes what is left, which ends at the address."""
        self.real.flush(site, memory, address)
        shadow.write(slice(address - len(self.v), address), self.v, self.o)
