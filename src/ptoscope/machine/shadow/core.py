"""The reference core with the shadow of its memory: who touches undefined data is noted."""

from __future__ import annotations

from typing import Any

import numpy as np

from ptoscope.isa.distributions import Access
from ptoscope.isa.dtypes import I1, UI8, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.parts import MEMORIES
from ptoscope.isa.record import Site
from ptoscope.isa.types import Space
from ptoscope.machine.faults import Fault
from ptoscope.machine.lanes import NumpyLanes, number
from ptoscope.machine.memory import Memory
from ptoscope.machine.shadow.findings import (
    REACHES_ADDRESS,
    REACHES_GM,
    REACHES_MASK,
    ShadowFindings,
)
from ptoscope.machine.shadow.lanes import ShadowLanes, is_prefix
from ptoscope.machine.shadow.memory import (
    ShadowBytes,
    ShadowLoadStream,
    ShadowStream,
    lane_offsets,
)
from ptoscope.machine.shadow.moves import ShadowMoves
from ptoscope.machine.shadow.origins import Origins
from ptoscope.machine.shadow.rules import full, word


class ShadowCore(ShadowMoves):
    """One core of a block."""

    def __init__(
        self,
        memory: Memory,
        block: int,
        grid: int,
        max_steps: int | None,
        shadows: dict[tuple[Space, int], ShadowBytes],
        findings: ShadowFindings,
        book: Origins,
        *more: Any,
    ) -> None:
        super().__init__(memory, block, grid, max_steps, shadows, findings, book, *more)
        self._ub = shadows[memory.ub.key]
        self.lost_stream: Fault | None = None
        """What a store is to blame for whose last bytes were never flushed."""

    def constant(self, dtype: DType, count: int, value: int | float) -> ShadowLanes:
        return self.shadowed(super().constant(dtype, count, value))

    def iota(self, dtype: DType, count: int) -> ShadowLanes:
        return self.shadowed(super().iota(dtype, count))

    def mask(self, active: tuple[bool, ...]) -> ShadowLanes:
        mask = self.shadowed(super().mask(active))
        site = self.book.site
        if site is not None and site.record.gives == "tail pattern":
            mask.tail = "pattern" if "VL" in str(site.attrs["pattern"]) else ""
        return mask

    def first_lanes(self, limit: Lanes, count: int) -> ShadowLanes:
        plain = super().first_lanes(limit, count)
        assert isinstance(limit, ShadowLanes)
        if limit.v is None:
            mask = self.shadowed(plain)
        else:
            lanes = self.iota(limit.dtype, count).compare("lt", limit.splat(count))
            mask = ShadowLanes(plain.gate(count).a, I1, count, self.book, lanes.v, lanes.o).image()
        mask.tail = "count"
        return mask

    def counter(self, level: int) -> ShadowLanes:
        return self.shadowed(super().counter(level))

    def address(self, base: Lanes, offset: Lanes, size: int) -> ShadowLanes:
        plain = super().address(base, offset, size)
        assert isinstance(base, ShadowLanes)
        assert isinstance(offset, ShadowLanes)
        if base.v is None and offset.v is None:
            return self.shadowed(plain)
        first = base if base.v is not None else offset
        v = np.full(1, full(plain.dtype))
        return ShadowLanes(plain.a, plain.dtype, 1, self.book, v, first.o)

    def load(self, site: Site, address: Lanes, access: Access, dtype: DType) -> ShadowLanes:
        self._addresses(site, address)
        plain = super().load(site, address, access, dtype)
        assert isinstance(address, ShadowLanes)
        at = number(address)
        if address.o is not None:
            v = np.full(plain.count, full(dtype))
            o = np.repeat(address.o, plain.count)
            return ShadowLanes(plain.a, dtype, plain.count, self.book, v, o)
        if not self._ub.poisoned(at, at + access.extent):
            return self.shadowed(plain)
        rows, present = lane_offsets(access)
        v, o = self._ub.read(at + rows)
        v[~present] = 0
        return self._read(site, plain, v, o)

    def _read(self, site: Site, plain: NumpyLanes, v: Any, o: Any) -> ShadowLanes:
        """Lanes read from memory, with the undefined bits of their bytes."""
        words = np.ascontiguousarray(v).reshape(-1).view(word(plain.dtype))
        origins = self.book.loaded(site, o, v.any(axis=1))
        return ShadowLanes(plain.a, plain.dtype, plain.count, self.book, words, origins)

    def store(
        self, site: Site, address: Lanes, access: Access, value: Lanes, mask: Lanes | None
    ) -> None:
        rows, present = lane_offsets(access)
        active, unsure = self._governed(mask, value.count)
        touched = (active | unsure) & present
        if touched.any():
            self._addresses(site, address)
        self.findings.decided(REACHES_MASK, site, "the mask", mask)
        super().store(site, address, access, value, mask)
        assert isinstance(value, ShadowLanes)
        at = number(address)
        v = value.undefined().view(np.uint8).reshape(-1, access.width).copy()
        o = value.origins().copy()
        if unsure.any():
            assert isinstance(mask, ShadowLanes)
            v[unsure] = 0xFF
            o[unsure] = mask.origins()[unsure]
        inside = touched & (at + rows[:, 0] >= 0) & (at + rows[:, -1] < len(self._ub.v))
        self._ub.write(at + rows[inside], v[inside], o[inside, None])
        left = present & ~touched
        if isinstance(mask, ShadowLanes) and left.any() and touched.any():
            self._leave(site, mask, (at + rows[left]).reshape(-1), at + rows[touched])

    def _leave(self, site: Site, mask: ShadowLanes, left: Any, written: Any) -> None:
        """What the inactive lanes of a store leave, if nobody wrote it, is its doing. Whoever
        stores a number of elements that the run decides may copy more than that."""
        tail = mask.tail if is_prefix(mask.a) else ""
        wrote = int(written.min()), int(written.max()) + 1
        kind = "beyond a tail" if tail else "inactive lane"
        self._ub.leave(site, kind, left, None if tail == "count" else wrote, self.book)

    def _governed(self, mask: Lanes | None, count: int) -> tuple[Any, Any]:
        """The active lanes, and those of which it is undefined whether they are."""
        if mask is None:
            return np.ones(count, bool), np.zeros(count, bool)
        assert isinstance(mask, ShadowLanes)
        return np.atleast_1d(mask.a), mask.undefined() != 0

    def _indexed(
        self, site: Site, base: Lanes, offsets: Lanes, active: Lanes
    ) -> tuple[Any, Any, Any, Any]:
        """The active lanes, their addresses, and where either is undefined with the origin."""
        assert isinstance(base, ShadowLanes)
        assert isinstance(offsets, ShadowLanes)
        assert isinstance(active, ShadowLanes)
        on, unsure = self._governed(active, offsets.count)
        if on.any() or unsure.any():
            self._addresses(site, base)
        self.findings.decided(REACHES_ADDRESS, site, "the index", offsets, on | unsure)
        self.findings.decided(REACHES_MASK, site, "the mask", active)
        lost = unsure | (on & (offsets.undefined() != 0))
        origins = np.where(unsure, active.origins(), offsets.origins())
        if base.o is not None:
            lost, origins = lost | on, np.where(lost, origins, base.o[0])
        lanes = np.flatnonzero(on)
        return lanes, number(base) + offsets.a[lanes].astype(np.int64), lost, origins

    def gather(
        self, site: Site, base: Lanes, offsets: Lanes, active: Lanes, width: int
    ) -> ShadowLanes:
        lanes, at, lost, origins = self._indexed(site, base, offsets, active)
        plain = super().gather(site, base, offsets, active, width)
        v = np.zeros((offsets.count, width), np.uint8)
        o = np.zeros(offsets.count, np.int64)
        if len(lanes):
            v[lanes], o[lanes] = self._ub.read(at[:, None] + np.arange(width))
        o = self.book.loaded(site, o, v.any(axis=1) & ~lost)
        v[lost], o = 0xFF, np.where(lost, origins, o)
        return ShadowLanes(plain.a, UI8, plain.count, self.book, v.reshape(-1), np.repeat(o, width))

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
        lanes, at, lost, origins = self._indexed(site, base, offsets, active)
        super().scatter(site, base, offsets, active, value, width, in_order)
        assert isinstance(value, ShadowLanes)
        v = value.undefined().view(np.uint8).reshape(-1, width).copy()
        o = np.repeat(value.origins(), value.dtype.bytes).reshape(-1, width)
        v[: offsets.count][lost] = 0xFF
        o = np.where(lost[:, None], origins[:, None], o[: offsets.count])
        places = at[:, None] + np.arange(width)
        if not in_order:
            # The lowest lane wins: it is written last. Copied, since NumPy walks through a
            # reversed view in the order of memory.
            lanes, places = lanes[::-1].copy(), places[::-1].copy()
        self._ub.write(places, v[lanes], o[lanes])

    def stream(self) -> Any:
        return ShadowStream()

    def stream_prime(self, site: Site, address: Lanes) -> Any:
        self._addresses(site, address)
        return ShadowLoadStream.at(super().stream_prime(site, address), self._ub)

    def stream_load(self, site: Site, state: object, address: Lanes) -> Any:
        assert isinstance(state, (ShadowStream, ShadowLoadStream))
        self._addresses(site, address)
        plain, after = super().stream_load(site, state.real, address)
        assert isinstance(state, ShadowLoadStream)
        assert isinstance(address, ShadowLanes)
        v, o = state.load(self._ub, number(address))
        if address.o is not None:
            v, o = np.full(plain.count, full(plain.dtype)), np.repeat(address.o, plain.count)
            value = ShadowLanes(plain.a, plain.dtype, plain.count, self.book, v, o)
        elif not v.any():
            value = self.shadowed(plain)
        else:
            value = self._read(site, plain, v[:, None], o)
        return value, ShadowLoadStream.at(after, self._ub)

    def stream_store(
        self,
        site: Site,
        state: object,
        base: Lanes,
        address: Lanes,
        value: Lanes,
        length: Lanes,
        position: Lanes,
        named: bool,
    ) -> Any:
        assert isinstance(state, (ShadowStream, ShadowLoadStream))
        assert isinstance(value, ShadowLanes)
        self._addresses(site, address, length)
        given = (base, address, value, length, position, named)
        real = super().stream_store(site, state.real, *given)
        assert isinstance(state, ShadowStream)
        size = number(length)
        v = value.undefined().view(np.uint8)[:size]
        o = np.repeat(value.origins(), value.dtype.bytes)[:size]
        return state.store(site, self.memory.ub, self._ub, real, v, o, self.book)

    def stream_end(self, site: Site, state: object, base: Lanes) -> Lanes:
        assert isinstance(state, (ShadowStream, ShadowLoadStream))
        return self.shadowed(super().stream_end(site, state.real, base))

    def stream_flush(self, site: Site, state: object, address: Lanes, by_base: bool) -> None:
        assert isinstance(state, (ShadowStream, ShadowLoadStream))
        self._addresses(site, address)
        super().stream_flush(site, state.real, address, by_base)
        assert isinstance(state, ShadowStream)
        state.flush(self._ub)

    def settle_streams(self) -> None:
        """The run goes on: what reads bytes that a stream held back says so by itself."""
        try:
            super().settle_streams()
        except Fault as fault:
            self.lost_stream = self.lost_stream or fault
        self.pending.clear()

    def load_scalar(self, site: Site, space: Space, address: Lanes, dtype: DType) -> ShadowLanes:
        self._addresses(site, address)
        plain = super().load_scalar(site, space, address, dtype)
        assert isinstance(address, ShadowLanes)
        if address.o is not None:
            v = np.full(1, full(dtype))
            return ShadowLanes(plain.a, dtype, 1, self.book, v, address.o)
        region, at = self.memory.locate(site, space, number(address))
        v, o = self._shadows[region.key].read(at + np.arange(dtype.bytes)[None, :])
        return self._read(site, plain, v, o)

    def store_scalar(self, site: Site, space: Space, address: Lanes, value: Lanes) -> None:
        self._addresses(site, address)
        super().store_scalar(site, space, address, value)
        assert isinstance(value, ShadowLanes)
        region, at = self.memory.locate(site, space, number(address))
        v = value.undefined().view(np.uint8)
        if value.o is not None and not MEMORIES[space].on_core:
            bad = np.flatnonzero(v)
            self.findings.arrived(
                REACHES_GM,
                site,
                lambda i: f"byte {at + bad[i]} of %{region.name}",
                np.repeat(value.o, len(bad)),
            )
        self._shadows[region.key].write(slice(at, at + len(v)), v, value.origins()[0])

    def read_register(self, site: Site, name: str, dtype: DType, initial: int) -> Lanes:
        return self.shadowed(super().read_register(site, name, dtype, initial))

    def block(self, which: str) -> ShadowLanes:
        return self.shadowed(super().block(which))
