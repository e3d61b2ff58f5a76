"""A run in cycles, as a model made it: what reasons and reports are read from."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ptoscope.isa.targets import DEFAULT_REVISION, Revision
from ptoscope.native.subset import Ints
from ptoscope.program import Program
from ptoscope.tables import counted
from ptoscope.timing.model import Model, NamedFigure, ScopeTimes
from ptoscope.timing.pipe_work import pipe_work
from ptoscope.timing.pipes import PipeEvents, PipeSchedule, Work, schedule
from ptoscope.timing.scopes import Instructions
from ptoscope.trace.trace import Trace

T = TypeVar("T")
_LONG = 100_000
"""From so many events on memory counts more than time."""


@dataclass(repr=False)
class TimedRun:
    """A run in cycles, by one model."""

    trace: Trace
    program: Program
    model: Model
    code: Instructions
    scopes: ScopeTimes
    events: PipeEvents
    work: Work
    schedule: PipeSchedule
    revision: Revision = DEFAULT_REVISION
    """In which the program is read."""

    def __repr__(self) -> str:
        name, blocks = self.trace.function.name, counted(self.trace.grid, "block")
        on = f"{self.model.target}, {blocks}, {self.model.name} model"
        return f"<{type(self).__name__} of @{name} on {on}: {self.total_cycles} cycles>"

    @property
    def total_cycles(self) -> int:
        """Of the slowest block; blocks run side by side, each on cores of its own."""
        return self.schedule.total

    @property
    def block_cycles(self) -> list[int]:
        """Those of each block: of that of its cores that ends last."""
        ends = self.schedule.ends.reshape(-1, self.events.cores)
        return [int(end) for end in ends.max(axis=1)]

    @property
    def figures(self) -> dict[str, NamedFigure]:
        """The figures that the run used, by the names by which they are given."""
        return self.model.all_figures(set(np.unique(self.trace.events.place).tolist()))

    def otherwise(self, without: Collection[int] = (), tokens: Ints | None = None) -> int:
        """The total if the synchronisations at some places were not there, or if they waited for
        others (see `schedule`)."""
        return schedule(self.events, self.work, without, tokens).total

    def meanwhile(self, compute: Callable[[], T]) -> T:
        """What is computed without this run's own schedule. That of a long run is put away
        meanwhile, so that there are never two, and made again."""
        if len(self.events) < _LONG:
            return compute()
        del self.work, self.schedule
        try:
            return compute()
        finally:
            self.work = pipe_work(self.model, self.events, self.scopes)
            self.schedule = schedule(self.events, self.work)
