"""One vector core of the reference engine."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from ptoscope.isa.core import Core, Transfer
from ptoscope.isa.distributions import Access
from ptoscope.isa.dtypes import I1, I64, INDEX, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site
from ptoscope.isa.types import Space
from ptoscope.machine.dma import run_transfer
from ptoscope.machine.faults import Fault
from ptoscope.machine.lanes import NumpyLanes, constant, storage
from ptoscope.machine.memory import Memory, misaligned
from ptoscope.machine.pipes import Pipes


def number(value: Lanes) -> int:
    """A row of one as a Python integer."""
    assert isinstance(value, NumpyLanes)
    return int(value.a)


@cache
def _iota(dtype: DType, count: int) -> NumpyLanes:
    return NumpyLanes(np.arange(count).astype(storage(dtype)), dtype, count)


@cache
def _mask(active: tuple[bool, ...]) -> NumpyLanes:
    return NumpyLanes(np.array(active, dtype=bool), I1, len(active))


@cache
def _first(number: int, count: int) -> NumpyLanes:
    return NumpyLanes(np.arange(count) < number, I1, count)


@cache
def _offsets(access: Access) -> Any:
    return np.array(access.offsets)


@cache
def _byte_index(access: Access) -> Any:
    return np.array(access.offsets)[:, None] + np.arange(access.width)


class ReferenceCore(Core):
    """State of one block's core: memory, special registers, pipes, launch coordinates."""

    def __init__(self, memory: Memory, block: int, grid: int) -> None:
        self.memory = memory
        self.pipes = Pipes()
        self._registers: dict[str, Lanes] = {}
        self._launch = {
            "block_idx": block,
            "block_num": grid,
            "subblock_idx": 0,
            "subblock_num": 1,
        }

    def constant(self, dtype: DType, count: int, value: int | float) -> NumpyLanes:
        return constant(dtype, count, value)

    def iota(self, dtype: DType, count: int) -> NumpyLanes:
        return _iota(dtype, count)

    def mask(self, active: tuple[bool, ...]) -> NumpyLanes:
        return _mask(active)

    def first_lanes(self, limit: Lanes, count: int) -> NumpyLanes:
        return _first(min(max(number(limit), 0), count), count)

    def address(self, base: Lanes, offset: Lanes, size: int) -> NumpyLanes:
        # In Python integers: several times faster than NumPy scalars, and every access needs it.
        at = number(base) + number(offset) * size
        wrapped = (at + (1 << 63)) % (1 << 64) - (1 << 63)
        return NumpyLanes(np.int64(wrapped), INDEX, 1)

    def _ub_address(self, site: Site, address: Lanes, access: Access, verb: str) -> int:
        at = number(address)
        if at % access.alignment:
            raise misaligned(site, "ub", at, access.alignment)
        if at < 0 or at + access.extent > self.memory.ub.size:
            raise self.memory.ub.out_of_bounds(site, at, access.extent, verb)
        return at

    def load(self, site: Site, address: Lanes, access: Access, dtype: DType) -> NumpyLanes:
        at = self._ub_address(site, address, access, "reads")
        count = len(access.offsets)
        if access.contiguous:
            start = at // access.width
            row = self.memory.ub_view(dtype.storage)[start : start + count].copy()
        else:
            raw = self.memory.ub.data[at + _byte_index(access)]
            row = np.ascontiguousarray(raw).view(storage(dtype)).reshape(count)
        return NumpyLanes(row, dtype, count)

    def store(
        self, site: Site, address: Lanes, access: Access, value: Lanes, mask: Lanes | None
    ) -> None:
        assert isinstance(value, NumpyLanes)
        assert mask is None or isinstance(mask, NumpyLanes)
        if mask is not None and not mask.is_full():
            self._store_some(site, address, access, value, mask)
            return
        at = self._ub_address(site, address, access, "writes")
        start = at // access.width
        self.memory.ub_view(value.dtype.storage)[start : start + value.count] = value.a

    def _store_some(
        self, site: Site, address: Lanes, access: Access, value: NumpyLanes, mask: NumpyLanes
    ) -> None:
        lanes = mask.active()
        if not len(lanes):
            return
        at = number(address)
        if at % access.alignment:
            raise misaligned(site, "ub", at, access.alignment)
        # Inactive lanes touch nothing: only the span of the active ones has to be in UB.
        offsets = _offsets(access)
        first = at + int(offsets[lanes[0]])
        last = at + int(offsets[lanes[-1]]) + access.width
        self.memory.ub.check(site, first, last - first, "writes")
        view = self.memory.ub_view(value.dtype.storage)
        if access.contiguous:
            start = at // access.width
            view[start + lanes] = value.a[lanes]
        else:
            view[(at + offsets[lanes]) // access.width] = value.a[lanes]

    def _scalar_bytes(
        self, site: Site, space: Space, address: Lanes, dtype: DType, verb: str
    ) -> Any:
        at = number(address)
        region, offset = self.memory.locate(site, space, at)
        if offset % dtype.bytes:
            raise misaligned(site, space, offset, dtype.bytes)
        region.check(site, offset, dtype.bytes, verb)
        return region.data[offset : offset + dtype.bytes]

    def load_scalar(self, site: Site, space: Space, address: Lanes, dtype: DType) -> NumpyLanes:
        raw = self._scalar_bytes(site, space, address, dtype, "reads")
        return NumpyLanes(raw.view(storage(dtype))[0], dtype, 1)

    def store_scalar(self, site: Site, space: Space, address: Lanes, value: Lanes) -> None:
        assert isinstance(value, NumpyLanes)
        raw = self._scalar_bytes(site, space, address, value.dtype, "writes")
        raw.view(storage(value.dtype))[0] = value.a

    def transfer(self, site: Site, src: Lanes, dst: Lanes, transfer: Transfer) -> None:
        move = partial(run_transfer, site, self.memory, number(src), number(dst), transfer)
        self.pipes.issue(site.record.pipe, site, move)

    def read_register(self, name: str, dtype: DType, initial: int) -> Lanes:
        return self._registers.get(name) or constant(dtype, 1, initial)

    def write_register(self, name: str, value: Lanes) -> None:
        self._registers[name] = value

    def block(self, which: str) -> NumpyLanes:
        return constant(I64, 1, self._launch[which])

    def refuse(self, site: Site, condition: Lanes, code: str, message: str) -> None:
        if number(condition):
            raise Fault(site, code, message)

    def set_flag(self, site: Site, src: str, dst: str, event: Lanes) -> None:
        self.pipes.set_flag(site, src, dst, number(event))

    def wait_flag(self, site: Site, src: str, dst: str, event: Lanes) -> None:
        self.pipes.wait_flag(site, src, dst, number(event))

    def get_buf(self, site: Site, pipe: str, buffer: Lanes, mode: Lanes) -> None:
        self.pipes.get_buf(site, pipe, number(buffer), number(mode))

    def rls_buf(self, site: Site, pipe: str, buffer: Lanes, mode: Lanes) -> None:
        self.pipes.rls_buf(site, pipe, number(buffer), number(mode))

    def barrier(self, site: Site, pipe: str) -> None:
        self.pipes.barrier(site, pipe)
