"""What unaligned streams touch, as far as it is known before a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ptoscope.check.analysis.expr import ONE, ZERO, Expr, Symbol, of
from ptoscope.check.analysis.nodes import KnownBytes, LoopNode
from ptoscope.isa.dtypes import VREG_BYTES
from ptoscope.isa.targets import BLOCK_BYTES

_BLOCK, _MOST_HELD = Expr(BLOCK_BYTES), BLOCK_BYTES - 1


@dataclass(frozen=True)
class KnownStream:
    """The state of an unaligned stream; None where something is not known.

    Of a store stream: where it ended, where its last store said that it goes on, how many bytes
    it holds, and how many the last store had at least. `entry` is the symbol for its end in an
    iteration, of a stream that had not begun when the loop was entered. Of a load stream: whether
    it `holds` the block in which it goes on.
    """

    end: Expr | None = None
    position: Expr | None = None
    held: int | None = None
    last: int = 0
    begun: bool = True
    entry: Symbol | None = None
    holds: bool | None = None


@dataclass(frozen=True)
class StreamBytes:
    """What a use of a stream may touch, and what it surely does."""

    may: KnownBytes
    sure: KnownBytes | None


UNBEGUN = KnownStream(held=0, begun=False)


def primed(at: Expr) -> StreamBytes:
    """What priming a load stream at an address reads: the block around it."""
    block = _block_of(at)
    if block is not None:
        whole = KnownBytes(block, _BLOCK)
        return StreamBytes(whole, whole)
    before = Expr(_MOST_HELD)
    return StreamBytes(KnownBytes(at - before, before + before + ONE), KnownBytes(at, ONE))


def loaded(before: KnownStream, at: Expr) -> tuple[StreamBytes, KnownStream]:
    """What a load of a register from an address reads, and the stream after it."""
    block, size = _block_of(at), Expr(VREG_BYTES)
    if block is None:
        # The block that the state holds ends within the first 32 bytes.
        may = KnownBytes(at - _BLOCK + ONE, size + _BLOCK + _BLOCK)
        return StreamBytes(may, KnownBytes(at + _BLOCK, size - _BLOCK)), KnownStream()
    holds = at != block
    length = size + (_BLOCK if holds else ZERO)
    whole, rest = KnownBytes(block, length), KnownBytes(block + _BLOCK, length - _BLOCK)
    read = StreamBytes(rest if before.holds else whole, whole if before.holds is False else rest)
    return read, KnownStream(holds=holds)


def stored(
    before: KnownStream, start: Expr, size: Expr, position: Expr
) -> tuple[StreamBytes | None, KnownStream]:
    """What a store of so many bytes at an address writes, and the stream after it: what it was
    given and what was held, up to the last border of a block."""
    end, length, held = start + size, size.number, before.held
    tail = _tail(end)
    low = Expr(_MOST_HELD if held is None else held)
    may = KnownBytes(start - low, size + low - Expr(tail or 0))
    if length is None:
        return StreamBytes(may, None), KnownStream(end, position)
    if tail is not None and held is not None:
        left = min(held + length, tail)
        whole = KnownBytes(start - low, Expr(held + length - left))
        written = StreamBytes(whole, whole) if held + length > left else None
        return written, KnownStream(end, position, left, length)
    reached = length - (_MOST_HELD if tail is None else tail)
    sure = KnownBytes(start, Expr(reached)) if reached > 0 else None
    return StreamBytes(may, sure), KnownStream(end, position, _left(end, length), length)


def flushed(before: KnownStream, address: Expr | None, anywhere: Expr) -> StreamBytes | None:
    """What a flush writes. Without an address it names a base, so that the end is `anywhere` if
    it is not known."""
    end, most = before.end, Expr(_MOST_HELD)
    if before.held == 0:
        return None
    if end is None:
        # The address is the end, or the position before the last vector.
        start = anywhere if address is None else address
        return StreamBytes(KnownBytes(start - most, most + Expr(VREG_BYTES)), None)
    if address is not None and end == before.position:
        # Then the address is the end, however little is known of either.
        end = address
    if before.held is None:
        return StreamBytes(KnownBytes(end - most, most), None)
    whole = KnownBytes(end - Expr(before.held), Expr(before.held))
    return StreamBytes(whole, whole)


def entered(init: KnownStream, symbol: Symbol) -> KnownStream:
    """A stream in an iteration of a loop that carries it, with a symbol for its end."""
    return KnownStream(of(symbol), entry=init.entry if init.begun else symbol)


class CarriedStream:
    """A stream that a loop carries: what it is at first, and what an iteration makes of it."""

    def __init__(self, symbol: Symbol, start: Expr | None, following: KnownStream) -> None:
        self.symbol = symbol
        self._start, self._following = start, following

    def solve(self, loop: LoopNode, varying: set[Symbol]) -> Expr | None:
        """Its end in an iteration, where every iteration adds the same."""
        growth = self._growth(loop, varying)
        if growth is None or self._start is None:
            return None
        return self._start + growth * of(loop.iteration)

    def after(
        self, loop: LoopNode, varying: set[Symbol], solved: Mapping[Symbol, Expr]
    ) -> KnownStream:
        """The stream after the loop, from what was solved of the numbers that it carries."""
        made, some = self._following, loop.trips.bounds()[0] >= 1
        growth = self._growth(loop, varying)
        end = None
        if growth is not None and self._start is not None:
            end = self._start + growth * loop.trips
        elif made.end is not None and some:
            end = made.end.substitute(solved).substitute({loop.iteration: loop.trips - ONE})
            end = None if end.symbols & varying else end
        if end is None or made.end is None:
            return KnownStream()
        last = made.last if some else 0
        ahead = None if made.position is None else (made.end - made.position).number
        position = None if ahead is None else end - Expr(ahead)
        return KnownStream(end, position, _left(end, last), last)

    def _growth(self, loop: LoopNode, varying: set[Symbol]) -> Expr | None:
        if not loop.counted or self._following.end is None or self._start is None:
            return None
        growth = self._following.end - of(self.symbol)
        return None if (growth.symbols | self._start.symbols) & varying else growth


def _block_of(address: Expr) -> Expr | None:
    """Where the 32-byte block around an address begins, if that is known."""
    start = address - Expr(address.const % BLOCK_BYTES)
    return None if start.over(BLOCK_BYTES) is None else start


def _tail(end: Expr) -> int | None:
    """How many bytes of the last block lie before an end, if that is known."""
    block = _block_of(end)
    return None if block is None else (end - block).const


def _left(end: Expr, last: int) -> int | None:
    """How many bytes a stream holds whose last store had at least so many, if that is known."""
    tail = _tail(end)
    return tail if tail is not None and last >= tail else None
