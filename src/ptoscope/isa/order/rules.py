"""What each kind of synchronisation does to the order of pipes.

A rule says on which of its pipes it is executed, which numbers it takes and what it settles in
the ledger when it is issued. A new kind is a rule here and a record in `isa.sync` that speaks of
it: engines, traces, checks, races and cycles know no kind by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ptoscope.isa.order.ledger import Ledger, Number, Ticket
from ptoscope.isa.pipes import BUFFERS, EVENTS, MOST_PENDING

Settle = Callable[[Ledger[Any], Any, Any, tuple[Number, ...]], Ticket[Any]]


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
    given_by: str = ""
    """The rule that gives what it awaits, for the pipes and numbers of its own."""
    stall: str = "flag wait"
    account: str = ""
    by_pipes: bool = False
    """What it settles depends only on rules of its account with the same first number, and if
    so the same pipes: on one flag, on one buffer."""
    between_cores: bool = False
    """Other cores may take part: what one core does settles nothing."""

    def pipe(self, src: str, dst: str) -> str:
        """The pipe that executes it."""
        return dst if self.second else src

    def what(self, src: str, dst: str, numbers: tuple[int, ...]) -> str:
        """What it waits for, in words."""
        named = {name: number for (name, _), number in zip(self.numbers, numbers, strict=True)}
        return self.awaited.format(src=src, dst=dst, **named)


def signals(
    give: tuple[str, str],
    take: tuple[str, str],
    numbers: tuple[tuple[str, int | None], ...],
    most: int | None,
    between_cores: bool = False,
) -> tuple[OrderRule, OrderRule]:
    """A signal from one pipe to another and the wait for it, as names of rule and instruction:
    the n-th wait for the n-th signal of the same pipes and numbers. At most so many may be given
    and not taken."""

    def settle_give(ledger: Ledger[Any], src: Any, dst: Any, key: tuple[Number, ...]) -> Any:
        given = ledger.next(give[0], src, (dst, *key))
        chain, number = given
        taken = take[0], dst, (src, *key)
        if number == 1:
            ledger.tie(taken, chain)
        room = (taken, number - most) if most is not None and number > most else None
        return Ticket(src, gives=given, room=room, signals=True)

    def settle_take(ledger: Ledger[Any], src: Any, dst: Any, key: tuple[Number, ...]) -> Any:
        taken = ledger.next(take[0], dst, (src, *key))
        chain, number = taken
        given = give[0], src, (dst, *key)
        if number == 1:
            ledger.tie(chain, given)
        return Ticket(dst, awaits=((given, number),), takes=taken)

    first = numbers[-1][0]
    both = OrderRule(
        *give,
        numbers,
        settle_give,
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
            second=True,
            given_by=give[0],
            awaited=f"{first} {{{first}}} from {{src}}",
        ),
    )


SET, WAIT = signals(
    ("set", "set_flag"), ("wait", "wait_flag"), (("event", len(EVENTS)),), MOST_PENDING
)


def _settle_get(ledger: Ledger[Any], pipe: Any, _: Any, numbers: tuple[Number, ...]) -> Any:
    """In mode 0 it awaits the releases that were issued before, in mode 1 nothing."""
    buffer, mode = numbers
    ledger.held[buffer][pipe] += 1
    holds = ledger.next("get", pipe, buffer)
    released = ledger.released[buffer]
    if mode == 0:
        return Ticket(pipe, awaits=tuple(released.values()), holds=holds)
    return Ticket(pipe, holds=holds, doubt=() if mode == 1 else tuple(released))


def _settle_release(ledger: Ledger[Any], pipe: Any, _: Any, numbers: tuple[Number, ...]) -> Any:
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
    stall="buffer wait",
    account="buffer",
)


def _settle_barrier(ledger: Ledger[Any], pipe: Any, _: Any, numbers: tuple[Number, ...]) -> Any:
    """Of all pipes the scalar unit waits for them; of one, that pipe for itself."""
    if pipe == ledger.every:
        return Ticket(ledger.pipes[0], behind=ledger.pipes, drains=True)
    return Ticket(pipe, behind=(pipe,))


BARRIER = OrderRule("barrier", "barrier", (), _settle_barrier, stall="barrier")

_UNIT: tuple[tuple[str, int | None], ...] = (("unit", None), ("event", None))
SET_CROSS, WAIT_CROSS = signals(
    ("set_cross", "set_cross_core"), ("wait_cross", "wait_flag_dev"), _UNIT, None, True
)
SET_INTRA, WAIT_INTRA = signals(
    ("set_intra", "set_intra_block"), ("wait_intra", "wait_intra_core"), _UNIT, None, True
)

RULES = (SET, WAIT, GET, RELEASE, BARRIER)
"""Those of the pipes of one core, by their numbers in a trace."""
NUMBERS = {rule.name: number for number, rule in enumerate(RULES)}
