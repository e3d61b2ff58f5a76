"""Where values come from: who defines each slot, who uses it, and what it may be.

Most values are made where they stand: parameters, results of instructions, indices of loops.
The others are joined: control flow hands them on, so that they are one of several values, and
which one depends on iterations and sides. `Dataflow.walk` goes from values to those they come
from, as far as its caller wants; `ways` goes one step through control flow, with what its caller
knows of a run; `Fixpoint` finds what holds of values that come around in loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from ptoscope.budget import spend
from ptoscope.program import Block, For, Function, If, Loop, Op, Scope, While

T = TypeVar("T")
L = TypeVar("L")


@dataclass(slots=True)
class Definition:
    """Who defines a value. `depth` is the number of loops around the value, `inside` the
    vecscope in whose body it is defined."""

    depth: int
    inside: Scope | None


class Parameter(Definition):
    """A parameter of the function."""

    __slots__ = ()


@dataclass(slots=True)
class OpResult(Definition):
    """A result of an instruction."""

    op: Op


@dataclass(slots=True)
class Index(Definition):
    """The index of a loop."""

    loop: For


class Joined(Definition):
    """A value that control flow hands on. Of a text that could not be read whole, some of the
    values that it may be are missing: None."""

    __slots__ = ()


@dataclass(slots=True)
class Carried(Joined):
    """What a loop carries, during an iteration: the init in the first, and in every later one
    what the iteration before it yielded."""

    loop: Loop
    init: int | None
    yielded: int | None


@dataclass(slots=True)
class Received(Joined):
    """An argument of the second block of an scf.while: what the first block passed."""

    loop: While
    passed: int | None


@dataclass(slots=True)
class LoopResult(Joined):
    """A result of a loop: the `final` value of its last iteration, which an scf.for yielded and
    an scf.while passed. After no iteration, which is for an scf.for alone, the init."""

    loop: Loop
    init: int | None
    final: int | None


@dataclass(slots=True)
class BranchResult(Joined):
    """A result of a branch: what the side taken yielded."""

    branch: If
    sides: tuple[int | None, ...]


@dataclass(slots=True)
class ScopeArgument(Joined):
    """An argument of a vecscope: the value passed to it."""

    scope: Scope
    value: int | None


class RunKnowledge(Protocol[T]):
    """What is known of a run. An iteration is one of a loop, or stands for being outside all
    loops."""

    def around(self, iteration: T, loops: int, /) -> T:
        """The iteration that an iteration is in, so many loops further out."""
        ...

    def before(self, loop: Loop, iteration: T, /) -> Sequence[T | None]:
        """Those of its loop that may have come just before; None for being the first."""
        ...

    def last(self, loop: Loop, iteration: T, /) -> Sequence[T | None]:
        """Those that a loop inside an iteration may have ended with; None for having had none."""
        ...

    def sides(self, branch: If, iteration: T, /) -> Sequence[int]:
        """The blocks of a branch that may have been taken."""
        ...


class AnyRun:
    """Nothing is known of a run: all iterations are 0."""

    def around(self, iteration: int, loops: int, /) -> int:
        return iteration

    def before(self, loop: Loop, iteration: int, /) -> Sequence[int | None]:
        return None, iteration

    def last(self, loop: Loop, iteration: int, /) -> Sequence[int | None]:
        return None, iteration

    def sides(self, branch: If, iteration: int, /) -> Sequence[int]:
        return 0, 1


def ways(joined: Joined, at: T, run: RunKnowledge[T]) -> Iterator[tuple[int, T, int]]:
    """What a joined value may be in an iteration: values, each with the iteration in which it
    is seen, and the number of loops around there."""
    found: list[tuple[int | None, T, int]] = []
    depth = joined.depth
    match joined:
        case Carried(loop=loop, init=init, yielded=yielded):
            for before in run.before(loop, at):
                first = before is None
                found.append(
                    (init, run.around(at, 1), depth - 1) if first else (yielded, before, depth)
                )
        case LoopResult(loop=loop, init=init, final=final):
            for last in run.last(loop, at):
                found.append((init, at, depth) if last is None else (final, last, depth + 1))
        case Received(passed=value) | ScopeArgument(value=value):
            found.append((value, at, depth))
        case BranchResult(branch=branch, sides=sides):
            found.extend((sides[side], at, depth) for side in run.sides(branch, at))
        case _:
            raise TypeError(joined)
    for value, iteration, loops in found:
        if value is not None:
            yield value, iteration, loops


class Dataflow:
    """The values of a function. `definitions` has one for each slot."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.definitions: list[Definition] = [Parameter(0, None)] * len(function.types)
        self.users: dict[int, list[Op]] = {}
        """The operations that take a value, terminators too, in the order of the text."""
        self._made: dict[int, Op] = {}
        self._depth: dict[int, int] = {}
        self._joined: dict[int, tuple[int, ...]] = {}
        self._block(function.body, 0, None)

    def _block(self, block: Block, depth: int, inside: Scope | None) -> None:
        for op in block.ops:
            self._depth[id(op)] = depth
            for slot in op.results:
                self._made[slot] = op
            for slot in op.operands:
                self.users.setdefault(slot, []).append(op)
            self._define(op, depth, inside)
            within = depth + isinstance(op, Loop)
            scope = op if isinstance(op, Scope) else inside
            for inner in op.blocks:
                self._block(inner, within, scope)

    def _define(self, op: Op, depth: int, inside: Scope | None) -> None:
        defined = self.definitions
        match op:
            case For():
                for slot in op.body.args:
                    # Those that are not carried, below.
                    defined[slot] = Index(depth + 1, inside, op)
                self._carried(op, depth, inside)
                for i, slot in enumerate(op.results):
                    init, final = _at(op.inits, i), _at(op.yields, i)
                    defined[slot] = LoopResult(depth, inside, op, init, final)
            case While():
                self._carried(op, depth, inside)
                for i, slot in enumerate(op.received):
                    defined[slot] = Received(depth + 1, inside, op, _at(op.passed, i))
                for i, slot in enumerate(op.results):
                    defined[slot] = LoopResult(depth, inside, op, None, _at(op.passed, i))
            case If():
                for i, slot in enumerate(op.results):
                    sides = tuple(_at(block.yields, i) for block in op.blocks)
                    defined[slot] = BranchResult(depth, inside, op, sides)
            case Scope():
                for i, slot in enumerate(op.args):
                    defined[slot] = ScopeArgument(depth, op, op, _at(op.inputs, i))
            case _:
                for slot in op.results:
                    defined[slot] = OpResult(depth, inside, op)

    def _carried(self, op: Loop, depth: int, inside: Scope | None) -> None:
        for i, slot in enumerate(op.carried):
            init, yielded = _at(op.inits, i), _at(op.yields, i)
            self.definitions[slot] = Carried(depth + 1, inside, op, init, yielded)

    def made(self, slot: int) -> Op | None:
        """The operation that a value is a result of."""
        return self._made.get(slot)

    def depth(self, op: Op) -> int:
        """The number of loops around an operation."""
        return self._depth[id(op)]

    def joined(self, slot: int) -> tuple[int, ...]:
        """The values that a joined value may be; of any other, none."""
        found = self._joined.get(slot)
        if found is None:
            definition = self.definitions[slot]
            found = self._joined[slot] = (
                tuple(value for value, _, _ in ways(definition, 0, AnyRun()))
                if isinstance(definition, Joined)
                else ()
            )
        return found

    def walk(
        self, slots: Iterable[int], into: Callable[[int, Definition], Iterable[int]]
    ) -> Iterator[tuple[int, Definition]]:
        """The values that some values come from, themselves first, each once and with its
        definition. `into` names those of one that the walk goes on to."""
        seen: set[int] = set()
        stack = list(slots)
        while stack:
            slot = stack.pop()
            if slot in seen:
                continue
            seen.add(slot)
            spend()
            definition = self.definitions[slot]
            yield slot, definition
            stack.extend(into(slot, definition))

    def sources(self, slot: int) -> set[int]:
        """The values that are not joined themselves and that a value may be."""
        reached = self.walk((slot,), lambda value, _: self.joined(value))
        return {value for value, _ in reached if not self.joined(value)}


