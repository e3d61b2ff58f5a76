"""Pipes, flags and buffers.

The scalar unit issues instructions in program order; each pipe executes its own in order,
but for copies to GM, which may overtake each other. In program order a pipe runs as soon as
it can; one that has to wait keeps its later instructions queued until another pipe lets it
go on. Another order (see `schedule`) queues everything and chooses. When nothing can go on
and something is still queued, that is a deadlock.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from itertools import islice

from ptoscope.isa.pipes import BUFFERS, EVENTS, MOST_PENDING, PIPE_ALL, PIPES
from ptoscope.isa.record import Site
from ptoscope.machine.deadlock import Deadlock, Entry, Stuck, Turn, Wait, overflow
from ptoscope.machine.faults import SYNC_MISUSE, Fault
from ptoscope.machine.flags import Buffer, Flag
from ptoscope.machine.schedule import Order

Thunk = Callable[[], object]

DEPTH = 1024
"""Instructions that an order may hold back on a pipe. Chosen: it bounds the memory of a run."""
OVERTAKEN = 64
"""Instructions that a copy may overtake at once. Chosen: it bounds the time to look for one."""
FLAGS: list[Flag] = [(s, d, e) for s in PIPES for d in PIPES for e in range(len(EVENTS))]
"""All flags, in the order of their words in `Pipes.counts`."""
HELD: list[Buffer] = [(pipe, buffer) for pipe in PIPES for buffer in range(BUFFERS)]
"""All buffers of all pipes, in the order of their counts there."""
LOW = (1 << 32) - 1
"""The part of such a word that counts how often the flag is set."""


class Pipes:
    """The pipes of one core and what orders them.

    `order` decides what runs when; None is program order. `turns` is the engine's own list
    of the turns of the loops that the scalar unit is in, outermost first; None where it does
    not tell. An engine accounts for every set_flag here or in `restore`, so that a deadlock
    can say what has happened.
    """

    def __init__(self, order: Order | None = None, turns: Sequence[Turn] | None = None) -> None:
        # In the order of the pipes, so that what is reported does not depend on history.
        self._queues: dict[str, deque[Entry]] = {pipe: deque() for pipe in PIPES}
        self._order = order
        self._turns = turns
        self._issued = 0
        self._flags: dict[Flag, int] = defaultdict(int)
        self._totals: dict[Flag, int] = defaultdict(int)
        self._held: dict[Buffer, int] = defaultdict(int)
        self._claims: dict[Buffer, int] = defaultdict(int)
        """What each pipe will hold when it has done all that was issued to it."""
        self._releases: dict[int, dict[object, str]] = defaultdict(dict)
        self._waits: dict[str, Wait] = {}

    @property
    def busy(self) -> bool:
        """Whether anything is queued."""
        return any(self._queues.values())

    def waiting(self) -> list[str]:
        """The pipes on which something is queued."""
        return [pipe for pipe, queue in self._queues.items() if queue]

    def counts(self) -> tuple[list[int], list[int]]:
        """All flags (by first pipe, second pipe, event) and all buffers (by pipe, buffer). A
        flag's lower 32 bits say how often it is set; the upper how often it has been."""
        flags = [self._totals[flag] << 32 | self._flags[flag] for flag in FLAGS]
        return flags, [self._held[buffer] for buffer in HELD]

    def restore(self, flags: list[int], held: list[int]) -> None:
        """Sets all flags and buffers, in the order of `counts`, where nothing is queued."""
        for flag, word in zip(FLAGS, flags, strict=True):
            self._flags[flag], self._totals[flag] = word & LOW, word >> 32
        for buffer, count in zip(HELD, held, strict=True):
            self._held[buffer] = self._claims[buffer] = count

    def left_set(self) -> dict[Flag, int]:
        """The flags that are set, and how often."""
        return {flag: count for flag, count in self._flags.items() if count}

    def held(self) -> dict[Buffer, int]:
        """The buffers that pipes hold, and how often."""
        return {buffer: count for buffer, count in self._held.items() if count}

    def idle(self, pipe: str) -> bool:
        """Whether an instruction given to a pipe now is certain to run at once."""
        return self._order is None and not self._queues[pipe]

    def issue(
        self, pipe: str, site: Site, thunk: Thunk, gives: object = None, swaps: bool = False
    ) -> None:
        """Gives an instruction to a pipe. A thunk that returns False has to wait.

        `gives` is the flag it sets or the release it makes. Nothing orders those that `swap`
        on their pipe, but for barriers and what waits there (see `_chosen`).
        """
        if self._order is not None:
            self._defer(self._order, pipe, self._entry(site, thunk, gives, swaps))
            return
        queue = self._queues[pipe]
        if not queue and thunk() is not False:
            if any(self._queues.values()):
                self._advance()
            return
        queue.append(self._entry(site, thunk, gives, swaps))
        if pipe == "PIPE_S":
            # The scalar unit itself waits: nobody is left to issue what it waits for.
            raise self._stuck(site)

    def _entry(self, site: Site, thunk: Thunk, gives: object, swaps: bool) -> Entry:
        self._issued += 1
        turns = None if self._turns is None else tuple(self._turns)
        return Entry(site, thunk, self._issued, turns, gives, swaps)

    def _defer(self, order: Order, pipe: str, entry: Entry) -> None:
        queue = self._queues[pipe]
        queue.append(entry)
        order.settle(self)
        if len(queue) > DEPTH:
            self.pull(pipe)
        if pipe == "PIPE_S" and not self.pull(pipe) and queue:
            # What else was held back has no part in this.
            self._advance()
            raise self._stuck(entry.site)

    def step(self, pipe: str) -> bool:
        """Runs the first instruction queued on a pipe, or a copy that overtakes it; False if
        there is none or it waits."""
        queue = self._queues[pipe]
        if not queue:
            return False
        place = self._chosen(queue)
        entry = queue[place]
        try:
            if entry.thunk() is False:
                return False
        except Fault as fault:
            # The loops that run now are not those that issued it.
            fault.queued = True
            fault.iterations[:0] = entry.turn_texts()
            raise
        del queue[place]
        return True

    def _chosen(self, queue: deque[Entry]) -> int:
        """Which one of a queue runs. A copy may overtake copies, set_flag and rls_buf: those
        signal when all before them is complete, and hold up nothing behind them."""
        if self._order is None or len(queue) < 2:
            return 0
        choices = [0]
        for place, entry in enumerate(islice(queue, OVERTAKEN + 1)):
            if entry.swaps and place > 0:
                choices.append(place)
            elif not entry.swaps and entry.gives is None:
                break
        return 0 if len(choices) == 1 else self._order.choose(choices)

    def pull(self, pipe: str, asking: frozenset[str] = frozenset()) -> bool:
        """Runs the first instruction queued on a pipe, and before it what it waits for; False
        if there is none, or what it waits for cannot happen now."""
        if pipe in asking or not self._queues[pipe]:
            return False
        while not self.step(pipe):
            others = self._waits[pipe].pipes
            if not any(self.pull(other, asking | {pipe}) for other in others):
                return False
        return True

    def _advance(self) -> None:
        moved = True
        while moved:
            moved = False
            for pipe in self._queues:
                while self.step(pipe):
                    moved = True

    def drain(self, site: Site | None = None) -> None:
        """Waits for all pipes, at a barrier or at the end; a deadlock if one cannot finish."""
        if self._order is None:
            self._advance()
        while self._order is not None and self.busy:
            self._order.settle(self)
            heads = {pipe: self._queues[pipe][0].number for pipe in self.waiting()}
            if heads and not any(self.pull(pipe) for pipe in self._order.rank(heads)):
                break
        if self.busy:
            raise self._stuck(site)

    def _stuck(self, at: Site | None) -> Fault:
        blocked = {pipe: (self._queues[pipe][0], self._waits[pipe]) for pipe in self.waiting()}
        for entry, wait in blocked.values():
            if wait.full:
                return overflow(entry.site, wait.full, MOST_PENDING, entry)
        queued = {pipe: list(queue) for pipe, queue in self._queues.items()}
        flags, totals = self.left_set(), dict(self._totals)
        return Deadlock(Stuck(blocked, queued, flags, totals, self.held(), at))

    # Flags.

    def set_flag(self, site: Site, src: str, dst: str, event: int) -> None:
        """Issues to the first pipe: raise an event."""
        _check(site, "event", event, len(EVENTS))
        flag = (src, dst, event)

        def execute() -> bool:
            if self._flags[flag] == MOST_PENDING:
                if self._order is None:
                    raise overflow(site, flag, MOST_PENDING)
                # Another order does not run into this as long as somebody consumes the flag.
                self._waits[src] = Wait(f"room to set event {event}", (dst,), full=flag)
                return False
            self._flags[flag] += 1
            self._totals[flag] += 1
            return True

        self.issue(src, site, execute, flag)

    def wait_flag(self, site: Site, src: str, dst: str, event: int) -> None:
        """Issues to the second pipe: wait for the event and consume it."""
        _check(site, "event", event, len(EVENTS))
        flag = (src, dst, event)

        def execute() -> bool:
            if self._flags[flag] == 0:
                self._waits[dst] = _for_flag(flag)
                return False
            self._flags[flag] -= 1
            return True

        self.issue(dst, site, execute)

    # Buffers. Who waits for whom is settled when they are issued, in whatever order they run:
    # an acquire waits for earlier releases, a release in mode 1 for pipes that hold the buffer.

    def get_buf(self, site: Site, pipe: str, buffer: int, mode: int) -> None:
        """Issues to the pipe: acquire a buffer id, in mode 0 after all earlier releases."""
        _check(site, "buffer", buffer, BUFFERS)
        _check(site, "mode", mode, 2)
        pending = self._releases[buffer]
        awaited = set(pending) if mode == 0 else set[object]()
        self._claims[pipe, buffer] += 1

        def execute() -> bool:
            awaited.intersection_update(pending)
            if awaited:
                pipes = tuple(dict.fromkeys(pending[token] for token in awaited))
                what = f"the release of buffer {buffer}"
                self._waits[pipe] = Wait(what, pipes, frozenset(awaited))
                return False
            self._held[pipe, buffer] += 1
            return True

        self.issue(pipe, site, execute)

    def rls_buf(self, site: Site, pipe: str, buffer: int, mode: int) -> None:
        """Issues to the pipe: release a buffer id that it holds, in mode 1 when all other pipes
        that hold it, too, have done what was issued to them before."""
        _check(site, "buffer", buffer, BUFFERS)
        _check(site, "mode", mode, 2)
        token = object()
        self._releases[buffer][token] = pipe
        # One that is not held is a fault when it comes to run.
        self._claims[pipe, buffer] = max(0, self._claims[pipe, buffer] - 1)
        others = [p for p in PIPES if p != pipe and self._claims[p, buffer]] if mode == 1 else []
        issued = self._issued

        def execute() -> bool:
            if self._held[pipe, buffer] == 0:
                raise Fault(
                    site,
                    SYNC_MISUSE,
                    f"{pipe} releases buffer {buffer}, which it has not acquired",
                    expected=f'a get_buf "{pipe}" of buffer {buffer} before it',
                    hint="release each buffer from the pipe that acquired it",
                )
            behind = tuple(other for other in others if self._owes(other, issued))
            if behind:
                what = f"the other pipes that hold buffer {buffer}"
                self._waits[pipe] = Wait(what, behind, issued=issued)
                return False
            self._held[pipe, buffer] -= 1
            del self._releases[buffer][token]
            return True

        self.issue(pipe, site, execute, token)

    def _owes(self, pipe: str, number: int) -> bool:
        """Whether anything up to a number is still queued on a pipe. The first is the oldest:
        what overtakes it runs at once."""
        queue = self._queues[pipe]
        return bool(queue) and queue[0].number <= number

    def barrier(self, site: Site, pipe: str) -> None:
        """A barrier of all pipes drains them; that of one pipe is kept by its order."""
        if pipe == PIPE_ALL:
            self.drain(site)
        elif self._order is not None:
            self.issue(pipe, site, _nothing)


def _for_flag(flag: Flag) -> Wait:
    return Wait(f"event {flag[2]} from {flag[0]}", (flag[0],), frozenset((flag,)), flag)


def _nothing() -> None:
    """A barrier of one pipe: nothing overtakes it."""


def _check(site: Site, what: str, value: int, count: int) -> None:
    if 0 <= value < count:
        return
    raise Fault(
        site,
        SYNC_MISUSE,
        f"{what} id out of range",
        found=str(value),
        expected=f"0 to {count - 1}",
        hint=f"there are {count} {what} ids",
    )
