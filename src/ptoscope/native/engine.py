"""Runs the blocks of a launch on threads."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ptoscope.machine.faults import Fault
from ptoscope.native.launch import Launch, Stopped
from ptoscope.native.runner import Runner


def run(launch: Launch, threads: int, runners: list[Runner]) -> tuple[int, Fault] | None:
    """Runs a launch; the first block that faulted, and its fault. A log is kept by one
    thread only. `runners` are idle ones of the same kernel, to be used again."""
    with _interruptible(launch):
        _run_blocks(launch, 1 if launch.log is not None else threads, runners)
    if not launch.failures:
        return None
    block = min(launch.failures)
    failure = launch.failures[block]
    if isinstance(failure, Fault):
        return block, failure
    raise failure


def _run_blocks(launch: Launch, threads: int, runners: list[Runner]) -> None:
    count = min(threads, launch.grid)
    if count == 1:
        _work(launch, runners)
        return
    workers = [threading.Thread(target=_work, args=(launch, runners)) for _ in range(count)]
    for worker in workers:
        worker.start()
    try:
        for worker in workers:
            while worker.is_alive():
                worker.join(0.1)
    except BaseException:
        launch.cancel()
        for worker in workers:
            worker.join()
        raise


def _work(launch: Launch, runners: list[Runner]) -> None:
    """What one thread does: block after block."""
    try:
        # Not after a look at the list: another thread may take the last one in between.
        runner = runners.pop()
    except IndexError:
        runner = Runner(launch.target, launch.uses_stamps)
    runner.begin(launch)
    while (block := launch.take()) is not None:
        try:
            runner.run(block)
        except Stopped:
            break
        except BaseException as failure:
            launch.fail(block, failure)
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
