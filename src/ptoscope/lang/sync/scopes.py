"""Memory barriers inside vecscopes: where loads and stores of the same bytes would not be in order.

A vecscope is followed through a few iterations of its loops; accesses that may touch the same
bytes, in one iteration or in different ones, and that nothing completes one before the other, get
a barrier between them, as far outside of loops as it can stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ptoscope.check.analysis.nodes import (
    BranchNode,
    LoopNode,
    MemoryBarrier,
    Node,
    ScopeNode,
    Touch,
    flat,
)
from ptoscope.check.flow import Values
from ptoscope.check.positions import Positions
from ptoscope.check.synchronisation.executions import Conditions, Execution
from ptoscope.check.synchronisation.scope_completion import (
    Iteration,
    ScopeCompletion,
    scope_kind,
)
from ptoscope.isa.order.memory import barrier_between, needs_order
from ptoscope.lang.accesses import RootedAccess
from ptoscope.lang.sync.conflicts import Conflicts
from ptoscope.lang.sync.insertion import PlacedMemoryBarrier
from ptoscope.lang.sync.scope_events import ConditionalFences, ScopeEvents
from ptoscope.lang.sync.steps import PipeStep
from ptoscope.program import If, Loop, Op

FOLLOWED = 3
"""So many iterations of a loop are followed: what holds of later ones holds of these."""


def memory_barriers(
    scope: ScopeNode, step: PipeStep, conflicts: Conflicts, values: Values, positions: Positions
) -> list[PlacedMemoryBarrier]:
    """Those that a vecscope lacks."""
    if not any(access.writes for access in step.accesses):
        return []
    look = _Look(scope, step, conflicts, values, positions)
    if not look.may_meet():
        return []
    found: dict[tuple[str, int], PlacedMemoryBarrier] = {}
    before = -1
    while len(found) > before:
        before = len(found)
        for hazard in look.hazards(list(found.values())):
            op = _place(hazard, positions)
            found.setdefault((hazard.barrier, id(op)), PlacedMemoryBarrier(hazard.barrier, op))
    placed = list(found.values())
    for one in found.values():
        others = [other for other in placed if other is not one]
        if next(look.hazards(others), None) is None:
            placed = others
    return placed


class _Hazard(NamedTuple):
    """Two accesses, the type of the barrier that orders them, and the loop that carries the one
    to the other, if one does."""

    early: Op
    late: Op
    barrier: str
    loop: Op | None


def _place(hazard: _Hazard, positions: Positions) -> Op:
    """The operation before which a barrier is between two accesses, outermost."""
    late = positions.chain(hazard.late)
    if hazard.loop is not None:
        return next(op for op in late if positions.home(op).owner is hazard.loop)
    pairs = zip(positions.chain(hazard.early), late, strict=False)
    return next(then for first, then in pairs if first is not then)


@dataclass(frozen=True)
class _Trips:
    """The iterations that are followed."""

    trips: Mapping[int, int]

    def around(self, iteration: Iteration, loops: int) -> Iteration:
        return iteration[: len(iteration) - loops]

    def before(self, loop: Loop, iteration: Iteration) -> Sequence[Iteration | None]:
        *outside, now = iteration
        assert now is not None
        return ((*outside, now - 1),) if now else (None,)

    def last(self, loop: Loop, iteration: Iteration) -> Sequence[Iteration | None]:
        trips = self.trips.get(id(loop), 0)
        return ((*iteration, trips - 1),) if trips else (None,)

    def sides(self, branch: If, iteration: Iteration) -> Sequence[int]:
        return 0, 1


class _Look:
    """One vecscope."""

    def __init__(
        self,
        scope: ScopeNode,
        step: PipeStep,
        conflicts: Conflicts,
        values: Values,
        positions: Positions,
    ) -> None:
        self._scope, self._conflicts = scope, conflicts
        self._values, self._positions = values, positions
        self._rooted: dict[int, RootedAccess] = {id(a.touch): a for a in step.accesses}
        self._loops: dict[int, tuple[LoopNode, ...]] = {}
        """By the id of a touch, the loops of the vecscope around it."""
        self._trips: dict[int, int] = {}
        self._enter(scope.body, ())
        self._met: dict[tuple[int, int, int], bool] = {}
        self._made: dict[tuple[int, tuple[int, ...]], Touch] = {}

    def _enter(self, nodes: list[Node], loops: tuple[LoopNode, ...]) -> None:
        for node in nodes:
            match node:
                case Touch():
                    self._loops[id(node)] = loops
                case LoopNode(op=Loop(), body=body):
                    self._trips[id(node.op)] = max(1, min(FOLLOWED, node.trips.bounds()[1]))
                    self._enter(body, (*loops, node))
                case LoopNode(body=body):
                    # An instruction that repeats something.
                    self._enter(body, loops)
                case BranchNode(yes=yes, no=no):
                    self._enter(yes, loops)
                    self._enter(no, loops)
                case _:
                    pass

    def may_meet(self) -> bool:
        """Whether any two accesses that need an order may touch the same bytes."""
        touches = [node for node in flat(self._scope.body) if isinstance(node, Touch)]
        return any(
            needs_order(scope_kind(one), scope_kind(two), one.op is two.op)
            and any(self._meet(one, two, depth) for depth in (-1, *self._common(one, two)))
            for one in touches
            for two in touches
        )

    def _common(self, one: Touch, two: Touch) -> Iterator[int]:
        """The depths of the loops around both."""
        loops = zip(self._loops[id(one)], self._loops[id(two)], strict=False)
        return (depth for depth, (a, b) in enumerate(loops) if a is b)

    def _meet(self, early: Touch, late: Touch, depth: int) -> bool:
        """Whether two accesses may meet: in one iteration, or the second one in a later
        iteration of the loop at a depth."""
        key = id(early), id(late), depth
        known = self._met.get(key)
        if known is None:
            one, two = self._rooted[id(early)], self._rooted[id(late)]
            if depth < 0:
                found = self._conflicts.within(one, two)
            else:
                found = self._conflicts.carried(one, two, self._loops[id(early)][depth])
            known = self._met[key] = found is not None
        return known

    def hazards(self, placed: Sequence[PlacedMemoryBarrier]) -> Iterator[_Hazard]:
        """What is not in order with some barriers in place. After each the barrier that orders
        the two is taken to be there."""
        events = ScopeEvents(self._scope, self._trips, self._positions, placed, self._made)
        order = ScopeCompletion(events.found, self._values, _Trips(self._trips))
        fences = ConditionalFences(events.found)
        late = -1
        for event in events.found:
            node = event.node
            if isinstance(node, MemoryBarrier):
                fences.barrier(node.type, event.given)
            if not isinstance(node, Touch) or node.space != "ub":
                continue
            late += 1
            kind = scope_kind(node)
            order.fenced.append(fences.before(kind.kind, event.given))
            for early in reversed(range(late)):
                before, touch, _ = order.accesses[early]
                kinds = scope_kind(touch), kind
                if _exclude(before.given, event.given) or not needs_order(
                    *kinds, same_instruction=False
                ):
                    continue
                if (
                    touch.op is not node.op
                    and not order.fenced[late] >> early & 1
                    and (found := self._hazard(before, event, events)) is not None
                    and not order.same_data(early, late)
                    and not order.ordered(early, late)
                ):
                    yield found
                    fences.barrier(found.barrier, event.given)
                    order.fenced[late] = fences.before(kind.kind, event.given)
                if (
                    touch.writes
                    and touch.sure is touch.may
                    and touch.may == node.may
                    and before.given <= event.given
                ):
                    # What lies before a store of all these bytes is that store's affair.
                    break
            fences.access(kind.kind, 1 << late)

    def _apart(self, early: Touch, late: Touch, one: tuple[int, ...], two: tuple[int, ...]) -> int:
        """The depth of the outermost loop around both in whose iterations two executions differ;
        -1 if they differ in none."""
        common = self._common(early, late)
        return next((depth for depth in common if one[depth] != two[depth]), -1)

    def _hazard(self, before: Execution, event: Execution, events: ScopeEvents) -> _Hazard | None:
        """What two accesses are to each other, if they may meet."""
        early, late = events.touch(before), events.touch(event)
        depth = self._apart(early, late, before.iterations, event.iterations)
        if not self._meet(early, late, depth):
            return None
        loop = None if depth < 0 else self._loops[id(late)][depth].op
        return _Hazard(
            early.op, late.op, barrier_between(scope_kind(early), scope_kind(late)), loop
        )


def _exclude(one: Conditions, two: Conditions) -> bool:
    """Whether no run has both."""
    return any((condition, not holds) in two for condition, holds in one)
