"""Where undefined data comes from.

An origin is a number: which event (upper bits) and which lane, or byte, of it (lower 32
bits). Whoever carries undefined bits carries the origin beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from ptoscope.isa.parts import ON_CORE, VECTOR_CORES
from ptoscope.isa.record import Site
from ptoscope.machine.deadlock import IterationText
from ptoscope.machine.memory import Bytes, ub_name

OriginKind = Literal["never written", "inactive lane", "beyond a tail", "unflushed align bytes"]

DETAIL_BITS = 32
DETAIL = (1 << DETAIL_BITS) - 1
EVENTS = (1 << (63 - DETAIL_BITS)) - 1

_OWN = frozenset((*(memory.title for memory in ON_CORE), *map(ub_name, range(VECTOR_CORES))))

Ids = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, eq=False)
class Origin:
    """Something that left data undefined, or the load that read such data.

    In memory (`site` None, or `writer` for what a store, a row or a stream leaves behind) the
    detail of an origin is a byte of `memory`; in a register it is a lane of what `site` made.
    `places` are the bytes that its lanes from `first` on were read from. `wrote` are the bytes
    that the writer did write, from the first to after the last; it is None where there is no
    writer, or only the run knows how many elements there were.
    """

    kind: OriginKind
    memory: str = ""
    writer: Site | None = None
    site: Site | None = None
    iteration: str = ""
    first: int = 0
    places: Sequence[int] = ()
    columns: int = 0
    """Where its lanes are the elements of a matrix: how many a row has."""
    note: str = ""
    wrote: tuple[int, int] | None = None

    @property
    def untouched(self) -> bool:
        """Whether it is in a core's own memory, and nobody has written or read it."""
        unwritten = self.kind != "unflushed align bytes"
        return unwritten and self.memory in _OWN and self.site is None

    def wrote_any(self, places: Any) -> bool:
        """Whether its writer wrote any of these bytes."""
        if self.wrote is None:
            return False
        start, end = self.wrote
        return bool(((places >= start) & (places < end)).any())

    @property
    def line(self) -> int:
        """The line of the instruction it came from, 0 if it was there before the first."""
        at = self.site or self.writer
        return at.span.line if at is not None else 0


@dataclass
class Origins:
    """All events of a run, and what is running now: the instruction and its loops.

    `marks` says that inactive lanes of the instruction's result are not to be relied on;
    `garbage`, where given, fills what is undefined.
    """

    garbage: np.random.Generator | None = None
    events: list[Origin] = field(default_factory=list[Origin])
    site: Site | None = None
    marks: bool = False
    iterations: list[IterationText] = field(default_factory=list[IterationText])
    block: str = ""

    def of_core(self, core: str) -> Origins:
        """The same events, as one core of a block comes to them; `core` is how messages write it,
        where there are several."""
        block = ", ".join(part for part in (self.block, core) if part)
        return replace(self, site=None, marks=False, iterations=[], block=block)

    def content(self, size: int) -> Bytes:
        """What memory holds that nobody has written."""
        if self.garbage is None:
            return np.zeros(size, np.uint8)
        return np.frombuffer(bytearray(self.garbage.bytes(size)), np.uint8)

    def event(self, event: Origin) -> int:
        """Notes an event: the number that its origins begin with."""
        # After two thousand million of them the last one stands for all later ones.
        if len(self.events) < EVENTS:
            self.events.append(event)
        return (len(self.events) - 1) << DETAIL_BITS

    def of(self, origin: int) -> tuple[Origin, int]:
        """The event of an origin, and its lane or byte."""
        return self.events[origin >> DETAIL_BITS], origin & DETAIL

    def iteration(self) -> str:
        """The block, where there are several, and the iterations of the loops around."""
        iterations = ["".join(map(str, iteration)) for iteration in self.iterations]
        return ", ".join([self.block, *iterations] if self.block else iterations)

    def loaded(self, site: Site, origins: Ids, poisoned: Any, columns: int = 0) -> Ids:
        """The origins of lanes read from memory: a lane of undefined memory comes from this
        load, one that was stored keeps where it came from. `columns` is as of `Origin`."""
        lanes = np.flatnonzero(poisoned)
        numbers = origins[lanes] >> DETAIL_BITS
        result = origins.copy()
        for number in np.unique(numbers):
            event = self.events[int(number)]
            if event.site is not None:
                continue
            chosen = lanes[numbers == number]
            first, last = int(chosen[0]), int(chosen[-1])
            read = replace(
                event,
                site=site,
                iteration=self.iteration(),
                first=first,
                places=origins[first : last + 1] & DETAIL,
                columns=columns,
            )
            result[chosen] = self.event(read) | chosen
        return result

    def describe(self, origin: int) -> str:
        """Where undefined data came from, in words."""
        event, detail = self.of(origin)
        where = f" (at {event.iteration})" if event.iteration else ""
        if event.site is not None and not len(event.places):
            return f"lane {detail} of {_named(event.site)}{where}: {event.note}"
        byte = int(event.places[detail - event.first]) if event.site is not None else detail
        left = f" of {_named(event.writer)}" if event.writer is not None else ""
        kind = "left by an inactive lane" if event.kind == "inactive lane" else event.kind
        said = f"byte {byte} of {event.memory}, {kind}{left}"
        if event.site is None:
            return said + where
        lane = f"lane {detail}"
        if event.columns:
            lane = f"element ({detail // event.columns}, {detail % event.columns})"
        return f"{lane} of {_named(event.site)}{where}: {said}"


def _named(site: Site) -> str:
    return f"{site.record.name} at line {site.span.line}"
