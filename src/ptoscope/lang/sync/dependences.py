"""Which steps have to be complete before which others begin: all that the program order means.

A step that reads or writes what another one writes comes after that, or before it, as the text
says; in a loop that holds of later iterations too. Pipes execute their own steps in order, but
for copies that meet in a memory where they do not keep it. Of cores of different kinds nothing
is in order by itself; two cores of one kind are taken to work on different data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ptoscope.check.analysis.nodes import LoopNode
from ptoscope.check.positions import Positions
from ptoscope.isa.order.memory import copies_in_order
from ptoscope.isa.parts import COPY_PIPES, SCALAR_PIPE
from ptoscope.lang.sync.buffers import PlacedBuffer
from ptoscope.lang.sync.conflicts import Conflict, Conflicts
from ptoscope.lang.sync.steps import FunctionSteps, PipeStep
from ptoscope.program import If, Op


class Dependence(NamedTuple):
    """One step is complete before another one begins: with a loop, before that so many iterations
    later. `buffer` is that whose copies they take turns with, where that is all they share;
    `inner` the same of a loop inside of that one: then only those of one copy depend."""

    early: PipeStep
    late: PipeStep
    loop: LoopNode | None
    distance: int
    buffer: PlacedBuffer | None
    inner: PlacedBuffer | None = None

    @property
    def crosses(self) -> bool:
        """Whether the two are steps of different cores."""
        return self.early.core != self.late.core

    @property
    def depth(self) -> int:
        """In how many loops around, outermost first, both are in the same iteration."""
        if self.loop is not None:
            return self.late.loops.index(self.loop)
        return len(_common(self.early, self.late))


def dependences(
    steps: FunctionSteps, conflicts: Conflicts, positions: Positions
) -> Iterator[Dependence]:
    """Those of a function, but for what a pipe keeps in order itself."""
    them = list(steps)
    for i, early in enumerate(them):
        for j, late in enumerate(them):
            of_scalar_unit = early.pipe == SCALAR_PIPE and early.core == late.core
            if of_scalar_unit and not any(access.writes for access in early.accesses):
                # It is complete when the next instruction is issued; of stores no page says so.
                continue
            pairs = [
                (one, two)
                for one in early.accesses
                for two in late.accesses
                if _matters(early, late, one.space)
            ]
            named = _share_register(early, late)
            if not pairs and not named:
                continue
            if i < j and not _excluded(early.op, late.op, positions):
                met = (conflicts.within(one, two) for one, two in pairs)
                found = Conflict(0, None) if named else _strictest(met)
                if found is not None:
                    yield Dependence(early, late, None, 0, found.buffer)
            for loop in _common(early, late):
                met = (conflicts.carried(one, two, loop) for one, two in pairs)
                found = Conflict(1, None) if named else _strictest(met)
                if found is not None:
                    yield Dependence(early, late, loop, *found)


def _common(one: PipeStep, two: PipeStep) -> list[LoopNode]:
    """The loops around both, outermost first."""
    return [a for a, b in zip(one.loops, two.loops, strict=False) if a is b]


def _matters(early: PipeStep, late: PipeStep, space: str) -> bool:
    """Whether the order of two steps is not kept where they meet in a memory."""
    if early.core != late.core or early.pipe != late.pipe:
        return True
    return early.pipe in COPY_PIPES and not copies_in_order(space)


def _share_register(early: PipeStep, late: PipeStep) -> bool:
    return (
        early.core == late.core
        and early.pipe != late.pipe
        and any(
            one.name == two.name and (one.writes or two.writes)
            for one in early.registers
            for two in late.registers
        )
    )


def _strictest(found: Iterable[Conflict | None]) -> Conflict | None:
    """What covers all: the least distance, and no copies in turn where one has none, or where two
    are of different buffers inside."""
    best: Conflict | None = None
    for conflict in found:
        if conflict is None:
            continue
        if best is not None and conflict.inner is not best.inner:
            conflict, best = conflict._replace(inner=None), best._replace(inner=None)
        if best is None or (
            (conflict.distance, conflict.buffer is not None)
            < (best.distance, best.buffer is not None)
        ):
            best = conflict
    return best


def _excluded(early: Op, late: Op, positions: Positions) -> bool:
    """Whether two operations are on different sides of one branch."""
    for one, two in zip(positions.chain(early), positions.chain(late), strict=False):
        home, other = positions.home(one), positions.home(two)
        if one is not two:
            return home.block is not other.block and isinstance(home.owner, If)
    return False
