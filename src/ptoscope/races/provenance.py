"""Which executions of loads the values of another access come from, in one vecscope."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ptoscope.check.synchronisation.scope_values import ScopeValues, Sources
from ptoscope.dataflow import Carried, Joined, LoopResult, Received
from ptoscope.isa.types import Ptr
from ptoscope.program import Block, If, Loop, Op, Terminator
from ptoscope.races.intervals import Intervals, union
from ptoscope.trace.trace import Column, Trace


class Executions:
    """The events `first` up to `last` (excluded) of a trace, by place."""

    def __init__(self, trace: Trace, first: int, last: int) -> None:
        place = trace.events.place[first:last]
        order = np.argsort(place, kind="stable")
        self._place, self._event = place[order], order + first
        self._iteration = trace.events.iteration

    def events(self, place: int) -> Column:
        """Those of a place, in order."""
        low, high = np.searchsorted(self._place, [place, place + 1])
        return self._event[low:high]

    def iterations(self, place: int) -> list[int]:
        """The iterations of the innermost loop in which a place was executed."""
        return self._iteration[self.events(place)].tolist()


class RunIterations:
    """The iterations and sides of one vecscope. That a block was executed is seen by an operation
    that stands in it; of one that holds only other blocks it is not known. `places` gives the
    place of an operation by its id, `parents` the iteration around each iteration."""

    def __init__(self, executions: Executions, places: dict[int, int], parents: list[int]) -> None:
        self._executions, self.places, self._parent = executions, places, parents
        self._loops: dict[int, tuple[dict[int, int | None], dict[int, int]]] = {}
        self._taken: dict[int, set[int]] = {}

    def around(self, iteration: int, loops: int) -> int:
        for _ in range(loops):
            iteration = self._parent[iteration]
        return iteration

    def known(self, joined: Joined) -> bool:
        """Whether the run shows what a joined value is: a loop that shows all its iterations."""
        match joined:
            case Carried(loop=loop) | LoopResult(loop=loop) | Received(loop=loop):
                return _plain(loop.entry) is not None
            case _:
                return True

    def before(self, loop: Loop, iteration: int) -> Sequence[int | None]:
        return (self._chain(loop)[0].get(iteration),)

    def last(self, loop: Loop, iteration: int) -> Sequence[int | None]:
        return (self._chain(loop)[1].get(iteration),)

    def sides(self, branch: If, iteration: int) -> Sequence[int]:
        quiet: list[int] = []
        for side, block in enumerate(branch.blocks):
            op = _plain(block)
            if op is None:
                quiet.append(side)
            elif iteration in self._iterations_of(op):
                return (side,)
        return quiet

    def _iterations_of(self, op: Op) -> set[int]:
        found = self._taken.get(id(op))
        if found is None:
            found = self._taken[id(op)] = set(self._executions.iterations(self.places[id(op)]))
        return found

    def _chain(self, loop: Loop) -> tuple[dict[int, int | None], dict[int, int]]:
        """For each iteration of a loop the one before it, and for each around it the last."""
        found = self._loops.get(id(loop))
        if found is None:
            before: dict[int, int | None] = {}
            last: dict[int, int] = {}
            op = _plain(loop.entry)
            assert op is not None
            for iteration in self._executions.iterations(self.places[id(op)]):
                outside = self._parent[iteration]
                before[iteration] = last.get(outside)
                last[outside] = iteration
            found = self._loops[id(loop)] = before, last
        return found


def _plain(block: Block) -> Op | None:
    """An operation that is executed, and so has an event, whenever its block is."""
    others = (op for op in block.ops if not isinstance(op, (Loop, If, Terminator)))
    return next(others, None)


class Provenance:
    """Executions of `accesses` (places) that have a result are numbered, those of one place in
    their order and apart from those of others."""

    def __init__(
        self,
        trace: Trace,
        values: ScopeValues,
        executions: Executions,
        run: RunIterations,
        accesses: list[int],
    ) -> None:
        self._values, self._run, self._places = values, run, run.places
        self._numbers: dict[int, dict[int, int]] = {}
        """By place and event."""
        self._by_iteration: dict[int, dict[int, int]] = {}
        self.count = 0
        """So many numbers there are; one between places stands for nothing."""
        self._memo: dict[tuple[int, int], Intervals] = {}
        types = trace.function.types
        for place in accesses:
            op = trace.places[place].op
            if all(isinstance(types[slot], Ptr) for slot in op.results):
                continue
            events = executions.events(place).tolist()
            numbers = range(self.count, self.count + len(events))
            self._numbers[place] = dict(zip(events, numbers, strict=True))
            self._by_iteration[place] = dict(
                zip(executions.iterations(place), numbers, strict=True)
            )
            self.count += len(events) + 1

    def number(self, place: int, event: int) -> int | None:
        """The number of an execution."""
        numbers = self._numbers.get(place)
        return None if numbers is None else numbers[event]

    def of(self, op: Op, iteration: int) -> Intervals:
        """The executions whose data is in the operands of an operation that is executed in an
        iteration: directly, through other values, what loops carry and branches choose."""
        sources = self._values.sources(op.operands)
        if not sources.accesses and not sources.joined:
            return ()
        return self._union(sources, iteration, self._values.depth(op))

    def _union(self, sources: Sources, iteration: int, depth: int) -> Intervals:
        found: Intervals = ()
        around = self._run.around
        for op, loops in sources.accesses:
            number = self._by_iteration[self._places[id(op)]].get(around(iteration, depth - loops))
            if number is not None:
                found = union(found, (number, number + 1))
        for slot, loops in sources.joined:
            found = union(found, self._joined((slot, around(iteration, depth - loops))))
        return found

    def _joined(self, wanted: tuple[int, int]) -> Intervals:
        """Of a joined value in an iteration. Others that it needs come first: a chain of
        iterations may be longer than calls can be nested."""
        memo = self._memo
        stack = [] if wanted in memo else [wanted]
        while stack:
            slot, iteration = key = stack[-1]
            joined = self._values.join(slot)
            if key in memo:
                stack.pop()
            elif not self._run.known(joined):
                memo[key] = self._all((slot,))
            else:
                parts = [
                    (self._values.sources((other,)), at, depth)
                    for other, at, depth in self._values.joined(slot, iteration, self._run)
                ]
                missing = [
                    needed
                    for sources, at, depth in parts
                    for other, loops in sources.joined
                    if (needed := (other, self._run.around(at, depth - loops))) not in memo
                ]
                if missing:
                    stack += missing
                    continue
                found: Intervals = ()
                for part in parts:
                    found = union(found, self._union(*part))
                memo[key] = found
        return memo[wanted]

    def _all(self, slots: tuple[int, ...]) -> Intervals:
        found: Intervals = ()
        for op in self._values.any_iteration(slots):
            numbers = self._numbers[self._places[id(op)]].values()
            if numbers:
                found = union(found, (min(numbers), max(numbers) + 1))
        return found