class InOrder(Generic[L]):
    """What `find` says of values, asked once for each that is `wanted`, the earlier ones first: a
    value is made of such, and a chain of them may be longer than calls can be deep."""

    def __init__(self, find: Callable[[int], L], wanted: Callable[[int], bool]) -> None:
        self._find, self._wanted = find, wanted
        self._known: dict[int, L] = {}
        self._done = 0
        self._busy = False

    def __call__(self, slot: int) -> L:
        if slot in self._known:
            return self._known[slot]
        if self._busy or not self._wanted(slot):
            return self._find(slot)
        self._busy = True
        try:
            for earlier in range(self._done, slot + 1):
                if self._wanted(earlier):
                    self._known[earlier] = self._find(earlier)
        finally:
            self._busy = False
        self._done = slot + 1
        return self._known[slot]


class Fixpoint(Generic[L]):
    """What may hold of values, as elements of a lattice: `made(slot, of)` says it of a value
    that is not joined, and asks `of` for others. Of a joined one holds `either` of all that it
    may be: assumed to be `nothing` at first, until it stays. With `in_order` all values are gone
    through in the order of the text, needed or not, again and again until nothing changes: a chain
    of them may be longer than calls can be deep."""

    def __init__(
        self,
        flow: Dataflow,
        nothing: L,
        either: Callable[[L, L], L],
        made: Callable[[int, Callable[[int], L]], L],
        in_order: bool = False,
    ) -> None:
        self._flow, self._nothing, self._either, self._make = flow, nothing, either, made
        self._assumed: dict[int, L] = {}
        self._known: dict[int, L] = {}
        """What was found in this round, from what is assumed."""
        self._changed = False
        self._all: list[L] = []
        """What holds of each value, where all are gone through."""
        self._in_order = in_order

    def of(self, slot: int) -> L:
        """What holds of a value, whatever a run does."""
        if self._in_order:
            if not self._all:
                self._go_through()
            return self._all[slot]
        if slot in self._known:
            return self._known[slot]
        while True:
            self._changed = False
            found = self._find(slot)
            if not self._changed:
                return found
            self._known.clear()

    def _go_through(self) -> None:
        found = [self._nothing] * len(self._flow.definitions)
        changed = True
        while changed:
            changed = False
            for slot, before in enumerate(found):
                spend()
                after = before
                values = self._flow.joined(slot)
                for value in values:
                    after = self._either(after, found[value])
                if not values:
                    after = self._make(slot, found.__getitem__)
                if after != before:
                    found[slot] = after
                    changed = True
        self._all = found

    def _find(self, slot: int) -> L:
        if slot in self._known:
            return self._known[slot]
        spend()
        values = self._flow.joined(slot)
        if not values:
            found = self._make(slot, self._find)
        else:
            before = found = self._known[slot] = self._assumed.get(slot, self._nothing)
            for value in values:
                found = self._either(found, self._find(value))
            if found != before:
                self._assumed[slot] = found
                self._changed = True
        self._known[slot] = found
        return found


def _at(values: Sequence[int], i: int) -> int | None:
    return values[i] if i < len(values) else None
