"""Loads and stores of one vecscope: on A5 only a mem_bar orders those of the same bytes.

What else orders them says `scope_completion`. What cannot be known of iterations and branches is
taken to be ordered, so that nothing is reported without need.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain

from ptoscope.budget import reach, spend, spend_small
from ptoscope.check.analysis.expr import Expr
from ptoscope.check.analysis.nodes import KnownBytes, MemoryBarrier, Touch
from ptoscope.check.synchronisation.executions import Execution
from ptoscope.check.synchronisation.meetings import meeting
from ptoscope.check.synchronisation.races import overlap
from ptoscope.check.synchronisation.scope_completion import ScopeCompletion, scope_kind
from ptoscope.isa.order.memory import (
    Fences,
    ScopeAccess,
    barrier_between,
    barrier_text,
    needs_order,
)

_Alike = tuple[KnownBytes, ScopeAccess]


def _alike(touch: Touch) -> _Alike:
    return touch.may, scope_kind(touch)


class ScopeHazard:
    """Two accesses of the same bytes, and the mem_bar that would order them."""

    def __init__(self, early: Execution, late: Execution, first: int, last: int) -> None:
        self.early, self.late = early, late
        self.first, self.last = first, last
        assert isinstance(early.node, Touch)
        assert isinstance(late.node, Touch)
        kinds = scope_kind(early.node), scope_kind(late.node)
        self.barrier, self.text = barrier_between(*kinds), barrier_text(*kinds)


class ScopeOrder(ScopeCompletion):
    """One execution of a vecscope."""

    def hazards(self) -> Iterator[ScopeHazard]:
        """Accesses in the wrong order are possible. After each the barrier that orders the two
        is taken to be there, so that what one barrier orders is one hazard."""
        seen: set[tuple[int, int]] = set()
        meet = self._meet()
        alike: dict[_Alike, list[int]] = defaultdict(list)
        """Earlier accesses of the same bytes and kind: whether they meet is known of all."""
        fences = Fences(0, int.__or__)
        late = -1
        for event in self.events:
            node = event.node
            if isinstance(node, MemoryBarrier):
                fences.barrier(node.type)
            if not isinstance(node, Touch) or node.space != "ub":
                continue
            late += 1
            kind = scope_kind(node).kind
            self.fenced.append(fences.before(kind))
            mine = _alike(node)
            reach(node.op)
            near = [i for other in meet[mine] for i in alike[other]]
            spend_small(len(near))
            for early in sorted(near, reverse=True):
                spend()
                found = self._hazard(early, late)
                if found is not None:
                    places = id(found.early.node.op), id(node.op)
                    if places not in seen:
                        seen.add(places)
                        yield found
                    fences.barrier(found.barrier)
                    self.fenced[late] = fences.before(kind)
                other, touch, _ = self.accesses[early]
                if touch.writes and touch.may == node.may and other.given <= event.given:
                    # What lies before a store of all these bytes is that store's affair.
                    break
            alike[mine].append(late)
            fences.access(kind, 1 << late)

    def _hazard(self, early: int, late: int) -> ScopeHazard | None:
        """What two accesses need, if they do, to be in order."""
        one, two = self.accesses[early], self.accesses[late]
        if not one[0].beside(two[0]):
            return None
        if self._may_clash(early, late) and self._next(early, late):
            shared = overlap(one[2], two[2])
            if shared is not None and not self.ordered(early, late):
                return ScopeHazard(one[0], two[0], *shared)
        return None

    def _meet(self) -> dict[_Alike, set[_Alike]]:
        """For each place and kind those that need an order with it and share bytes."""
        rows: dict[Expr, list[tuple[int, int, _Alike]]] = defaultdict(list)
        for mine, touched in {_alike(node): rows for _, node, rows in self.accesses}.items():
            rows[mine[0].start.variable] += [(start, end, mine) for start, end in touched]
        found: dict[_Alike, set[_Alike]] = defaultdict(set)
        for group in rows.values():
            themselves = ((mine, mine) for _, _, mine in group)
            for other, mine in chain(themselves, meeting(group)):
                if needs_order(other[1], mine[1], same_instruction=False):
                    found[mine].add(other)
                    found[other].add(mine)
        return found

    def _may_clash(self, early: int, late: int) -> bool:
        """Whether two accesses need an order, if they touch the same bytes."""
        touch, node = self.accesses[early][1], self.accesses[late][1]
        return (
            needs_order(scope_kind(touch), scope_kind(node), touch.op is node.op)
            and not self.fenced[late] >> early & 1
            and not self.same_data(early, late)
            and touch.may.start.variable == node.may.start.variable
        )

    def _next(self, early: int, late: int) -> bool:
        """Whether no store of the later instruction to the same bytes stands between them, in an
        iteration that is left out. Such stores are in order, and the first of them was compared
        in another iteration."""
        node = self.accesses[late][1]
        pairs = zip(self.iteration(early), self.iteration(late), strict=False)
        apart = next((b - a for a, b in pairs if a is not None and b is not None and a != b), 0)
        return not (
            apart > 1
            and node.writes
            and all(self.accesses[i][1].may == node.may for i in self.by_op[id(node.op)])
        )
