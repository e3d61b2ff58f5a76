"""Sections of a plain run: the cores of a block run them one after the other, as they are written.

Every core runs the kernel, and leaves out the sections of others: there it waits until they are
done. So what is written first is done first, whatever signals say.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from ptoscope.diagnostics import UsageError
from ptoscope.isa.parts import CoreId, CoreKind
from ptoscope.machine.cluster import Seat

_MOST_TURNS = 64
"""So often all cores may have had a turn while none did anything."""


class SectionTurns:
    """Whose turn it is, for the cores of one block; sections are counted as they are met."""

    def __init__(self, cores: tuple[CoreId, ...]) -> None:
        self._cores = cores
        self._done: dict[int, int] = defaultdict(int)
        """How many cores have run a section."""
        self._kinds: dict[int, CoreKind] = {}
        self._kept: dict[tuple[int, str], Any] = {}

    def enter(self, seat: Seat | None, number: int, kind: CoreKind) -> bool:
        """A core meets a section: whether it runs it, now. UsageError where cores do not meet the
        same ones, or wait for what is written behind it."""
        if seat is None:
            return True
        if self._kinds.setdefault(number, kind) != kind:
            raise UsageError("a plain run needs sections that all cores come to in one order")
        mine = seat.cores[seat.number]
        every = sum(core.kind == kind for core in self._cores)
        runs = mine.kind == kind
        for _ in range(_MOST_TURNS):
            if self._done[number] == (mine.number if runs else every):
                return runs
            if not seat.cluster.pass_turn(seat.number):
                break
        raise UsageError(
            "a core waits for what another one does later; a plain run executes sections in the "
            "order of their lines"
        )

    def leave(self, number: int) -> None:
        """A core has run a section."""
        self._done[number] += 1

    def keep(self, number: int, name: str, value: Any) -> None:
        """An array that a section has made under a name."""
        self._kept[number, name] = value

    def kept(self, number: int, name: str) -> Any:
        """The same, for those who did not run it."""
        return self._kept[number, name]
