"""What a model of a target gives, and what all models share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ptoscope.isa.cost import Figure, product
from ptoscope.isa.cost_tables import transfer
from ptoscope.isa.record import Record
from ptoscope.isa.targets import TargetName
from ptoscope.native.subset import Ints
from ptoscope.program import Scope
from ptoscope.timing.figures import Overrides
from ptoscope.timing.pipes import PipeEvents, Work
from ptoscope.timing.products import left_element, product_repeats
from ptoscope.timing.scopes import Instructions
from ptoscope.timing.vector_core import CAUSE_COUNT
from ptoscope.timing.vector_queues import (
    FIRST_LOAD,
    FIRST_PORT,
    NO_PORT,
    OTHER_LOAD,
    SECOND_PORT,
    STORES,
)
from ptoscope.trace.trace import Place, Trace

REPEAT_BYTES = 256
"""What one repeat of an instruction that works on UB reads at most."""


@dataclass
class ScopeTimes:
    """Cycles inside vecscopes.

    `cycles` by entry; by place the cycles that started something (`busy`) and that did not,
    by cause (`stall`, a row of causes for each place); those in which dispatch stopped there
    (`held`, likewise); `startup` and `drain` of each entry.
    `head` and `tail` are the parts of an entry's cycles that only count if its pipe was idle,
    and that the pipe does not wait for. By instruction, where the model has them: the cycle of
    its entry in which it was dispatched (`sent`), its `start`, when it was `ready` to, `latency`,
    `track` (where it ran), the producer it was `bound` by, cycles it `waited` for that one, and
    `ideal`, its start if only results had to be waited for.
    """

    cycles: Ints
    busy: Ints
    stall: Ints
    held: Ints
    startup: int = 0
    drain: int = 0
    head: Ints | None = None
    tail: Ints | None = None
    sent: Ints | None = None
    start: Ints | None = None
    ready: Ints | None = None
    ideal: Ints | None = None
    latency: Ints | None = None
    track: Ints | None = None
    bound: Ints | None = None
    waited: Ints | None = None


@dataclass
class PlaceFigures:
    """The figures one place rests on, by name. `kind` comes before the title in the names by
    which figures are given: `dma` for those of a copy's path."""

    title: str
    figures: dict[str, Figure] = field(default_factory=dict[str, Figure])
    kind: str = ""

    def setting(self, name: str) -> str:
        """The name by which one of the figures is given."""
        return ".".join(part for part in (self.kind, self.title, name) if part)

    @property
    def assumed(self) -> bool:
        return any(figure.assumed for figure in self.figures.values())


NamedFigure = tuple[str, str, Figure]
"""Of what it is, which, and the figure."""


