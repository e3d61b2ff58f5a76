"""Which accesses of one execution of a vecscope are complete before another one begins.

What a store uses is ordered: a load is complete before it where the data of just that execution
of the load may be in its value, address or mask. What cannot be known of iterations and branches
is taken to be so, unless only what is certain is asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ptoscope.check.analysis.nodes import Touch
from ptoscope.check.flow import Values
from ptoscope.check.synchronisation.executions import Execution
from ptoscope.check.synchronisation.races import TouchedRows
from ptoscope.check.synchronisation.scope_values import ScopeValues
from ptoscope.dataflow import RunKnowledge
from ptoscope.isa.order.memory import ScopeAccess
from ptoscope.program import For, If, Loop

_FOLLOWED = 64
"""Of a value that a loop carries, so many iterations are followed back."""
Iteration = tuple[int | None, ...]
"""The iterations of the loops of a vecscope around something; None for any."""


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
        self._memo: dict[tuple[int, int], bool] = {}
        self._used: dict[int, set[int]] = {}
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

    def ordered(self, early: int, late: int) -> bool:
        """Whether one access is complete before the other begins: by a barrier, or because
        what the later one uses was made from what the earlier one loaded."""
        known = self._memo.get((early, late))
        if known is None:
            self._memo[early, late] = False
            known = self._memo[early, late] = self._reached(early, late)
        return known

    def _reached(self, early: int, late: int) -> bool:
        fenced = self.fenced[late]
        if fenced >> early & 1:
            return True
        used = self._loads(late)
        if early in used:
            return True
        earlier = [i for i in range(early + 1, late) if fenced >> i & 1 or i in used]
        return any(self.ordered(early, i) for i in earlier if self._surely(i, early, late))

    def _surely(self, between: int, early: int, late: int) -> bool:
        """Whether an access is executed wherever two others are, if that has to be certain."""
        given, first, then = (self.accesses[i][0].given for i in (between, early, late))
        return not self._certain or given <= first | then

    def iteration(self, access: int) -> Iteration:
        """In which iterations of the loops of the vecscope an access is."""
        event, touch, _ = self.accesses[access]
        return event.iterations[self._outside : self._outside + self._values.depth(touch.op)]

    def _loads(self, access: int) -> set[int]:
        """The earlier accesses whose data may be in what an access uses."""
        known = self._used.get(access)
        if known is None:
            known = self._used[access] = {
                i
                for op, iteration in self._origins(access)
                for i in self.by_op[op]
                if i < access and _agree(self.iteration(i), iteration)
            }
        return known

    def _origins(self, access: int) -> set[tuple[int, Iteration]]:
        """The same as operations, by their ids, and iterations."""
        op, iteration = self.accesses[access][1].op, self.iteration(access)
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
                    ways = list(self._values.joined(*value, self._run))
                    if len(ways) == 1 or not self._certain:
                        stack.extend(((one,), at) for one, at, _ in ways)
        return found

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
