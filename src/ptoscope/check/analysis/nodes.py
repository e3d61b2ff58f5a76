"""What a function does to memory and to its pipes, as a tree in program order.

Numbers are expressions: of launch scalars, of the iterations of the loops around, and of values
a loop carries. `instance` gives a node with some of them replaced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from ptoscope.budget import spend, spend_small
from ptoscope.check.analysis.expr import ONE, ZERO, Expr, Symbol
from ptoscope.isa.footprint import Bursts, reach_down, reach_up
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.parts import VECTOR_PIPE
from ptoscope.isa.types import Space
from ptoscope.program import Op

Known = Mapping[Symbol, Expr]
MemoryId = tuple[Space, int]
"""A memory of a cluster: its name, and of UB the number of the vector core whose it is."""


class KnownBytes(Bursts[Expr]):
    """Bursts in expressions."""

    __slots__ = ()

    def instance(self, known: Known) -> KnownBytes:
        loops = tuple((c.substitute(known), s.substitute(known)) for c, s in self.loops)
        return KnownBytes(self.start.substitute(known), self.length.substitute(known), loops)

    def bounds(self) -> tuple[int, int]:
        """The first byte it may touch and the one after the last."""
        low, high = self.start.bounds()
        for count, stride in self.loops:
            most = max(1, count.bounds()[1])
            down, up = stride.bounds()
            low, high = low + reach_down(most, down), high + reach_up(most, up)
        return low, high + self.length.bounds()[1]

    def rows(self, most: int = 64) -> list[tuple[int, int]]:
        """Rows that are surely touched, first byte and the one after the last, relative to
        the variable part of the start; at most so many. Of a number that is not known the
        least is taken, and 1 where that could be nothing: some run has so many."""
        length = _least(self.length)
        starts = [self.start.const]
        for count, stride in self.loops:
            times, step = _least(count), stride.number
            if times <= 0:
                return []
            if step is None:
                continue
            if step == length and len(starts) == 1:
                length *= times
            else:
                every = (s + i * step for i in range(min(times, most)) for s in starts)
                starts = list(islice(every, most))
        spend_small(len(starts))
        return [(s, s + length) for s in starts] if length > 0 else []


def _least(value: Expr) -> int:
    number = value.number
    return max(1, value.bounds()[0]) if number is None else number


_TOUCH_BYTES = 800
"""Bytes of an access with its expressions: roughly."""


@dataclass(frozen=True, slots=True)
class Touch:
    """One access: all bytes it may touch, and those it surely does where it is executed."""

    op: Op
    pipe: str
    writes: bool
    space: Space
    may: KnownBytes
    sure: KnownBytes | None
    alignment: int = 1
    addresses: tuple[Expr, ...] = ()
    """What has to be a multiple of the alignment where it is executed."""
    scalar: bool = False
    """Of one element, by a scalar load or store."""
    data: KnownBytes | None = None
    """Of a read, the bytes that it is for, where it surely reads others around them, too."""
    atomic: Expr = ZERO
    """Of a copy to GM its mode (see `isa.atomics`): 0 where it is plain."""
    owner: int = 0
    """Of UB, the number of the vector core whose it is."""
    tile: bool = False
    """Of a tile: its rows follow from a layout."""

    @property
    def memory(self) -> MemoryId:
        """The memory that it is in, of those of a cluster."""
        return self.space, self.owner

    @property
    def updates(self) -> bool:
        """Whether it may update what is there."""
        return self.atomic.number != 0

    def instance(self, known: Known) -> Touch:
        may = self.may.instance(known)
        sure = may if self.sure is self.may else self.sure and self.sure.instance(known)
        at = tuple(address.substitute(known) for address in self.addresses)
        return self._moved(may, sure, at, self.atomic.substitute(known))

    def surely(self, known: Known) -> Touch | None:
        """An instance that has only what is surely touched, or None."""
        if self.sure is None:
            return None
        sure = self.sure.instance(known)
        return self._moved(sure, sure, (), self.atomic.substitute(known))

    def _moved(
        self, may: KnownBytes, sure: KnownBytes | None, at: tuple[Expr, ...], mode: Expr
    ) -> Touch:
        spend(kept=_TOUCH_BYTES)
        # Not by `replace`, which takes several times as long: loops have many instances.
        return Touch(
            self.op,
            self.pipe,
            self.writes,
            self.space,
            may,
            sure,
            self.alignment,
            at,
            self.scalar,
            None,
            mode,
            self.owner,
            self.tile,
        )

    def over(self, touched: KnownBytes) -> Touch:
        """The same access of other bytes."""
        return replace(self, may=touched, sure=touched)

    @property
    def verb(self) -> str:
        return "writes" if self.writes else "reads"


@dataclass(frozen=True, slots=True)
class RegisterTouch:
    """An access to a special register that can come out of order."""

    op: Op
    pipe: str
    writes: bool
    name: str

    def instance(self, known: Known) -> RegisterTouch:
        return self

    @property
    def verb(self) -> str:
        return "writes" if self.writes else "reads"


@dataclass(frozen=True, slots=True)
class FieldNode:
    """A number that an instruction encodes in so many bits."""

    op: Op
    name: str
    value: Expr
    bits: int

    def instance(self, known: Known) -> FieldNode:
        return FieldNode(self.op, self.name, self.value.substitute(known), self.bits)


@dataclass(frozen=True, slots=True)
class RefusalNode:
    """A fault that a run raises where the condition is 1, with the number that causes it."""

    op: Op
    condition: Expr
    code: str
    message: str
    found: Expr | None
    expected: str

    def instance(self, known: Known) -> RefusalNode:
        """Returns the node with symbols replaced."""
        found = self.found and self.found.substitute(known)
        return replace(self, condition=self.condition.substitute(known), found=found)


@dataclass(frozen=True, slots=True)
class EmptyCopy:
    """A copy of no bytes."""

    op: Op

    def instance(self, known: Known) -> EmptyCopy:
        return self


@dataclass(frozen=True, slots=True)
class Sync:
    """What orders pipes, by a rule of `isa.order`."""

    op: Op
    rule: OrderRule
    src: str
    dst: str
    numbers: tuple[Expr, ...]

    @property
    def pipe(self) -> str:
        """The pipe that executes it."""
        return self.rule.pipe(self.src, self.dst)

    @property
    def number(self) -> int | None:
        """The event or the buffer, where it is known."""
        return self.numbers[0].number

    def instance(self, known: Known) -> Sync:
        numbers = tuple(number.substitute(known) for number in self.numbers)
        return Sync(self.op, self.rule, self.src, self.dst, numbers)


@dataclass(frozen=True, slots=True)
class MemoryBarrier:
    """A mem_bar of a type."""

    op: Op
    type: str
    pipe: str = VECTOR_PIPE

    def instance(self, known: Known) -> MemoryBarrier:
        return self


@dataclass(slots=True)
class CarriedNumber:
    """A value that a loop carries: what it is at first, and what an iteration makes of it.
    `after` stands for what it is after the loop."""

    symbol: Symbol
    first: Expr
    next: Expr
    after: Symbol

    def instance(self, known: Known) -> CarriedNumber:
        first, following = self.first.substitute(known), self.next.substitute(known)
        return CarriedNumber(self.symbol, first, following, self.after)


@dataclass(slots=True)
class LoopNode:
    """A body that runs `trips` times; `iteration` counts from 0. `span` over `step` makes the
    trips; a loop whose end is not known beforehand is not `counted`."""

    op: Op
    iteration: Symbol
    trips: Expr
    span: Expr
    step: Expr = ONE
    carried: list[CarriedNumber] = field(default_factory=list[CarriedNumber])
    body: list[Node] = field(default_factory=list["Node"])
    counted: bool = True

    def instance(self, known: Known) -> LoopNode:
        return LoopNode(
            self.op,
            self.iteration,
            self.trips.substitute(known),
            self.span.substitute(known),
            self.step.substitute(known),
            [c.instance(known) for c in self.carried],
            [node.instance(known) for node in self.body],
            self.counted,
        )


@dataclass(slots=True)
class BranchNode:
    """Two bodies, of which the condition (0 or 1) chooses one."""

    op: Op
    condition: Expr
    yes: list[Node] = field(default_factory=list["Node"])
    no: list[Node] = field(default_factory=list["Node"])

    def instance(self, known: Known) -> BranchNode:
        yes, no = ([n.instance(known) for n in side] for side in (self.yes, self.no))
        return BranchNode(self.op, self.condition.substitute(known), yes, no)


@dataclass(slots=True)
class ScopeNode:
    """A vecscope: its body runs on the vector pipe."""

    op: Op
    body: list[Node] = field(default_factory=list["Node"])

    def instance(self, known: Known) -> ScopeNode:
        return ScopeNode(self.op, [node.instance(known) for node in self.body])


Node = (
    Touch
    | RegisterTouch
    | FieldNode
    | RefusalNode
    | EmptyCopy
    | Sync
    | MemoryBarrier
    | LoopNode
    | BranchNode
    | ScopeNode
)


def children(node: Node) -> Iterator[list[Node]]:
    """The bodies of a node."""
    match node:
        case LoopNode(body=body) | ScopeNode(body=body):
            yield body
        case BranchNode(yes=yes, no=no):
            yield yes
            yield no
        case _:
            pass


def flat(nodes: list[Node]) -> Iterator[Node]:
    """All nodes, outer before inner, in program order."""
    spend(len(nodes))
    for node in nodes:
        yield node
        for body in children(node):
            yield from flat(body)
