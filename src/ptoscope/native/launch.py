"""One launch of a compiled kernel: what all its blocks share."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from ptoscope.isa.targets import Target
from ptoscope.machine.memory import Region, gm_regions
from ptoscope.native.runtime.blocks import END, MOST_TAKEN, NEXT, SHARED_WORDS

if TYPE_CHECKING:
    from ptoscope.machine.prints import Prints
    from ptoscope.machine.signals import Buffer, Signal
    from ptoscope.native.compiled import Compiled
    from ptoscope.native.loaded import Loaded
    from ptoscope.native.log import Log
    from ptoscope.native.packing import Packed
    from ptoscope.native.side_exits import SideExit


_PATIENCE = 0.0001
"""Seconds after which somebody who waits for other blocks looks again."""

_MOST_TAKEN = 64
"""Blocks that a thread takes at once, at most."""
_SharedWords = ctypes.c_int64 * SHARED_WORDS


class Stopped(Exception):
    """The launch is over: another block faulted, or somebody interrupted it."""


class Launch:
    """One launch: what all its blocks share."""

    def __init__(
        self,
        loaded: Loaded,
        target: Target,
        packed: Packed,
        grid: int,
        compiled: Compiled,
        side_exits: Callable[[], tuple[SideExit, ...]],
        max_steps: int | None,
        log: Log | None = None,
        prints: Prints | None = None,
    ) -> None:
        self.kernel, self.blocks = loaded.kernel, loaded.blocks
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
        self.packed = packed
        self.registers = compiled.registers
        self.ub_top = compiled.ub_top
        self.is_plain = log is None and len(compiled.cores) == 1 and not compiled.uses_matrix
        """Whether its blocks run in the native loop, and not one by one."""
        self.shared = _SharedWords()
        self.shared[END], self.shared[MOST_TAKEN] = grid, _MOST_TAKEN
        """What threads share in that loop (see `runtime.blocks`)."""
        self.shared_address = ctypes.addressof(self.shared)
        self.working: list[Callable[[], int]] = []
        """Of each thread in that loop, a block that it runs; no earlier one does it run any
        more."""
        self._lock = threading.Lock()
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
        return gm_regions(self.packed.arguments())

    def side_exit(self, index: int) -> SideExit:
        """What the engine knows of a place in the code."""
        return self._side_exits()[index]

    def take(self) -> int | None:
        """The next block, in order, so that those before a failed one have all begun."""
        with self._lock:
            if self.failures or self._over or self._next == self.grid:
                return None
            self._next += 1
            self._running.add(self._next - 1)
            return self._next - 1

    def begun(self) -> int:
        """Returns how many blocks have been taken by a thread."""
        return min(self.shared[NEXT] if self.is_plain else self._next, self.grid)

    def ended(self, block: int) -> None:
        """A block that was taken does not run any more."""
        with self._lock:
            self._running.discard(block)

    def await_turn(self, block: int) -> None:
        """Waits until the blocks before this one have ended, as the reference engine runs them;
        raises if this one need not go on."""
        # Who takes several blocks at once would let others wait for all of them.
        self.shared[MOST_TAKEN] = 1
        while self._runs_before(block):
            time.sleep(_PATIENCE)
            self.check(block)

    def _runs_before(self, block: int) -> bool:
        """Whether a block before this one has not ended. All of those were taken."""
        with self._lock:
            earlier = any(running < block for running in self._running)
        return earlier or any(running() < block for running in list(self.working))

    @property
    def _over(self) -> bool:
        return self.cancelled or self.error is not None

    def cancel(self) -> None:
        """Ends all blocks soon."""
        self.cancelled = True
        self.shared[END] = 0

    def give_up(self, error: BaseException) -> None:
        """Something went wrong outside of blocks: all of them end soon."""
        with self._lock:
            if self.error is None:
                self.error = error
            self.shared[END] = 0

    def fail(self, block: int, failure: BaseException) -> None:
        """A block has failed: no later one begins."""
        with self._lock:
            self.failures[block] = failure
            self.shared[END] = min(self.shared[END], block)

    def check(self, block: int) -> None:
        """Raises if this block need not go on: an earlier one failed, or all are to end."""
        if self._over or (self.failures and block > min(self.failures)):
            raise Stopped
