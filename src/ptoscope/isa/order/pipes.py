"""Pipes that execute what was issued, and carry along what is known to be complete.

Each pipe takes its instructions in the order of issue; one that has to wait holds up those
behind it. What a pipe knows (that accesses are complete: by bits, by a clock) is a domain's
affair: `Knowledge` is the small set of operations that it supplies.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Hashable
from typing import Generic, NamedTuple, TypeVar

from ptoscope.isa.order.ledger import PipeT, Ticket

ItemT = TypeVar("ItemT", bound=Hashable)
"""An instruction, as a domain calls it."""
ValueT = TypeVar("ValueT")
"""What is complete."""


class Knowledge(ABC, Generic[PipeT, ItemT, ValueT]):
    """What pipes know of each other: for each of them what is certainly complete."""

    @abstractmethod
    def at_issue(self) -> ValueT:
        """What the scalar unit knows: it holds for all that it issues from now on."""

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
    def all_complete(self, item: ItemT) -> ValueT:
        """The same of all pipes."""

    @abstractmethod
    def learn(self, pipe: PipeT, value: ValueT) -> None:
        """All that a pipe executes from now on comes after that."""

    @abstractmethod
    def defer(self, pipe: PipeT, value: ValueT) -> None:
        """All that a pipe signals from now on comes after that; copies of it may not."""


class _Entry(NamedTuple, Generic[PipeT, ItemT, ValueT]):
    item: ItemT
    pipe: PipeT
    ticket: Ticket[PipeT] | None
    issued: ValueT
    mark: Hashable = None
    """A place on a pipe that another one waits for: what it gives when the pipe comes to it."""


class CarryingPipes(Generic[PipeT, ItemT, ValueT]):
    """The pipes of one core; `scalar` is the one that issues."""

    def __init__(self, knowledge: Knowledge[PipeT, ItemT, ValueT], scalar: PipeT) -> None:
        self._knowledge, self._scalar = knowledge, scalar
        self._queues: dict[PipeT, deque[_Entry[PipeT, ItemT, ValueT]]] = {}
        self._waiting = 0
        self._given: dict[Hashable, ValueT] = {}
        """What tokens and marks carry."""
        self._oldest: dict[Hashable, int] = {}
        """Of chains of which the last token stands for all: the oldest that is kept."""

    def issue(self, item: ItemT, pipe: PipeT, ticket: Ticket[PipeT] | None = None) -> bool:
        """The scalar unit comes to an instruction; False where it cannot go on itself."""
        knowledge = self._knowledge
        issued = knowledge.at_issue()
        if ticket is not None and ticket.behind:
            if ticket.drains:
                self.advance()
                if self._waiting:
                    return False
                knowledge.learn(pipe, knowledge.all_complete(item))
                return True
            for other in ticket.behind:
                if other != pipe:
                    self._give(_Entry(item, other, None, issued, (other, item)))
        if self._give(_Entry(item, pipe, ticket, issued)):
            if self._waiting:
                self.advance()
            return True
        return pipe != self._scalar

    def stuck(self) -> list[ItemT]:
        """Where pipes wait, in the order in which they were first used."""
        return [queue[0].item for queue in self._queues.values() if queue]

    def pending(self) -> set[ItemT]:
        """What was issued and not executed."""
        return {entry.item for queue in self._queues.values() for entry in queue if not entry.mark}

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

    def _give(self, entry: _Entry[PipeT, ItemT, ValueT]) -> bool:
        """Whether the pipe executes it at once."""
        queue = self._queues.get(entry.pipe)
        if queue is None:
            queue = self._queues[entry.pipe] = deque()
        if not queue and self._execute(entry):
            return True
        queue.append(entry)
        self._waiting += 1
        return False

    def _execute(self, entry: _Entry[PipeT, ItemT, ValueT]) -> bool:
        item, pipe, ticket, issued, mark = entry
        knowledge = self._knowledge
        knowledge.begin(pipe, item, issued)
        if ticket is None:
            if mark is None:
                knowledge.access(pipe, item)
            else:
                self._given[mark] = knowledge.complete(pipe, item)
            return True
        given = self._given
        marks = [(other, item) for other in ticket.behind if other != pipe]
        for token in (*ticket.awaits, *marks):
            if token not in given:
                return False
        # Copies behind one that only signals do not wait for what it waited for.
        learn = knowledge.defer if ticket.signals else knowledge.learn
        for token in ticket.awaits:
            # A token that one instruction uses up is of no use to others.
            learn(pipe, given[token] if token[0] in self._oldest else given.pop(token))
        for place in marks:
            learn(pipe, given.pop(place))
        if pipe in ticket.behind:
            learn(pipe, knowledge.complete(pipe, item))
        for other in ticket.doubt:
            learn(pipe, knowledge.complete(other, item))
        if ticket.gives is not None:
            given[ticket.gives] = knowledge.complete(pipe, item)
            if ticket.lasting:
                self._forget(*ticket.gives)
        return True

    def _forget(self, chain: Hashable, last: int) -> None:
        """Drops tokens that another one stands for, unless one on its way may await them."""
        oldest = self._oldest.setdefault(chain, last)
        if not self._waiting:
            for number in range(oldest, last):
                del self._given[chain, number]
            self._oldest[chain] = last
