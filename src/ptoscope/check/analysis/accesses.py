"""What instructions touch: loads and stores, streams."""

from __future__ import annotations

from abc import abstractmethod

from ptoscope.check.analysis import functions
from ptoscope.check.analysis.copies import lanes_of, touched
from ptoscope.check.analysis.expr import ZERO, Expr, Symbol
from ptoscope.check.analysis.nodes import KnownBytes, Node, Touch
from ptoscope.check.analysis.streams import (
    UNBEGUN,
    KnownStream,
    StreamBytes,
    flushed,
    loaded,
    primed,
    stored,
)
from ptoscope.check.analysis.values import KnownLanes, Prefix, Ramp
from ptoscope.isa.core import Core
from ptoscope.isa.distributions import NOTHING, Access
from ptoscope.isa.dtypes import INDEX, UI8, VREG_BYTES, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.parts import VECTOR_CORES, VECTOR_PIPE
from ptoscope.isa.record import Site
from ptoscope.isa.types import Space
from ptoscope.program import Op


class TouchingCore(Core):
    """The part of a core that notes in `nodes` what would be touched. The caller says which
    operation runs (`op`), and whether it stands in a vecscope."""

    def __init__(self, number: int = 0) -> None:
        self.nodes: list[Node] = []
        self._own = number
        """Of a vector core, its number: its UB is its own."""
        self.scope = False
        self.op = Op("")
        self.begun_at: dict[Symbol, Expr] = {}
        """Where streams begin in the first iteration of a loop, by the symbol for their end."""

    @abstractmethod
    def number(self, value: Lanes) -> Expr:
        """A row of one as an expression."""

    def touch(
        self,
        site: Site,
        writes: bool,
        may: KnownBytes,
        sure: KnownBytes | None,
        alignment: int,
        addresses: tuple[Expr, ...] = (),
        space: Space = "ub",
        scalar: bool = False,
        data: KnownBytes | None = None,
        atomic: Expr = ZERO,
        owner: Expr | None = None,
        tile: bool = False,
    ) -> None:
        """Notes an access. `owner` is the vector core whose UB it is; None for the own one."""
        pipe = VECTOR_PIPE if self.scope else site.record.pipe
        known = may, sure, alignment, addresses, scalar, data, atomic
        if space != "ub":
            self.nodes.append(Touch(self.op, pipe, writes, space, *known, tile=tile))
        elif owner is None or owner.number is not None:
            number = self._own if owner is None else owner.const
            self.nodes.append(Touch(self.op, pipe, writes, space, *known, number, tile))
        else:
            # Which UB is not known: it may be either.
            may_be = may, None, alignment, addresses, scalar, data, atomic
            for number in range(VECTOR_CORES):
                self.nodes.append(Touch(self.op, pipe, writes, space, *may_be, number, tile))

    def load(self, site: Site, address: Lanes, access: Access, dtype: DType) -> KnownLanes:
        found = lanes_of(access)
        if found:
            start = self.number(address)
            self.touch(site, False, *touched(found, start), access.alignment, (start,))
        return KnownLanes(dtype, len(access.offsets))

    def store(
        self, site: Site, address: Lanes, access: Access, value: Lanes, mask: Lanes | None
    ) -> None:
        start = self.number(address)
        assert mask is None or isinstance(mask, KnownLanes)
        active = None if mask is None else mask.active
        known = isinstance(active, tuple)
        found = lanes_of(access, active if known else None)
        if not found:
            return
        may, sure = touched(found, start)
        if isinstance(active, Prefix):
            first = functions.least(active.limit, Expr(len(access.offsets)))
            if access.contiguous:
                may = sure = KnownBytes(start, first.times(access.width))
            else:
                # Lane 0 is the first of any prefix.
                origin = access.offsets[0]
                sure = (
                    None
                    if origin == NOTHING
                    else KnownBytes(start + Expr(origin), Expr(access.width))
                )
        elif mask is not None and not known:
            sure = None
        self.touch(site, True, may, sure, access.alignment, () if sure is None else (start,))

    def _indexed(
        self, site: Site, writes: bool, base: Lanes, offsets: Lanes, active: Lanes, width: int
    ) -> None:
        assert isinstance(offsets, KnownLanes)
        assert isinstance(active, KnownLanes)
        size, lanes = Expr(width), active.active
        if offsets.ramp is not None and offsets.ramp.step.number is not None:
            self._ramp(site, writes, self.number(base), offsets.ramp, active, width)
            return
        if offsets.row is None:
            if not (isinstance(lanes, tuple) and not any(lanes)):
                anywhere = self.number(KnownLanes(INDEX, 1))
                self.touch(site, writes, KnownBytes(anywhere, size), None, width)
            return
        start = self.number(base)
        for lane, offset in enumerate(offsets.row):
            if isinstance(lanes, tuple) and not lanes[lane]:
                continue
            block = KnownBytes(start + offset, size)
            if isinstance(lanes, tuple):
                self.touch(site, writes, block, block, width, (block.start,))
            else:
                self.touch(site, writes, block, None, width)

    def _ramp(
        self, site: Site, writes: bool, base: Expr, ramp: Ramp, active: KnownLanes, width: int
    ) -> None:
        """One access for all lanes of an indexed one whose indices are a ramp."""
        start, lanes, size = base + ramp.first, active.active, Expr(width)

        def first(count: Expr) -> KnownBytes:
            if ramp.step == size:
                return KnownBytes(start, count.times(width))
            loops = () if ramp.step == ZERO else ((count, ramp.step),)
            return KnownBytes(start, size, loops)

        may, sure = first(Expr(active.count)), None
        if isinstance(lanes, tuple):
            if not any(lanes):
                return
            leading = (*lanes, False).index(False)
            sure = first(Expr(leading)) if leading else None
            may = may if sure is None or any(lanes[leading:]) else sure
        elif isinstance(lanes, Prefix):
            may = sure = first(functions.least(lanes.limit, Expr(active.count)))
        self.touch(site, writes, may, sure, width, () if sure is None else (start,))

    def gather(
        self, site: Site, base: Lanes, offsets: Lanes, active: Lanes, width: int
    ) -> KnownLanes:
        self._indexed(site, False, base, offsets, active, width)
        return KnownLanes(UI8, offsets.count * width)

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
        self._indexed(site, True, base, offsets, active, width)

    def load_scalar(self, site: Site, space: Space, address: Lanes, dtype: DType) -> KnownLanes:
        one = KnownBytes(self.number(address), Expr(dtype.bytes))
        self.touch(site, False, one, one, dtype.bytes, (one.start,), space, True)
        return KnownLanes(dtype, 1)

    def store_scalar(self, site: Site, space: Space, address: Lanes, value: Lanes) -> None:
        size = value.dtype.bytes
        one = KnownBytes(self.number(address), Expr(size))
        self.touch(site, True, one, one, size, (one.start,), space, True)

    # Streams.

    def stream(self) -> KnownStream:
        return UNBEGUN

    def _stream_touch(
        self, site: Site, writes: bool, made: StreamBytes | None, data: KnownBytes | None = None
    ) -> None:
        if made is not None:
            self.touch(site, writes, made.may, made.sure, 1, data=data)

    def stream_prime(self, site: Site, address: Lanes) -> KnownStream:
        at = self.number(address)
        # What is in the block counts when a load takes it.
        self._stream_touch(site, False, primed(at), KnownBytes(at, ZERO))
        return KnownStream(holds=True)

    def stream_load(
        self, site: Site, state: object, address: Lanes
    ) -> tuple[KnownLanes, KnownStream]:
        assert isinstance(state, KnownStream)
        at = self.number(address)
        read, after = loaded(state, at)
        self._stream_touch(site, False, read, KnownBytes(at, Expr(VREG_BYTES)))
        return KnownLanes(UI8, VREG_BYTES), after

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
    ) -> KnownStream:
        assert isinstance(state, KnownStream)
        numbers = self.number(address), self.number(length), self.number(position)
        written, after = stored(state, *numbers)
        self._stream_touch(site, True, written)
        return after

    def stream_end(self, site: Site, state: object, base: Lanes) -> Lanes:
        assert isinstance(state, KnownStream)
        if not state.begun:
            return base
        if state.entry is not None:
            self.begun_at[state.entry] = self.number(base)
        return KnownLanes(INDEX, 1, None if state.end is None else (state.end,))

    def stream_flush(self, site: Site, state: object, address: Lanes, by_base: bool) -> None:
        assert isinstance(state, KnownStream)
        anywhere = self.number(KnownLanes(INDEX, 1))
        at = None if by_base else self.number(address)
        self._stream_touch(site, True, flushed(state, at, anywhere))

    # What others do to memory.

    def covers(self, site: Site, writes: bool, address: Lanes, length: Lanes) -> None:
        whole = KnownBytes(self.number(address), self.number(length))
        if whole.length.bounds()[0] > 0:
            self.touch(site, writes, whole, whole, 1)
