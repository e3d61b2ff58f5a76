"""Signals between the cores of a cluster: semaphores that one core raises and another awaits.

On A5 each pair of cores has its own: the matrix core addresses the first vector core by the
numbers 0 to 15 and the second by 16 to 31, also where it waits for them; a vector core speaks to
the matrix core by 0 to 15. On A2/A3 the matrix core signals both vector cores at once, and waits
for both of them.

A signal is given when the pipe that gives it has executed all before it. Its tokens are counted
by the cores that give and take it: the n-th wait for the n-th signal of a channel.
"""

from __future__ import annotations

from typing import NamedTuple

from ptoscope.isa.order.ledger import Ledger, Number, PipeT, Ticket, Token
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.parts import MOST_PENDING, PER_CORE, SEMAPHORES, VECTOR_CORES, CoreId, CoreKind

BOTH = -1
"""Stands for both vector cores together."""


class Channel(NamedTuple):
    """From which core to which a signal goes, by the number of the vector core among the two
    (`BOTH`: every one of them), and the number of the semaphore."""

    to_cube: bool
    vector: int
    semaphore: int

    @property
    def text(self) -> str:
        vector = "both vector cores" if self.vector == BOTH else f"vector core {self.vector}"
        ends = (vector, "the matrix core")
        source, target = ends if self.to_cube else ends[::-1]
        return f"semaphore {self.semaphore} from {source} to {target}"


def channels(
    core: CoreId, gives: bool, number: int, broadcast: bool, each: int
) -> tuple[Channel, ...]:
    """The channels of a signal that a core gives or awaits; a core has so many from `each`."""
    if core.kind == "vector":
        vector = BOTH if broadcast and not gives else core.number
        return (Channel(gives, vector, number),)
    if not broadcast:
        return (Channel(not gives, number // each, number % each),)
    if gives:
        return (Channel(False, BOTH, number),)
    return tuple(Channel(True, vector, number) for vector in range(VECTOR_CORES))


def number_of(core: CoreId, channel: Channel) -> int:
    """The number by which a core names a channel that it gives to or awaits."""
    apart = core.kind == "cube" and channel.vector != BOTH and channel.semaphore < PER_CORE
    return channel.semaphore + (PER_CORE * channel.vector if apart else 0)


def semaphores_of(core: CoreId) -> int:
    """How many numbers a core has for what it signals or awaits: a vector core speaks to the
    matrix core alone."""
    return SEMAPHORES if core.kind == "cube" else PER_CORE


def channel_of(token: Token[PipeT]) -> Channel | None:
    """The channel that a token of such a rule belongs to; None for any other."""
    key = token[0][2]
    return key if isinstance(key, Channel) else None


def _pair(name: str, broadcast: bool, each: int = PER_CORE) -> tuple[OrderRule, OrderRule]:
    giver, taker = f"set_{name}", f"wait_{name}"

    def settle_give(
        ledger: Ledger[PipeT], src: PipeT, _: PipeT | None, numbers: tuple[Number, ...]
    ) -> Ticket[PipeT]:
        (number,) = numbers
        if not isinstance(number, int):
            return Ticket(src, signals=True)
        (channel,) = channels(ledger.core, True, number, broadcast, each)
        given = ledger.next(giver, None, channel)
        room = None
        if given[1] > MOST_PENDING and not broadcast:
            room = (taker, None, channel), given[1] - MOST_PENDING
        return Ticket(src, gives=given, room=room, signals=True)

    def settle_take(
        ledger: Ledger[PipeT], src: PipeT, _: PipeT | None, numbers: tuple[Number, ...]
    ) -> Ticket[PipeT]:
        (number,) = numbers
        if not isinstance(number, int):
            return Ticket(src)
        found = channels(ledger.core, False, number, broadcast, each)
        taken = [ledger.next(taker, None, channel) for channel in found]
        awaits = tuple((((giver, None, chain[2]), n)) for chain, n in taken)
        # What is there for both vector cores, one of them does not use up.
        return Ticket(src, awaits=awaits, takes=None if broadcast else taken[0])

    numbers = (("semaphore", each if broadcast else each * VECTOR_CORES),)
    written = " <{src}>, {semaphore}"
    give = OrderRule(
        giver,
        "sync.set",
        numbers,
        settle_give,
        awaited="room to raise semaphore {semaphore}",
        text=f"pto.sync.set{written}",
        account=name,
        between_cores=True,
        by_counts=True,
        stall="core wait",
    )
    take = OrderRule(
        taker,
        "sync.wait",
        numbers,
        settle_take,
        awaited="semaphore {semaphore}",
        text=f"pto.sync.wait{written}",
        given_by=giver,
        account=name,
        between_cores=True,
        by_counts=True,
        stall="core wait",
    )
    return give, take


SET_CORE, WAIT_CORE = _pair("core", broadcast=False)
SET_CLUSTER, WAIT_CLUSTER = _pair("cluster", broadcast=True)
SET_ANY, WAIT_ANY = _pair("core", broadcast=False, each=1 << 32)
"""The same with semaphores without end: for who has not chosen any yet."""


def of_all_others(rule: OrderRule, core: CoreKind, number: int) -> tuple[int, ...]:
    """The numbers by which a core signals all cores of the other kind, or awaits them: where pairs
    of cores have semaphores of their own, the matrix core has one for each vector core."""
    if core == "vector" or rule in (SET_CLUSTER, WAIT_CLUSTER):
        return (number,)
    every = rule.numbers[0][1]
    assert every is not None
    each = every // VECTOR_CORES
    return tuple(number + each * vector for vector in range(VECTOR_CORES))
