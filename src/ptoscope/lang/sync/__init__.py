"""Synchronisation for functions that lack it: what crosses pipes is ordered, and no more."""

from __future__ import annotations

from collections.abc import Sequence

from ptoscope.check.positions import Positions
from ptoscope.isa.order.memory import needs_memory_barriers
from ptoscope.isa.targets import Revision, Target
from ptoscope.lang.accesses import RootedAccesses
from ptoscope.lang.sync.buffers import PlacedBuffer
from ptoscope.lang.sync.conflicts import Conflicts
from ptoscope.lang.sync.dependences import dependences
from ptoscope.lang.sync.events import TooManySignals, numbered
from ptoscope.lang.sync.insertion import PlacedMemoryBarrier, insert
from ptoscope.lang.sync.kinds import SectionKinds
from ptoscope.lang.sync.order import StepOrder
from ptoscope.lang.sync.remedies import DependenceRemedies, NotOrdered, completed, parts, remedies
from ptoscope.lang.sync.scopes import memory_barriers
from ptoscope.lang.sync.steps import FunctionSteps
from ptoscope.program import Function

__all__ = ["NotOrdered", "PlacedBuffer", "TooManySignals", "synchronise"]


def synchronise(
    function: Function,
    buffers: Sequence[PlacedBuffer],
    target: Target,
    revision: Revision,
    accesses: RootedAccesses | None = None,
) -> None:
    """Inserts flags, barriers of pipes, memory barriers and signals between cores, so that every
    legal order of a run gives what the order of the text means. What the function does itself
    counts: where it synchronises enough, nothing is inserted. All that it accesses on the chip is
    in one of `buffers`; an inserted operation has the span of that which it stands at. `accesses`
    are those of the function with the roots of all buffers, where the caller has them. NotOrdered
    and TooManySignals where data goes between cores as no signals can order it."""
    if accesses is None:
        roots = [slot for buffer in buffers for slot in buffer.roots]
        accesses = RootedAccesses(function, roots, target, revision)
    kinds = SectionKinds(function)
    steps, conflicts = FunctionSteps(accesses, kinds), Conflicts(buffers)
    positions = Positions(function)
    found = list(dependences(steps, conflicts, positions))
    order = StepOrder(function, steps, found, buffers)
    single = DependenceRemedies(positions, kinds, target.name)
    wanted = remedies(found, order, single, bool(steps.syncs))
    given = numbered(wanted, function, steps.syncs.values(), kinds)
    if len(given) < len(wanted) or any(one not in wanted for one in given):
        # There are not events enough, and others do what some of them did.
        given = completed(given, found, order, single)
    placed = parts(given)
    bars: list[PlacedMemoryBarrier] = []
    if needs_memory_barriers(target):
        for scope, step in steps.scopes:
            bars += memory_barriers(scope, step, conflicts, accesses.values, positions)
    insert(function, placed, bars, kinds, target.name)
