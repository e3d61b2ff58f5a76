"""Which executions of loads the values of another access come from, in one vecscope."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ptoscope.check.scope_values import ScopeValues, Sources
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
        self._turn = trace.events.turn

    def events(self, place: int) -> Column:
        """Those of a place, in order."""
        low, high = np.searchsorted(self._place, [place, place + 1])
        return self._event[low:high]

    def turns(self, place: int) -> list[int]:
        """The turns of the innermost loop in which a place was executed."""
        return self._turn[self.events(place)].tolist()


class RunTurns:
    """The turns and sides of one vecscope. That a block was executed is seen by an operation
    that stands in it; of one that holds only other blocks it is not known. `places` gives the
    place of an operation by its id, `parents` the turn around each turn."""

    def __init__(self, executions: Executions, places: dict[int, int], parents: list[int]) -> None:
        self._executions, self.places, self._parent = executions, places, parents
        self._loops: dict[int, tuple[dict[int, int | None], dict[int, int]]] = {}
        self._taken: dict[int, set[int]] = {}

    def around(self, turn: int, loops: int) -> int:
        for _ in range(loops):
            turn = self._parent[turn]
        return turn

    def known(self, op: Op) -> bool:
        """Whether a loop shows all its turns."""
        return not isinstance(op, Loop) or _plain(op.blocks[0]) is not None

    def before(self, loop: Op, turn: int) -> Sequence[int | None]:
        return (self._chain(loop)[0].get(turn),)

    def last(self, loop: Op, turn: int) -> Sequence[int | None]:
        return (self._chain(loop)[1].get(turn),)

    def sides(self, branch: Op, turn: int) -> Sequence[int]:
        quiet: list[int] = []
        for side, block in enumerate(branch.blocks):
            op = _plain(block)
            if op is None:
                quiet.append(side)
            elif turn in self._turns_of(op):
                return (side,)
        return quiet

    def _turns_of(self, op: Op) -> set[int]:
        found = self._taken.get(id(op))
        if found is None:
            found = self._taken[id(op)] = set(self._executions.turns(self.places[id(op)]))
        return found

    def _chain(self, loop: Op) -> tuple[dict[int, int | None], dict[int, int]]:
        """For each turn of a loop the one before it, and for each turn around it the last."""
        found = self._loops.get(id(loop))
        if found is None:
            before: dict[int, int | None] = {}
            last: dict[int, int] = {}
            op = _plain(loop.blocks[0])
            assert op is not None
            for turn in self._executions.turns(self.places[id(op)]):
                outside = self._parent[turn]
                before[turn] = last.get(outside)
                last[outside] = turn
            found = self._loops[id(loop)] = before, last
        return found


def _plain(block: Block) -> Op | None:
    """An operation that is executed, and so has an event, whenever its block is."""
    others = (op for op in block.ops if not isinstance(op, (Loop, If, Terminator)))
    return next(others, None)


class Origins:
    """Executions of `accesses` (places) that have a result are numbered, those of one place in
    their order and apart from those of others."""

    def __init__(
        self,
        trace: Trace,
        values: ScopeValues,
        executions: Executions,
        turns: RunTurns,
        accesses: list[int],
    ) -> None:
        self._values, self._turns, self._places = values, turns, turns.places
        self._numbers: dict[int, dict[int, int]] = {}
        """By place and event."""
        self._by_turn: dict[int, dict[int, int]] = {}
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
            self._by_turn[place] = dict(zip(executions.turns(place), numbers, strict=True))
            self.count += len(events) + 1

    def number(self, place: int, event: int) -> int | None:
        """The number of an execution."""
        numbers = self._numbers.get(place)
        return None if numbers is None else numbers[event]

    def of(self, op: Op, turn: int) -> Intervals:
        """The executions whose data is in the operands of an operation that is executed in a
        turn: directly, through other values, what loops carry and branches choose."""
        sources = self._values.sources(op.operands)
        if not sources.accesses and not sources.joined:
            return ()
        return self._union(sources, turn, self._values.depth(op))

    def _union(self, sources: Sources, turn: int, depth: int) -> Intervals:
        found: Intervals = ()
        around = self._turns.around
        for op, loops in sources.accesses:
            number = self._by_turn[self._places[id(op)]].get(around(turn, depth - loops))
            if number is not None:
                found = union(found, (number, number + 1))
        for slot, loops in sources.joined:
            found = union(found, self._joined((slot, around(turn, depth - loops))))
        return found

    def _joined(self, wanted: tuple[int, int]) -> Intervals:
        """Of a joined value in a turn. Others that it needs come first: a chain of turns may be
        longer than calls can be nested."""
        memo = self._memo
        stack = [] if wanted in memo else [wanted]
        while stack:
            slot, turn = key = stack[-1]
            owner = self._values.owner(slot)
            if key in memo:
                stack.pop()
            elif not self._turns.known(owner):
                memo[key] = self._all((slot,))
            else:
                parts = [
                    (self._values.sources((other,)), at, depth)
                    for other, at, depth in self._values.joined(slot, turn, self._turns)
                ]
                missing = [
                    needed
                    for sources, at, depth in parts
                    for other, loops in sources.joined
                    if (needed := (other, self._turns.around(at, depth - loops))) not in memo
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
        for op in self._values.any_turn(slots):
            numbers = self._numbers[self._places[id(op)]].values()
            if numbers:
                found = union(found, (min(numbers), max(numbers) + 1))
        return found
