"""What the pipes of a core have given each other, and what a synchronisation lacks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from ptoscope.isa.order.kinds import SIGNALS
from ptoscope.isa.order.ledger import Chain, Ledger, Ticket, Token
from ptoscope.isa.order.rules import GET, RELEASE, SET, WAIT, OrderRule
from ptoscope.isa.order.unit_flags import unit_chains
from ptoscope.isa.parts import ALONE, BUFFERS, EVENTS, PIPE_ALL, PIPES, UNIT_FLAGS
from ptoscope.isa.record import Site
from ptoscope.machine.cluster import Seat
from ptoscope.machine.deadlock import Wait, overflow
from ptoscope.machine.faults import OTHER_CORE, SYNC_MISUSE, Fault
from ptoscope.machine.signals import Buffer, Signal

FLAGS = [
    Signal(SET.name, src, dst, (event,))
    for src in PIPES
    for dst in PIPES
    for event in range(len(EVENTS))
]
"""All flags, in the order of their words in `Given.words`."""
HELD: list[Buffer] = [(pipe, buffer) for pipe in PIPES for buffer in range(BUFFERS)]
"""All buffers of all pipes, in the order of their counts there."""
LOW = (1 << 32) - 1
"""The part of such a word that counts how often the flag is set."""


@dataclass(slots=True)
class Synchronisation:
    """One that was issued: what its rule settled, and how many instructions were queued before
    it."""

    site: Site
    rule: OrderRule
    src: str
    dst: str
    numbers: tuple[int, ...]
    ticket: Ticket[str]
    issued: int

    @property
    def what(self) -> str:
        """What it waits for, in words."""
        return self.rule.what(self.src, self.dst, self.numbers)

    @property
    def signal(self) -> Signal | None:
        """The signal that it gives or awaits."""
        name = self.rule.given_by or self.rule.name
        return Signal(name, self.src, self.dst, self.numbers) if name in SIGNALS else None


class Given:
    """How many tokens of each chain were given, beside the ledger of what was issued."""

    def __init__(self, seat: Seat | None = None) -> None:
        core = ALONE if seat is None else seat.cores[seat.number]
        self._ledger = Ledger(PIPES, PIPE_ALL, core=core)
        self._counts: dict[Chain[str], int] = defaultdict(int)
        self._seat = seat
        self._between = {} if seat is None else seat.cluster.given
        """The same of what goes between the cores of the cluster."""

    def issue(
        self, site: Site, rule: OrderRule, src: str, dst: str, numbers: tuple[int, ...], issued: int
    ) -> Synchronisation:
        """Settles a synchronisation; a fault where its numbers do not exist."""
        for (what, count), number in zip(rule.numbers, numbers, strict=True):
            if count is not None and not 0 <= number < count:
                raise _out_of_range(site, what, number, count)
        ticket = rule.settle(self._ledger, src, dst, numbers)
        return Synchronisation(site, rule, src, dst, numbers, ticket, issued)

    def execute(
        self, sync: Synchronisation, owes: Callable[[str, int], bool], faults: bool
    ) -> Wait | None:
        """Executes a synchronisation, or says what it waits for. `owes` tells whether a pipe
        has still to execute something up to a number. A flag that is set too often is a fault,
        or without `faults` waits."""
        ticket = sync.ticket
        if ticket.unheld:
            raise _unheld(sync)
        if ticket.again and not sync.site.micro:
            raise _again(sync)
        if ticket.room is not None and not self._has(ticket.room):
            if faults and (self._seat is None or ticket.room[0][1] is not None):
                raise overflow(sync.site, sync.signal, ticket.most)
            # Another order does not run into this as long as somebody consumes the flag.
            taker = ticket.room[0][1]
            pipes = () if taker is None else (taker,)
            return Wait(sync.what, pipes, full=sync.signal)
        lacking = [token for token in ticket.awaits if not self._has(token)]
        if lacking:
            if sync.rule.between_cores and self._seat is None:
                raise _other_core(sync)
            pipes = tuple(dict.fromkeys(pipe for (_, pipe, _), _ in lacking if pipe is not None))
            return Wait(sync.what, pipes, dict(lacking), sync.signal)
        behind = tuple(pipe for pipe in ticket.behind if owes(pipe, sync.issued))
        if behind:
            return Wait(sync.what, behind, issued=sync.issued)
        for token in (ticket.gives, ticket.takes, ticket.holds):
            if token is not None:
                self._counts_of(token)[token[0]] = token[1]
                if token[0][1] is None and self._seat is not None:
                    self._seat.cluster.signalled()
        return None

    def _counts_of(self, token: Token[str]) -> dict[Chain[str], int]:
        return self._between if token[0][1] is None else self._counts

    def _has(self, token: Token[str]) -> bool:
        return self._counts_of(token).get(token[0], 0) >= token[1]

    # Signals and buffers, as messages and generated code know them.

    def left(self) -> dict[Signal, int]:
        """The signals that are given and not taken, and how often."""
        counts = {signal: total - self._taken(signal) for signal, total in self.totals().items()}
        return {signal: count for signal, count in counts.items() if count}

    def totals(self) -> dict[Signal, int]:
        """How often each signal was given."""
        found: dict[Signal, int] = {}
        for (what, src, key), count in self._counts.items():
            if what in SIGNALS:
                assert src is not None
                assert isinstance(key, tuple)
                dst, *numbers = key
                found[Signal(what, src, dst, tuple(numbers))] = count
        return found

    def _taken(self, signal: Signal) -> int:
        key = signal.src, *signal.numbers
        return self._counts.get((signal.takes.name, signal.dst, key), 0)

    def held(self) -> dict[Buffer, int]:
        """The buffers that pipes hold, and how often."""
        counts = {buffer: self._holds(buffer) for buffer in HELD}
        return {buffer: count for buffer, count in counts.items() if count}

    def _holds(self, buffer: Buffer) -> int:
        counts = self._counts
        return counts.get((GET.name, *buffer), 0) - counts.get((RELEASE.name, *buffer), 0)

    def words(self) -> tuple[list[int], list[int]]:
        """All flags (by first pipe, second pipe, event) and all buffers (by pipe, buffer). A
        flag's lower 32 bits say how often it is set; the upper how often it has been."""
        totals = self.totals()
        flags = [
            total << 32 | total - self._taken(flag) if (total := totals.get(flag, 0)) else 0
            for flag in FLAGS
        ]
        return flags, [self._holds(buffer) for buffer in HELD]

    def restore(self, flags: list[int], held: list[int]) -> None:
        """Sets all flags and buffers, in the order of `words`, where nothing is queued."""
        issued, given = self._ledger.counts, self._counts
        for flag, word in zip(FLAGS, flags, strict=True):
            if word:
                _, src, dst, numbers = flag
                total = word >> 32
                for chain, count in (
                    ((SET.name, src, (dst, *numbers)), total),
                    ((WAIT.name, dst, (src, *numbers)), total - (word & LOW)),
                ):
                    issued[chain] = given[chain] = count
        for buffer, count in zip(HELD, held, strict=True):
            if count != self._holds(buffer):
                pipe, number = buffer
                chain = GET.name, pipe, number
                issued[chain] = given[chain] = given.get((RELEASE.name, pipe, number), 0) + count
                self._ledger.held[number][pipe] = count

    # What cores of a cluster count in words of their own.

    @property
    def issued(self) -> dict[Chain[str], int]:
        """How many tokens of each chain were issued."""
        return self._ledger.counts

    def restore_tiles(self, published: list[int]) -> None:
        """Sets all unit flags, by how often each tile was published and not cleared, where nothing
        is queued."""
        for tile, count in enumerate(published):
            given, cleared = unit_chains(tile)
            if count or given in self._counts:
                total = self._counts.get(cleared, 0) + count
                self._ledger.counts[given] = self._counts[given] = total

    def tiles(self) -> list[int]:
        """The reverse."""
        counts = self._counts
        chains = map(unit_chains, range(UNIT_FLAGS))
        return [counts.get(given, 0) - counts.get(cleared, 0) for given, cleared in chains]


