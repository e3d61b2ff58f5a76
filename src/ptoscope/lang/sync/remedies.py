"""Flags and barriers that order what depends on each other, and none that others make needless."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from ptoscope.check.positions import Positions
from ptoscope.isa.parts import PIPE_ALL, SCALAR_PIPE
from ptoscope.lang.sync.dependences import Dependence
from ptoscope.lang.sync.order import StepOrder
from ptoscope.lang.sync.placing import Flag, FlagOrBarrier, PipeBarrier, PlacedSync
from ptoscope.program import Block, Loop, Op

_VIRTUAL = 1 << 16
"""Numbers that stand for events of which none has been chosen yet: each flag has its own."""


def remedies(
    found: Sequence[Dependence], order: StepOrder, positions: Positions, synchronised: bool
) -> list[FlagOrBarrier]:
    """What orders all of some dependences, beyond what the function does itself if it is
    `synchronised`."""
    lacking = order.lacking(()) if synchronised else set(range(len(found)))
    wanted = [_remedy(found[number], positions) for number in sorted(lacking)]
    kept = _uncovered(wanted)
    for number, flag in enumerate(one for one in kept if isinstance(one, Flag)):
        flag.event = _VIRTUAL * (number + 1)
    return _needed(kept, order, synchronised, positions)


def completed(
    them: Sequence[FlagOrBarrier],
    found: Sequence[Dependence],
    order: StepOrder,
    positions: Positions,
) -> list[FlagOrBarrier]:
    """The same with barriers of all pipes where something is not in order: a barrier in the place
    of a flag of a loop does not order what comes after the loop."""
    kept = list(them)
    lacking = order.lacking(parts(kept))
    places = {id(op): op for op in (_meet(found[n], positions)[2] for n in sorted(lacking))}
    return [*kept, *(PipeBarrier(PIPE_ALL, op) for op in places.values())]


def parts(them: Sequence[FlagOrBarrier]) -> list[PlacedSync]:
    """All that is to be placed."""
    return list(chain.from_iterable(one.placed() for one in them))


def _remedy(dependence: Dependence, positions: Positions) -> FlagOrBarrier:
    """What orders just this, next to the operations of the block that both steps are in."""
    early, late = dependence.early, dependence.late
    block, first, then = _meet(dependence, positions)
    if first is None:
        return PipeBarrier(PIPE_ALL, then)
    if early.pipe == late.pipe:
        return PipeBarrier(early.pipe, then)
    loop = around = None
    if dependence.loop is not None:
        loop = dependence.loop.op
        around = next(o for o in positions.chain(late.op) if isinstance(o, Loop))
        assert isinstance(loop, Loop)
    buffer = dependence.buffer
    if buffer is not None and (buffer.loop is None or buffer.loop.body is not block):
        # Inside one iteration of the loop that changes copies there is just one.
        buffer = None
    return Flag(
        early.pipe,
        late.pipe,
        block,
        first,
        then,
        positions.home(first).place,
        positions.home(then).place,
        loop,
        around,
        dependence.distance,
        buffer,
    )


def _meet(dependence: Dependence, positions: Positions) -> tuple[Block, Op | None, Op]:
    """The block where both steps are, and the operations of it that they are in; of the first
    none where the two are in different blocks of a loop."""
    early, late = dependence.early.op, dependence.late.op
    if dependence.loop is None:
        pairs = zip(positions.chain(early), positions.chain(late), strict=False)
        one, then = next((a, b) for a, b in pairs if a is not b)
    else:
        inside = dependence.loop.op
        one, then = (
            next(o for o in positions.chain(op) if positions.home(o).owner is inside)
            for op in (early, late)
        )
    block = positions.home(then).block
    return block, one if positions.home(one).block is block else None, then


def _uncovered(wanted: list[FlagOrBarrier]) -> list[FlagOrBarrier]:
    """Those that no other one covers, each once."""
    barriers: dict[tuple[str, int], FlagOrBarrier] = {}
    flags: list[Flag] = []
    for one in wanted:
        if isinstance(one, PipeBarrier):
            barriers.setdefault((one.pipe, id(one.op)), one)
            continue
        covering = next((other for other in flags if other.covers(one)), None)
        if covering is not None:
            _share_copies(covering, one)
            continue
        for other in flags:
            if one.covers(other):
                _share_copies(one, other)
        flags = [other for other in flags if not one.covers(other)]
        flags.append(one)
    return [*barriers.values(), *flags]


def _share_copies(flag: Flag, covered: Flag) -> None:
    """A flag within an iteration takes the numbers of copies that one it covers takes."""
    if flag.loop is None and covered.loop is None and flag.buffer is None:
        flag.buffer = covered.buffer


def _needed(
    them: list[FlagOrBarrier], order: StepOrder, synchronised: bool, positions: Positions
) -> list[FlagOrBarrier]:
    """Without those whose order the others give: first barriers, then what reaches farthest."""

    def rank(one: FlagOrBarrier) -> tuple[int, int, int]:
        if isinstance(one, PipeBarrier):
            return 0, 0, 0
        return 1, len(positions.chain(one.then)), -one.span

    kept = list(them)
    for one in sorted(them, key=rank):
        others = [other for other in kept if other is not one]
        if (synchronised or _other_way(one, others)) and not order.lacking(parts(others), False):
            kept = others
    return kept


def _other_way(one: FlagOrBarrier, others: list[FlagOrBarrier]) -> bool:
    """Whether others lead from one pipe to the other at all."""
    if isinstance(one, PipeBarrier) or any(isinstance(other, PipeBarrier) for other in others):
        return True
    reached: set[str] = set()
    more = {one.src}
    while more:
        reached |= more
        more = {f.dst for f in others if isinstance(f, Flag) and f.src in more}
        if one.dst in more or SCALAR_PIPE in more:
            # What the scalar unit waits for, all that it issues does.
            return True
        more -= reached
    return False
