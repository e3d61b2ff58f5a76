"""The account of what was issued: for each synchronisation, what it awaits and what it gives.

A pipe gives the tokens of one chain in order, so that a token is the chain and a number: the
third set of a flag is token 3 of its chain. A token says that all before it on the pipe that
gives it is complete.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ptoscope.isa.parts import ALONE, CoreId

PipeT = TypeVar("PipeT", bound=Hashable)
"""A pipe, as a domain calls it: a name or a number."""
Number = Hashable
"""An event, a buffer or a mode: an int, or anything else for one that is not known."""
Chain = tuple[str, PipeT | None, Hashable]
"""What gives it (the name of a rule), the pipe on which (None: another core may), and the flag,
buffer or channel."""
Token = tuple[Chain[PipeT], int]
LedgerState = tuple[
    tuple[tuple[Chain[PipeT], Chain[PipeT], int], ...],
    tuple[tuple[Number, tuple[tuple[PipeT, int], ...]], ...],
    tuple[tuple[Number, tuple[tuple[PipeT, Token[PipeT]], ...]], ...],
]
"""What is in a ledger, with numbers of tokens from some moment on."""


@dataclass(slots=True)
class Ticket(Generic[PipeT]):
    """What is settled of one synchronisation when it is issued to `pipe`.

    It is executed when all before it on its pipe has begun, the tokens that it `awaits` are
    given and the pipes that it stands `behind` have completed all that was issued to them
    before; then it gives the token `gives`. Of one that `signals`, copies behind it on its pipe
    do not wait for it. A barrier of all pipes `drains`: the scalar unit itself waits.
    """

    pipe: PipeT
    awaits: tuple[Token[PipeT], ...] = ()
    gives: Token[PipeT] | None = None
    takes: Token[PipeT] | None = None
    """What it uses up: it alone awaits that."""
    room: Token[PipeT] | None = None
    """What has to be used up before, or a counter overflows. No order follows from it."""
    signals: bool = False
    behind: tuple[PipeT, ...] = ()
    holds: Token[PipeT] | None = None
    """What its pipe holds from then on, until it gives a token of the same key back."""
    drains: bool = False
    lasting: bool = False
    """Its token stands for those of its chain before it, and many may await it."""
    unheld: bool = False
    """It releases what its pipe has not acquired."""
    again: bool = False
    """It acquires what its pipe holds already."""
    doubt: tuple[PipeT, ...] = ()
    """Pipes that it may await, by numbers that are not known: whatever they have completed
    may be complete for it too."""

    @property
    def most(self) -> int:
        """Of one that needs room: how many like it may be given and not taken."""
        assert self.gives is not None
        assert self.room is not None
        return self.gives[1] - self.room[1]


class Ledger(Generic[PipeT]):
    """The account of one core. `pipes` are its pipes, the scalar unit first; `every` stands
    for all of them in a barrier; `core` is which core of its block it is."""

    def __init__(
        self,
        pipes: Sequence[PipeT],
        every: PipeT,
        state: LedgerState[PipeT] = ((), (), ()),
        core: CoreId = ALONE,
    ) -> None:
        self.pipes = tuple(pipes)
        self.every = every
        self.core = core
        self.counts: dict[Chain[PipeT], int] = defaultdict(int)
        """How many tokens of each chain were issued."""
        self.held: dict[Number, dict[PipeT, int]] = defaultdict(lambda: defaultdict(int))
        """By buffer, how often each pipe has acquired and not released it."""
        self.released: dict[Number, dict[PipeT, Token[PipeT]]] = defaultdict(dict)
        """By buffer, the last release by each pipe: it comes after those before it."""
        self._along: dict[Chain[PipeT], Chain[PipeT]] = {}
        """Chains that are tied to others."""
        along, held, released = state
        for chain, other, ahead in along:
            self._along[chain], self.counts[chain] = other, ahead
        for buffer, by in held:
            self.held[buffer].update(by)
        for buffer, by in released:
            self.released[buffer].update(by)

    def state(self) -> LedgerState[PipeT]:
        """What tickets to come depend on, but for `room`. An account that begins with it
        settles the same and counts tokens from here: those issued so far up to 0."""
        counts = self.counts
        along = tuple((c, other, counts[c] - counts[other]) for c, other in self._along.items())
        held = tuple((buffer, tuple(by.items())) for buffer, by in self.held.items())
        released = tuple(
            (buffer, tuple((p, (chain, n - counts[chain])) for p, (chain, n) in by.items()))
            for buffer, by in self.released.items()
        )
        return along, held, released

    def next(self, what: str, pipe: PipeT | None, key: Hashable) -> Token[PipeT]:
        """The next token of a chain."""
        chain = what, pipe, key
        number = self.counts[chain] + 1
        self.counts[chain] = number
        return chain, number

    def tie(self, chain: Chain[PipeT], other: Chain[PipeT]) -> None:
        """From the first token of one of two on: numbers of a chain name tokens of another."""
        self._along[chain] = other
