"""How values travel inside a vecscope: which accesses they come from, and in which iterations.

A value is named by its slot and the iteration it is made in: every operation executes at most
once in each iteration of the innermost loop around it. What a joined value is depends on
iterations and sides, which someone else knows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple, TypeVar

from ptoscope.dataflow import (
    Dataflow,
    Definition,
    Index,
    Joined,
    OpResult,
    RunKnowledge,
    ScopeArgument,
    ways,
)
from ptoscope.isa.types import Ptr, Scalar
from ptoscope.program import Op

T = TypeVar("T")


class Sources(NamedTuple):
    """What values are made from without a join between: the accesses whose data is in them,
    the joined values, and the indices of loops; with the number of loops around each."""

    accesses: tuple[tuple[Op, int], ...]
    joined: tuple[tuple[int, int], ...]
    indices: tuple[tuple[int, int], ...]


class StraightSource(NamedTuple):
    """Where one value comes from: the number of loops around it, the access whose data it is,
    whether control flow hands it on, and what it is made from without a join between."""

    depth: int
    access: Op | None
    joined: bool
    operands: tuple[int, ...]


class ScopeValues:
    """The values made inside one vecscope. `accesses` are the ids of the operations that touch
    memory; a pointer that one of them moves on is not its data. Loops are counted from the
    vecscope inwards."""

    def __init__(self, flow: Dataflow, scope: Op, accesses: Collection[int]) -> None:
        self._flow = flow
        self._scope = scope
        self._types = flow.function.types
        self._accesses = accesses
        self._outside = flow.depth(scope)
        self._known: dict[tuple[int, ...], Sources] = {}
        self._source: dict[int, StraightSource] = {}
        self._varies: dict[int, int] = {}

    def depth(self, op: Op) -> int:
        """How many loops of the vecscope are around an operation."""
        return self._flow.depth(op) - self._outside

    def varies(self, slot: int) -> int:
        """The loops, from the outermost, in whose iterations a value is made anew: while they
        are in the same iteration, it is the same. A value from outside, or a constant, has none.
        """
        known = self._varies
        stack = [slot]
        while stack:
            value = stack[-1]
            source = self.source(value)
            missing = [operand for operand in source.operands if operand not in known]
            if missing:
                stack += missing
                continue
            definition = self._made_here(self._flow.definitions[value])
            anew = source.access or isinstance(definition, (Joined, Index))
            depths = (known[operand] for operand in source.operands)
            known[value] = max(source.depth if anew else 0, *depths, 0)
            stack.pop()
        return known[slot]

    def source(self, slot: int) -> StraightSource:
        """Where a value comes from."""
        known = self._source.get(slot)
        if known is None:
            definition = self._flow.definitions[slot]
            made = self._made_here(definition)
            data = isinstance(made, OpResult) and self._is_data(slot, made.op)
            known = self._source[slot] = StraightSource(
                max(0, definition.depth - self._outside),
                made.op if isinstance(made, OpResult) and data else None,
                isinstance(made, Joined),
                self._operands(slot, definition),
            )
        return known

    def sources(self, slots: tuple[int, ...]) -> Sources:
        """What some values are made from."""
        known = self._known.get(slots)
        if known is None:
            known = self._known[slots] = self._find(slots)
        return known

    def _find(self, slots: tuple[int, ...]) -> Sources:
        accesses: dict[int, tuple[Op, int]] = {}
        joined: list[tuple[int, int]] = []
        indices: list[tuple[int, int]] = []
        for slot, definition in self._flow.walk(slots, self._operands):
            depth = definition.depth - self._outside
            match self._made_here(definition):
                case OpResult(op=op):
                    if self._is_data(slot, op):
                        accesses[id(op)] = op, depth
                case Joined():
                    joined.append((slot, depth))
                case Index():
                    indices.append((slot, depth))
                case _:
                    pass
        return Sources(tuple(accesses.values()), tuple(joined), tuple(indices))

    def _made_here(self, definition: Definition) -> Definition | None:
        """The definition of a value of this vecscope; None of one that comes from outside."""
        here = definition.inside is self._scope and not isinstance(definition, ScopeArgument)
        return definition if here else None

    def _is_data(self, slot: int, op: Op) -> bool:
        return id(op) in self._accesses and not isinstance(self._types[slot], Ptr)

    def _operands(self, slot: int, definition: Definition) -> tuple[int, ...]:
        """What goes into a result: into a pointer moved on no data."""
        made = self._made_here(definition)
        if not isinstance(made, OpResult):
            return ()
        if isinstance(self._types[slot], Ptr):
            return tuple(s for s in made.op.operands if isinstance(self._types[s], (Ptr, Scalar)))
        return made.op.operands

    def joined(self, slot: int, at: T, run: RunKnowledge[T]) -> Iterator[tuple[int, T, int]]:
        """The values that a joined value may be in an iteration: each with the iteration in
        which it is seen, and how many loops are around there."""
        for value, iteration, depth in ways(self.join(slot), at, run):
            yield value, iteration, depth - self._outside

    def join(self, slot: int) -> Joined:
        """The definition of a joined value."""
        definition = self._flow.definitions[slot]
        assert isinstance(definition, Joined)
        return definition

    def any_iteration(self, slots: tuple[int, ...]) -> list[Op]:
        """The accesses whose data may be in some values, whatever the iterations and sides."""

        def into(slot: int, definition: Definition) -> tuple[int, ...]:
            joins = isinstance(self._made_here(definition), Joined)
            return self._flow.joined(slot) if joins else self._operands(slot, definition)

        found: dict[int, Op] = {}
        for slot, definition in self._flow.walk(slots, into):
            made = self._made_here(definition)
            if isinstance(made, OpResult) and self._is_data(slot, made.op):
                found[id(made.op)] = made.op
        return list(found.values())
