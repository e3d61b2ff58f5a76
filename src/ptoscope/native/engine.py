"""Runs the blocks of a launch on threads, and answers what generated code asks for."""

from __future__ import annotations

import ctypes
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache as once
from typing import Any

import numpy as np

from ptoscope.isa.dtypes import I8
from ptoscope.isa.parts import ON_CORE
from ptoscope.isa.targets import Target
from ptoscope.machine.faults import Fault
from ptoscope.machine.memory import Memory, Region
from ptoscope.native import layout
from ptoscope.native.launch import Launch, Stopped

_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_void_p)
_FIRST_ITERATIONS = 1 << 14
_MOST_ITERATIONS = 1 << 26
_PAGE = 4096
_USUAL_STACK, _SPARE_STACK = 8 << 20, 128 << 10
"""Bytes of stack that a thread has at most, and that are kept for what generated code calls."""
_PATIENCE = 0.05
"""Seconds between two questions of running code, about."""


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
    count, stack = min(threads, launch.grid), _stack_bytes(launch)
    if count == 1 and not stack:
        _work(launch, runners)
        return
    workers: list[threading.Thread] = []
    try:
        for _ in range(count):
            worker = threading.Thread(target=_work, args=(launch, runners))
            try:
                _start(worker, stack)
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


def _start(worker: threading.Thread, stack: int) -> None:
    """Starts a thread with so much stack, or what is usual."""
    before = threading.stack_size(stack) if stack else 0
    try:
        worker.start()
    finally:
        if stack:
            threading.stack_size(before)


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
        runner = Runner(launch.target, launch.uses_stamps)
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


class Runner:
    """Runs blocks one after the other on one thread, in memory of its own; used again by
    launch after launch."""

    def __init__(self, target: Target, uses_stamps: bool) -> None:
        self._memory: list[Any] = []
        self._own: list[Region] = []
        """A core's own memories: all with what is around them, and each by itself."""
        for own in ON_CORE:
            size = target.bytes_of(own.name) if own.core == "vector" else 0
            self._memory.append(_aligned(size + 2 * layout.SLACK))
            part = self._memory[-1][layout.SLACK : layout.SLACK + size]
            self._own.append(Region(own.title, own.name, part, I8))
        self._callback = _CALLBACK(self._serve)
        self._callback_address = ctypes.cast(self._callback, ctypes.c_void_p).value or 0
        if uses_stamps:
            self._stamps = np.zeros(target.ub_bytes + layout.SLACK, dtype=np.uint32)
        self._uses_stamps = uses_stamps
        self.failure: BaseException | None = None
        self.begun = 0
        """Iterations of loops that have begun, of those that are accounted for."""

    def begin(self, launch: Launch) -> None:
        """Makes ready for the blocks of a launch."""
        self._launch = launch
        self._service: Any = None
        self.state = launch.words.copy()
        self._table = launch.table.copy()
        for region in self._own:
            entry = len(ON_CORE) - layout.own(region.space)
            self._table[entry, layout.REGION_DATA] = region.data.ctypes.data
        self.state[layout.UB] = self._table[len(ON_CORE) - 1, layout.REGION_DATA]
        first = self._table.ctypes.data
        self.state[layout.REGIONS] = first + len(ON_CORE) * self._table.strides[0]
        self.state[layout.SERVICE] = self._callback_address
        if self._uses_stamps:
            self._stamps[:] = 0
            self.state[layout.STAMPS] = self._stamps.ctypes.data
        self.address = self.state.ctypes.data

    def end(self) -> None:
        """Lets go of the launch, and of the caller's arrays with it."""
        del self._launch, self._service

    def run(self, block: int) -> None:
        """Runs one block; raises what stopped it."""
        launch, state = self._launch, self.state
        for memory in self._memory:
            memory[:] = 0
        state[layout.QUEUED] = 0
        state[layout.FLAGS : layout.VARIABLES] = 0
        state[layout.VARIABLES :] = launch.words[layout.VARIABLES :]
        state[layout.BLOCK_INDEX] = block
        self._block = block
        self._service = None
        self.failure = None
        self.begun = 0
        self._give(_FIRST_ITERATIONS)
        if launch.log is not None:
            launch.log.begin(state)
        stopped = launch.kernel(self.address)
        whole = launch.log is None or launch.log.end(state)
        if not whole and (self.failure is None or isinstance(self.failure, Fault)):
            raise RuntimeError("the log of the run has gaps: the engine was interrupted")
        if stopped or self.failure is not None:
            self.reraise()
        flags = state[layout.FLAGS : layout.HELD] & layout.COUNT
        if flags.any():
            from ptoscope.machine.given import FLAGS

            launch.left[block] = {FLAGS[i]: int(flags[i]) for i in np.flatnonzero(flags)}
        others = {} if self._service is None else self._service.left()
        if others:
            launch.left.setdefault(block, {}).update(others)
        held = state[layout.HELD : layout.VARIABLES]
        if held.any():
            from ptoscope.machine.given import HELD

            launch.held[block] = {HELD[i]: int(held[i]) for i in np.flatnonzero(held)}

    def reraise(self) -> None:
        """Raises what stopped the code."""
        if self.failure is None:
            raise AssertionError("generated code stopped where the reference engine would not")
        failure, self.failure = self.failure, None
        raise failure

    def await_turn(self) -> None:
        """Waits until the blocks before this one have ended."""
        self._launch.await_turn(self._block)

    def _give(self, iterations: int) -> None:
        limit = self._launch.max_steps
        self._granted = iterations if limit is None else min(iterations, limit - self.begun)
        self.state[layout.ITERATIONS] = self._granted
        self._asked = time.monotonic()

    def _more_iterations(self) -> bool:
        """Called when an iteration begins and none is left: grants more, unless there are none."""
        self.begun += self._granted
        if self.begun == self._launch.max_steps:
            self._granted = 0
            return False
        quick = time.monotonic() - self._asked < _PATIENCE
        iterations = self._granted * 2 if quick else self._granted // 2
        self._give(min(max(iterations, _FIRST_ITERATIONS), _MOST_ITERATIONS))
        self.state[layout.ITERATIONS] -= 1
        return True

    def _serve(self, index: int, address: int) -> int:
        """What generated code asks; 0 to go on."""
        try:
            log = self._launch.log
            if log is not None and log.serve(index, self.state):
                return 0
            if index < 0 and self.failure is not None:
                # The log could not be kept: the block ends at its next iteration.
                return 1
            if index == -1 or (index < 0 and self._more_iterations()):
                self._launch.check(self._block)
                return 0
            side_exit = self._launch.side_exit(index if index >= 0 else -2 - index)
            if self._service is None:
                from ptoscope.native.service import Service

                memory = Memory(self._launch.regions, self._own)
                launch = self._launch
                self._service = Service(self, memory, self._block, launch.grid, launch.prints)
            self._service.serve(side_exit, address)
            return 0
        except BaseException as failure:
            # Nothing may be raised through generated code: it unwinds by its status.
            self.failure = failure
            return 1


def _aligned(size: int) -> Any:
    """Memory that begins a little after a page: callers' arrays begin at one, and copies
    between places that differ only by whole pages are slower."""
    memory = np.zeros(size + 2 * _PAGE, dtype=np.uint8)
    start = -memory.ctypes.data % _PAGE + 128
    return memory[start : start + size]
