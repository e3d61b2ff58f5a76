"""Pipes that execute what was issued, and carry along what is known to be complete.

Each pipe takes its instructions in the order of issue; one that has to wait holds up those
behind it. What a pipe knows (that accesses are complete: by bits, by a clock) is a domain's
affair: `Knowledge` is the small set of operations that it supplies.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Hashable
from typing import Generic, TypeVar

from ptoscope.isa.order.ledger import PipeT, Ticket

ItemT = TypeVar("ItemT", bound=Hashable)
"""An instruction, as a domain calls it."""
ValueT = TypeVar("ValueT")
"""What is complete."""


class Knowledge(ABC, Generic[PipeT, ItemT, ValueT]):
    """What pipes know of each other: for each of them what is certainly complete."""

    @abstractmethod
    def at_issue(self, pipe: PipeT) -> ValueT:
        """What the scalar unit that issues to a pipe knows: it holds for all that it issues from
        now on."""

    @abstractmethod
    def begin(self, pipe: PipeT, item: ItemT, issued: ValueT) -> None:
        """A pipe comes to an instruction, which was issued when that much was known."""

    @abstractmethod
    def access(self, pipe: PipeT, item: ItemT) -> None:
        """An instruction that does not synchronise is executed."""

    @abstractmethod
    def complete(self, pipe: PipeT, item: ItemT) -> ValueT:
        """All that is complete when a pipe has completed what stands before an instruction."""

    @abstractmethod
    def all_complete(self, pipes: tuple[PipeT, ...], item: ItemT) -> ValueT:
        """The same of some pipes together, which have completed all that was issued to them."""

    @abstractmethod
    def learn(self, pipe: PipeT, value: ValueT) -> None:
        """All that a pipe executes from now on comes after that."""

    @abstractmethod
    def defer(self, pipe: PipeT, value: ValueT) -> None:
        """All that a pipe signals from now on comes after that; copies of it may not."""


_Entry = tuple[ItemT, PipeT, Ticket[PipeT] | None, ValueT, Hashable]
"""An instruction, its pipe, what it awaits and gives, what was known at its issue. The last is
not None for a place on a pipe that another one waits for: what it gives when the pipe comes to
it."""


class CarryingPipes(Generic[PipeT, ItemT, ValueT]):
    """The pipes of one core, or of all cores of a cluster; `scalars` are those that issue."""

    def __init__(self, knowledge: Knowledge[PipeT, ItemT, ValueT], *scalars: PipeT) -> None:
        self._knowledge, self._scalars = knowledge, scalars
        self._queues: dict[PipeT, deque[_Entry[ItemT, PipeT, ValueT]]] = {}
        self._waiting = 0
        self._given: dict[Hashable, ValueT] = {}
        """What tokens and marks carry."""
        self._oldest: dict[Hashable, int] = {}
        """Of chains of which the last token stands for all: the oldest that is kept."""

    def issue(self, item: ItemT, pipe: PipeT, ticket: Ticket[PipeT] | None = None) -> bool:
        """The scalar unit comes to an instruction; False where it cannot go on itself. A barrier
        of all its pipes was not issued then."""
        knowledge = self._knowledge
        issued = knowledge.at_issue(pipe)
        if ticket is not None and ticket.behind:
            if ticket.drains:
                self.advance()
                if any(self._queues.get(other) for other in ticket.behind):
                    return False
                knowledge.learn(pipe, knowledge.all_complete(ticket.behind, item))
                return True
            for other in ticket.behind:
                if other != pipe:
                    self._give((item, other, None, issued, (other, item)))
        if self._give((item, pipe, ticket, issued, None)):
            if self._waiting:
                self.advance()
            return True
        return pipe not in self._scalars

    def waits(self, pipe: PipeT) -> bool:
        """Whether a pipe has something that it cannot execute yet."""
        return bool(self._queues.get(pipe))

    def stuck(self) -> list[ItemT]:
        """Where pipes wait, in the order in which they were first used."""
        return [queue[0][0] for queue in self._queues.values() if queue]

    def pending(self) -> set[ItemT]:
        """What was issued and not executed."""
        queues = self._queues.values()
        return {item for queue in queues for item, _, _, _, mark in queue if mark is None}

    def advance(self) -> None:
        """Pipes that can go on do."""
        moved = self._waiting > 0
        while moved:
            moved = False
            for queue in list(self._queues.values()):
                while queue and self._execute(queue[0]):
                    queue.popleft()
                    self._waiting -= 1
                    moved = True

    def _give(self, entry: _Entry[ItemT, PipeT, ValueT]) -> bool:
        """Whether the pipe executes it at once."""
        queue = self._queues.get(entry[1])
        if queue is None:
            queue = self._queues[entry[1]] = deque()
        if not queue and self._execute(entry):
            return True
        queue.append(entry)
        self._waiting += 1
        return False

    def _execute(self, entry: _Entry[ItemT, PipeT, ValueT]) -> bool:
        item, pipe, ticket, issued, mark = entry
        knowledge = self._knowledge
        knowledge.begin(pipe, item, issued)
        if ticket is None:
            if mark is None:
                knowledge.access(pipe, item)
            else:
                self._given[mark] = knowledge.complete(pipe, item)
            return True
        given, awaits, behind = self._given, ticket.awaits, ticket.behind
        for token in awaits:
            if token not in given:
                return False
        if behind and not self._behind(item, ticket):
            return False
        # Copies behind one that only signals do not wait for what it waited for.
        learn = knowledge.defer if ticket.signals else knowledge.learn
        for token in awaits:
            # A token that one instruction uses up is of no use to others.
            learn(pipe, given.pop(token) if ticket.takes is not None else given[token])
        for other in behind:
            place = other, item
            learn(pipe, given.pop(place) if other != pipe else knowledge.complete(pipe, item))
        for other in ticket.doubt:
            learn(pipe, knowledge.complete(other, item))
        gives = ticket.gives
        if gives is not None:
            given[gives] = knowledge.complete(pipe, item)
            if ticket.lasting:
                self._forget(*gives)
        return True

    def _behind(self, item: ItemT, ticket: Ticket[PipeT]) -> bool:
        """Whether other pipes have come to the places that it stands behind."""
        return all(p == ticket.pipe or (p, item) in self._given for p in ticket.behind)

    def _forget(self, chain: Hashable, last: int) -> None:
        """Drops tokens that another one stands for, unless one on its way may await them."""
        oldest = self._oldest.setdefault(chain, last)
        if not self._waiting:
            for number in range(oldest, last):
                del self._given[chain, number]
            self._oldest[chain] = last
