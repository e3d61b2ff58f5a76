"""Runs the blocks of a launch on threads, and answers what generated code asks for."""

from __future__ import annotations

import _signal  # pyright: ignore[reportMissingImports]
import os
import signal
import threading
import warnings
from functools import cache

from ptoscope.machine.faults import Fault
from ptoscope.native.launch import Launch, Stopped
from ptoscope.native.runner import Runner
from ptoscope.native.threads import run_on_thread

_USUAL_STACK, _SPARE_STACK = 8 << 20, 128 << 10
"""Bytes of stack that a thread has at most, and that are kept for what generated code calls."""


def run(launch: Launch, threads: int, runners: list[Runner]) -> tuple[int, Fault] | None:
    """Runs a launch; the first block that faulted, and its fault. A log is kept by one
    thread only. `runners` are idle ones of the same kernel, to be used again."""
    handles = _takes_interrupts(launch)
    try:
        _run_blocks(launch, 1 if launch.log is not None else threads, runners)
    finally:
        if handles:
            _signal.signal(signal.SIGINT, signal.default_int_handler)
    if handles and launch.cancelled:
        raise KeyboardInterrupt
    if launch.error is not None:
        raise launch.error
    if not launch.failures:
        return None
    block = min(launch.failures)
    failure = launch.failures[block]
    if isinstance(failure, Fault):
        return block, failure
    raise failure


def _run_blocks(launch: Launch, threads: int, runners: list[Runner]) -> None:
    launch.stack_bytes = _stack_bytes(launch)
    # The threads of a cluster's cores have a stack of their own.
    stack = launch.stack_bytes if len(launch.cores) == 1 else 0
    count = min(threads, launch.grid)
    if stack:
        _run_on_threads(launch, count, stack, runners, 0)
    elif count == 1:
        _work(launch, runners)
    else:
        # The caller's thread is one of them.
        _run_on_threads(launch, count - 1, 0, runners, 1)


def _run_on_threads(
    launch: Launch, count: int, stack: int, runners: list[Runner], others: int
) -> None:
    """Runs blocks on so many threads, and on `others`: that of the caller, or none."""
    helpers: list[_Helper] = []
    try:
        for _ in range(count):
            helper = _Helper(launch, runners)
            try:
                run_on_thread(helper.run, stack, _anywhere())
            except RuntimeError as error:
                if stack and not helpers:
                    raise MemoryError(f"no thread with a stack of {stack >> 20} MB") from error
                # Those that run do the work of those that could not be started.
                started = f"only {len(helpers) + others} of {count + others} threads"
                warnings.warn(f"{started} could be started: {error}", stacklevel=2)
                break
            helpers.append(helper)
        if others:
            _work(launch, runners)
        for helper in helpers:
            helper.join(may_be_late=others > 0)
    except BaseException:
        # Nobody writes to the caller's arrays after this.
        launch.cancel()
        for helper in helpers:
            helper.join(may_be_late=True)
        raise


class _Helper:
    """One thread more for a launch."""

    def __init__(self, launch: Launch, runners: list[Runner]) -> None:
        self._launch, self._runners = launch, runners
        self._begins = [True]
        self._ended = threading.Lock()
        self._ended.acquire()

    def run(self) -> None:
        """Runs blocks, unless there is nothing left for it to do."""
        if self._is_first():
            _work(self._launch, self._runners)
            self._ended.release()

    def join(self, may_be_late: bool) -> None:
        """Waits until it has ended; one that may be late need not begin any more."""
        if may_be_late and self._is_first():
            return
        with self._ended:
            pass

    def _is_first(self) -> bool:
        """Whether this is asked for the first time, by either thread."""
        try:
            return self._begins.pop()
        except IndexError:
            return False


def _anywhere() -> frozenset[int]:
    """The processors that this thread may use; nothing where the system does not say."""
    return frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset()


def _stack_bytes(launch: Launch) -> int:
    """The stack that the code of a launch needs; 0 where that of any thread is enough."""
    usual = threading.stack_size() or _usual_stack()
    needed = launch.frame_bytes + _SPARE_STACK
    # A part is used already, and code asks the engine, which may run code again.
    return 0 if 4 * needed <= usual else (2 * needed >> 20) + 1 << 20


@cache
def _usual_stack() -> int:
    """The stack of a thread, where nobody says otherwise."""
    try:
        import resource
    except ImportError:
        return _USUAL_STACK
    limit, _ = resource.getrlimit(resource.RLIMIT_STACK)
    return _USUAL_STACK if limit == resource.RLIM_INFINITY else min(limit, _USUAL_STACK)


def _work(launch: Launch, runners: list[Runner]) -> None:
    """What one thread does: block after block. What goes wrong outside of them, such as memory
    that is not there, ends the launch."""
    try:
        _run_next_blocks(launch, runners)
    except BaseException as error:
        launch.give_up(error)


def _run_next_blocks(launch: Launch, runners: list[Runner]) -> None:
    try:
        # Not after a look at the list: another thread may take the last one in between.
        runner = runners.pop()
    except IndexError:
        runner = Runner(launch)
    runner.begin(launch)
    try:
        if launch.is_plain:
            runner.run_blocks()
        else:
            _run_one_by_one(launch, runner)
    except Stopped:
        pass
    runner.end()
    runners.append(runner)


def _run_one_by_one(launch: Launch, runner: Runner) -> None:
    while (block := launch.take()) is not None:
        try:
            runner.run(block)
        except Stopped:
            break
        except BaseException as failure:
            launch.fail(block, failure)
        finally:
            launch.ended(block)


def _takes_interrupts(launch: Launch) -> bool:
    """Ctrl-C ends the launch from now on, where it would raise. An exception that a signal raises
    inside a function which generated code called would be lost, so that it is only noted there."""
    if threading.get_ident() != threading.main_thread().ident:
        return False
    # Those of `signal` itself make enumerations of numbers, which takes longer than a block.
    if _signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return False
    _signal.signal(signal.SIGINT, lambda *_: launch.cancel())
    return True
