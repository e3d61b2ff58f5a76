"""Loads and stores of one vecscope: on A5 only a mem_bar orders those of the same bytes.

What a store uses is ordered too: a load is complete before it where the data of just that
execution of the load may be in its value, address or mask. What cannot be known of iterations and
branches is taken to be so, so that nothing is reported without need.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain

from ptoscope.check.analysis.expr import Expr
from ptoscope.check.analysis.nodes import KnownBytes, MemoryBarrier, Touch
from ptoscope.check.flow import Values
from ptoscope.check.synchronisation.executions import Execution
from ptoscope.check.synchronisation.meetings import meeting
from ptoscope.check.synchronisation.races import TouchedRows, overlap
from ptoscope.check.synchronisation.scope_values import ScopeValues
from ptoscope.isa.order.memory import (
    Fences,
    ScopeAccess,
    barrier_between,
    barrier_text,
    needs_order,
)
from ptoscope.program import For, If, Loop

_FOLLOWED = 64
"""Of a value that a loop carries, so many iterations are followed back."""
Iteration = tuple[int | None, ...]
"""The iterations of the loops of a vecscope around something; None for any."""


_Alike = tuple[KnownBytes, ScopeAccess]


def _access(touch: Touch) -> ScopeAccess:
    return ScopeAccess(touch.writes, touch.scalar)


def _alike(touch: Touch) -> _Alike:
    return touch.may, _access(touch)


class ScopeHazard:
    """Two accesses of the same bytes, and the mem_bar that would order them."""

    def __init__(self, early: Execution, late: Execution, first: int, last: int) -> None:
        self.early, self.late = early, late
        self.first, self.last = first, last
        assert isinstance(early.node, Touch)
        assert isinstance(late.node, Touch)
        kinds = _access(early.node), _access(late.node)
        self.barrier, self.text = barrier_between(*kinds), barrier_text(*kinds)


class ScopeOrder:
    """One execution of a vecscope."""

    def __init__(self, events: list[Execution], values: Values) -> None:
        self._events = events
        self._accesses: list[tuple[Execution, Touch, TouchedRows]] = []
        self._fenced: list[int] = []
        """For each access that was reached, those that a barrier completes before it."""
        self._by_op: dict[int, list[int]] = defaultdict(list)
        self._memo: dict[tuple[int, int], bool] = {}
        self._used: dict[int, set[int]] = {}
        for event in events:
            node = event.node
            if isinstance(node, Touch) and node.space == "ub":
                self._by_op[id(node.op)].append(len(self._accesses))
                self._accesses.append((event, node, node.may.rows()))
        scope = events[0].scope
        assert scope is not None
        self._iterations = _Iterations(values)
        self._values = ScopeValues(values, scope.op, self._by_op)
        depths = (len(e.iterations) - self._values.depth(t.op) for e, t, _ in self._accesses)
        self._outside = min(depths, default=0)
        """How many loops are around the vecscope."""

    def hazards(self) -> Iterator[ScopeHazard]:
        """Accesses in the wrong order are possible. After each the barrier that orders the two
        is taken to be there, so that what one barrier orders is one hazard."""
        seen: set[tuple[int, int]] = set()
        meet = self._meet()
        alike: dict[_Alike, list[int]] = defaultdict(list)
        """Earlier accesses of the same bytes and kind: whether they meet is known of all."""
        fences = Fences(0, int.__or__)
        late = -1
        for event in self._events:
            node = event.node
            if isinstance(node, MemoryBarrier):
                fences.barrier(node.type)
            if not isinstance(node, Touch) or node.space != "ub":
                continue
            late += 1
            kind = _access(node).kind
            self._fenced.append(fences.before(kind))
            mine = _alike(node)
            near = [i for other in meet[mine] for i in alike[other]]
            for early in sorted(near, reverse=True):
                found = self._hazard(early, late)
                if found is not None:
                    places = id(found.early.node.op), id(node.op)
                    if places not in seen:
                        seen.add(places)
                        yield found
                    fences.barrier(found.barrier)
                    self._fenced[late] = fences.before(kind)
                other, touch, _ = self._accesses[early]
                if touch.writes and touch.may == node.may and other.given <= event.given:
                    # What lies before a store of all these bytes is that store's affair.
                    break
            alike[mine].append(late)
            fences.access(kind, 1 << late)

    def _hazard(self, early: int, late: int) -> ScopeHazard | None:
        """What two accesses need, if they do, to be in order."""
        one, two = self._accesses[early], self._accesses[late]
        if not one[0].beside(two[0]):
            return None
        if self._may_clash(early, late) and self._next(early, late):
            shared = overlap(one[2], two[2])
            if shared is not None and not self._ordered(early, late):
                return ScopeHazard(one[0], two[0], *shared)
        return None

    def _meet(self) -> dict[_Alike, set[_Alike]]:
        """For each place and kind those that need an order with it and share bytes."""
        rows: dict[Expr, list[tuple[int, int, _Alike]]] = defaultdict(list)
        for mine, touched in {_alike(node): rows for _, node, rows in self._accesses}.items():
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
        touch, node = self._accesses[early][1], self._accesses[late][1]
        return (
            needs_order(_access(touch), _access(node), touch.op is node.op)
            and not self._fenced[late] >> early & 1
            and not self._same_data(early, late)
            and touch.may.start.variable == node.may.start.variable
        )

    def _next(self, early: int, late: int) -> bool:
        """Whether no store of the later instruction to the same bytes stands between them, in an
        iteration that is left out. Such stores are in order, and the first of them was compared
        in another iteration."""
        node = self._accesses[late][1]
        pairs = zip(self._iteration(early), self._iteration(late), strict=False)
        apart = next((b - a for a, b in pairs if a is not None and b is not None and a != b), 0)
        return not (
            apart > 1
            and node.writes
            and all(self._accesses[i][1].may == node.may for i in self._by_op[id(node.op)])
        )

    def _ordered(self, early: int, late: int) -> bool:
        """Whether one access is complete before the other begins: by a barrier, or because
        what the later one uses was made from what the earlier one loaded."""
        known = self._memo.get((early, late))
        if known is None:
            self._memo[early, late] = False
            known = self._memo[early, late] = self._reached(early, late)
        return known

    def _reached(self, early: int, late: int) -> bool:
        fenced = self._fenced[late]
        if fenced >> early & 1:
            return True
        used = self._loads(late)
        if early in used:
            return True
        earlier = [i for i in range(early + 1, late) if fenced >> i & 1 or i in used]
        return any(self._ordered(early, i) for i in earlier)

    def _iteration(self, access: int) -> Iteration:
        event, touch, _ = self._accesses[access]
        return event.iterations[self._outside : self._outside + self._values.depth(touch.op)]

    def _loads(self, access: int) -> set[int]:
        """The earlier accesses whose data may be in what an access uses."""
        known = self._used.get(access)
        if known is None:
            known = self._used[access] = {
                i
                for op, iteration in self._origins(access)
                for i in self._by_op[op]
                if i < access and _agree(self._iteration(i), iteration)
            }
        return known

    def _origins(self, access: int) -> set[tuple[int, Iteration]]:
        """The same as operations, by their ids, and iterations."""
        op, iteration = self._accesses[access][1].op, self._iteration(access)
        found: set[tuple[int, Iteration]] = set()
        seen: set[tuple[int, Iteration]] = set()
        stack: list[tuple[tuple[int, ...], Iteration]] = [(op.operands, iteration)]
        while stack:
            slots, iteration = stack.pop()
            sources = self._values.sources(slots)
            found.update((id(load), iteration[:depth]) for load, depth in sources.accesses)
            for slot, depth in sources.joined:
                value = slot, iteration[:depth]
                if value not in seen:
                    seen.add(value)
                    ways = self._values.joined(*value, self._iterations)
                    stack.extend(((one,), at) for one, at, _ in ways)
        return found

    def _same_data(self, early: int, late: int) -> bool:
        """Two stores of one value to one place: in any order the same."""
        one, two = self._accesses[early][1], self._accesses[late][1]
        if not (
            one.writes
            and two.writes
            and one.op.name == two.op.name
            and one.op.operands[:1] == two.op.operands[:1]
            and one.op.attrs == two.op.attrs
            and one.may.start == two.may.start
        ):
            return False
        loops = self._values.varies(one.op.operands[0])
        return self._iteration(early)[:loops] == self._iteration(late)[:loops]


def _agree(iteration: Iteration, pattern: Iteration) -> bool:
    return all(b is None or a == b for a, b in zip(iteration, pattern, strict=True))


class _Iterations:
    """What the text says of the iterations of its loops."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def around(self, iteration: Iteration, loops: int) -> Iteration:
        return iteration[: len(iteration) - loops]

    def before(self, loop: Loop, iteration: Iteration) -> Sequence[Iteration | None]:
        *outside, now = iteration
        if now is None or now > _FOLLOWED or not isinstance(loop, For):
            return None, (*outside, None)
        return ((*outside, now - 1),) if now else (None,)

    def last(self, loop: Loop, iteration: Iteration) -> Sequence[Iteration | None]:
        if isinstance(loop, For):
            low, high, step = (self._values.constant(slot) for slot in loop.bounds)
            if low is not None and high is not None and step is not None and step > 0:
                count = max(0, -((low - high) // step))
                return ((*iteration, count - 1),) if count else (None,)
        return None, (*iteration, None)

    def sides(self, branch: If, iteration: Iteration) -> Sequence[int]:
        return 0, 1
