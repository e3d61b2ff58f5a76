"""What the pipes of a core order: flags, buffers, barriers, and what waits for them.

Each pipe takes its instructions in program order; one that has to wait holds up those behind
it. A clock of a pipe says, for every pipe, up to which event all that was issued to that one
is complete. Events are gone through in an order that the rules allow.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator

import numpy as np

from ptoscope.isa.pipes import COPY_NUMBERS, PIPE_NUMBERS, PIPES
from ptoscope.races.board import Board, Clock, Meeting
from ptoscope.races.cells import Runs
from ptoscope.trace.trace import BARRIER, GET, MEM_BAR, NONE, RELEASE, SET, WAIT, Trace

_S = PIPE_NUMBERS["PIPE_S"]
_ALL = PIPE_NUMBERS["PIPE_ALL"]
_NODE = NONE
_MARK = -2
"""A place on a pipe that a release in mode 1 waits for: all before it is done."""
_AT_ONCE = 1 << 14
"""How many instructions are taken out of the columns at a time."""


_Item = tuple[int, int, int, tuple[int, ...], tuple[int, ...], Clock | None]
"""An instruction on its way: its event, its pipe, a kind of `syncs` or _NODE or _MARK, the key of
what it synchronises (of a node, the bounds of its accesses), what it awaits, and what the scalar
unit knew when it issued it. An acquisition awaits releases (their events), a release in mode 1 its
marks on pipes that hold the buffer."""


def meetings(trace: Trace, runs: Runs, report: Callable[[Meeting], None]) -> None:
    """Reports nodes of one block that touch the same bytes and that nothing orders: for each
    node and each other pipe the last one. After that the two count as ordered, so that what
    the same remedy orders is not reported again."""
    board = Board(runs, report)
    core: _Core | None = None
    block = -1
    for event, now, pipe, kind, mode, key in _items(trace, runs):
        if now != block:
            block = now
            core = _Core(event, board)
        assert core is not None
        core.issue(event, pipe, kind, key, mode)


def _items(trace: Trace, runs: Runs) -> Iterator[tuple[int, int, int, int, int, tuple[int, ...]]]:
    """What the pipes are given, in the order of issue: event, block, pipe, kind, mode, and the
    key of a synchronisation or the bounds of the accesses of a node."""
    syncs, events, nodes = trace.syncs, trace.events, runs.nodes
    used = np.flatnonzero(syncs.kind != MEM_BAR)
    order = np.argsort(np.concatenate((syncs.event[used], nodes)), kind="stable")
    pipes = np.array([PIPE_NUMBERS.get(place.pipe, 0) for place in trace.places])
    for begin in range(0, len(order), _AT_ONCE):
        some = order[begin : begin + _AT_ONCE]
        sync = some < len(used)
        rows = np.empty((8, len(some)), dtype=np.int64)
        s, n = used[some[sync]], some[~sync] - len(used)
        src, dst, kind = syncs.src[s], syncs.dst[s], syncs.kind[s]
        pipe = np.where(kind == WAIT, dst, src)
        event = syncs.event[s]
        rows[:, sync] = event, events.block[event], pipe, kind, syncs.mode[s], src, dst, syncs.id[s]
        event = nodes[n]
        pipe, none = pipes[events.place[event]], np.full(len(n), NONE)
        bounds = runs.bounds[n], runs.bounds[n + 1]
        rows[:, ~sync] = event, events.block[event], pipe, none, none, *bounds, none
        *values, src, dst, number = rows.tolist()
        yield from zip(*values, zip(src, dst, number, strict=True), strict=True)


class _Core:
    """The pipes of one block. What happened before event `first` is over."""

    def __init__(self, first: int, board: Board) -> None:
        self._board = board
        self._known: list[Clock] = [[first] * len(PIPES) for _ in PIPES]
        self._queues: list[deque[_Item]] = [deque() for _ in PIPES]
        self._waiting = 0
        self._scalar: Clock | None = None
        self._merged: list[Clock | None] = [None] * len(PIPES)
        self._tokens: dict[tuple[int, ...], deque[Clock]] = defaultdict(deque)
        self._announced: dict[int, list[int]] = defaultdict(list)
        """Of each buffer: the releases issued, without those that a later one stands for."""
        self._released: dict[int, Clock] = {}
        self._held: dict[int, Clock] = defaultdict(lambda: [0] * len(PIPES))
        """Of each buffer: how often each pipe has acquired and not released it, as issued."""
        self._deferred: list[Clock] = [[first] * len(PIPES) for _ in PIPES]
        """Of each pipe: what its releases waited for. Copies behind them may begin earlier."""
        self._marks: dict[tuple[int, int], Clock] = {}
        """By pipe and release: what is complete when the pipe has come to its mark."""

    def issue(self, event: int, pipe: int, kind: int, key: tuple[int, ...], mode: int) -> None:
        """The scalar unit comes to an instruction."""
        if pipe == _ALL:
            self._known[_S] = [event] * len(PIPES)
            self._scalar = list(self._known[_S])
            return
        awaited: tuple[int, ...] = ()
        if kind == GET:
            self._held[key[2]][pipe] += 1
            if mode == 0:
                awaited = tuple(self._announced[key[2]])
        elif kind == RELEASE:
            self._announced[key[2]].append(event)
            held = self._held[key[2]]
            held[pipe] = max(0, held[pipe] - 1)
            if mode == 1:
                awaited = tuple(p for p, count in enumerate(held) if count and p != pipe)
                for other in awaited:
                    self._give((event, other, _MARK, key, (), self._scalar))
        if self._give((event, pipe, kind, key, awaited, self._scalar)) and self._waiting:
            self._advance()

    def _give(self, item: _Item) -> bool:
        """Whether the pipe executes it at once."""
        queue = self._queues[item[1]]
        if not queue and self._execute(item):
            return True
        queue.append(item)
        self._waiting += 1
        return False

    def _advance(self) -> None:
        """Pipes that can go on do."""
        moved = True
        while moved:
            moved = False
            for queue in self._queues:
                while queue and self._execute(queue[0]):
                    queue.popleft()
                    self._waiting -= 1
                    moved = True

    def _execute(self, item: _Item) -> bool:
        event, pipe, kind, key, awaited, scalar = item
        known = self._known[pipe]
        if scalar is not None and scalar is not self._merged[pipe]:
            self._merged[pipe] = scalar
            _join(known, scalar)
        if known[_S] < event:
            # What the scalar unit did itself is complete when it issues the next one.
            known[_S] = event
        if kind == _NODE:
            self._board.touch(event, pipe, known, key[:2])
        elif kind == SET:
            self._tokens[key].append(self._done(event, pipe))
        elif kind == WAIT:
            tokens = self._tokens[key]
            if not tokens:
                return False
            _join(known, tokens.popleft())
        elif kind == GET:
            if any(release not in self._released for release in awaited):
                return False
            for release in awaited:
                _join(known, self._released[release])
        elif kind == RELEASE:
            if any((mark, event) not in self._marks for mark in awaited):
                return False
            self._release(event, pipe, key[2], awaited)
        elif kind == _MARK:
            self._marks[pipe, event] = self._done(event, pipe)
        elif kind == BARRIER:
            _join(known, self._done(event, pipe))
        if pipe == _S and kind in (WAIT, GET, RELEASE):
            self._scalar = list(known)
        return True

    def _done(self, event: int, pipe: int) -> Clock:
        """What is complete when a pipe has finished all that was issued to it."""
        clock = list(self._known[pipe])
        _join(clock, self._deferred[pipe])
        clock[pipe] = event
        return clock

    def _release(self, event: int, pipe: int, buffer: int, marks: tuple[int, ...]) -> None:
        """In mode 1 a release comes after what was given to other pipes that hold the buffer."""
        clock = self._done(event, pipe)
        for other in marks:
            _join(clock, self._marks.pop((other, event)))
        waiting = self._deferred if pipe in COPY_NUMBERS else self._known
        _join(waiting[pipe], clock)
        announced = self._announced[buffer]
        # One release stands for those before it, so that the list stays short.
        over = [r for r in announced if r < event and r in self._released]
        for release in over:
            _join(clock, self._released[release])
            announced.remove(release)
            if not self._waiting:
                # No acquisition on its way awaits it.
                del self._released[release]
        self._released[event] = clock


def _join(clock: Clock, other: Clock) -> None:
    for i, value in enumerate(other):
        if clock[i] < value:
            clock[i] = value
