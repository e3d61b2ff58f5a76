"""What pipes know is complete, as clocks: happens-before, in a run and before one.

Instructions are numbers in the order of issue, pipes those of `isa.parts`. A clock of a pipe
says, for every pipe, up to which number all that was issued to that one is complete.
"""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.isa.order.pipes import Knowledge
from ptoscope.isa.parts import COPY_NUMBERS, PIPES, SCALAR

Clock = list[int]
"""For every pipe: the number before which all that was issued to it is complete."""
OnAccess = Callable[[int, int, Clock], None]
"""Told of an access: its number, its pipe and the clock of that, to which it may add what is
taken as complete from then on."""
COUNT = len(PIPES)
"""Pipes of one core: pipe p of core c of a cluster is c * COUNT + p."""


class Clocks(Knowledge[int, int, Clock | None]):
    """Those of one core, or of several of a cluster. What came before number `first` is over.

    What a scalar unit did itself is complete when it issues the next instruction. No page says so
    of its stores: with `is_store_complete=False` only a flag or a barrier completes it.
    """

    def __init__(
        self, first: int, on_access: OnAccess, cores: int = 1, is_store_complete: bool = True
    ) -> None:
        self._on_access = on_access
        self._is_store_complete = is_store_complete
        pipes = range(COUNT * cores)
        self._known: list[Clock] = [[first] * len(pipes) for _ in pipes]
        self._deferred: list[Clock | None] = [None] * len(pipes)
        """Of each pipe: what its releases waited for. Copies behind them may begin earlier."""
        self._merged: list[Clock | None] = [None] * len(pipes)
        self._issuer = [pipe // COUNT * COUNT + SCALAR for pipe in pipes]
        """The scalar unit that issues to a pipe."""
        self._at_issue: list[Clock | None] = [None] * len(pipes)
        """What scalar units know."""
        self._copies = [pipe % COUNT in COPY_NUMBERS for pipe in pipes]

    def at_issue(self, pipe: int) -> Clock | None:
        return self._at_issue[self._issuer[pipe]]

    def begin(self, pipe: int, item: int, issued: Clock | None) -> None:
        known = self._known[pipe]
        if issued is not None and issued is not self._merged[pipe]:
            self._merged[pipe] = issued
            _join(known, issued)
        issuer = self._issuer[pipe]
        if self._is_store_complete and known[issuer] < item:
            known[issuer] = item

    def access(self, pipe: int, item: int) -> None:
        self._on_access(item, pipe, self._known[pipe])

    def complete(self, pipe: int, item: int) -> Clock:
        clock = self._known[pipe].copy()
        deferred = self._deferred[pipe]
        if deferred is not None:
            _join(clock, deferred)
        clock[pipe] = item
        return clock

    def all_complete(self, pipes: tuple[int, ...], item: int) -> Clock:
        clock = self.complete(pipes[0], item)
        for pipe in pipes[1:]:
            _join(clock, self.complete(pipe, item))
        return clock

    def learn(self, pipe: int, value: Clock | None) -> None:
        assert value is not None
        _join(self._known[pipe], value)
        if pipe == self._issuer[pipe]:
            self._at_issue[pipe] = list(self._known[pipe])

    def defer(self, pipe: int, value: Clock | None) -> None:
        assert value is not None
        if self._copies[pipe]:
            deferred = self._deferred[pipe]
            if deferred is None:
                self._deferred[pipe] = value.copy()
            else:
                _join(deferred, value)
        else:
            self.learn(pipe, value)


def _join(clock: Clock, other: Clock) -> None:
    for i, value in enumerate(other):
        if clock[i] < value:
            clock[i] = value
