"""Accesses of two pipes, or of two copies of one, to the same bytes that nothing orders."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from ptoscope.budget import spend_small
from ptoscope.check.analysis.expr import ZERO, Expr
from ptoscope.check.analysis.nodes import RegisterTouch, Touch
from ptoscope.check.synchronisation.executions import Execution
from ptoscope.isa.order.clocks import COUNT, Clock
from ptoscope.isa.order.memory import copies_in_order
from ptoscope.isa.parts import COPY_NUMBERS
from ptoscope.program import Op

TouchedRows = list[tuple[int, int]]
_Memory = tuple[str, int]
"""A memory of a cluster, or a register of a core."""


class StaticRace(NamedTuple):
    """Two accesses in program order, and the first bytes that both touch, relative to
    `base`: 0 in UB, a pointer argument in GM."""

    early: Execution
    late: Execution
    first: int
    last: int
    base: Expr
    filled: bool = False
    """Whether an access like the one met is complete before the other one."""


def overlap(a: TouchedRows, b: TouchedRows) -> tuple[int, int] | None:
    """The first bytes that lie in both, inclusive."""
    spend_small(len(a) * len(b))
    for start, end in a:
        for other, stop in b:
            if start < stop and other < end:
                return max(start, other), min(end, stop) - 1
    return None


def anchor(event: Execution) -> Op:
    """What stands among the synchronisation: the instruction, or the vecscope around it."""
    return event.scope.op if event.scope is not None else event.node.op


def touch_of(event: Execution) -> Touch | RegisterTouch:
    """The access of an event that has one."""
    assert isinstance(event.node, (Touch, RegisterTouch))
    return event.node


def _place(node: Touch | RegisterTouch, core: int) -> tuple[_Memory, Expr, TouchedRows]:
    """The memory, or the register of a core, from where bytes are counted, and which."""
    if isinstance(node, RegisterTouch):
        return (node.name, core), ZERO, [(0, 8)]
    return node.memory, node.may.start.variable, node.may.rows()


class StaticAccesses:
    """Who touched what last in a run of a core, or of several, whose pipes are numbered as those
    of `isa.order.clocks`. Of earlier accesses of a pipe the last that meets a new one without
    order counts; after that the two are taken as ordered, so that what one remedy orders is one
    finding."""

    def __init__(self, events: list[Execution]) -> None:
        self._events = events
        self._groups: dict[tuple[_Memory, Expr], _Group] = defaultdict(lambda: defaultdict(list))
        self._seen: dict[tuple[int, int], StaticRace] = {}
        self.inverted: dict[tuple[int, int], tuple[Execution, Execution]] = {}
        """Accesses that synchronisation executes against the order of the program: by the
        places of the text the one that comes first there, and the one that is executed first."""

    @property
    def races(self) -> list[StaticRace]:
        """One race for each two places of the text."""
        return list(self._seen.values())

    def touch(self, item: int, pipe: int, known: Clock) -> None:
        """An access is executed when so much is known to be complete."""
        event = self._events[item]
        node = touch_of(event)
        core = pipe // COUNT
        memory, base, rows = _place(node, core)
        group = self._groups[memory, base]
        met: dict[int, _Met] = {}
        kind = _kind(node)
        for (other, before), accesses in group.items():
            if not _meet(before, kind):
                continue
            alone = other // COUNT == core
            if alone:
                self._note_inverted(item, accesses, rows)
            if other == pipe and not _may_overtake(pipe, node):
                continue
            found = self._last(accesses, known[other], event, rows)
            if found is not None and (other not in met or found.item > met[other].item):
                met[other] = found
        for other, found in met.items():
            early, late = found.item, item
            if other // COUNT == core:
                early, late = sorted((early, late))
            self._report(early, late, found, base)
            if late == item:
                known[other] = max(known[other], early + 1)
        group[pipe, kind].append((item, rows))

    def _last(
        self,
        accesses: list[tuple[int, TouchedRows]],
        known: int,
        event: Execution,
        rows: TouchedRows,
    ) -> _Met | None:
        """The last of some accesses that is not known to be complete, touches the same bytes
        and is in a run with the new one."""
        for item, others in reversed(accesses):
            if item < known:
                return None
            shared = overlap(others, rows)
            if shared is not None and self._events[item].beside(event):
                done = (rest for before, rest in accesses if before < known)
                return _Met(item, shared, any(overlap(rest, rows) for rest in done))
        return None

    def _note_inverted(
        self, item: int, accesses: list[tuple[int, TouchedRows]], rows: TouchedRows
    ) -> None:
        for later, others in reversed(accesses):
            if later < item:
                return
            if overlap(others, rows) is not None:
                one, two = self._events[item], self._events[later]
                self.inverted.setdefault((id(anchor(one)), id(anchor(two))), (one, two))

    def _report(self, early: int, late: int, met: _Met, base: Expr) -> None:
        one, two = self._events[early], self._events[late]
        places = id(anchor(one)), id(anchor(two))
        if places not in self._seen:
            self._seen[places] = StaticRace(one, two, *met.shared, base, met.filled)


class _Met(NamedTuple):
    item: int
    shared: tuple[int, int]
    filled: bool


_Kind = tuple[bool, int | None]
"""Whether an access writes, and the mode of an update: 0 of none, None of one not known."""
_Group = dict[tuple[int, _Kind], list[tuple[int, TouchedRows]]]
"""Accesses whose addresses differ by a known number, by pipe and kind: their positions and
rows."""


def _kind(node: Touch | RegisterTouch) -> _Kind:
    return node.writes, 0 if isinstance(node, RegisterTouch) else node.atomic.number


def _meet(one: _Kind, two: _Kind) -> bool:
    """Whether the order of two accesses surely matters: of updates of one mode it does not."""
    (wrote, before), (writes, after) = one, two
    may_be_alike = before != 0 and after != 0 and (before == after or None in (before, after))
    return (wrote or writes) and not may_be_alike


def _may_overtake(pipe: int, node: Touch | RegisterTouch) -> bool:
    copies = pipe % COUNT in COPY_NUMBERS
    return copies and isinstance(node, Touch) and not copies_in_order(node.space)
