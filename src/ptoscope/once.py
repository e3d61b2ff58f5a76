"""Locks for what a process makes once, whichever of its threads ask for it first.

A forked process has only the thread that forked. What another thread had begun would stay begun
there, and its locks closed. So a fork waits until no other thread holds a `MakingLock`.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")

_CHANGED = threading.Condition()
"""Guards `_MAKING` and the owners of all locks; notified when a lock opens."""
_MAKING: dict[int, int] = {}
"""Threads that hold such locks, and how many acquisitions each of them has."""
_LEAVES: list[AbstractContextManager[Any]] = []
"""Locks that a fork takes, too; see `hold_in_fork`."""
_FORKS: dict[int, ExitStack] = {}
"""By thread, what it holds while it forks."""


class MakingLock:
    """A reentrant lock of one object, held while a part of that object is made."""

    def __init__(self) -> None:
        self._owner = 0
        self._depth = 0

    def __enter__(self) -> None:
        thread = threading.get_ident()
        with _CHANGED:
            while self._depth and self._owner != thread:
                _CHANGED.wait()
            self._owner = thread
            self._depth += 1
            _MAKING[thread] = _MAKING.get(thread, 0) + 1

    def __exit__(self, *_: object) -> None:
        with _CHANGED:
            self._depth -= 1
            _MAKING[self._owner] -= 1
            if not _MAKING[self._owner]:
                del _MAKING[self._owner]
            _CHANGED.notify_all()


def once(make: Callable[..., T]) -> Callable[..., T]:
    """Decorates a function that is called once for each list of arguments, given by position.
    Unlike under `functools.cache`, threads that ask at the same time get the same object."""
    lock = MakingLock()
    made: dict[Any, T] = {}

    @functools.wraps(make)
    def get(*given: Any) -> T:
        try:
            return made[given]
        except KeyError:
            pass
        with lock:
            if given not in made:
                made[given] = make(*given)
            return made[given]

    return get


class once_property(Generic[T]):
    """Decorates a method as `functools.cached_property` does: it is called once for each object,
    whichever threads read the attribute. The other has no lock, or in Python 3.11 one that a forked
    process may find closed."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._lock = MakingLock()
        self.__doc__ = make.__doc__

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, owner: None, kind: type) -> once_property[T]: ...

    @overload
    def __get__(self, owner: object, kind: type) -> T: ...

    def __get__(self, owner: object | None, kind: type) -> once_property[T] | T:
        if owner is None:
            return self
        # Found here before this is asked at all, except where two threads ask at once.
        made = vars(owner)
        with self._lock:
            if self._name not in made:
                made[self._name] = self._make(owner)
            return made[self._name]


def hold_in_fork(lock: AbstractContextManager[Any]) -> None:
    """A fork takes this lock, too. A thread that holds it may wait for no other lock."""
    _LEAVES.append(lock)


def _before_fork() -> None:
    thread = threading.get_ident()
    with ExitStack() as held:
        held.enter_context(_CHANGED)
        while any(other != thread for other in _MAKING):
            _CHANGED.wait()
        for lock in _LEAVES:
            held.enter_context(lock)
        _FORKS[thread] = held.pop_all()


def _after_fork() -> None:
    # Without an entry an interrupt ended the wait.
    held = _FORKS.pop(threading.get_ident(), None)
    if held is not None:
        held.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )
