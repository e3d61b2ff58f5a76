"""Pipes, flags and buffers.

The scalar unit issues instructions in program order; each pipe executes its own in order.
A pipe runs as soon as it can; one that has to wait keeps its later instructions queued
until another pipe lets it go on. When nothing can go on and something is still queued,
that is a deadlock.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable

from ptoscope.isa.record import Site
from ptoscope.isa.targets import BUFFERS, EVENTS, PIPE_ALL
from ptoscope.machine.faults import DEADLOCK, SYNC_MISUSE, Fault

Thunk = Callable[[], object]
Flag = tuple[str, str, int]


class Pipes:
    """The pipes of one core and what orders them."""

    def __init__(self) -> None:
        self._queues: dict[str, deque[tuple[Site, Thunk]]] = defaultdict(deque)
        self._flags: dict[Flag, int] = defaultdict(int)
        self._held: dict[tuple[str, int], int] = defaultdict(int)
        self._releases: dict[int, set[object]] = defaultdict(set)
        self._waiting_for: dict[str, str] = {}

    def idle(self, pipe: str) -> bool:
        """Whether nothing is queued on a pipe."""
        return not self._queues[pipe]

    def issue(self, pipe: str, site: Site, thunk: Thunk) -> None:
        """Gives an instruction to a pipe. A thunk that returns False has to wait."""
        queue = self._queues[pipe]
        if not queue and thunk() is not False:
            if any(self._queues.values()):
                self._advance()
            return
        queue.append((site, thunk))
        if pipe == "PIPE_S":
            # The scalar unit itself waits: nobody is left to issue what it waits for.
            raise self._deadlock()

    def _advance(self) -> None:
        moved = True
        while moved:
            moved = False
            for queue in self._queues.values():
                while queue and self._run_queued(queue[0][1]):
                    queue.popleft()
                    moved = True

    def _run_queued(self, thunk: Thunk) -> bool:
        try:
            return thunk() is not False
        except Fault as fault:
            # The loops that run now are not those that issued it.
            fault.queued = True
            raise

    def drain(self) -> None:
        """Waits for all pipes; a deadlock if one cannot finish."""
        self._advance()
        if any(self._queues.values()):
            raise self._deadlock()

    def _deadlock(self) -> Fault:
        blocked = [(pipe, queue[0][0]) for pipe, queue in self._queues.items() if queue]
        site = blocked[0][1]
        waits = "; ".join(
            f"{pipe} at line {at.span.line} for {self._waiting_for.get(pipe, 'its turn')}"
            for pipe, at in blocked
        )
        raised = [f"{s}->{d} event {e}" for (s, d, e), n in self._flags.items() if n]
        return Fault(
            site,
            DEADLOCK,
            "waits for something that never happens",
            found=f"blocked: {waits}; flags set: {', '.join(raised) or 'none'}",
            expected="a matching set_flag (same pipes, same event) or rls_buf",
            hint="every wait_flag needs one set_flag, on every path and in every iteration",
        )

    # Flags.

    def set_flag(self, site: Site, src: str, dst: str, event: int) -> None:
        """Issues to the first pipe: raise an event."""
        _check(site, "event", event, len(EVENTS))

        def execute() -> None:
            self._flags[src, dst, event] += 1

        self.issue(src, site, execute)

    def wait_flag(self, site: Site, src: str, dst: str, event: int) -> None:
        """Issues to the second pipe: wait for the event and consume it."""
        _check(site, "event", event, len(EVENTS))

        def execute() -> bool:
            if self._flags[src, dst, event] == 0:
                self._waiting_for[dst] = f"event {event} from {src}"
                return False
            self._flags[src, dst, event] -= 1
            return True

        self.issue(dst, site, execute)

    # Buffers. A release is noted when it is issued, so that later acquires wait for it.

    def get_buf(self, site: Site, pipe: str, buffer: int, mode: int) -> None:
        """Issues to the pipe: acquire a buffer id, in mode 0 after all earlier releases."""
        _check(site, "buffer", buffer, BUFFERS)
        _check(site, "mode", mode, 2)
        awaited = frozenset(self._releases[buffer]) if mode == 0 else frozenset[object]()

        def execute() -> bool:
            if awaited & self._releases[buffer]:
                self._waiting_for[pipe] = f"the release of buffer {buffer}"
                return False
            self._held[pipe, buffer] += 1
            return True

        self.issue(pipe, site, execute)

    def rls_buf(self, site: Site, pipe: str, buffer: int, mode: int) -> None:
        """Issues to the pipe: release a buffer id that it holds."""
        _check(site, "buffer", buffer, BUFFERS)
        _check(site, "mode", mode, 2)
        token = object()
        self._releases[buffer].add(token)

        def execute() -> None:
            if self._held[pipe, buffer] == 0:
                raise Fault(
                    site,
                    SYNC_MISUSE,
                    f"{pipe} releases buffer {buffer}, which it has not acquired",
                    expected=f'a get_buf "{pipe}" of buffer {buffer} before it',
                    hint="release each buffer from the pipe that acquired it",
                )
            self._held[pipe, buffer] -= 1
            self._releases[buffer].discard(token)

        self.issue(pipe, site, execute)

    def barrier(self, site: Site, pipe: str) -> None:
        """A barrier of all pipes drains them; that of one pipe is kept by its order."""
        if pipe == PIPE_ALL:
            self.drain()


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
