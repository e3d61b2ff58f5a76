"""The part of a core that shows values to people."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import numpy as np

from ptoscope.isa.core import Core
from ptoscope.isa.debugging import text
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site
from ptoscope.isa.types import Mask
from ptoscope.machine.deadlock import IterationText
from ptoscope.machine.lanes import NumpyLanes
from ptoscope.machine.memory import Memory
from ptoscope.machine.pipes import Pipes
from ptoscope.machine.prints import Printed, Prints
from ptoscope.machine.shown import Shown, shown_memory, shown_signals, shown_value
from ptoscope.program import Show


class PrintingCore(Core):
    """Prints what a kernel says, and shows what somebody asked for."""

    memory: Memory
    pipes: Pipes
    iterations: list[IterationText]
    """The iterations of the loops that run now, outermost first."""
    core_title: str
    """Which core it is as messages write it, where a block has several."""
    coordinates: dict[str, int]
    """Of the launch: the block and how many there are."""
    prints: Prints | None
    """Where prints go; None where nobody looks at them."""
    shown: Counter[str]
    """How often the run has come to what was asked for, by request."""

    def print(self, site: Site, value: Lanes) -> None:
        if self.prints is None:
            return
        assert isinstance(value, NumpyLanes)
        kind = float if value.dtype.is_float else int
        values = tuple(map(kind, np.atleast_1d(value.a)))
        shown = text(str(site.attrs["format"]), value.dtype, values).removesuffix("\n")
        self._say(site, Shown(shown, values))

    def show(self, site: Site, show: Show, *values: Any) -> None:
        """Shows what was asked for: a value of the machine, or what is there without one."""
        masks = (kind.lanes if isinstance(kind, Mask) else 0 for kind in site.operands)
        rows = (value.gate(n) if n else value for value, n in zip(values, masks, strict=True))
        self.show_later(site, show, *rows)

    def show_later(self, site: Site, show: Show, *values: Any) -> None:
        """The same, masks given as lanes: when its pipe has come there."""
        if self.prints is not None:
            self.pipes.then(show.pipe, partial(self._show_now, site, show, *values))

    def _show_now(self, site: Site, show: Show, *values: Any) -> None:
        execution = self.shown[show.asked]
        self.shown[show.asked] += 1
        if show.executions and execution not in show.executions:
            return
        if not set(show.iterations) <= set(self._iteration_texts()):
            return
        if values:
            shown = shown_value(site.operands[0], values[0], self.memory)
        elif show.memory is not None:
            shown = shown_memory(self.memory, show.memory)
        else:
            shown = shown_signals(self.pipes)
        self._say(site, shown._replace(text=f"{show.title} = {shown.text}"), show.asked)

    def _say(self, site: Site, shown: Shown, asked: str = "") -> None:
        assert self.prints is not None
        calls = tuple(line for line, _ in site.span.calls)
        where = site.span.line, self.coordinates["block_idx"], self._iteration_texts(), calls
        self.prints.add(Printed(*shown, *where, asked, self.core_title))

    def _iteration_texts(self) -> tuple[str, ...]:
        return tuple("".join(map(str, parts)) for parts in self.iterations)
