"""Runs the blocks of a launch one after the other, in memory that is used again."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ptoscope.isa.parts import core_ids
from ptoscope.machine.memory import block_regions
from ptoscope.native import layout
from ptoscope.native.launch import Launch
from ptoscope.native.running_core import RunningCore
from ptoscope.native.threads import one_processor, run_on_thread

if TYPE_CHECKING:
    from ptoscope.native.channels import Words

_PAGE = 4096


class Runner:
    """Runs blocks on one thread, or on one for each core of a block, of which one runs at a time;
    used again by launch after launch."""

    def __init__(self, launch: Launch) -> None:
        self._memory: list[Any] = []
        """That of the block, with what is around each piece."""
        self._ids = core_ids(launch.cores)
        seen = block_regions(launch.cores, launch.uses_matrix, launch.target, self._content)
        stamped = launch.target.ub_bytes if launch.uses_stamps else 0
        scratch = 0
        if launch.uses_matrix:
            from ptoscope.native.runtime.scratch import SCRATCH_BYTES

            scratch = SCRATCH_BYTES
        self._cores = [
            RunningCore(core, own, stamped, scratch)
            for core, own in zip(self._ids, seen, strict=True)
        ]
        self._shared: Words | None = None
        if len(self._cores) > 1:
            from ptoscope.native.channels import place_core, shared_words

            self._shared = shared_words()
            for number, core in enumerate(self._cores):
                core.shared = self._shared
                shared = self._shared.ctypes.data
                core.place = partial(place_core, core=core.core, shared=shared, number=number)

    def _content(self, size: int) -> Any:
        self._memory.append(_aligned(size + 2 * layout.SLACK))
        return self._memory[-1][layout.SLACK : layout.SLACK + size]

    def begin(self, launch: Launch) -> None:
        """Makes ready for the blocks of a launch."""
        self._launch = launch
        for core in self._cores:
            core.begin(launch)

    def end(self) -> None:
        """Lets go of the launch, and of the caller's arrays with it."""
        del self._launch
        for core in self._cores:
            core.end()

    def run_blocks(self) -> None:
        """Runs blocks of a plain launch, until there is none left; raises Stopped where that need
        not go on."""
        (core,) = self._cores
        self._launch.working.append(core.block_index)
        try:
            core.run_blocks()
        finally:
            self._launch.working.remove(core.block_index)

    def run(self, block: int) -> None:
        """Runs one block; raises what stopped it."""
        for memory in self._memory:
            memory[:] = 0
        try:
            if self._shared is None:
                (core,) = self._cores
                core.run(block)
            else:
                self._run_cluster(block, self._shared)
        finally:
            if self._launch.log is not None:
                self._launch.log.end_block()
        for core in self._cores:
            core.note_left(block)

    def _run_cluster(self, block: int, shared: Words) -> None:
        from ptoscope.machine.cluster import Seat
        from ptoscope.native.channels import NativeCluster

        cluster = NativeCluster(self._cores, shared, self._launch.log is not None)
        seats = [Seat(cluster, number) for number in range(len(self._cores))]
        bodies = [
            partial(core.run, block, seat) for core, seat in zip(self._cores, seats, strict=True)
        ]
        stack = self._launch.stack_bytes
        with one_processor() as one:
            cluster.run(bodies, partial(run_on_thread, stack=stack, processors=one))


def _aligned(size: int) -> Any:
    """Memory that begins a little after a page: callers' arrays begin at one, and copies
    between places that differ only by whole pages are slower."""
    memory = np.zeros(size + 2 * _PAGE, dtype=np.uint8)
    start = -memory.ctypes.data % _PAGE + 128
    return memory[start : start + size]
