"""Flags and barriers that order what depends on each other, and none that others make needless."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from itertools import chain

from ptoscope.check.positions import Positions
from ptoscope.isa.core_signals import has_pipe, sync_set
from ptoscope.isa.parts import PIPE_ALL, SCALAR_PIPE, CoreKind
from ptoscope.lang.sync.dependences import Dependence
from ptoscope.lang.sync.kinds import SectionKinds
from ptoscope.lang.sync.order import StepOrder
from ptoscope.lang.sync.placing import (
    CoreSignal,
    Flag,
    FlagOrBarrier,
    FlagPlace,
    PipeBarrier,
    PlacedSync,
    Relay,
)
from ptoscope.program import Block, Loop, Op, Section

_VIRTUAL = 1 << 16
"""Numbers that stand for events of which none has been chosen yet: each flag has its own."""
OUT_PIPE = "PIPE_MTE3"
"""The pipe that signals other cores for those that cannot: both kinds of core have it, and on the
way out of a core it is the last."""


class NotOrdered(Exception):
    """A dependence between cores that no signal can order where the two are."""

    def __init__(self, dependence: Dependence) -> None:
        self.dependence = dependence
        super().__init__()


def remedies(
    found: Sequence[Dependence], order: StepOrder, single: DependenceRemedies, synchronised: bool
) -> list[FlagOrBarrier]:
    """What orders all of some dependences, beyond what the function does itself if it is
    `synchronised`. NotOrdered where nothing does."""
    lacking = order.lacking(()) if synchronised else set(range(len(found)))
    wanted = [single.of(found[number]) for number in sorted(lacking)]
    kept = _uncovered(wanted)
    for number, flag in enumerate(flags_of(kept)):
        flag.event = _VIRTUAL * (number + 1)
    return _needed(kept, order, synchronised, single.positions)


def flags_of(them: Sequence[FlagOrBarrier]) -> list[Flag]:
    """The flags and signals among them, and what relays signals."""
    flags = [one for one in them if isinstance(one, Flag)]
    relays = (one.relay for one in flags if isinstance(one, CoreSignal))
    return [*flags, *{id(relay): relay for relay in relays if relay is not None}.values()]


def completed(
    them: Sequence[FlagOrBarrier],
    found: Sequence[Dependence],
    order: StepOrder,
    single: DependenceRemedies,
) -> list[FlagOrBarrier]:
    """The same with barriers of all pipes where something is not in order: a barrier in the place
    of a flag of a loop does not order what comes after the loop."""
    kept = list(them)
    barriers: dict[int, PipeBarrier] = {}
    for number in sorted(order.lacking(parts(kept))):
        op = single.meet(found[number])[2]
        barriers[id(op)] = PipeBarrier(PIPE_ALL, op, found[number].late.core)
    return [*kept, *barriers.values()]


def parts(them: Sequence[FlagOrBarrier]) -> list[PlacedSync]:
    """All that is to be placed."""
    barriers = [one for one in them if isinstance(one, PipeBarrier)]
    return list(chain.from_iterable(one.placed() for one in (*barriers, *flags_of(them))))


class DependenceRemedies:
    """Finds what orders single dependences of a function on a target."""

    def __init__(self, positions: Positions, kinds: SectionKinds, target: str) -> None:
        self.positions, self.kinds, self._target = positions, kinds, target
        self._relays: dict[tuple[str, int], Relay] = {}

    def of(self, dependence: Dependence) -> FlagOrBarrier:
        """What orders just this, next to the operations of the block that both steps are in."""
        early, late = dependence.early, dependence.late
        block, first, then = self.meet(dependence)
        if dependence.crosses and (first is None or None in (early.core, late.core)):
            raise NotOrdered(dependence)
        if first is None:
            return PipeBarrier(PIPE_ALL, then, late.core)
        if not dependence.crosses and early.pipe == late.pipe:
            return PipeBarrier(early.pipe, then, late.core)
        loop = around = None
        if dependence.loop is not None:
            loop = dependence.loop.op
            around = next(o for o in self.positions.chain(late.op) if isinstance(o, Loop))
            assert isinstance(loop, Loop)
        buffer = dependence.buffer
        if buffer is not None and (buffer.loop is None or self._body(then) is not buffer.loop.body):
            # Inside one iteration of the loop that changes copies there is just one.
            buffer = None
        flag = Flag(
            early.pipe,
            late.pipe,
            block,
            first,
            then,
            self._place(first),
            self._place(then),
            loop,
            around,
            dependence.distance,
            buffer,
            core=early.core,
        )
        return self._signal(flag, late.core) if dependence.crosses else flag

    def _signal(self, flag: Flag, receiver: CoreKind | None) -> CoreSignal:
        """The same between cores."""
        assert receiver is not None
        src = flag.src
        gives = src == SCALAR_PIPE or has_pipe(sync_set, self._target, src)
        via = src if gives else OUT_PIPE
        plain = {f.name: getattr(flag, f.name) for f in fields(flag)}
        relay = None if via == src else self._relay(flag, via)
        return CoreSignal(**plain, receiver=receiver, via=via, relay=relay, target=self._target)

    def _relay(self, flag: Flag, via: str) -> Relay:
        """What brings to another pipe what a flag is set behind; one for all signals from there."""
        key = flag.src, id(flag.first)
        if key not in self._relays:
            at = flag.block, flag.first, flag.first, flag.set_at, flag.set_at
            self._relays[key] = Relay(flag.src, via, *at, None, None, 0, None, core=flag.core)
        return self._relays[key]

    def meet(self, dependence: Dependence) -> tuple[Block, Op | None, Op]:
        """The block where both steps are, and the operations of it that they are in, or of the
        sections in it; of the first none where the two are in different blocks of a loop."""
        early, late, positions = dependence.early.op, dependence.late.op, self.positions
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
        first = self._inside(one, early) if positions.home(one).block is block else None
        return block, first, self._inside(then, late)

    def _inside(self, around: Op, op: Op) -> Op:
        """The operation of a section that another one is or is in: it is executed as often as the
        section."""
        if not self.kinds.several or not isinstance(around, Section):
            return around
        return next(o for o in self.positions.chain(op) if self.positions.home(o).owner is around)

    def _body(self, op: Op) -> Block:
        """The block of an operation, or that of the section which it is in."""
        home = self.positions.home(op)
        if home.owner is not None and self._in_section(op):
            return self.positions.home(home.owner).block
        return home.block

    def _in_section(self, op: Op) -> bool:
        return self.kinds.several and isinstance(self.positions.home(op).owner, Section)

    def _place(self, op: Op) -> FlagPlace:
        home = self.positions.home(op)
        if home.owner is not None and self._in_section(op):
            return self.positions.home(home.owner).place, home.place
        return home.place, 0


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
    ways = [_way(other) for other in flags_of(others)]
    begin: _At = one.core, one.src
    end = _way(one)[1]
    reached: set[_At] = set()
    more = {begin}
    while more:
        reached |= more
        more = {target for source, target in ways if source in more}
        if end in more or any(pipe == SCALAR_PIPE for _, pipe in more):
            # What the scalar unit waits for, all that it issues does.
            return True
        more -= reached
    return False


_At = tuple[CoreKind | None, str]


def _way(flag: Flag) -> tuple[_At, _At]:
    """From which pipe of which core to which it leads."""
    if isinstance(flag, CoreSignal):
        return (flag.core, flag.via), (flag.receiver, flag.dst)
    return (flag.core, flag.src), (flag.core, flag.dst)
