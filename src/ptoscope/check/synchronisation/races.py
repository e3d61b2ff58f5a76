"""Accesses of two pipes, or of two copies of one, to the same bytes that nothing orders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from ptoscope.check.analysis.expr import Expr
from ptoscope.check.analysis.nodes import Touch
from ptoscope.check.synchronisation.order import PipeOrder
from ptoscope.check.synchronisation.unroll import Execution
from ptoscope.isa.order.memory import copies_in_order
from ptoscope.isa.types import Space
from ptoscope.program import Op

TouchedRows = list[tuple[int, int]]


class StaticRace(NamedTuple):
    """Two accesses in program order, and the first bytes that both touch, relative to
    `base`: 0 in UB, a pointer argument in GM."""

    early: Execution
    late: Execution
    first: int
    last: int
    base: Expr


def overlap(a: TouchedRows, b: TouchedRows) -> tuple[int, int] | None:
    """The first bytes that lie in both, inclusive."""
    for start, end in a:
        for other, stop in b:
            if start < stop and other < end:
                return max(start, other), min(end, stop) - 1
    return None


def anchor(event: Execution) -> Op:
    """What stands among the synchronisation: the instruction, or the vecscope around it."""
    return event.scope.op if event.scope is not None else event.node.op


def touch_of(event: Execution) -> Touch:
    """The access of an event that has one."""
    assert isinstance(event.node, Touch)
    return event.node


def races(order: PipeOrder) -> Iterator[StaticRace]:
    """One race for each two places of the text."""
    groups: dict[tuple[Space, Expr], _Group] = defaultdict(_Group)
    events = order.events
    seen: set[tuple[int, int]] = set()
    for late, event in enumerate(events):
        node = event.node
        before = order.before[late]
        if not isinstance(node, Touch) or before is None:
            continue
        base = node.may.start.variable
        group = groups[node.space, base]
        rows = node.may.rows()
        for early in _bits((group.all if node.writes else group.writes) & ~before):
            if (order.before[early] or 0) >> late & 1:
                continue
            if events[early].node.pipe == node.pipe and copies_in_order(node.space):
                continue
            places = id(anchor(events[early])), id(anchor(event))
            shared = overlap(group.rows[early], rows) if places not in seen else None
            if shared is not None:
                seen.add(places)
                yield StaticRace(events[early], event, *shared, base)
        group.rows[late] = rows
        group.all |= 1 << late
        group.writes |= node.writes << late


class _Group:
    """Accesses whose addresses differ by a known number: their rows, and which write."""

    def __init__(self) -> None:
        self.rows: dict[int, TouchedRows] = {}
        self.all = 0
        self.writes = 0


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
