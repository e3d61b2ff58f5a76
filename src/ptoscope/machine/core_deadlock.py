"""What is said when the cores of a cluster wait for what never happens: which core waits where, for
which signal, and who could have given it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ptoscope.diagnostics import Diagnostic
from ptoscope.isa import TABLE
from ptoscope.isa.order.cores import (
    BOTH,
    SET_CLUSTER,
    SET_CORE,
    WAIT_CORE,
    Channel,
    channel_of,
)
from ptoscope.isa.order.ledger import Chain
from ptoscope.isa.parts import (
    IN_SECTION,
    MOST_PENDING,
    PER_CORE,
    VECTOR_CORES,
    CoreId,
    CoreKind,
)
from ptoscope.machine.deadlock import Queued, Stuck, Wait, giver_of
from ptoscope.machine.faults import DEADLOCK, Fault
from ptoscope.machine.signals import function_of, line_list, positions, times
from ptoscope.program import Block, Function, If, Op

if TYPE_CHECKING:
    from ptoscope.program import Program


@dataclass(frozen=True)
class StuckCluster:
    """The cores when none can go on: those that wait, by number, and how many signals were given
    and taken between them."""

    ids: tuple[CoreId, ...]
    waiting: Mapping[int, Stuck]
    given: Mapping[Chain[str], int]

    @property
    def broadcast(self) -> bool:
        """Whether the matrix core signals both vector cores at once."""
        return any(one.chain[0] == SET_CLUSTER.name for one in self.awaited())

    def awaited(self) -> Iterator[_Awaited]:
        """The waits for other cores."""
        for number, stuck in self.waiting.items():
            for pipe, (entry, wait) in stuck.blocked.items():
                for chain in wait.gives:
                    if isinstance(chain[2], Channel):
                        yield _Awaited(number, pipe, entry, wait, chain, chain[2])

    def givers(self, channel: Channel) -> list[int]:
        """The cores that give signals of a channel."""
        if not channel.to_cube:
            return [n for n, core in enumerate(self.ids) if core.kind == "cube"]
        vectors = (n for n, core in enumerate(self.ids) if core.kind == "vector")
        return [n for n in vectors if channel.vector in (BOTH, self.ids[n].number)]

    def unawaited(self) -> list[tuple[Channel, int]]:
        """Signals that were given and that nobody has waited for."""
        if self.broadcast:
            return []
        found: list[tuple[Channel, int]] = []
        for to_cube in (False, True):
            for vector in range(VECTOR_CORES):
                for semaphore in range(PER_CORE):
                    channel = Channel(to_cube, vector, semaphore)
                    left = self._count(SET_CORE.name, channel) - self._count(
                        WAIT_CORE.name, channel
                    )
                    if left > 0:
                        found.append((channel, left))
        return found

    def _count(self, what: str, channel: Channel) -> int:
        return self.given.get((what, None, channel), 0)


class _Awaited(NamedTuple):
    """A wait of a pipe of a core for a signal of another one."""

    core: int
    pipe: str
    entry: Queued
    wait: Wait
    chain: Chain[str]
    channel: Channel


class _Giver(NamedTuple):
    """Whether a core may still give a signal, and what there is to say of it."""

    may_come: bool
    text: str


class CoreDeadlock(Fault):
    """Cores of a cluster wait for each other or for nothing."""

    def __init__(self, stuck: StuckCluster) -> None:
        first = next(stuck.awaited())
        super().__init__(first.entry.site, DEADLOCK, "waits for a signal that never comes")
        self._stuck = stuck

    def inside(self, iteration: str) -> None:
        """The loops that matter are those of the one who waits, which the queue knows."""

    def diagnostic(self, program: Program, block: int, grid: int) -> Diagnostic:
        stuck = self._stuck
        function = function_of(program, self.site.span)
        waits = list(stuck.awaited())
        fates = {(one.core, one.pipe): self._fates(function, one) for one in waits}
        alone = [w for w in waits if not any(g.may_come for g in fates[w.core, w.pipe])]
        cause = (alone or waits)[0]
        self.site, self.iterations = cause.entry.site, cause.entry.iteration_texts()
        self.core, self.core_title = cause.core, stuck.ids[cause.core].title
        self.found = self._text(function, cause, fates)
        givers = " and ".join(stuck.ids[n].title for n in stuck.givers(cause.channel))
        self.expected = f"a signal ({SET_CORE.instruction}) of {givers}: {cause.channel.text}"
        self.hint = self._hint(cause, not alone)
        return super().diagnostic(program, block, grid)

    def _text(
        self,
        function: Function | None,
        cause: _Awaited,
        fates: Mapping[tuple[int, str], list[_Giver]],
    ) -> str:
        """A line for each pipe that waits, the cause before the others, and one for the signals
        that nobody awaited."""
        stuck, lines = self._stuck, list[tuple[bool, str]]()
        for number, one in stuck.waiting.items():
            for pipe, (entry, wait) in one.blocked.items():
                channels = [c[2].text for c in wait.gives if isinstance(c[2], Channel)]
                what = " and ".join(channels) or wait.what
                said = "; ".join(giver.text for giver in fates.get((number, pipe), ()))
                fate = said or one.fate(function, wait)
                text = f"{stuck.ids[number].title}, {pipe} at {entry.place()} for {what}: {fate}"
                lines.append(((number, pipe) != (cause.core, cause.pipe), text))
        texts = [text for _, text in sorted(lines, key=lambda line: line[0])]
        left = ", ".join(f"{channel.text} ({n})" for channel, n in stuck.unawaited())
        texts.append(f"signals that nobody awaited: {left or 'none'}")
        return "blocked: " + "\n    ".join(texts)

    def _fates(self, function: Function | None, one: _Awaited) -> list[_Giver]:
        """Who could have given what a pipe waits for, and why that does not happen."""
        return [self._giver(function, one, core) for core in self._stuck.givers(one.channel)]

    def _giver(self, function: Function | None, one: _Awaited, core: int) -> _Giver:
        stuck, title = self._stuck, self._stuck.ids[core].title
        waiting = stuck.waiting.get(core)
        for pipe, entries in () if waiting is None else waiting.queued.items():
            entry = giver_of(entries, one.wait)
            if entry is not None:
                head = entries[0].site.span.line
                text = f"the {entry.site.record.short} of {entry.place()} on {title} is queued "
                return _Giver(True, f"{text}on {pipe} behind line {head}")
        ops = _givers_of(function, stuck.ids[core], one.channel, stuck.broadcast)
        if not ops:
            return _Giver(False, f"no {SET_CORE.instruction} of {title} gives it")
        total = stuck.given.get(one.chain, 0)
        lines = line_list(op.span for op in ops)
        gave = f"given {times(total)} ({lines}), and consumed as often" if total else ""
        if waiting is None:
            computed = any("event" not in op.attrs for op in ops)
            came = f"{title} did not come to {lines}" + ", or raised another one" * computed
            return _Giver(False, f"{gave or came}; {title} has ended")
        at = None if waiting.at is None else waiting.at.span
        ahead = [p for p in positions(function, ops, at) if p.may_come]
        if not ahead or at is None:
            return _Giver(False, gave or f"{title} passed {lines} and did not give it")
        lines = line_list(p.span for p in ahead)
        stays = f"{title} does not come to {lines}: it waits at line {at.line}"
        return _Giver(True, "; ".join(part for part in (gave, stays) if part))

    def _hint(self, cause: _Awaited, in_circle: bool) -> str:
        stuck = self._stuck
        if in_circle:
            return "the cores wait for each other: let one of them signal before it waits"
        to_cube, vector, _ = cause.channel
        others = [c for c, _ in stuck.unawaited() if c.to_cube == to_cube]
        near = [c for c in others if c.vector == vector] or others
        each = "" if stuck.broadcast else (
            f"; the matrix core names those of vector core s by number + {PER_CORE} * s"
        )  # fmt: skip
        if near:
            given = near[0].text
            return f"{given} was given, and nobody waits for it: both have to use the same{each}"
        return (
            f"every {WAIT_CORE.instruction} needs one {SET_CORE.instruction} of the core that it "
            f"waits for, on every path and in every iteration{each}"
        )


def semaphore_full(entry: Queued) -> Fault | None:
    """The fault of a signal for which there is no room, and which nobody will take; None for what
    waits for something else."""
    room = None if entry.ticket is None else entry.ticket.room
    channel = None if room is None else channel_of(room)
    if channel is None:
        return None
    receiver = "the matrix core" if channel.to_cube else f"vector core {channel.vector}"
    fault = Fault(
        entry.site,
        DEADLOCK,
        "waits for room to raise a semaphore, which never comes",
        found=f"{channel.text} is raised {times(MOST_PENDING)} and not waited for",
        expected=f"one {WAIT_CORE.instruction} of {receiver} for every {SET_CORE.instruction}",
        hint=f"let {receiver} wait as often as it is signalled, or signal once after the loop",
    )
    fault.queued, fault.iterations = True, entry.iteration_texts()
    return fault


def _givers_of(
    function: Function | None, core: CoreId, channel: Channel, broadcast: bool
) -> list[Op]:
    """What a core executes that gives a signal, also where a number is computed and may be this
    one."""
    number = channel.semaphore
    if core.kind == "cube" and not broadcast:
        number += PER_CORE * channel.vector
    found: list[Op] = []
    for op in () if function is None else _executed(function.body, core.kind):
        record = TABLE.get(op.name)
        gives = record is not None and record.order is SET_CORE
        if gives and op.attrs.get("event", number) == number:
            found.append(op)
    return found


def _executed(block: Block, kind: CoreKind) -> Iterator[Op]:
    """The operations that cores of a kind may come to."""
    others = {
        op.results[0] for op in block.ops if op.name == IN_SECTION and op.attrs["core"] != kind
    }
    for op in block.ops:
        if isinstance(op, If) and op.condition in others:
            continue
        yield op
        for inner in op.blocks:
            yield from _executed(inner, kind)
