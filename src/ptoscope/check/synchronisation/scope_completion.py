"""Which accesses of one execution of a vecscope are complete before another one begins.

What a store uses is ordered: a load is complete before it where the data of just that execution
of the load may be in its value, address or mask. What cannot be known of iterations and branches
is taken to be so, unless only what is certain is asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import reduce

from ptoscope.budget import spend
from ptoscope.check.analysis.nodes import Touch
from ptoscope.check.flow import Values
from ptoscope.check.synchronisation.bit_sets import (
    EMPTY,
    BitSet,
    bits_of,
    contains,
    members,
    only,
    union,
    without,
)
from ptoscope.check.synchronisation.executions import Conditions, Execution
from ptoscope.check.synchronisation.races import TouchedRows
from ptoscope.check.synchronisation.scope_values import ScopeValues
from ptoscope.dataflow import RunKnowledge
from ptoscope.isa.order.memory import ScopeAccess
from ptoscope.program import For, If, Loop

_FOLLOWED = 64
"""Of a value that a loop carries, so many iterations are followed back."""
Iteration = tuple[int | None, ...]
"""The iterations of the loops of a vecscope around something; None for any."""
_Value = tuple[int, Iteration]
"""A value by its slot and the iteration it is made in."""


def scope_kind(touch: Touch) -> ScopeAccess:
    """What an access of a vecscope is to its order."""
    return ScopeAccess(touch.writes, touch.scalar)


class ScopeCompletion:
    """The accesses of one execution of a vecscope, by their numbers. Whoever goes through them
    enters in `fenced`, for each that is reached, those that a barrier completes before it. A `run`
    says which iterations there are; with it, only data that is certainly in a value counts."""

    def __init__(
        self,
        events: list[Execution],
        values: Values,
        run: RunKnowledge[Iteration] | None = None,
    ) -> None:
        self.events = events
        self._certain = run is not None
        self.accesses: list[tuple[Execution, Touch, TouchedRows]] = []
        self.fenced: list[int] = []
        """For each access that was reached, those that a barrier completes before it."""
        self.by_op: dict[int, list[int]] = defaultdict(list)
        self._before: list[BitSet] = []
        """For each access, of the first ones, what is complete before it."""
        self._used: dict[int, BitSet] = {}
        """The same of others, but for what barriers complete."""
        self._loose: dict[int, list[int]] = defaultdict(list)
        """Those that were found not to be complete before an access. A barrier that is taken to
        be there from then on orders the two, but not what comes after through both."""
        self._made: dict[_Value, tuple[BitSet, frozenset[_Value]]] = {}
        self._fences: dict[tuple[bool, bool, Conditions | None], tuple[int, BitSet]] = {}
        """By the kind of access, and where it counts its conditions: what barriers completed
        when it was asked for last, with all that is complete before that."""
        for event in events:
            node = event.node
            if isinstance(node, Touch) and node.space == "ub":
                self.by_op[id(node.op)].append(len(self.accesses))
                self.accesses.append((event, node, node.may.rows()))
        scope = events[0].scope
        assert scope is not None
        self._run = run or _Iterations(values)
        self._values = ScopeValues(values, scope.op, self.by_op)
        depths = (len(e.iterations) - self._values.depth(t.op) for e, t, _ in self.accesses)
        self._outside = min(depths, default=0)
        """How many loops are around the vecscope."""
        self._by_iteration: dict[tuple[int, Iteration], list[int]] = defaultdict(list)
        for i, (_, touch, _) in enumerate(self.accesses):
            self._by_iteration[id(touch.op), self.iteration(i)].append(i)

    def ordered(self, early: int, late: int) -> bool:
        """Whether one access is complete before the other begins: by a barrier, or because
        what the later one uses was made from what the earlier one loaded."""
        while len(self._before) < late:
            access = len(self._before)
            before = union(self._uses(access), self._behind(access))
            self._before.append(without(before, self._loose.pop(access, ())))
        if late not in self._used:
            self._used[late] = self._uses(late)
        found = contains(self._used[late], early) or contains(self._behind(late), early)
        if not found:
            self._loose[late].append(early)
        return found

    def _behind(self, access: int) -> BitSet:
        """What is complete before an access because a barrier completes it, or something that
        begins after it."""
        event, touch, _ = self.accesses[access]
        given = event.given if self._certain else None
        fenced = self.fenced[access]
        past, found = self._fences.get((touch.writes, touch.scalar, given), (0, EMPTY))
        if past is not fenced:
            if past & ~fenced:
                past, found = 0, EMPTY
            for i in bits_of(fenced & ~past):
                found = union(union(found, only(i)), self._passed_on(i, given))
            self._fences[touch.writes, touch.scalar, given] = fenced, found
        return found

    def _passed_on(self, between: int, given: Conditions | None) -> BitSet:
        """What is complete before an access and therefore before one that begins after it: if
        that has to be certain, where it is executed wherever the two others are."""
        mine, found = self.accesses[between][0].given, self._before[between]
        if given is None or mine <= given:
            return found
        sure = (i for i in members(found) if mine <= self.accesses[i][0].given | given)
        return reduce(union, map(only, sure), EMPTY)

    def iteration(self, access: int) -> Iteration:
        """In which iterations of the loops of the vecscope an access is."""
        event, touch, _ = self.accesses[access]
        return event.iterations[self._outside : self._outside + self._values.depth(touch.op)]

    def _uses(self, access: int) -> BitSet:
        """The earlier accesses whose data may be in what an access uses, and what is complete
        before those."""
        found = EMPTY
        seen: set[_Value] = set()
        iteration = self.iteration(access)
        stack = [(slot, iteration) for slot in self.accesses[access][1].op.operands]
        while stack:
            spend()
            slot, iteration = stack.pop()
            if None in iteration:
                data, joins = self._of_any(slot, iteration, access)
            else:
                data, joins = self._of(self._value(slot, iteration))
            found = union(found, data)
            for value in joins - seen:
                seen.add(value)
                ways = list(self._values.joined(*value, self._run))
                if len(ways) == 1 or not self._certain:
                    stack.extend((one, at) for one, at, _ in ways)
        return found

    def _value(self, slot: int, iteration: Iteration) -> _Value:
        return slot, iteration[: self._values.source(slot).depth]

    def _of(self, wanted: _Value) -> tuple[BitSet, frozenset[_Value]]:
        """The accesses whose data is in a value without a join between, and what is complete
        before those; and the joined values it is made from. What a value is made from comes
        first: a chain may be longer than calls can be nested."""
        known = self._made
        stack = [wanted]
        while stack:
            spend()
            slot, iteration = value = stack[-1]
            if value in known:
                stack.pop()
                continue
            source = self._values.source(slot)
            operands = [self._value(operand, iteration) for operand in source.operands]
            missing = [operand for operand in operands if operand not in known]
            if missing:
                stack += missing
                continue
            data, joins = EMPTY, frozenset[_Value]((value,) if source.joined else ())
            for operand in operands:
                others, more = known[operand]
                data = union(data, others)
                joins = joins if more <= joins else joins | more
            if source.access is not None:
                for i in self._by_iteration.get((id(source.access), iteration), ()):
                    data = union(union(data, only(i)), self._before[i])
            known[value] = data, joins
        return known[wanted]

    def _of_any(
        self, slot: int, iteration: Iteration, access: int
    ) -> tuple[BitSet, frozenset[_Value]]:
        """The same before an access of a value of which not all iterations are known."""
        sources, data = self._values.sources((slot,)), EMPTY
        for op, depth in sources.accesses:
            for i in self.by_op[id(op)]:
                spend()
                if i < access and _agree(self.iteration(i), iteration[:depth]):
                    data = union(union(data, only(i)), self._before[i])
        return data, frozenset((other, iteration[:depth]) for other, depth in sources.joined)

    def same_data(self, early: int, late: int) -> bool:
        """Two stores of one value to one place: in any order the same."""
        one, two = self.accesses[early][1], self.accesses[late][1]
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
        return self.iteration(early)[:loops] == self.iteration(late)[:loops]


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
