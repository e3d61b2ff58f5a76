"""What each kind of synchronisation does to the order of pipes.

A rule says on which of its pipes it is executed, which numbers it takes and what it settles in
the ledger when it is issued. A new kind is a rule here and a record in `isa.sync` that speaks of
it: engines, traces, checks, races and cycles know no kind by name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from ptoscope.isa.order.ledger import Ledger, Number, PipeT, Ticket
from ptoscope.isa.parts import BUFFERS, EVENTS, MOST_PENDING


class Settle(Protocol):
    """What is settled when the scalar unit comes to a synchronisation of these pipes (the second
    is None for a rule of one) and these numbers."""

    def __call__(
        self,
        ledger: Ledger[PipeT],
        src: PipeT,
        dst: PipeT | None,
        numbers: tuple[Number, ...],
        /,
    ) -> Ticket[PipeT]: ...


@dataclass(frozen=True, eq=False)
class OrderRule:
    """One kind of synchronisation. `numbers` are what its numbers are called and how many there
    are of each (None: any number). `instruction` is the one that people know it by; `awaited`
    names what it waits for, by its pipes and numbers; `stall` the cycles it takes to do so."""

    name: str
    instruction: str
    numbers: tuple[tuple[str, int | None], ...]
    settle: Settle
    second: bool = False
    """Executed on the second of its pipes."""
    awaited: str = ""
    text: str = ""
    """How the instruction is written, by its pipes and numbers."""
    given_by: str = ""
    """The rule that gives what it awaits, for the pipes and numbers of its own."""
    stall: str = "flag wait"
    account: str = ""
    by_pipes: bool = False
    """What it settles depends only on rules of its account with the same first number, and if
    so the same pipes: on one flag, on one buffer."""
    between_cores: bool = False
    """Other cores may take part: what one core does settles nothing."""
    by_counts: bool = False
    """What it settles depends on how many there were since the block began, which the state of a
    ledger does not say."""

    def pipe(self, src: str, dst: str) -> str:
        """The pipe that executes it."""
        return dst if self.second else src

    def what(self, src: str, dst: str, numbers: tuple[int, ...]) -> str:
        """What it waits for, in words."""
        return self._filled(self.awaited, src, dst, numbers)

    def written(self, src: str, dst: str, *numbers: int | str) -> str:
        """The instruction of these pipes and numbers."""
        return self._filled(self.text, src, dst, numbers)

    def _filled(self, text: str, src: str, dst: str, numbers: tuple[int | str, ...]) -> str:
        named = {name: number for (name, _), number in zip(self.numbers, numbers, strict=True)}
        return text.format(src=src, dst=dst, **named)


def signals(
    give: tuple[str, str],
    take: tuple[str, str],
    numbers: tuple[tuple[str, int | None], ...],
    most: int | None,
    operands: str,
    between_cores: bool = False,
) -> tuple[OrderRule, OrderRule]:
    """A signal from one pipe to another and the wait for it, as names of rule and instruction:
    the n-th wait for the n-th signal of the same pipes and numbers. At most so many may be given
    and not taken. `operands` is what stands behind the name of both instructions."""

    giver, taker = give[0], take[0]

    # Of these there are most by far: a ticket by positions takes half the time.
    def settle_give(
        ledger: Ledger[PipeT], src: PipeT, dst: PipeT | None, key: tuple[Number, ...]
    ) -> Ticket[PipeT]:
        assert dst is not None
        given = ledger.next(giver, src, (dst, *key))
        number = given[1]
        room = None
        if number == 1:
            ledger.tie((taker, dst, (src, *key)), given[0])
        elif most is not None and number > most:
            room = (taker, dst, (src, *key)), number - most
        return Ticket(src, (), given, None, room, True)

    def settle_take(
        ledger: Ledger[PipeT], src: PipeT, dst: PipeT | None, key: tuple[Number, ...]
    ) -> Ticket[PipeT]:
        assert dst is not None
        taken = ledger.next(taker, dst, (src, *key))
        number = taken[1]
        awaited = giver, src, (dst, *key)
        if number == 1:
            ledger.tie(taken[0], awaited)
        return Ticket(dst, ((awaited, number),), None, taken)

    first = numbers[-1][0]
    both = OrderRule(
        *give,
        numbers,
        settle_give,
        text=f"pto.{give[1]}{operands}",
        account=give[0],
        by_pipes=True,
        between_cores=between_cores,
    )
    name, instruction = take
    return (
        replace(both, awaited=f"room to set {first} {{{first}}}"),
        replace(
            both,
            name=name,
            instruction=instruction,
            settle=settle_take,
            text=f"pto.{instruction}{operands}",
            second=True,
            given_by=give[0],
            awaited=f"{first} {{{first}}} from {{src}}",
        ),
    )


SET, WAIT = signals(
    ("set", "set_flag"),
    ("wait", "wait_flag"),
    (("event", len(EVENTS)),),
    MOST_PENDING,
    '["{src}", "{dst}", "EVENT_ID{event}"]',
)


def _settle_get(
    ledger: Ledger[PipeT], pipe: PipeT, _: PipeT | None, numbers: tuple[Number, ...]
) -> Ticket[PipeT]:
    """In mode 0 it awaits the releases that were issued before, in mode 1 nothing."""
    buffer, mode = numbers
    held = ledger.held[buffer]
    again = held[pipe] > 0 and all(isinstance(number, int) for number in ledger.held)
    held[pipe] += 1
    holds = ledger.next("get", pipe, buffer)
    released = ledger.released[buffer]
    if mode == 0:
        return Ticket(pipe, awaits=tuple(released.values()), holds=holds, again=again)
    return Ticket(pipe, holds=holds, doubt=() if mode == 1 else tuple(released), again=again)


def _settle_release(
    ledger: Ledger[PipeT], pipe: PipeT, _: PipeT | None, numbers: tuple[Number, ...]
) -> Ticket[PipeT]:
    """In mode 0 it waits for its own pipe, in mode 1 for all that was issued before to pipes
    that hold the buffer, too. Of ids that are not known any could be this one."""
    buffer, mode = numbers
    held = ledger.held[buffer]
    mine = (number for number, by in ledger.held.items() if pipe in by)
    unheld = not held.get(pipe) and all(isinstance(number, int) for number in (buffer, *mine))
    held[pipe] = max(0, held[pipe] - 1)
    given = ledger.next("release", pipe, buffer)
    ledger.released[buffer][pipe] = given
    behind = doubt = ()
    if mode != 0:
        if mode == 1 and all(isinstance(number, int) for number in ledger.held):
            behind = tuple(p for p in ledger.pipes if p != pipe and held.get(p))
        else:
            doubt = ledger.pipes
    return Ticket(
        pipe, behind=behind, gives=given, signals=True, lasting=True, unheld=unheld, doubt=doubt
    )


_BUFFER = (("buffer", BUFFERS), ("mode", 2))
GET = OrderRule(
    "get",
    "get_buf",
    _BUFFER,
    _settle_get,
    awaited="the release of buffer {buffer}",
    text='pto.get_buf "{src}", {buffer}, {mode}',
    given_by="release",
    stall="buffer wait",
    account="buffer",
)
RELEASE = OrderRule(
    "release",
    "rls_buf",
    _BUFFER,
    _settle_release,
    awaited="the other pipes that hold buffer {buffer}",
    text='pto.rls_buf "{src}", {buffer}, {mode}',
    stall="buffer wait",
    account="buffer",
)


def _settle_barrier(
    ledger: Ledger[PipeT], pipe: PipeT, _: PipeT | None, numbers: tuple[Number, ...]
) -> Ticket[PipeT]:
    """Of all pipes the scalar unit waits for them; of one, that pipe for itself."""
    if pipe == ledger.every:
        return Ticket(ledger.pipes[0], behind=ledger.pipes, drains=True)
    return Ticket(pipe, behind=(pipe,))


BARRIER = OrderRule(
    "barrier", "barrier", (), _settle_barrier, text='pto.pipe_barrier "{src}"', stall="barrier"
)
