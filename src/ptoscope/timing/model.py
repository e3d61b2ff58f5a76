"""What a model of a target gives, and what all models share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ptoscope.isa.copy_costs import CopyFigures, transfer
from ptoscope.isa.cost import SCALAR_ISSUE, SCALAR_LOAD, Figure
from ptoscope.isa.record import Record
from ptoscope.isa.sync_costs import SYNC
from ptoscope.isa.targets import TargetName
from ptoscope.native.subset import Ints
from ptoscope.timing.figures import Overrides
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
from ptoscope.trace.trace import Trace


@dataclass
class ScopeTimes:
    """Cycles inside vecscopes.

    `cycles` by entry; by place the cycles that started something (`busy`) and that did not,
    by cause (`stall`, a row of causes for each place); those in which dispatch stopped there
    (`held`, likewise); `startup` and `drain` of each entry.
    `head` and `tail` are the parts of an entry's cycles that only count if its pipe was idle,
    and that the pipe does not wait for. By instruction, where the model has them: the cycle of
    its entry in which it was dispatched (`sent`), its `start`, when it was `ready` to, `track`
    (where it ran), the producer it was `bound` by, cycles it `waited` for that one, and `ideal`,
    its start if only results had to be waited for. `latency` is by place.
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

    def totals(self) -> ScopeTimes:
        """The same without what there is of each instruction, which is large."""
        return ScopeTimes(
            self.cycles, self.busy, self.stall, self.held, self.startup, self.drain, self.head,
            self.tail,
        )  # fmt: skip


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
        self.issue: Figure = overrides.figure("scalar.issue", SCALAR_ISSUE)
        self.end: int | None = None
        """Which end of the figures of copies that are open it takes; None: those that they have."""
        self.scalar_end: int | None = None
        """Which end of those of the scalar unit and of launches."""
        self.used: dict[int, PlaceFigures] = {}
        """The figures of every place that was timed."""

    @abstractmethod
    def scopes(self, trace: Trace, code: Instructions) -> ScopeTimes:
        """The cycles of every vecscope entry."""

    def copying(self, path: str) -> CopyFigures:
        """What a copy costs. A figure that is given is known, and so is what goes with it."""
        published = transfer(path, self.target, self.manual)
        named = zip(CopyFigures._fields, published, strict=True)
        found = [self.overrides.figure(f"dma.{path}.{name}", figure) for name, figure in named]
        known = any(figure.source == "given" for figure in found[:2])
        return CopyFigures(*(self._at_end(f, known) for f in found))

    def _at_end(self, figure: Figure, known: bool) -> Figure:
        if known:
            return replace(figure, ends=None)
        return _at(figure, self.end)

    def sync(self, name: str) -> Figure:
        """What a kind of synchronisation costs, or the launch of a vecscope."""
        figure = self.overrides.figure(f"sync.{name}", SYNC[self.target][name])
        return _at(figure, self.scalar_end)

    def take_scalar_end(self, end: int) -> None:
        """Takes an end of the open figures of the scalar unit and of launches."""
        self.scalar_end = end
        self.issue = _at(self.issue, end)

    @property
    def scalar_load(self) -> Figure:
        """What a scalar load from GM costs."""
        return self.overrides.figure("scalar.load", SCALAR_LOAD[self.target])

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


def _at(figure: Figure, end: int | None) -> Figure:
    """Returns a figure at one of its ends, if it is open."""
    if end is None or figure.ends is None:
        return figure
    return replace(figure, value=figure.ends[end])


def empty_scopes(trace: Trace, entries: int) -> ScopeTimes:
    """Zeros of the right sizes."""
    places = max(1, len(trace.places))
    return ScopeTimes(
        np.zeros(max(1, entries), dtype=np.int64),
        np.zeros(places, dtype=np.int64),
        np.zeros(places * CAUSE_COUNT, dtype=np.int64),
        np.zeros(places * CAUSE_COUNT, dtype=np.int64),
    )
