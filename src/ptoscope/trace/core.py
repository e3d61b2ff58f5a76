"""A core of the reference engine that writes down what it does."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from ptoscope.isa.core import Transfer
from ptoscope.isa.distributions import Access
from ptoscope.isa.dtypes import DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site
from ptoscope.isa.types import Space
from ptoscope.machine.core import ReferenceCore, number
from ptoscope.machine.faults import Fault
from ptoscope.machine.lanes import NumpyLanes
from ptoscope.machine.memory import Memory
from ptoscope.machine.stream import Stream
from ptoscope.trace.recorder import Recorder
from ptoscope.trace.shapes import dense, elements, lanes
from ptoscope.trace.trace import (
    BARRIER,
    GET,
    NONE,
    PIPE_NUMBERS,
    REGISTERS,
    RELEASE,
    SET,
    UB,
    WAIT,
)
from ptoscope.trace.transfers import Copy

_READ_UB, _WRITE_UB = UB * 2, UB * 2 + 1


class TraceCore(ReferenceCore):
    """Runs as its base does. A walker tells it which segment begins and which loops and scopes
    it enters; `places` are the numbers of the uses it will see, `spaces` by the id of a region
    its space and where in it the region begins."""

    def __init__(
        self,
        memory: Memory,
        block: int,
        grid: int,
        max_steps: int | None,
        recorder: Recorder,
        places: dict[Site, int],
        spaces: dict[int, tuple[int, int]],
    ) -> None:
        super().__init__(memory, block, grid, max_steps)
        self._recorder = recorder
        self._places = places
        self._segment = NONE
        self._turn = self._entry = NONE
        self._loops: list[list[int]] = []
        self._issued: deque[tuple[int, int]] = deque()
        self._outside: list[tuple[int, int]] = []
        self._known: dict[object, int] = {}
        self._written: set[str] | None = None
        """The registers that the instruction of a pipe has written."""
        self._spaces = {id(memory.ub): (UB, 0), **spaces}

    # Where the run is.

    def begin_segment(self, segment: int) -> None:
        """The instructions of a segment come next."""
        begun = self._recorder.begun
        self._segment = len(begun) // 3
        begun.extend((segment, self._turn, self._entry))

    def begin_loop(self, place: int, first: int, step: int) -> None:
        """A loop whose turns have these values."""
        self._loops.append([self._turn, place, first, step])

    def turn(self, site: Site) -> None:
        super().turn(site)
        loop = self._loops[-1]
        turns = self._recorder.turns
        self._turn = len(turns) // 3
        turns.extend(loop[:3])
        loop[2] += loop[3]

    def end_loop(self) -> None:
        self._turn = self._loops.pop()[0]

    def issue_scope(self) -> None:
        """A vecscope is issued next; PIPE_V comes to them in this order."""
        self._issued.append((self._turn, len(self._recorder.entries)))
        self._recorder.entries.append(self._segment)

    def begin_scope(self) -> None:
        """The body of the next vecscope runs."""
        self._outside.append((self._turn, self._entry))
        self._turn, self._entry = self._issued.popleft()

    def end_scope(self) -> None:
        self._turn, self._entry = self._outside.pop()

    # What it touches.

    def _touch(self, site: Site, kind: int, shape: int, address: int) -> None:
        self._recorder.touches.extend((self._segment, self._places[site], kind, shape, address))

    def load(self, site: Site, address: Lanes, access: Access, dtype: DType) -> NumpyLanes:
        value = super().load(site, address, access, dtype)
        shape = self._known.get(access)
        if shape is None:
            shape = self._known[access] = self._recorder.shape(lanes(access, None))
        self._touch(site, _READ_UB, shape, number(address))
        return value

    def store(
        self, site: Site, address: Lanes, access: Access, value: Lanes, mask: Lanes | None
    ) -> None:
        super().store(site, address, access, value, mask)
        assert mask is None or isinstance(mask, NumpyLanes)
        gate = None if mask is None or mask.is_full() else mask
        key = access if gate is None else (access, gate.a.tobytes())
        shape = self._known.get(key)
        if shape is None:
            touched = lanes(access, None if gate is None else gate.active())
            shape = self._known[key] = self._recorder.shape(touched)
        self._touch(site, _WRITE_UB, shape, number(address))

    def _scattered(
        self, site: Site, kind: int, base: Lanes, offsets: Lanes, active: Lanes, width: int
    ) -> None:
        assert isinstance(offsets, NumpyLanes)
        assert isinstance(active, NumpyLanes)
        starts = np.unique(offsets.a[active.active()].astype(np.int64))
        if not len(starts):
            return
        first = int(starts[0])
        key = (width, (starts - first).tobytes())
        shape = self._known.get(key)
        if shape is None:
            shape = self._known[key] = self._recorder.shape(elements(starts - first, width))
        self._touch(site, kind, shape, number(base) + first)

    def gather(
        self, site: Site, base: Lanes, offsets: Lanes, active: Lanes, width: int
    ) -> NumpyLanes:
        value = super().gather(site, base, offsets, active, width)
        self._scattered(site, _READ_UB, base, offsets, active, width)
        return value

    def scatter(
        self,
        site: Site,
        base: Lanes,
        offsets: Lanes,
        active: Lanes,
        value: Lanes,
        width: int,
        in_order: bool = False,
    ) -> None:
        super().scatter(site, base, offsets, active, value, width, in_order)
        self._scattered(site, _WRITE_UB, base, offsets, active, width)

    def _run(self, site: Site, start: int, length: int) -> None:
        if length > 0:
            self._touch(site, _WRITE_UB, self._recorder.shape(dense(length)), start)

    def stream_store(
        self, site: Site, state: object, address: Lanes, value: Lanes, length: Lanes
    ) -> Stream:
        assert isinstance(state, Stream)
        after = super().stream_store(site, state, address, value, length)
        start = number(address) - len(state.pending)
        assert after.end is not None
        self._run(site, start, after.end - len(after.pending) - start)
        return after

    def stream_flush(self, site: Site, state: object, address: Lanes) -> None:
        assert isinstance(state, Stream)
        super().stream_flush(site, state, address)
        self._run(site, number(address) - len(state.pending), len(state.pending))

    def _scalar(self, site: Site, space: Space, address: Lanes, size: int, writes: bool) -> None:
        region, offset = self.memory.locate(site, space, number(address))
        where, begin = self._spaces[id(region)]
        self._touch(site, where * 2 + writes, self._recorder.shape(dense(size)), begin + offset)

    def load_scalar(self, site: Site, space: Space, address: Lanes, dtype: DType) -> NumpyLanes:
        value = super().load_scalar(site, space, address, dtype)
        self._scalar(site, space, address, dtype.bytes, False)
        return value

    def store_scalar(self, site: Site, space: Space, address: Lanes, value: Lanes) -> None:
        super().store_scalar(site, space, address, value)
        self._scalar(site, space, address, value.dtype.bytes, True)

    def transfer(self, site: Site, src: Lanes, dst: Lanes, transfer: Transfer) -> None:
        moved = Copy.of(transfer).ends
        if moved is not None:
            self._end(site, transfer.src_space, number(src), moved.read, False)
            self._end(site, transfer.dst_space, number(dst), moved.written, True)
        super().transfer(site, src, dst, transfer)

    def _end(self, site: Site, space: Space, at: int, shape: object, writes: bool) -> None:
        try:
            region, offset = self.memory.locate(site, space, at)
        except Fault:
            # The copy itself faults, when its pipe comes to it.
            return
        known = self._known.get(shape)
        if known is None:
            assert isinstance(shape, tuple)
            known = self._known[shape] = self._recorder.shape(shape)
        where, begin = self._spaces[id(region)]
        self._touch(site, where * 2 + writes, known, begin + offset)

    def issue(self, site: Site, body: Callable[[], None]) -> None:
        segment = self._segment

        def traced() -> None:
            now, self._segment = self._segment, segment
            self._written = set()
            body()
            self._written = None
            self._segment = now

        super().issue(site, traced)

    # Special registers are read and written at issue, except by what a pipe executes later.

    def read_register(self, site: Site, name: str, dtype: DType, initial: int) -> Lanes:
        if self._written is None and site.record.pipe == "PIPE_S":
            self._register(site, name, False)
        return super().read_register(site, name, dtype, initial)

    def write_register(self, site: Site, name: str, value: Lanes) -> None:
        if self._written is not None and name not in self._written:
            self._written.add(name)
            self._register(site, name, True)
        super().write_register(site, name, value)

    def _register(self, site: Site, name: str, writes: bool) -> None:
        shape = self._recorder.shape(dense(8))
        self._touch(site, REGISTERS * 2 + writes, shape, self._recorder.register(name))

    # What it orders.

    def _sync(self, site: Site, kind: int, src: str, dst: str, number: int, mode: int) -> None:
        self._recorder.syncs.extend(
            (
                self._segment,
                self._places[site],
                kind,
                PIPE_NUMBERS[src],
                PIPE_NUMBERS[dst] if dst else NONE,
                number,
                mode,
            )
        )

    def set_flag(self, site: Site, src: str, dst: str, event: Lanes) -> None:
        self._sync(site, SET, src, dst, number(event), NONE)
        super().set_flag(site, src, dst, event)

    def wait_flag(self, site: Site, src: str, dst: str, event: Lanes) -> None:
        self._sync(site, WAIT, src, dst, number(event), NONE)
        super().wait_flag(site, src, dst, event)

    def get_buf(self, site: Site, pipe: str, buffer: Lanes, mode: Lanes) -> None:
        self._sync(site, GET, pipe, "", number(buffer), number(mode))
        super().get_buf(site, pipe, buffer, mode)

    def rls_buf(self, site: Site, pipe: str, buffer: Lanes, mode: Lanes) -> None:
        self._sync(site, RELEASE, pipe, "", number(buffer), number(mode))
        super().rls_buf(site, pipe, buffer, mode)

    def barrier(self, site: Site, pipe: str) -> None:
        self._sync(site, BARRIER, pipe, "", NONE, NONE)
        super().barrier(site, pipe)