def _out_of_range(site: Site, what: str, value: int, count: int) -> Fault:
    return Fault(
        site,
        SYNC_MISUSE,
        f"{what} id out of range",
        found=str(value),
        expected=f"0 to {count - 1}",
        hint=f"there are {count} {what} ids",
    )


def _unheld(sync: Synchronisation) -> Fault:
    pipe, buffer = sync.ticket.pipe, sync.numbers[0]
    return Fault(
        sync.site,
        SYNC_MISUSE,
        f"{pipe} releases buffer {buffer}, which it has not acquired",
        expected=f'a get_buf "{pipe}" of buffer {buffer} before it',
        hint="release each buffer from the pipe that acquired it",
    )


def _again(sync: Synchronisation) -> Fault:
    pipe, buffer = sync.ticket.pipe, sync.numbers[0]
    return Fault(
        sync.site,
        SYNC_MISUSE,
        f"{pipe} acquires buffer {buffer}, which it holds already",
        expected=f'a rls_buf "{pipe}" of buffer {buffer} before it',
        hint="in revision manual a pipe holds a buffer at most once",
    )


def _other_core(sync: Synchronisation) -> Fault:
    names = [name for name, _ in sync.rule.numbers]
    signal = ", ".join(f"{name} {n}" for name, n in zip(names, sync.numbers, strict=True))
    return Fault(
        sync.site,
        OTHER_CORE,
        "waits for a signal that only another core could send",
        found=f"no signal for {signal}: the kernel runs on one core",
        expected="a kernel for several cores: pto.section.cube and pto.section.vector",
        hint="a block is one core, unless its kernel has code for the matrix core beside its own",
    )