class Model(ABC):
    """Figures of a target and how they make cycles."""

    target: TargetName
    name: str
    manual = False
    """Whether it takes the manual's figures first."""
    tracks: Mapping[int, str] = {
        FIRST_PORT: "vector: port 0",
        SECOND_PORT: "vector: port 1",
        FIRST_LOAD: "vector: loads, first of a cycle",
        OTHER_LOAD: "vector: loads, second of a cycle",
        STORES: "vector: stores",
        NO_PORT: "vector: predicates and barriers",
    }
    """Where instructions start, by number in `ScopeTimes.track`."""
    fields: tuple[str, ...] = ()
    """The figures of an instruction that it uses; `core` if it has figures of the core."""

    def __init__(self, overrides: Overrides) -> None:
        self.overrides = overrides
        self.issue: Figure = overrides.figure(
            "scalar.issue",
            Figure(1, "assumed", "the scalar unit executes or issues one instruction a cycle"),
        )
        self.used: dict[int, PlaceFigures] = {}
        """The figures of every place that was timed."""

    @abstractmethod
    def scopes(self, trace: Trace, code: Instructions) -> ScopeTimes:
        """The cycles of every vecscope entry."""

    def bandwidth(self, path: str) -> tuple[Figure, Figure]:
        """Bytes a cycle, and cycles of start-up, of a copy."""
        rate, startup = transfer(path, self.target, self.manual)
        return (
            self.overrides.figure(f"dma.{path}.bytes_per_cycle", rate),
            self.overrides.figure(f"dma.{path}.startup", startup),
        )

    @abstractmethod
    def bulk(self, record: Record) -> tuple[Figure, Figure, Figure]:
        """Head, cycles per repeat and tail of an instruction that works on UB as a whole."""

    def named(
        self, record: Record, figures: tuple[Figure, Figure, Figure]
    ) -> tuple[Figure, Figure, Figure]:
        """Head, cycles per repeat and tail of an instruction, or what was given for it."""
        head, each, tail = (
            self.overrides.figure(
                f"{record.short}.{field}", replace(figure, note=f"{record.short}: {figure.note}")
            )
            for field, figure in zip(("head", "per_repeat", "tail"), figures, strict=True)
        )
        return head, each, tail

    def loop_bounds(self, per_iteration: dict[int, float]) -> dict[str, float]:
        """What one iteration of a loop takes at least, by reason, from how often an iteration
        executes each place; empty where the model has no such bound."""
        return {}

    def core_figures(self) -> dict[str, Figure]:
        """Figures that belong to no instruction."""
        return {}

    def all_figures(self, places: Container[int]) -> dict[str, NamedFigure]:
        """The figures of these places and those of none, by the names by which they are given."""
        general = [PlaceFigures("scalar", {"issue": self.issue})]
        general.append(PlaceFigures("core", self.core_figures()))
        here = [used for place, used in self.used.items() if place in places]
        return {
            used.setting(name): (used.title, name, figure)
            for used in (*general, *here)
            for name, figure in used.figures.items()
        }

    def work(self, events: PipeEvents, scopes: ScopeTimes) -> Work:
        """What every event costs its pipe."""
        trace = events.trace
        found = Work(*(np.zeros(max(1, len(events)), dtype=np.int64) for _ in range(3)))
        moved: Ints | None = None
        entry = trace.events.entry
        for place in trace.places:
            if place.scope >= 0 or place.record is None:
                continue
            mine = np.flatnonzero((events.place == place.index) & (events.sync == 0))
            if isinstance(place.op, Scope):
                entries = entry[events.event[mine]]
                head = _of(scopes.head, entries)
                tail = _of(scopes.tail, entries)
                found.work[mine] = scopes.cycles[entries] - head - tail
                found.head[mine], found.tail[mine] = head, tail
            elif place.record.cost_kind in ("copy", "bulk"):
                if moved is None:
                    moved = bytes_moved(trace)
                size = moved[events.event[mine]]
                if place.record.path is not None:
                    self._copying(place.index, place.record.path.name, mine, size, found)
                else:
                    self._working(place.index, place.record, mine, size, found)
            elif place.record.cost_kind == "product":
                self._multiplying(place, mine, events, found)
        return found

    def _multiplying(self, place: Place, mine: Ints, events: PipeEvents, found: Work) -> None:
        assert place.record is not None
        element = left_element(events.trace, place)
        names = place.record.short, element.name
        head, each = (
            self.overrides.get(f"{'.'.join(names)}.{key}", f"{names[0]}.{key}") or figure
            for key, figure in zip(
                ("head", "per_repeat"), product(self.target, names[1], self.manual), strict=True
            )
        )
        figures = {"head": head, "per_repeat": each}
        self.used[place.index] = PlaceFigures(".".join(names), figures)
        repeats = product_repeats(events.trace, place, events.event[mine])
        found.work[mine] = head.cycles + each.cycles * repeats

    def _copying(self, index: int, path: str, mine: Ints, moved: Ints, found: Work) -> None:
        rate, startup = self.bandwidth(path)
        self.used[index] = PlaceFigures(
            path, {"bytes_per_cycle": rate} | ({"startup": startup} if startup.value else {}), "dma"
        )
        found.work[mine] = startup.cycles + np.ceil(moved / rate.value).astype(np.int64)

    def _working(self, index: int, record: Record, mine: Ints, moved: Ints, found: Work) -> None:
        head, each, tail = self.bulk(record)
        figures = {"head": head, "per_repeat": each, "tail": tail}
        self.used[index] = PlaceFigures(record.short, figures)
        found.head[mine] = head.cycles
        found.tail[mine] = tail.cycles
        found.work[mine] = each.cycles * -(-moved // REPEAT_BYTES)


def _of(column: Ints | None, entries: Ints) -> Ints:
    return np.zeros(len(entries), dtype=np.int64) if column is None else column[entries]


def bytes_moved(trace: Trace) -> Ints:
    """By event: the bytes it reads or those it writes, whichever are more."""
    accesses = trace.accesses
    size = (accesses.length * accesses.count).astype(np.float64)
    count = len(trace.events)
    sides = [
        np.bincount(accesses.event[chosen], weights=size[chosen], minlength=count)
        for chosen in (accesses.writes, ~accesses.writes)
    ]
    return np.maximum(*sides).astype(np.int64)


def empty_scopes(trace: Trace, entries: int) -> ScopeTimes:
    """Zeros of the right sizes."""
    places = max(1, len(trace.places))
    return ScopeTimes(
        np.zeros(max(1, entries), dtype=np.int64),
        np.zeros(places, dtype=np.int64),
        np.zeros(places * CAUSE_COUNT, dtype=np.int64),
        np.zeros(places * CAUSE_COUNT, dtype=np.int64),
    )
