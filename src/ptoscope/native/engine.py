"""Runs the blocks of a launch on threads, and answers what generated code asks for."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache as once

from ptoscope.machine.faults import Fault
from ptoscope.native.launch import Launch, Stopped
from ptoscope.native.runner import Runner
from ptoscope.native.threads import start

_USUAL_STACK, _SPARE_STACK = 8 << 20, 128 << 10
"""Bytes of stack that a thread has at most, and that are kept for what generated code calls."""


def run(launch: Launch, threads: int, runners: list[Runner]) -> tuple[int, Fault] | None:
    """Runs a launch; the first block that faulted, and its fault. A log is kept by one
    thread only. `runners` are idle ones of the same kernel, to be used again."""
    with _interruptible(launch):
        _run_blocks(launch, 1 if launch.log is not None else threads, runners)
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
    if count == 1 and not stack:
        _work(launch, runners)
        return
    workers: list[threading.Thread] = []
    try:
        for _ in range(count):
            worker = threading.Thread(target=_work, args=(launch, runners))
            try:
                start(worker.start, stack)
            except RuntimeError as error:
                if stack and not workers:
                    raise MemoryError(f"no thread with a stack of {stack >> 20} MB") from error
                # Those that run do the work of those that could not be started.
                started = f"only {len(workers)} of {count} threads could be started"
                warnings.warn(f"{started}: {error}", stacklevel=2)
                break
            workers.append(worker)
        if not workers:
            _work(launch, runners)
        for worker in workers:
            while worker.is_alive():
                worker.join(0.1)
    except BaseException:
        # Nobody writes to the caller's arrays after this.
        launch.cancel()
        for worker in workers:
            worker.join()
        raise


def _stack_bytes(launch: Launch) -> int:
    """The stack that the code of a launch needs; 0 where that of any thread is enough."""
    usual = threading.stack_size() or _usual_stack()
    needed = launch.frame_bytes + _SPARE_STACK
    # A part is used already, and code asks the engine, which may run code again.
    return 0 if 4 * needed <= usual else (2 * needed >> 20) + 1 << 20


@once
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
    while (block := launch.take()) is not None:
        try:
            runner.run(block)
        except Stopped:
            break
        except BaseException as failure:
            launch.fail(block, failure)
        finally:
            launch.ended(block)
    runner.end()
    runners.append(runner)


@contextmanager
def _interruptible(launch: Launch) -> Iterator[None]:
    """Ctrl-C ends the launch. An exception that a signal raises inside a function which
    generated code called would be lost, so that it is only noted there."""
    on_main = threading.current_thread() is threading.main_thread()
    if not on_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: launch.cancel())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if launch.cancelled:
        raise KeyboardInterrupt
