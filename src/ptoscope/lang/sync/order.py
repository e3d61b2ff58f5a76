"""Whether synchronisation orders all that depends on each other: runs of a function, by clocks.

A run (`run`) follows a few iterations of the loops that synchronise
or carry dependences, and one of the others; where the number of iterations or the side of a branch
is not known, there are runs for none, one and some, and for either side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from ptoscope.lang.sync.buffers import PlacedBuffer
from ptoscope.lang.sync.dependences import Dependence
from ptoscope.lang.sync.placing import PlacedSync
from ptoscope.lang.sync.run import RunChoice, RunPart, StepRun, StepsBefore
from ptoscope.lang.sync.steps import FunctionSteps
from ptoscope.program import Block, Function, If, Loop

MOST_RUNS = 24
"""So many combinations of sides and iterations are tried; of more, each choice alone."""


class StepOrder:
    """Decides about one function."""

    def __init__(
        self,
        function: Function,
        steps: FunctionSteps,
        found: Sequence[Dependence],
        buffers: Sequence[PlacedBuffer],
    ) -> None:
        self._steps = steps
        self._kinds = steps.kinds
        self._copies: dict[int, int] = defaultdict(lambda: 1)
        for buffer in buffers:
            if buffer.loop is not None:
                copies = max(self._copies[id(buffer.loop)], buffer.copies)
                self._copies[id(buffer.loop)] = copies
        self._parts = self._tree(function.body)
        self._carrying = {id(d.loop.op) for d in found if d.loop is not None}
        """The loops from one iteration of which to the next there are dependences."""
        self._turning = {id(d.inner.loop) for d in found if d.inner is not None and d.crosses}
        """Loops with whose copies other cores take turns in the iterations of a loop around:
        semaphores count, and do not know which copy is whose."""
        self._before: StepsBefore = defaultdict(list)
        for number, dependence in enumerate(found):
            self._before[id(dependence.late)].append((number, dependence, dependence.depth))

    def _tree(self, block: Block) -> list[RunPart]:
        made: list[RunPart] = []
        for op in block.ops:
            step, sync = self._steps.get(op), self._steps.syncs.get(id(op))
            if step is not None or sync is not None:
                made.append(RunPart(op, step, sync))
            elif op.blocks:
                bodies = [self._tree(inner) for inner in op.blocks]
                loop = self._steps.loops.get(id(op))
                if any(bodies) and (loop is not None or not isinstance(op, Loop)):
                    made.append(RunPart(op, loop=loop, bodies=bodies))
        return made

    def lacking(self, placed: Iterable[PlacedSync], every: bool = True) -> set[int]:
        """The dependences, by their numbers, that some run does not have in order; not `every`
        one, if there are any."""
        around: dict[tuple[int, bool], list[PlacedSync]] = defaultdict(list)
        for one in sorted(placed, key=lambda one: one.rank):
            around[id(one.op), one.after].append(one)
        found: set[int] = set()
        for choice in self._choices(around):
            run = StepRun(self._before, around, choice, self._kinds)
            run.whole(self._parts)
            found |= run.lacking
            if found and not every:
                break
        return found

    def _choices(self, around: Mapping[tuple[int, bool], list[PlacedSync]]) -> Iterator[RunChoice]:
        """The ways to go that differ in order."""
        options: dict[int, list[int]] = {}
        trips: dict[int, int] = {}
        branches = self._options(self._parts, around, options, trips)
        keys = list(options)
        total = 1
        for values in options.values():
            total *= len(values)
        if total <= MOST_RUNS:
            ways = [dict(zip(keys, way, strict=True)) for way in product(*options.values())]
        else:
            ways = [
                {**{k: v[end] for k, v in options.items()}, key: value}
                for end in (0, -1)
                for key in keys
                for value in options[key]
            ]
        for way in ways:
            yield RunChoice({**trips, **way}, way)
        if branches:
            most = {key: values[0] for key, values in options.items()}
            for first in (0, 1):
                sides = {key: first for key in branches}
                yield RunChoice({**trips, **most}, {**most, **sides}, turns=True)

    def _options(
        self,
        parts: list[RunPart],
        around: Mapping[tuple[int, bool], list[PlacedSync]],
        options: dict[int, list[int]],
        trips: dict[int, int],
    ) -> list[int]:
        """Enters what may be chosen, and how often other loops run; the branches among them."""
        branches: list[int] = []
        for part in parts:
            if not part.bodies:
                continue
            orders = any(_orders(body, around) for body in part.bodies)
            key = id(part.op)
            if part.loop is not None:
                orders = orders or key in self._carrying
                low, high = part.loop.trips.bounds()
                some = min(high, self._copies[key] + 2) if orders else 1
                more = range(some, some)
                if orders and key in self._turning and high > some:
                    # As many as leave each copy to be the next.
                    more = range(some + 1, min(high, some + self._copies[key] - 1) + 1)
                    if low == high:
                        some, more = some + (high - some) % self._copies[key], range(0)
                trips[key] = some
                if orders and low < some:
                    options[key] = [some, *more, *range(low, min(2, some))]
            elif isinstance(part.op, If) and orders and id(part.op) in self._steps.branches:
                options[key] = [0, 1]
                branches.append(key)
            for body in part.bodies:
                branches += self._options(body, around, options, trips)
        return branches


def _orders(parts: list[RunPart], around: Mapping[tuple[int, bool], list[PlacedSync]]) -> bool:
    return any(
        part.sync is not None
        or (id(part.op), False) in around
        or (id(part.op), True) in around
        or any(_orders(body, around) for body in part.bodies)
        for part in parts
    )
