"""Whether two accesses may touch the same bytes, in one iteration or in different ones.

What is not known is taken to be so: an access of which only the buffer is known touches all of it.
Different parameters are different memory, and so are buffers that share no bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ptoscope.check.analysis.expr import UNBOUNDED, Expr, Symbol, of
from ptoscope.check.analysis.nodes import KnownBytes, LoopNode, flat
from ptoscope.isa.footprint import reach_down, reach_up
from ptoscope.isa.types import Space
from ptoscope.lang.accesses import RootedAccess
from ptoscope.lang.sync.buffers import PlacedBuffer

AccessBase = PlacedBuffer | int
"""What an address is relative to: a buffer, or the slot of a parameter."""


BasePair = tuple[AccessBase, AccessBase] | tuple[()]


class LocatedAccess(NamedTuple):
    """An access: from `low` up to `high` (excluded) around `offset` from its base. Without an
    offset, anything of its `bases`; without these, anything of its memory."""

    writes: bool
    space: Space
    mode: int | None
    """Of an update, which: 0 of none, None of one not known."""
    bases: frozenset[AccessBase] | None
    offset: Expr | None = None
    low: int = 0
    high: int = 0


class Conflict(NamedTuple):
    """Two accesses that meet so many iterations apart, or more; 0 in one iteration. `buffer` is
    that whose copies they take turns with, where they do. `inner` is the same of a loop inside of
    that which carries it: only accesses of one copy meet."""

    distance: int
    buffer: PlacedBuffer | None
    inner: PlacedBuffer | None = None


class Conflicts:
    """Answers for the accesses of one function."""

    def __init__(self, buffers: Sequence[PlacedBuffer]) -> None:
        self._buffers = {slot: buffer for buffer in buffers for slot in buffer.roots}
        self._located: dict[int, tuple[RootedAccess, LocatedAccess]] = {}
        self._again: dict[tuple[int, int], dict[Symbol, Expr]] = {}

    def locate(self, access: RootedAccess) -> LocatedAccess:
        """Where an access is."""
        found = self._located.get(id(access))
        if found is None:
            # The access is kept, or another one could get its identity.
            found = self._located[id(access)] = access, self._locate(access)
        return found[1]

    def _locate(self, access: RootedAccess) -> LocatedAccess:
        touch, roots = access.touch, access.roots
        bases = None if roots is None else frozenset(self._buffers.get(r, r) for r in roots)
        known = access.writes, access.space, touch.atomic.number, bases
        if roots is None or bases is None or len(roots) != 1:
            return LocatedAccess(*known)
        (root,) = roots
        offset = touch.may.start - of(Symbol("pointer", root))
        if any(symbol.kind == "pointer" for symbol in offset.symbols):
            return LocatedAccess(*known)
        return LocatedAccess(*known, offset, *_reach(touch.may))

    def within(self, one: RootedAccess, two: RootedAccess) -> Conflict | None:
        """What two accesses have in common in one iteration of all loops around both."""
        a, b = self.locate(one), self.locate(two)
        pair = self._meet(a, b)
        if pair is None or not self._near(a, b, pair, {}):
            return None
        return Conflict(0, _in_turn(pair, None))

    def carried(self, early: RootedAccess, late: RootedAccess, loop: LoopNode) -> Conflict | None:
        """The same where the second one is in a later iteration of a loop around both, and in any
        of the loops inside that."""
        a, b = self.locate(early), self.locate(late)
        pair = self._meet(a, b)
        if pair is None:
            return None
        buffer = _in_turn(pair, loop)
        distance = 1 if buffer is None else buffer.copies
        if loop.iteration.high < distance:
            return None
        if not self._near(a, b, pair, self._later(loop, distance)):
            return None
        return Conflict(distance, buffer, _turning_inside(pair, loop))

    def _meet(self, a: LocatedAccess, b: LocatedAccess) -> BasePair | None:
        """The bases of two accesses, if each has just one; None where they meet nowhere."""
        if a.space != b.space or not (a.writes or b.writes):
            return None
        if a.mode == b.mode and a.mode:
            # Updates of one mode: in any order the same.
            return None
        if a.bases is None or b.bases is None:
            return ()
        if not any(_share(one, two) for one in a.bases for two in b.bases):
            return None
        if len(a.bases) > 1 or len(b.bases) > 1:
            return ()
        (one,), (two,) = a.bases, b.bases
        return one, two

    def _near(
        self, a: LocatedAccess, b: LocatedAccess, pair: BasePair, later: Mapping[Symbol, Expr]
    ) -> bool:
        """Whether two accesses may touch the same bytes, the second one with some symbols
        replaced."""
        if not pair or a.offset is None or b.offset is None:
            return True
        one, two = pair
        apart = b.offset.substitute(later) - a.offset
        if one is not two:
            if not isinstance(one, PlacedBuffer) or not isinstance(two, PlacedBuffer):
                return True
            if one.copies > 1 or two.copies > 1:
                return True
            apart = apart + Expr(two.address - one.address)
        least, most = apart.bounds()
        return least < a.high - b.low and most > a.low - b.high

    def _later(self, loop: LoopNode, distance: int) -> Mapping[Symbol, Expr]:
        """What differs so many iterations later, or more: the iteration, and all that loops
        inside count and carry."""
        key = id(loop), distance
        found = self._again.get(key)
        if found is None:
            found = self._again[key] = {}
            for inner in (loop, *flat(loop.body)):
                if isinstance(inner, LoopNode):
                    for symbol in (inner.iteration, *(c.symbol for c in inner.carried)):
                        found[symbol] = of(
                            Symbol("later", symbol.ident, (), symbol.low, symbol.high)
                        )
            step = Symbol("apart", loop.iteration.ident, (), distance, loop.iteration.high)
            found[loop.iteration] = of(loop.iteration) + of(step)
        return found


def _reach(touched: KnownBytes) -> tuple[int, int]:
    """How far below and above its start an access goes."""
    low, high = 0, touched.length.bounds()[1]
    for count, stride in touched.loops:
        most = max(1, count.bounds()[1])
        down, up = stride.bounds()
        low, high = low + reach_down(most, down), high + reach_up(most, up)
    return max(low, -UNBOUNDED), min(high, UNBOUNDED)


def _share(one: AccessBase, two: AccessBase) -> bool:
    if isinstance(one, PlacedBuffer) and isinstance(two, PlacedBuffer):
        return one is two or one.meets(two)
    return one == two


def _turning_inside(pair: BasePair, loop: LoopNode) -> PlacedBuffer | None:
    """The buffer of whose copies two accesses take one, in iterations of a loop inside of a given
    one."""
    if not pair or pair[0] is not pair[1] or not isinstance(pair[0], PlacedBuffer):
        return None
    buffer = pair[0]
    loops = (node.op for node in flat(loop.body) if isinstance(node, LoopNode))
    return buffer if buffer.copies > 1 and any(op is buffer.loop for op in loops) else None


def _in_turn(pair: BasePair, loop: LoopNode | None) -> PlacedBuffer | None:
    """The buffer whose copies two accesses take in turn: in the iterations of a given loop."""
    if not pair or pair[0] is not pair[1] or not isinstance(pair[0], PlacedBuffer):
        return None
    buffer = pair[0]
    if buffer.copies == 1 or (loop is not None and buffer.loop is not loop.op):
        return None
    return buffer
