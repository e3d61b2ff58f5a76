"""One core of a block that runs generated code, and what that code asks of the engine."""

from __future__ import annotations

import ctypes
import struct
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ptoscope.isa.parts import CoreId
from ptoscope.machine.faults import Fault
from ptoscope.machine.memory import Memory, Region
from ptoscope.native import layout
from ptoscope.native.launch import Launch, Stopped
from ptoscope.native.runtime import blocks

if TYPE_CHECKING:
    from ptoscope.machine.cluster import Seat

_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_void_p)
_FIRST_ITERATIONS = 1 << 14
_MOST_ITERATIONS = 1 << 26
_LINE = 64
"""Bytes of a line of the cache."""
_FIRST_BLOCKS, _MOST_BLOCKS = 16, 1 << 20
_PATIENCE = 0.05
"""Seconds between two questions of running code, about."""


class RunningCore:
    """Runs a core of one block after the other, over memories of its own; used again by launch
    after launch. `stamped` are the bytes of UB that have a stamp, `scratch` those that it has for
    tiles on their way."""

    def __init__(self, core: CoreId, own: list[Region], stamped: int, scratch: int = 0) -> None:
        self.core = core
        self._own = own
        self._places, self._rows = _table_of(own)
        self._ub = own[0].data.ctypes.data
        self._callback = _CALLBACK(self._serve)
        self._callback_address = ctypes.cast(self._callback, ctypes.c_void_p).value or 0
        self._stamps = np.zeros(stamped + layout.SLACK if stamped else 0, dtype=np.uint32)
        self._scratch = np.empty(scratch + _LINE if scratch else 0, dtype=np.uint8)
        self.shared: Any = None
        """The words that it shares with the others of its block."""
        self.place: Callable[[Any], None] | None = None
        """Writes into its words which of them it is."""
        self.failure: BaseException | None = None
        self._is_laid_out = False
        self.begun = 0
        """Iterations of loops that have begun, of those that are accounted for."""

    def begin(self, launch: Launch) -> None:
        """Makes ready for the blocks of a launch, one of the same kernel each time."""
        self._launch = launch
        self._service: Any = None
        self._seat: Seat | None = None
        self.failure = None
        self._block = -1
        if not self._is_laid_out:
            self._lay_out(launch)
        words = self.words
        words[layout.BLOCK_INDEX], words[layout.BLOCK_COUNT] = 0, launch.grid
        words[layout.TAKEN_END] = 0
        self._pack_regions(self._table_bytes, self._first_region, *launch.packed.regions)
        self._pack_variables(self._first_bytes, 0, *launch.packed.variables)
        if self._stamps.size:
            self._stamps[:] = 0
            words[layout.STAMP] = 0
        self.begun = 0
        self._give(_FIRST_ITERATIONS)
        words[layout.GRANTED] = -1 if launch.max_steps is None else self._granted

    def _lay_out(self, launch: Launch) -> None:
        """Writes what is the same in each launch."""
        regions, variables = len(launch.packed.regions), len(launch.packed.variables)
        self._pack_regions = struct.Struct(f"={regions}q").pack_into
        self._pack_variables = struct.Struct(f"={variables}q").pack_into
        self._first = np.zeros(variables + len(launch.registers), dtype=np.int64)
        """What variables are when a block begins."""
        self._first[variables:] = launch.registers
        self._first_bytes: Any = self._first
        self.state = np.zeros(layout.VARIABLES + self._first.size, dtype=np.int64)
        self.address = self.state.ctypes.data
        self.words: Any = (ctypes.c_int64 * self.state.size).from_address(self.address)
        """The same as `state`, quicker to look at one by one."""
        self._table = np.zeros((layout.OWN_REGIONS + regions // 3, 3), dtype=np.int64)
        self._table[self._places] = self._rows
        self._table_bytes: Any = self._table
        self._first_region = layout.OWN_REGIONS * self._table.strides[0]
        state = self.state
        state[layout.UB] = self._ub
        state[layout.UB_BYTES] = launch.target.ub_bytes
        state[layout.UB_LEAST_TOP] = launch.ub_top
        state[layout.REGION_COUNT] = regions // 3
        state[layout.REGIONS] = self._table.ctypes.data + self._first_region
        state[layout.SERVICE] = self._callback_address
        state[layout.FIRST_VARIABLES] = self._first.ctypes.data
        state[layout.VARIABLES_BYTES] = self._first.nbytes
        if self._stamps.size:
            state[layout.STAMPS] = self._stamps.ctypes.data
        if self._scratch.size:
            first = self._scratch.ctypes.data
            state[layout.SCRATCH] = first + -first % _LINE
        if self.place is not None:
            self.place(state)
        self._is_laid_out = True

    def end(self) -> None:
        """Lets go of the launch, and of the caller's arrays with it."""
        del self._launch, self._service, self._seat

    def block_index(self) -> int:
        """The block that it runs, or has run."""
        return self.words[layout.BLOCK_INDEX]

    def run_blocks(self) -> None:
        """Runs blocks in the native loop, until there is none left; raises Stopped where this one
        need not go on."""
        launch, most = self._launch, _FIRST_BLOCKS
        while True:
            began = time.monotonic()
            ended = launch.blocks(self.address, launch.shared_address, most)
            if ended == blocks.NONE_LEFT:
                return
            if ended == blocks.SO_MANY:
                # Here Python may act on a signal.
                took = time.monotonic() - began
                most = min(most * 2, _MOST_BLOCKS) if took < _PATIENCE else max(most // 2, 1)
                continue
            self._settle(ended == blocks.STOPPED)

    def _settle(self, stopped: bool) -> None:
        """A block has ended in the native loop, and something is to be known of it."""
        block = self.block_index()
        try:
            self._next_block(block)
            if stopped or self.failure is not None:
                self.reraise()
            self.note_left(block)
        except Stopped:
            raise
        except BaseException as failure:
            self._launch.fail(block, failure)

    def _next_block(self, block: int) -> None:
        """Something is asked in a block, or it has ended; it may be another one than before."""
        if block == self._block:
            return
        self._block = block
        self._service = None
        if self._launch.max_steps is not None:
            self.begun, self._granted = 0, self.words[layout.GRANTED]

    def run(self, block: int, seat: Seat | None = None) -> None:
        """Runs its part of a block, from a seat among the cores; raises what stopped it."""
        launch, state = self._launch, self.state
        state[layout.QUEUED] = 0
        state[layout.UB_TOP] = launch.target.ub_bytes
        state[layout.FLAGS : layout.VARIABLES] = 0
        state[layout.VARIABLES :] = self._first
        state[layout.BLOCK_INDEX] = block
        self._block = block
        self._seat = seat
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

    def pause(self) -> None:
        """Another core of the block may run, and write to the log."""
        if self._launch.log is not None:
            self._launch.log.end(self.state)

    def go_on(self) -> None:
        """The other one does not run any more."""
        if self._launch.log is not None:
            self._launch.log.begin(self.state)

    def note_left(self, block: int) -> None:
        """Tells the launch of flags that are left set and buffers that are still held."""
        launch, state = self._launch, self.state
        flags = state[layout.FLAGS : layout.HELD] & layout.COUNT
        if flags.any():
            from ptoscope.machine.given import FLAGS

            found = {FLAGS[i]: int(flags[i]) for i in np.flatnonzero(flags)}
            launch.left.setdefault(block, {}).update(found)
        others = {} if self._service is None else self._service.left()
        if others:
            launch.left.setdefault(block, {}).update(others)
        held = state[layout.HELD : layout.TILES]
        if held.any():
            from ptoscope.machine.given import HELD

            found = {HELD[i]: int(held[i]) for i in np.flatnonzero(held)}
            launch.held.setdefault(block, {}).update(found)

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
        self.words[layout.ITERATIONS] = self._granted
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
        self.words[layout.ITERATIONS] -= 1
        return True

    def _serve(self, index: int, address: int) -> int:
        """What generated code asks; 0 to go on."""
        try:
            self._next_block(self.words[layout.BLOCK_INDEX])
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
            if side_exit.awaits and self._signal_came(address):
                return 0
            self._settle_copies()
            if self._service is None:
                self._service = self._new_service()
            self._service.serve(side_exit, address)
            return 0
        except BaseException as failure:
            # Nothing may be raised through generated code: it unwinds by its status.
            self.failure = failure
            return 1

    def _settle_copies(self) -> None:
        """Brings all tiles to UB that are in GM instead (see `runtime.deferred`)."""
        words = self.words
        if words[layout.DEFERRED_HIGH]:
            for number in range(layout.ALL_DEFERRED):
                tile = layout.DEFERRED_TILES + layout.TILE_WORDS * number
                at, base = words[tile + layout.TILE_AT], words[tile + layout.TILE_BASE]
                ctypes.memmove(self._ub + at, base + at, words[tile + layout.TILE_SIZE])
                words[tile + layout.TILE_SIZE] = 0
            words[layout.DEFERRED_HIGH], words[layout.WRITTEN_END] = 0, -1

    def _signal_came(self, address: int) -> bool:
        """Lets other cores run until there is the signal whose number is at an address, and takes
        it. False, and nothing is done, where it does not come, or where something is queued: the
        pipes know what to do then."""
        state, shared = self.state, self.shared
        if self._seat is None or shared is None or state[layout.QUEUED]:
            return False
        number = ctypes.c_int64.from_address(address).value
        if not 0 <= number < state[layout.CORE_NUMBERS] or self.failure is not None:
            return False
        from ptoscope.native.channels import taken

        while not taken(shared, int(state[layout.CORE_TAKES]) + number):
            if not self._seat.wait(could_go_on=True):
                return False
        return True

    def _new_service(self) -> Any:
        from ptoscope.native.service import Service

        launch = self._launch
        # It knows more of the block than its words say, and may write anywhere.
        self.words[layout.ASKED], self.words[layout.UB_TOP] = 1, launch.target.ub_bytes
        memory = Memory(launch.regions, self._own)
        return Service(
            self, memory, self._block, launch.grid, launch.prints, self._seat, self.shared
        )


def _table_of(own: list[Region]) -> tuple[list[int], list[tuple[int, int, int]]]:
    """Where the memories of a core stand in the table of regions, and what: the first is the UB
    that it means where it names none."""
    places: list[int] = []
    rows: list[tuple[int, int, int]] = []
    for region in own:
        found: list[int] = []
        if region is own[0] or region.space != "ub":
            found.append(layout.own(region.space))
        if region.space == "ub":
            found.append(layout.ub_of(region.number))
        places += [layout.OWN_REGIONS - place for place in found]
        rows += [(region.data.ctypes.data, region.size, 1)] * len(found)
    return places, rows
