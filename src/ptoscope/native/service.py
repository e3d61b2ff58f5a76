"""What the engine does when generated code asks: one instruction on the reference core."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ptoscope.isa.atomics import commutes
from ptoscope.isa.copies import Transfer
from ptoscope.isa.dtypes import I1, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.order.rules import SET
from ptoscope.isa.parts import CoreId
from ptoscope.isa.record import Site
from ptoscope.isa.tiles import TileMove
from ptoscope.machine.cluster import Seat
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.elements import quietly, storage
from ptoscope.machine.faults import Fault, too_many_steps
from ptoscope.machine.lanes import NumpyLanes, number
from ptoscope.machine.memory import Memory
from ptoscope.machine.prints import Prints
from ptoscope.machine.signals import Signal
from ptoscope.native import channels, layout
from ptoscope.native.channels import Words
from ptoscope.native.side_exits import LoopAround, SideExit, size

_BODY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)


class RunningCode(Protocol):
    """The core whose code asks: its words and where they are, what stopped it, the iterations of
    loops it has begun, and which core of its block it is."""

    state: Words
    address: int
    failure: BaseException | None
    begun: int
    core: CoreId

    def reraise(self) -> None:
        """Raises what stopped it."""
        ...

    def await_turn(self) -> None:
        """Waits until the blocks before it have ended."""
        ...


class ServiceCore(ReferenceCore):
    """The reference core over the memory of running code."""

    def __init__(
        self,
        memory: Memory,
        block: int,
        grid: int,
        runner: RunningCode,
        seat: Seat | None,
        core: CoreId,
    ) -> None:
        super().__init__(memory, block, grid, seat=seat, core=core)
        self._runner = runner

    def issue_native(self, site: Site, pipe: str, address: Any, captured: Any) -> None:
        """Gives a body of compiled code to a pipe, with the values it was launched with."""
        words = np.array([number(word) for word in captured], dtype=np.int64)
        body = _BODY(number(address))

        def run() -> None:
            if body(self._runner.address, words.ctypes.data):
                self._runner.reraise()

        self.pipes.issue(pipe, site, run)

    def transfer(self, site: Site, src: Lanes, dst: Lanes, transfer: Transfer[Lanes]) -> None:
        # Updates whose order shows in the result come in the order of the blocks.
        if transfer.atomic is not None and not commutes(number(transfer.atomic)):
            self._runner.await_turn()
        super().transfer(site, src, dst, transfer)

    def move_tile(self, site: Site, src: Lanes, dst: Lanes, move: TileMove[Lanes]) -> None:
        if move.atomic is not None and not commutes(number(move.atomic)):
            self._runner.await_turn()
        super().move_tile(site, src, dst, move)

    def inside(self, names: Sequence[str], numbers: Sequence[Any]) -> None:
        """What is asked stands in a body that loops of other code issue: their iterations."""
        around = [LoopAround.text(n, number(i)) for n, i in zip(names, numbers, strict=True)]
        self.iterations[:0] = [(iteration,) for iteration in around]

    def too_many_iterations(self, site: Site) -> None:
        """The fault of a block that has begun all the iterations it may."""
        raise too_many_steps(site, self._runner.begun)


class Service:
    """Runs for one core of a block what its code asks for. `shared` are the words that it shares
    with the other cores, where there are any."""

    def __init__(
        self,
        runner: RunningCode,
        memory: Memory,
        block: int,
        grid: int,
        prints: Prints | None,
        seat: Seat | None = None,
        shared: Words | None = None,
    ) -> None:
        self._runner = runner
        self._shared = shared
        self._core = ServiceCore(memory, block, grid, runner, seat, runner.core)
        self._core.prints = prints
        self._serving = False

    def serve(self, side_exit: SideExit, address: int) -> None:
        """Runs the instruction of a side exit with the values at an address; raises its fault."""
        iterations, rows = _read(side_exit, address)
        # What is issued now belongs to these iterations, also if a pipe gets to it later.
        self._core.iterations[:] = [(iteration,) for iteration in iterations]
        with quietly():
            self._act(side_exit, iterations, rows)

    def _act(self, side_exit: SideExit, iterations: list[str], rows: list[NumpyLanes]) -> None:
        try:
            if self._runner.failure is not None:
                self._runner.reraise()
            if self._serving or side_exit.looks:
                # Asked by code that a pipe runs meanwhile: the flags are in the pipes' hands.
                # Who only looks has no business with them.
                side_exit.act(self._core, *rows)
                return
            self._serving = True
            try:
                self._import()
                side_exit.act(self._core, *rows)
                self._export()
            finally:
                self._serving = False
        except Fault as fault:
            for iteration in reversed(iterations):
                fault.inside(iteration)
            raise

    def _import(self) -> None:
        state, pipes = self._runner.state, self._core.pipes
        if state[layout.QUEUED]:
            return
        flags = state[layout.FLAGS : layout.HELD].tolist()
        pipes.restore(flags, state[layout.HELD : layout.TILES].tolist())
        if self._runner.core.kind == "cube":
            pipes.given.restore_tiles(state[layout.TILES : layout.DEFERRED].tolist())
        if self._shared is not None:
            pipes.given.issued.update(channels.issued(self._runner.core, self._shared))

    def _export(self) -> None:
        pipes, state = self._core.pipes, self._runner.state
        state[layout.QUEUED] = pipes.busy
        if pipes.busy:
            return
        state[layout.FLAGS : layout.HELD], state[layout.HELD : layout.TILES] = pipes.words()
        if self._runner.core.kind == "cube":
            state[layout.TILES : layout.DEFERRED] = pipes.given.tiles()
        if self._shared is not None:
            channels.keep_waits(self._runner.core, self._shared, pipes.given.issued)

    def left(self) -> dict[Signal, int]:
        """The signals that are given and not taken, but for flags: those generated code counts."""
        signals = self._core.pipes.left_set().items()
        return {signal: count for signal, count in signals if signal.given_by != SET.name}


def _read(side_exit: SideExit, address: int) -> tuple[list[str], list[NumpyLanes]]:
    """The iterations and the rows that generated code left in its memory."""
    iterations: list[str] = []
    for depth, name in enumerate(side_exit.iterations):
        value = ctypes.c_int64.from_address(address - 8 * (depth + 1)).value
        iterations.append(LoopAround.text(name, value))
    rows: list[NumpyLanes] = []
    for dtype, count in side_exit.rows:
        length = size(dtype, count)
        rows.append(_row(dtype, count, ctypes.string_at(address, length)))
        address += -(-length // 8) * 8
    return iterations, rows


def _row(dtype: DType, count: int, data: bytes) -> NumpyLanes:
    if dtype is I1:
        packed = np.frombuffer(data, dtype=np.uint8)
        array = np.unpackbits(packed, count=count, bitorder="little").astype(bool)
    else:
        array = np.frombuffer(data, dtype=storage(dtype))
    return NumpyLanes(array[0] if count == 1 else array, dtype, count)
