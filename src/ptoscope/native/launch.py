"""One launch of a compiled kernel: what all its blocks share."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ptoscope.arguments import Argument
from ptoscope.isa.targets import Target
from ptoscope.machine.elements import encode, quietly
from ptoscope.machine.memory import Region, gm_base, gm_regions
from ptoscope.native import layout

if TYPE_CHECKING:
    from ptoscope.machine.prints import Prints
    from ptoscope.machine.signals import Buffer, Signal
    from ptoscope.native.compiled import Compiled
    from ptoscope.native.log import Log
    from ptoscope.native.side_exits import SideExit


_PATIENCE = 0.05
"""Seconds after which somebody who waits asks whether to go on."""


class Stopped(Exception):
    """The launch is over: another block faulted, or somebody interrupted it."""


class Launch:
    """One launch: what all its blocks share."""

    def __init__(
        self,
        kernel: Any,
        target: Target,
        arguments: list[Argument],
        grid: int,
        compiled: Compiled,
        side_exits: Callable[[], tuple[SideExit, ...]],
        max_steps: int | None,
        log: Log | None = None,
        prints: Prints | None = None,
    ) -> None:
        self.kernel = kernel
        self.target = target
        self.grid = grid
        self.cores, self.uses_matrix = compiled.cores, compiled.uses_matrix
        self.uses_stamps = compiled.uses_stamps
        self.frame_bytes = compiled.frame_bytes
        self.stack_bytes = 0
        """What a thread needs that runs its code; 0: what is usual."""
        self.max_steps = max_steps
        self.log = log
        self.prints = prints
        self._side_exits = side_exits
        self._arguments = arguments
        # A core's own memories stand before the first, UB last; each core fills in its own.
        own = [(0, 0, 0)] * layout.OWN_REGIONS
        self.table = np.array([*own, *(_region(a) for a in arguments)], dtype=np.int64)
        variables = [*(_word(a) for a in arguments), *compiled.registers]
        self.words = np.zeros(layout.VARIABLES + len(variables), dtype=np.int64)
        self.words[layout.REGION_COUNT] = len(arguments)
        self.words[layout.UB_BYTES] = target.ub_bytes
        self.words[layout.BLOCK_COUNT] = grid
        self.words[layout.VARIABLES :] = variables
        self._lock = threading.Lock()
        self._one_ended = threading.Condition(self._lock)
        self._running: set[int] = set()
        self._next = 0
        self.failures: dict[int, BaseException] = {}
        self.error: BaseException | None = None
        """What went wrong outside of blocks, the first of it."""
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

    def take(self) -> int | None:
        """The next block, in order, so that those before a failed one have all begun."""
        with self._lock:
            if self.failures or self._over or self._next == self.grid:
                return None
            self._next += 1
            self._running.add(self._next - 1)
            return self._next - 1

    def ended(self, block: int) -> None:
        """A block that was taken does not run any more."""
        with self._one_ended:
            self._running.discard(block)
            self._one_ended.notify_all()

    def await_turn(self, block: int) -> None:
        """Waits until the blocks before this one have ended, as the reference engine runs them;
        raises if this one need not go on."""
        with self._one_ended:
            while min(self._running) < block:
                self._one_ended.wait(_PATIENCE)
                self.check(block)

    @property
    def _over(self) -> bool:
        return self.cancelled or self.error is not None

    def cancel(self) -> None:
        """Ends all blocks soon."""
        self.cancelled = True

    def give_up(self, error: BaseException) -> None:
        """Something went wrong outside of blocks: all of them end soon."""
        with self._lock:
            if self.error is None:
                self.error = error

    def fail(self, block: int, failure: BaseException) -> None:
        """A block has failed: no other begins."""
        with self._lock:
            self.failures[block] = failure

    def check(self, block: int) -> None:
        """Raises if this block need not go on: an earlier one failed, or all are to end."""
        if self._over or (self.failures and block > min(self.failures)):
            raise Stopped


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
