"""Threads that live on between blocks and launches, and processors that blocks keep to."""

from __future__ import annotations

import _thread
import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache

_Work = Callable[[], None]


class _Worker:
    """A thread that does what it is given, and waits for more."""

    def __init__(self, idle: list[_Worker]) -> None:
        self._idle = idle
        self._work: _Work | None = None
        self._given = threading.Lock()
        self._given.acquire()
        self._processors: frozenset[int] = frozenset()

    def give(self, work: _Work) -> None:
        self._work = work
        self._given.release()

    def run(self) -> None:
        while True:
            self._given.acquire()
            work, self._work = self._work, None
            assert work is not None
            work()
            # What it holds on to is let go of now, not with the next work.
            del work
            self._idle.append(self)

    def keep_to(self, processors: frozenset[int]) -> None:
        """The thread that runs this one keeps to processors, from its next step on."""
        if processors and processors != self._processors:
            with suppress(OSError):
                os.sched_setaffinity(0, processors)
                self._processors = processors


_IDLE: dict[int, list[_Worker]] = {}
"""By bytes of stack, those that wait."""
_TAKEN: set[int] = set()
"""The processors that blocks keep to."""
_LOCK = threading.Lock()
"""Who starts a thread, or chooses a processor."""


def _begin_anew() -> None:
    """A process that was forked has none of the threads."""
    global _LOCK
    _LOCK = threading.Lock()
    _IDLE.clear()
    _TAKEN.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def run_on_thread(work: _Work, stack: int, processors: frozenset[int] = frozenset()) -> None:
    """Calls something that raises nothing on another thread, which has so much stack, or what is
    usual (0), and keeps to some processors, or to none in particular."""
    idle = _IDLE.setdefault(stack, [])
    try:
        worker = idle.pop()
    except IndexError:
        worker = _Worker(idle)
        start(lambda: _thread.start_new_thread(worker.run, ()), stack)

    def placed() -> None:
        worker.keep_to(processors)
        work()

    worker.give(placed)


def start(begin: Callable[[], object], stack: int) -> None:
    """Starts a thread by a call, with so much stack, or what is usual (0)."""
    if not stack:
        begin()
        return
    with _LOCK:
        before = threading.stack_size(stack)
        try:
            begin()
        finally:
            threading.stack_size(before)


@contextmanager
def one_processor() -> Iterator[frozenset[int]]:
    """A processor that nobody else is given meanwhile, if possible the one that this runs on; all
    of them where none is free; none where the system does not say."""
    current = _current_processor()
    if current is None:
        yield frozenset()
        return
    allowed = os.sched_getaffinity(0)
    with _LOCK:
        free = allowed - _TAKEN
        chosen = current() if current() in free else min(free, default=None)
        if chosen is not None:
            _TAKEN.add(chosen)
    try:
        yield frozenset(allowed if chosen is None else [chosen])
    finally:
        with _LOCK:
            _TAKEN.discard(chosen)


@cache
def _current_processor() -> Callable[[], int] | None:
    """What says which processor runs it."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    try:
        return ctypes.CDLL(None).sched_getcpu
    except AttributeError:
        return None
