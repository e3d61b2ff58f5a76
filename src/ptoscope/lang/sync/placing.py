"""Flags and barriers that are to be put into a function, and where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ptoscope.isa.order.rules import BARRIER, SET, WAIT, OrderRule
from ptoscope.lang.sync.buffers import PlacedBuffer
from ptoscope.program import Block, Loop, Op

SIGNAL_BEHIND, DRAIN, ARM, WAIT_BEFORE, BARRIER_BEFORE = range(5)
"""In this order at one place: a pipe signals before it waits for others."""


class PlacedSync(NamedTuple):
    """One synchronisation, before or behind an operation. `event` is a number, the first of as
    many as `buffer` has copies where it goes round with them."""

    rule: OrderRule
    src: str
    dst: str
    event: int | None
    buffer: PlacedBuffer | None
    op: Op
    after: bool
    rank: int


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
    set_at: int
    wait_at: int
    loop: Loop | None
    around: Loop | None
    distance: int
    buffer: PlacedBuffer | None
    event: int = 0

    @property
    def events(self) -> int:
        """How many numbers it takes."""
        return 1 if self.buffer is None else self.buffer.copies

    @property
    def span(self) -> int:
        """How far it reaches, in operations of its block: the farther, the likelier others do
        what it does."""
        around = len(self.block.ops) * self.distance
        return self.wait_at + around - self.set_at

    def covers(self, other: Flag) -> bool:
        """Whether all that another one orders is ordered by this."""
        return (
            self.block is other.block
            and (self.src, self.dst) == (other.src, other.dst)
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
        pipes, event, buffer = (self.src, self.dst), self.event, self.buffer
        if self.around is not None:
            for number in range(event, event + self.events):
                yield PlacedSync(SET, *pipes, number, None, self.around, False, ARM)
                yield PlacedSync(WAIT, *pipes, number, None, self.around, True, DRAIN)
        yield PlacedSync(WAIT, *pipes, event, buffer, self.then, False, WAIT_BEFORE)
        yield PlacedSync(SET, *pipes, event, buffer, self.first, True, SIGNAL_BEHIND)


@dataclass(eq=False)
class PipeBarrier:
    """A barrier of a pipe, or of all, before an operation."""

    pipe: str
    op: Op

    def placed(self) -> Iterator[PlacedSync]:
        """Its only part."""
        yield PlacedSync(BARRIER, self.pipe, "", None, None, self.op, False, BARRIER_BEFORE)


FlagOrBarrier = Flag | PipeBarrier
