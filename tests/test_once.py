"""Functions that are called once, also where threads ask at the same time; forks wait for them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from ptoscope.once import MakingLock, hold_in_fork, once, once_property

_LONG, _SHORT = 30, 0.05
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
several_threads_may_fork = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def at_once(work: Callable[[], Any], threads: int = 6) -> list[Any]:
    """Returns the results of several threads that call a function at the same time."""
    together = threading.Barrier(threads)
    found: list[Any] = []

    def run() -> None:
        together.wait(_LONG)
        found.append(work())

    started = [threading.Thread(target=run) for _ in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join(_LONG)
    return found


class Slow:
    """Objects that take their time to be made, and are counted."""

    def __init__(self) -> None:
        self.count = 0

    def make(self, *_: Any) -> object:
        """Returns a new object, late."""
        self.count += 1
        time.sleep(_SHORT)
        return object()


def test_threads_get_the_same_object() -> None:
    slow = Slow()
    found = at_once(once(slow.make))
    assert (len(found), len(set(map(id, found))), slow.count) == (6, 1, 1)


def test_each_list_of_arguments_has_its_object() -> None:
    slow = Slow()
    kept = once(slow.make)
    assert kept(1) is kept(1)
    assert kept(1) is not kept(2)
    assert slow.count == 2


def test_what_raised_is_tried_again() -> None:
    answers = iter([0, 1])
    divided = once(lambda: 1 // next(answers))
    with pytest.raises(ZeroDivisionError):
        divided()
    assert divided() == 1


def test_threads_read_the_same_attribute() -> None:
    slow = Slow()

    class Owner:
        @once_property
        def made(self) -> object:
            return slow.make()

    owner = Owner()
    found = at_once(lambda: owner.made)
    assert (len(found), len(set(map(id, found))), slow.count) == (6, 1, 1)
    assert Owner().made is not owner.made
    assert isinstance(Owner.made, once_property)


def test_one_thread_may_ask_for_one_thing_while_it_makes_another() -> None:
    inner = once(lambda: 1)
    lock = MakingLock()
    with lock, lock:
        assert once(lambda: inner() + 1)() == 2
    assert at_once(lambda: lock.__enter__() or lock.__exit__(), 2) == [None, None]


def status_of_fork(work: Callable[[], object]) -> int:
    """Returns the exit status of a forked process that does some work; -1 if it hangs."""
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    deadline = time.monotonic() + _LONG
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return -1


@forks
@several_threads_may_fork
def test_a_fork_waits_for_what_another_thread_makes() -> None:
    begun, ended = threading.Event(), threading.Event()

    def make() -> int:
        begun.set()
        # A fork that did not wait would begin meanwhile.
        time.sleep(10 * _SHORT)
        ended.set()
        return 7

    kept = once(make)
    thread = threading.Thread(target=kept)
    thread.start()
    assert begun.wait(_LONG)
    assert status_of_fork(lambda: (ended.is_set() and kept() == 7) or os._exit(1)) == 0
    thread.join()


@forks
@several_threads_may_fork
def test_a_fork_takes_other_locks_too() -> None:
    lock, held = threading.Lock(), threading.Event()
    hold_in_fork(lock)

    def hold() -> None:
        with lock:
            held.set()
            time.sleep(10 * _SHORT)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(_LONG)
    assert status_of_fork(lambda: lock.acquire(timeout=1) or os._exit(1)) == 0
    thread.join()
    assert not lock.locked()


@forks
@several_threads_may_fork
def test_a_thread_that_makes_something_may_fork() -> None:
    lock = MakingLock()

    def use() -> None:
        with lock:
            pass

    waiting = threading.Thread(target=use)
    with lock:
        waiting.start()
        assert status_of_fork(use) == 0
    waiting.join(_LONG)
    assert not waiting.is_alive()


@forks
@several_threads_may_fork
def test_threads_may_fork_at_the_same_time() -> None:
    assert at_once(lambda: status_of_fork(lambda: None), 4) == [0] * 4
