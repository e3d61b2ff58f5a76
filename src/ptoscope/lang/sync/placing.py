"""Flags and barriers that are to be put into a function, and where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ptoscope.isa.core_signals import signals_on
from ptoscope.isa.order.cores import SET_ANY, SET_CORE, WAIT_ANY
from ptoscope.isa.order.rules import BARRIER, SET, WAIT, OrderRule
from ptoscope.isa.parts import PER_CORE, CoreKind
from ptoscope.lang.sync.buffers import PlacedBuffer
from ptoscope.program import Block, Loop, Op

SIGNAL_BEHIND, RELAY_BEHIND, CORE_BEHIND, DRAIN, ARM, WAIT_BEFORE, BARRIER_BEFORE = range(7)
"""In this order at one place: a pipe signals before it waits for others."""

FlagPlace = tuple[int, int]
"""Where an operation stands: in its block, and in the section there that it is in."""


class PlacedSync(NamedTuple):
    """One synchronisation, before or behind an operation. `event` is a number, the first of as
    many as `buffer` has copies where it goes round with them. `core` is the kind of core that
    executes it, None where there is one only."""

    rule: OrderRule
    src: str
    dst: str
    event: int | None
    buffer: PlacedBuffer | None
    op: Op
    after: bool
    rank: int
    core: CoreKind | None = None


@dataclass(eq=False)
class Flag:
    """A signal of one pipe for another: set behind `first`, waited for before `then`, both in
    `block`, at these places. With a `loop`, from one iteration to later ones: set once for every
    copy before the loop `around`, and waited for as often after it. `event` is its number, the
    first of as many as `buffer` has copies."""

    src: str
    dst: str
    block: Block
    first: Op
    then: Op
    set_at: FlagPlace
    wait_at: FlagPlace
    loop: Loop | None
    around: Loop | None
    distance: int
    buffer: PlacedBuffer | None
    event: int = 0
    core: CoreKind | None = None

    @property
    def events(self) -> int:
        """How many numbers it takes."""
        return 1 if self.buffer is None else self.buffer.copies

    @property
    def span(self) -> int:
        """How far it reaches, in operations of its block: the farther, the likelier others do
        what it does."""
        around = len(self.block.ops) * self.distance
        return self.wait_at[0] + around - self.set_at[0]

    @property
    def between(self) -> tuple[object, ...]:
        """From where to where it goes."""
        return self.core, self.src, self.dst

    def covers(self, other: Flag) -> bool:
        """Whether all that another one orders is ordered by this."""
        return (
            self.block is other.block
            and self.between == other.between
            and self.set_at >= other.set_at
            and self.wait_at <= other.wait_at
            and (
                (self.loop is other.loop and self.distance <= other.distance)
                # Within an iteration: then it holds of later ones too.
                or (self.loop is None and self.set_at < self.wait_at)
            )
        )

    def placed(self) -> Iterator[PlacedSync]:
        """Its parts."""
        pipes, event, buffer, core = (self.src, self.dst), self.event, self.buffer, self.core
        if self.around is not None:
            for number in range(event, event + self.events):
                yield PlacedSync(SET, *pipes, number, None, self.around, False, ARM, core)
                yield PlacedSync(WAIT, *pipes, number, None, self.around, True, DRAIN, core)
        yield PlacedSync(WAIT, *pipes, event, buffer, self.then, False, WAIT_BEFORE, core)
        yield PlacedSync(SET, *pipes, event, buffer, self.first, True, SIGNAL_BEHIND, core)


@dataclass(eq=False)
class Relay(Flag):
    """A flag that is waited for where it is set: what one pipe did, another one then signals."""

    def placed(self) -> Iterator[PlacedSync]:
        pipes, event, core = (self.src, self.dst), self.event, self.core
        yield PlacedSync(SET, *pipes, event, None, self.first, True, SIGNAL_BEHIND, core)
        yield PlacedSync(WAIT, *pipes, event, None, self.first, True, RELAY_BEHIND, core)


@dataclass(eq=False)
class CoreSignal(Flag):
    """A signal of the cores of one kind for those of another, `receiver`: the number is that of a
    semaphore, which counts. `relay` brings what the pipe `src` did to the pipe `via` that gives
    it, where `src` cannot."""

    receiver: CoreKind = "vector"
    via: str = ""
    relay: Relay | None = None
    target: str = ""

    @property
    def rules(self) -> tuple[OrderRule, OrderRule]:
        """What gives it and what awaits it on its target; before it has a semaphore, such as have
        any number."""
        found = signals_on(self.target)
        return (SET_ANY, WAIT_ANY) if self.event >= PER_CORE and SET_CORE in found else found

    @property
    def events(self) -> int:
        return 1

    @property
    def between(self) -> tuple[object, ...]:
        return self.core, self.src, self.receiver, self.dst

    def placed(self) -> Iterator[PlacedSync]:
        give, take = (self.rules[0], self.via, ""), (self.rules[1], self.dst, "")
        event, core, receiver = self.event, self.core, self.receiver
        if self.around is not None:
            for _ in range(self.distance):
                yield PlacedSync(*give, event, None, self.around, False, ARM, core)
                yield PlacedSync(*take, event, None, self.around, True, DRAIN, receiver)
        yield PlacedSync(*give, event, None, self.first, True, CORE_BEHIND, core)
        yield PlacedSync(*take, event, None, self.then, False, WAIT_BEFORE, receiver)


@dataclass(eq=False)
class PipeBarrier:
    """A barrier of a pipe, or of all, before an operation."""

    pipe: str
    op: Op
    core: CoreKind | None = None

    def placed(self) -> Iterator[PlacedSync]:
        """Its only part."""
        yield PlacedSync(
            BARRIER, self.pipe, "", None, None, self.op, False, BARRIER_BEFORE, self.core
        )


FlagOrBarrier = Flag | PipeBarrier
