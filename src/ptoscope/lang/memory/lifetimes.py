"""When buffers are live, in moments: the operations of a function, numbered in program order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ptoscope.lang.accesses import RootedAccess
from ptoscope.lang.memory.allocation import Allocation
from ptoscope.program import Block, Function, Loop, Op


@dataclass(frozen=True, slots=True)
class Lifetime:
    """The moments from the first to the last one at which a buffer holds something."""

    first: int
    last: int

    def __or__(self, other: Lifetime) -> Lifetime:
        return Lifetime(min(self.first, other.first), max(self.last, other.last))


class Moments:
    """The operations of a function by their moments; an operation with blocks has those of all in
    them, too."""

    def __init__(self, function: Function) -> None:
        self.ops: list[Op] = []
        self._of: dict[int, Lifetime] = {}
        self._loops: dict[int, tuple[Loop, ...]] = {}
        self._makers: dict[int, Op] = {}
        self._block(function.body, ())

    def _block(self, block: Block, loops: tuple[Loop, ...]) -> None:
        for op in block.ops:
            first = len(self.ops)
            self.ops.append(op)
            self._loops[id(op)] = loops
            self._makers.update(dict.fromkeys(op.results, op))
            inner = (*loops, op) if isinstance(op, Loop) else loops
            for nested in op.blocks:
                self._block(nested, inner)
            self._of[id(op)] = Lifetime(first, len(self.ops) - 1)

    def of(self, op: Op) -> Lifetime:
        """The moments of an operation."""
        return self._of[id(op)]

    def loops(self, op: Op) -> tuple[Loop, ...]:
        """The loops around an operation, the outermost first."""
        return self._loops[id(op)]

    def maker(self, slot: int) -> Op | None:
        """The operation that a value is a result of."""
        return self._makers.get(slot)

    def lines(self, life: Lifetime) -> tuple[int, int]:
        """The first and the last line of the kernel in a lifetime; of what a call leads to, the
        line of the call."""
        spans = [op.span for op in self.ops[life.first : life.last + 1] if op.span.line]
        found = [span.calls[0][0] if span.calls else span.line for span in spans]
        return min(found, default=0), max(found, default=0)


def touches(
    allocations: Sequence[Allocation], accesses: Iterable[RootedAccess]
) -> dict[int, list[Op]]:
    """The operations that touch each buffer, by its root."""
    found: dict[int, list[Op]] = {a.root: [] for a in allocations}
    roots = {
        memory: {a.root for a in allocations if a.memory == memory}
        for memory in {a.memory for a in allocations}
    }
    for access in accesses:
        mine = roots.get(access.space, set())
        for root in mine if access.roots is None else access.roots & mine:
            found[root].append(access.op)
    return found


def lifetimes(
    allocations: Sequence[Allocation],
    moments: Moments,
    touched: Mapping[int, Iterable[Op]],
    *,
    whole_loops: bool,
) -> list[Lifetime]:
    """When each buffer is live; `touched` is what `touches` says.

    Who touches a buffer in a loop that it was not made in touches it, for all we know, in every
    iteration with what the one before it left there: it is live during the whole loop. One with
    several copies is live during the whole loop that it was made in. With `whole_loops`, so are
    all that are made in a loop that has a buffer of several copies: its iterations overlap.
    """
    pipelined = {id(a.loop) for a in allocations if a.loop is not None and a.copies > 1}
    return [
        _lifetime(allocation, moments, touched, pipelined if whole_loops else set())
        for allocation in allocations
    ]


def _lifetime(
    allocation: Allocation,
    moments: Moments,
    touched: Mapping[int, Iterable[Op]],
    pipelined: set[int],
) -> Lifetime:
    home = allocation.loop
    around = () if home is None else (*moments.loops(home), home)
    whole = [loop for loop in around if id(loop) in pipelined]
    if home is not None and allocation.copies > 1:
        whole.append(home)
    found = [moments.of(loop) for loop in whole]
    for op in touched.get(allocation.root, ()):
        # The outermost loop that the buffer was not made in.
        foreign = [loop for loop in moments.loops(op) if all(loop is not own for own in around)]
        found.append(moments.of(foreign[0] if foreign else op))
    maker = moments.maker(allocation.root)
    if not found and maker is not None:
        found.append(moments.of(maker))
    life = found[0] if found else Lifetime(0, 0)
    for more in found[1:]:
        life |= more
    return life
