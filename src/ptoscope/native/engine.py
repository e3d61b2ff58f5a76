"""Runs compiled kernels: memory, blocks on threads, and what generated code asks for."""

from __future__ import annotations

import ctypes
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ptoscope.arguments import Argument
from ptoscope.isa.dtypes import I8
from ptoscope.isa.memories import ON_CORE
from ptoscope.isa.targets import Target
from ptoscope.machine.elements import encode, quietly
from ptoscope.machine.faults import Fault
from ptoscope.machine.memory import Memory, Region, gm_base, gm_regions
from ptoscope.native import layout

if TYPE_CHECKING:
    from ptoscope.machine.signals import Buffer, Signal
    from ptoscope.native.log import Log
    from ptoscope.native.side_exits import SideExit

_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_void_p)
_FIRST_ITERATIONS = 1 << 14
_MOST_ITERATIONS = 1 << 26
_PAGE = 4096
_PATIENCE = 0.05
"""Seconds between two questions of running code, about."""


class Stopped(Exception):
    """The launch is over: another block faulted, or somebody interrupted it."""


class Runner:
    """Runs blocks one after the other on one thread, in memory of its own; used again by
    launch after launch."""

    def __init__(self, target: Target, uses_stamps: bool) -> None:
        self._memory: list[Any] = []
        self._own: list[Region] = []
        """A core's own memories: all with what is around them, and each by itself."""
        for own in ON_CORE:
            size = target.bytes_of(own.name)
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
                self._service = Service(self, memory, self._block, self._launch.grid)
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


class Launch:
    """One launch: what all its blocks share."""

    def __init__(
        self,
        kernel: Any,
        target: Target,
        arguments: list[Argument],
        grid: int,
        registers: tuple[int, ...],
        uses_stamps: bool,
        side_exits: Callable[[], tuple[SideExit, ...]],
        max_steps: int | None,
        runners: list[Runner],
        log: Log | None = None,
    ) -> None:
        self._idle = runners
        self.kernel = kernel
        self.target = target
        self.grid = grid
        self.uses_stamps = uses_stamps
        self.max_steps = max_steps
        self.log = log
        self._side_exits = side_exits
        self._arguments = arguments
        # A core's own memories stand before the first, UB last; each runner fills in its own.
        own = [(0, target.bytes_of(memory.name), 1) for memory in reversed(ON_CORE)]
        self.table = np.array([*own, *(_region(a) for a in arguments)], dtype=np.int64)
        variables = [*(_word(a) for a in arguments), *registers]
        self.words = np.zeros(layout.VARIABLES + len(variables), dtype=np.int64)
        self.words[layout.REGION_COUNT] = len(arguments)
        self.words[layout.UB_BYTES] = target.ub_bytes
        self.words[layout.BLOCK_COUNT] = grid
        self.words[layout.VARIABLES :] = variables
        self._lock = threading.Lock()
        self._next = 0
        self.failures: dict[int, BaseException] = {}
        self.left: dict[int, dict[Signal, int]] = {}
        """The flags that blocks left set."""
        self.held: dict[int, dict[Buffer, int]] = {}
        """The buffers that pipes still held when blocks ended."""
        self.cancelled = False

    @cached_property
    def regions(self) -> dict[int, Region]:
        """GM as the reference engine sees it."""
        return gm_regions(self._arguments)

    @cached_property
    def _all_side_exits(self) -> tuple[SideExit, ...]:
        return self._side_exits()

    def side_exit(self, index: int) -> SideExit:
        """What the engine knows of a place in the code."""
        with self._lock:
            return self._all_side_exits[index]

    def cancel(self) -> None:
        """Ends all blocks soon."""
        self.cancelled = True

    def check(self, block: int) -> None:
        """Raises if this block need not go on: an earlier one failed, or all are to end."""
        if self.cancelled or (self.failures and block > min(self.failures)):
            raise Stopped

    def run(self, threads: int) -> tuple[int, BaseException] | None:
        """Runs all blocks; the first block that failed, and why."""
        count = min(threads, self.grid)
        if count == 1:
            self._work()
        else:
            workers = [threading.Thread(target=self._work) for _ in range(count)]
            self._join(workers)
        if not self.failures:
            return None
        first = min(self.failures)
        return first, self.failures[first]

    def _join(self, workers: list[threading.Thread]) -> None:
        for worker in workers:
            worker.start()
        try:
            for worker in workers:
                while worker.is_alive():
                    worker.join(0.1)
        except BaseException:
            self.cancelled = True
            for worker in workers:
                worker.join()
            raise

    def _work(self) -> None:
        runner = self._idle.pop() if self._idle else Runner(self.target, self.uses_stamps)
        runner.begin(self)
        while (block := self._take()) is not None:
            try:
                runner.run(block)
            except Stopped:
                break
            except BaseException as failure:
                with self._lock:
                    self.failures[block] = failure
        runner.end()
        self._idle.append(runner)

    def _take(self) -> int | None:
        """The next block, in order, so that those before a failed one have all begun."""
        with self._lock:
            if self.failures or self.cancelled or self._next == self.grid:
                return None
            self._next += 1
            return self._next - 1


def _region(argument: Argument) -> tuple[int, int, int]:
    """Address, bytes, and whether they may be written; nothing for a scalar."""
    if argument.data is None:
        return 0, 0, 0
    address = argument.data.__array_interface__["data"][0]
    return address, argument.data.nbytes, argument.writeable


def _word(argument: Argument) -> int:
    if argument.value is None:
        return gm_base(argument.position)
    if isinstance(argument.value, int) and argument.dtype.is_int:
        return (argument.value + (1 << 63)) % (1 << 64) - (1 << 63)
    with quietly():
        lane = np.asarray(encode(argument.dtype, argument.value))
    return int.from_bytes(lane.tobytes().ljust(8, b"\0"), "little", signed=True)


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


def run(launch: Launch, threads: int) -> tuple[int, Fault] | None:
    """Runs a launch; the first block that faulted, and its fault. A log is kept by one
    thread only."""
    with _interruptible(launch):
        failed = launch.run(1 if launch.log is not None else threads)
    if failed is None:
        return None
    block, failure = failed
    if isinstance(failure, Fault):
        return block, failure
    raise failure
