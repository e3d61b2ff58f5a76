"""How values travel inside a vecscope: which accesses they come from, and in which turns.

A value is named by its slot and the turn it is made in: every operation executes at most once
in each turn of the innermost loop around it. Values that a loop carries, results of loops and
of branches are joined: what they are depends on turns and sides, which someone else knows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, Protocol, TypeVar

from ptoscope.isa.types import Ptr, Scalar, Type
from ptoscope.program import LOOPS, Block, Op

T = TypeVar("T")


class Turns(Protocol[T]):
    """What is known of a run. A turn is one of a loop, or that of nothing: outside all loops
    of the vecscope."""

    def around(self, turn: T, loops: int) -> T:
        """The turn that a turn is in, so many loops further out."""
        ...

    def before(self, loop: Op, turn: T) -> Sequence[T | None]:
        """Those of its loop that may have come just before; None for being the first."""
        ...

    def last(self, loop: Op, turn: T) -> Sequence[T | None]:
        """Those that a loop inside a turn may have ended with; None for having had none."""
        ...

    def sides(self, branch: Op, turn: T) -> Sequence[int]:
        """The sides that may have been taken."""
        ...


class Sources(NamedTuple):
    """What values are made from without a join between: the accesses whose data is in them,
    the joined values, and the indices of loops; with the number of loops around each."""

    accesses: tuple[tuple[Op, int], ...]
    joined: tuple[tuple[int, int], ...]
    indices: tuple[tuple[int, int], ...]


class ScopeValues:
    """The values made inside one vecscope. `accesses` are the ids of the operations that touch
    memory; a pointer that one of them moves on is not its data."""

    def __init__(self, scope: Op, types: list[Type], accesses: Collection[int]) -> None:
        self._types = types
        self._accesses = accesses
        self._made: dict[int, Op] = {}
        self._joins: dict[int, tuple[Op, str, int]] = {}
        """Of a joined value: by which operation, as what, and at which position."""
        self._indices: dict[int, int] = {}
        """Of the index of a loop, the loops around it and with it."""
        self._depth: dict[int, int] = {}
        """Of an operation, by its id, the loops of the vecscope around it."""
        self._known: dict[tuple[int, ...], Sources] = {}
        self._walk(scope.blocks[0], 0)

    def _walk(self, block: Block, depth: int) -> None:
        for op in block.ops:
            self._depth[id(op)] = depth
            inside = depth + (op.name in LOOPS)
            for inner in op.blocks:
                self._walk(inner, inside)
            match op.name:
                case "scf.for":
                    self._indices[op.blocks[0].args[0]] = inside
                    self._join(op.blocks[0].args[1:], op, "argument")
                    self._join(op.results, op, "result")
                case "scf.while":
                    self._join(op.blocks[0].args, op, "argument")
                    self._join(op.blocks[1].args, op, "passed")
                    self._join(op.results, op, "result")
                case "scf.if":
                    self._join(op.results, op, "branch")
                case _:
                    self._made.update(dict.fromkeys(op.results, op))

    def _join(self, slots: Sequence[int], op: Op, role: str) -> None:
        self._joins.update({slot: (op, role, i) for i, slot in enumerate(slots)})

    def depth(self, op: Op) -> int:
        """How many loops of the vecscope are around an operation."""
        return self._depth[id(op)]

    def varies(self, slot: int) -> int:
        """The loops, from the outermost, in whose turns a value is made anew: while they are in
        the same turn, it is the same. A value from outside, or a constant, has none."""
        found = self.sources((slot,))
        return max(
            (depth for _, depth in (*found.accesses, *found.joined, *found.indices)), default=0
        )

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
        seen: set[int] = set()
        stack = list(slots)
        while stack:
            slot = stack.pop()
            if slot in seen:
                continue
            seen.add(slot)
            if slot in self._joins:
                op, role, _ = self._joins[slot]
                joined.append((slot, self.depth(op) + (role in ("argument", "passed"))))
            elif slot in self._indices:
                indices.append((slot, self._indices[slot]))
            elif slot in self._made:
                op = self._made[slot]
                stack.extend(self._operands(op, slot))
                if id(op) in self._accesses and not isinstance(self._types[slot], Ptr):
                    accesses[id(op)] = op, self.depth(op)
        return Sources(tuple(accesses.values()), tuple(joined), tuple(indices))

    def _operands(self, op: Op, result: int) -> tuple[int, ...]:
        """What goes into a result: into a pointer moved on no data."""
        if isinstance(self._types[result], Ptr):
            return tuple(s for s in op.operands if isinstance(self._types[s], (Ptr, Scalar)))
        return op.operands

    def joined(self, slot: int, turn: T, turns: Turns[T]) -> Iterator[tuple[int, T, int]]:
        """The values that a joined value of a turn may be: each with the turn in which it is
        seen, and how many loops are around there."""
        op, role, i = self._joins[slot]
        depth = self.depth(op)
        ends = [_end(block) for block in op.blocks]
        if role == "branch":
            for side in turns.sides(op, turn):
                yield ends[side][i], turn, depth
            return
        if role == "passed":
            yield ends[0][1 + i], turn, depth + 1
            return
        counted = op.name == "scf.for"
        if role == "argument":
            ways, outside = turns.before(op, turn), turns.around(turn, 1)
            end = ends[-1][i]
        else:
            ways, outside = turns.last(op, turn), turn
            end = ends[0][i] if counted else ends[0][1 + i]
        for way in ways:
            if way is not None:
                yield end, way, depth + 1
            elif counted or role == "argument":
                yield op.operands[3 + i if counted else i], outside, depth

    def owner(self, slot: int) -> Op:
        """The loop or branch that joins a value."""
        return self._joins[slot][0]

    def any_turn(self, slots: tuple[int, ...]) -> list[Op]:
        """The accesses whose data may be in some values, whatever the turns and sides."""
        found: dict[int, Op] = {}
        seen: set[int] = set()
        stack = [slots]
        while stack:
            sources = self.sources(stack.pop())
            found.update((id(op), op) for op, _ in sources.accesses)
            for slot, _ in sources.joined:
                if slot not in seen:
                    seen.add(slot)
                    stack.append(tuple(s for s, *_ in self.joined(slot, 0, _AnyTurn())))
        return list(found.values())


class _AnyTurn:
    """Nothing is known of a run: all turns are 0."""

    def around(self, turn: int, loops: int) -> int:
        return turn

    def before(self, loop: Op, turn: int) -> Sequence[int | None]:
        return None, turn

    def last(self, loop: Op, turn: int) -> Sequence[int | None]:
        return None, turn

    def sides(self, branch: Op, turn: int) -> Sequence[int]:
        return range(len(branch.blocks))


def _end(block: Block) -> tuple[int, ...]:
    return block.ops[-1].operands if block.ops else ()
