"""One core of the reference engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from ptoscope.isa.copies import Transfer
from ptoscope.isa.distributions import NOTHING, Access
from ptoscope.isa.dtypes import I1, I64, INDEX, UI8, UI32, VREG_BYTES, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.order.memory import copies_in_order
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.parts import ALONE, CoreId
from ptoscope.isa.record import Site
from ptoscope.isa.tiles import TileMove, TileProduct
from ptoscope.isa.types import Space
from ptoscope.machine.cluster import Seat
from ptoscope.machine.deadlock import IterationText
from ptoscope.machine.dma import run_transfer
from ptoscope.machine.elements import storage
from ptoscope.machine.faults import SCATTER_ALIAS, Fault, too_many_steps
from ptoscope.machine.lanes import NumpyLanes, constant, number
from ptoscope.machine.memory import Memory, misaligned
from ptoscope.machine.pipes import Pipes
from ptoscope.machine.printing_core import PrintingCore
from ptoscope.machine.products import run_product
from ptoscope.machine.schedule import Order
from ptoscope.machine.stream import LoadStream, Stream, load_state, lost, store_state
from ptoscope.machine.tiles import run_move


@cache
def _iota(dtype: DType, count: int) -> NumpyLanes:
    return NumpyLanes(np.arange(count).astype(storage(dtype)), dtype, count)


@cache
def _mask(active: tuple[bool, ...]) -> NumpyLanes:
    return NumpyLanes(np.array(active, dtype=bool), I1, len(active)).image()


@cache
def _first(number: int, count: int) -> NumpyLanes:
    return NumpyLanes(np.arange(count) < number, I1, count).image()


@cache
def _places(access: Access) -> tuple[Any, Any | None]:
    """The place of each lane in units of the access width, and which lanes have none."""
    offsets = np.array(access.offsets)
    absent = offsets == NOTHING
    places = np.where(absent, 0, offsets) // access.width
    return places, absent if absent.any() else None


@cache
def _all_lanes(count: int) -> Any:
    return np.arange(count)


def _alias(site: Site, lanes: Any, places: Any) -> Fault:
    seen: dict[int, int] = {}
    pair = next(
        (seen[int(p)], int(lane))
        for lane, p in zip(lanes, places, strict=True)
        if seen.setdefault(int(p), int(lane)) != int(lane)
    )
    return Fault(
        site,
        SCATTER_ALIAS,
        f"lanes {pair[0]} and {pair[1]} write the same address",
        found="two active lanes with one index",
        expected=f"distinct addresses: aliases are illegal on {site.target.name}",
        hint="make the indices distinct, or run on a5, where the lowest lane wins",
    )


class ReferenceCore(PrintingCore):
    """State of one core of a block: memory, special registers, pipes, launch coordinates."""

    def __init__(
        self,
        memory: Memory,
        block: int,
        grid: int,
        max_steps: int | None = None,
        order: Order | None = None,
        seat: Seat | None = None,
        core: CoreId = ALONE,
    ) -> None:
        self.memory = memory
        self.iterations: list[IterationText] = []
        """The iterations of the loops that run now, outermost first."""
        self.counters: list[int] = []
        """Those of the counted ones among them, from 0."""
        self.seat = seat
        self.core_title = "" if seat is None else seat.title
        self.pipes = Pipes(order, self.iterations, seat)
        self._max_steps = max_steps
        self.begun = 0
        """Iterations of loops that have begun."""
        self.pending: dict[Site, int] = {}
        """By store, the bytes of its streams that have not reached UB."""
        self.prints = None
        self.shown = Counter()
        self._registers: dict[str, Lanes] = {}
        self.coordinates = core.coordinates(block, grid)

    def iteration(self, site: Site) -> None:
        """An iteration of a loop begins; a fault where it is one too many."""
        self.begun += 1
        if self._max_steps is not None and self.begun > self._max_steps:
            raise too_many_steps(site, self._max_steps)

    def constant(self, dtype: DType, count: int, value: int | float) -> NumpyLanes:
        return constant(dtype, count, value)

    def iota(self, dtype: DType, count: int) -> NumpyLanes:
        return _iota(dtype, count)

    def mask(self, active: tuple[bool, ...]) -> NumpyLanes:
        return _mask(active)

    def first_lanes(self, limit: Lanes, count: int) -> NumpyLanes:
        return _first(min(max(number(limit), 0), count), count)

    def counter(self, level: int) -> NumpyLanes:
        known = level < len(self.counters)
        return constant(UI32, 1, self.counters[-1 - level] if known else 0)

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
        view = self.memory.ub_view(dtype.storage)
        start = at // access.width
        count = len(access.offsets)
        if access.contiguous:
            return NumpyLanes(view[start : start + count].copy(), dtype, count)
        places, absent = _places(access)
        row = view[start + places]
        if absent is not None:
            row[absent] = 0
        return NumpyLanes(row, dtype, count)

    def store(
        self, site: Site, address: Lanes, access: Access, value: Lanes, mask: Lanes | None
    ) -> None:
        assert isinstance(value, NumpyLanes)
        assert mask is None or isinstance(mask, NumpyLanes)
        view = self.memory.ub_view(value.dtype.storage)
        if access.contiguous and (mask is None or mask.is_full()):
            start = self._ub_address(site, address, access, "writes") // access.width
            view[start : start + value.count] = value.a
            return
        places, absent = _places(access)
        lanes = _all_lanes(value.count) if mask is None else mask.active()
        if absent is not None:
            lanes = lanes[~absent[lanes]]
        if not len(lanes):
            return
        at = number(address)
        if at % access.alignment:
            raise misaligned(site, "ub", at, access.alignment)
        # Inactive lanes touch nothing: only what the active ones span has to be in UB.
        if access.contiguous:
            used, lowest, highest = lanes, lanes[0], lanes[-1]
        else:
            used = places[lanes]
            lowest, highest = used.min(), used.max()
        first = at + int(lowest) * access.width
        last = at + (int(highest) + 1) * access.width
        self.memory.ub.check(site, first, last - first, "writes")
        view[at // access.width + used] = value.a[lanes]

    def _requests(
        self, site: Site, base: Lanes, offsets: Lanes, active: Lanes, width: int, verb: str
    ) -> tuple[Any, Any]:
        """The active lanes and their places, in units of the width."""
        assert isinstance(offsets, NumpyLanes)
        assert isinstance(active, NumpyLanes)
        lanes = active.active()
        start = number(base)
        addresses = [start + int(offsets.a[lane]) for lane in lanes]
        for lane, at in zip(lanes, addresses, strict=True):
            if at % width:
                raise misaligned(site, "ub", at, width).in_lane(int(lane))
            if at < 0 or at + width > self.memory.ub.size:
                raise self.memory.ub.out_of_bounds(site, at, width, verb).in_lane(int(lane))
        return lanes, np.array(addresses, dtype=np.int64) // width

    def gather(
        self, site: Site, base: Lanes, offsets: Lanes, active: Lanes, width: int
    ) -> NumpyLanes:
        lanes, places = self._requests(site, base, offsets, active, width, "reads")
        rows = np.zeros((offsets.count, width), dtype=np.uint8)
        rows[lanes] = self.memory.ub.data.reshape(-1, width)[places]
        return NumpyLanes(rows.reshape(-1), UI8, rows.size)

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
        assert isinstance(value, NumpyLanes)
        lanes, places = self._requests(site, base, offsets, active, width, "writes")
        rows = value.a.view(np.uint8).reshape(-1, width)
        memory = self.memory.ub.data.reshape(-1, width)
        if in_order:
            memory[places] = rows[lanes]
            return
        if not site.target.ordered_aliases and len(np.unique(places)) != len(places):
            raise _alias(site, lanes, places)
        # The lowest lane wins: it is written last.
        memory[places[::-1]] = rows[lanes[::-1]]

    def stream(self) -> Stream:
        return Stream()

    def stream_prime(self, site: Site, address: Lanes) -> LoadStream:
        return LoadStream.prime(site, self.memory.ub, number(address))

    def stream_load(
        self, site: Site, state: object, address: Lanes
    ) -> tuple[NumpyLanes, LoadStream]:
        data, after = load_state(site, state).load(site, self.memory.ub, number(address))
        return NumpyLanes(np.frombuffer(data, np.uint8), UI8, VREG_BYTES), after

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
    ) -> Stream:
        before = store_state(site, state)
        assert isinstance(value, NumpyLanes)
        data = value.a.tobytes()[: number(length)]
        at, after = number(address), number(position)
        made = before.store(site, self.memory.ub, number(base), at, data, after, named)
        self._held(before, made)
        return made

    def stream_end(self, site: Site, state: object, base: Lanes) -> Lanes:
        stream = store_state(site, state)
        stream.check_base(site, number(base))
        return base if stream.end is None else constant(INDEX, 1, stream.end)

    def stream_flush(self, site: Site, state: object, address: Lanes, by_base: bool) -> None:
        stream = store_state(site, state)
        stream.flush(site, self.memory.ub, number(address), by_base)
        self._held(stream, None)

    def _held(self, before: Stream, after: Stream | None) -> None:
        """Bytes that one state held are held by another, or by none."""
        for stream, sign in ((before, -1), (after, 1)):
            if stream is not None and stream.pending and stream.maker is not None:
                maker = stream.maker
                self.pending[maker] = self.pending.get(maker, 0) + sign * len(stream.pending)

    def settle_streams(self) -> None:
        """A vecscope ends: a fault where a stream still holds bytes."""
        if not self.pending:
            return
        held = sorted((site for site, n in self.pending.items() if n > 0), key=lambda s: s.span)
        if held:
            raise lost(held[0], self.pending[held[0]])
        self.pending.clear()

    def issue(self, site: Site, body: Callable[[], None]) -> None:
        self.pipes.issue(site.record.pipe, site, body)

    def repeat(self, count: Lanes, body: Callable[[Lanes], None]) -> None:
        for iteration in range(number(count)):
            body(constant(I64, 1, iteration))

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

    def transfer(self, site: Site, src: Lanes, dst: Lanes, transfer: Transfer[Lanes]) -> None:
        move = partial(run_transfer, site, self.memory, number(src), number(dst), transfer)
        swaps = not copies_in_order(transfer.path.target)
        self.pipes.issue(site.record.pipe, site, move, swaps=swaps)

    def move_tile(self, site: Site, src: Lanes, dst: Lanes, move: TileMove[Lanes]) -> None:
        body = partial(run_move, site, self.memory, number(src), number(dst), move)
        swaps = not copies_in_order(move.target)
        self.pipes.issue(site.record.pipe, site, body, swaps=swaps)

    def multiply(
        self, site: Site, left: Lanes, right: Lanes, result: Lanes, product: TileProduct[Lanes]
    ) -> None:
        at = number(left), number(right), number(result)
        body = partial(run_product, site, self.memory, *at, product)
        self.pipes.issue(site.record.pipe, site, body)

    def read_register(self, site: Site, name: str, dtype: DType, initial: int) -> Lanes:
        return self._registers.get(name) or constant(dtype, 1, initial)

    def write_register(self, site: Site, name: str, value: Lanes) -> None:
        self._registers[name] = value

    def block(self, which: str) -> NumpyLanes:
        return constant(I64, 1, self.coordinates[which])

    def refuse(
        self,
        site: Site,
        condition: Lanes,
        code: str,
        message: str,
        found: Lanes | None = None,
        expected: str = "",
    ) -> None:
        if number(condition):
            value = "" if found is None else str(number(found))
            raise Fault(site, code, message, value, expected)

    def covers(self, site: Site, writes: bool, address: Lanes, length: Lanes) -> None:
        """The steps that it takes touch them."""

    def memory_barrier(self, site: Site, kinds: str) -> None:
        """Loads and stores happen in program order, which satisfies every barrier."""

    def synchronise(
        self, site: Site, rule: OrderRule, src: str, dst: str, numbers: tuple[Lanes, ...]
    ) -> None:
        self.pipes.synchronise(site, rule, src, dst, tuple(number(value) for value in numbers))
