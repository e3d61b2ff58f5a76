"""A core that executes nothing and notes what would be touched."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import count as counter

from ptoscope.check.analysis import functions
from ptoscope.check.analysis.copies import (
    EXPRESSIONS,
    UNKNOWN,
    at,
    lanes_of,
    row_starts,
    touched,
)
from ptoscope.check.analysis.expr import ONE, ZERO, Expr, Symbol, of, single
from ptoscope.check.analysis.nodes import (
    EmptyCopy,
    FieldNode,
    KnownBytes,
    LoopNode,
    MemoryBarrier,
    Node,
    RegisterTouch,
    Sync,
    Touch,
)
from ptoscope.check.analysis.streams import (
    UNBEGUN,
    KnownStream,
    StreamBytes,
    flushed,
    loaded,
    primed,
    stored,
)
from ptoscope.check.analysis.values import LONGEST, KnownLanes, Prefix, Ramp, constant, limits
from ptoscope.isa.copies import Transfer, ends, fields
from ptoscope.isa.core import Core
from ptoscope.isa.distributions import NOTHING, Access
from ptoscope.isa.dtypes import I1, I64, INDEX, UI8, UI32, VREG_BYTES, DType
from ptoscope.isa.lanes import PREDICATE_BITS, Lanes
from ptoscope.isa.order.memory import register_needs_order
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.parts import MEMORIES, VECTOR_PIPE
from ptoscope.isa.record import Site
from ptoscope.isa.types import Space
from ptoscope.program import Op

_LAUNCH = {
    "block_idx": of(Symbol("launch", "block_idx", low=0)),
    "block_num": of(Symbol("launch", "block_num", low=1)),
    "subblock_idx": ZERO,
    "subblock_num": ONE,
}


@cache
def _mask(active: tuple[bool, ...]) -> KnownLanes:
    return KnownLanes(I1, len(active), active=active).image()


@cache
def _first(limit: int, count: int) -> KnownLanes:
    return _mask(tuple(lane < limit for lane in range(count)))


def _is_open(value: KnownLanes) -> bool:
    """Whether nothing is known of a register, since a loop changes it."""
    symbol = None if value.expr is None else single(value.expr)
    return symbol is not None and symbol.kind == "any"


class AbstractCore(Core):
    """Runs the meaning of instructions over expressions; `nodes` is what they did.

    The caller says which operation runs (`op`), the iterations of the loops around it
    (`context`), and whether it stands in a vecscope.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.context: tuple[Expr, ...] = ()
        self.scope = False
        self.op = Op("")
        self.registers: dict[str, KnownLanes] = {}
        self._executes = False
        """Whether a pipe executes what was issued to it, and what it has written then."""
        self._written: set[str] = set()
        self.begun_at: dict[Symbol, Expr] = {}
        """Where streams begin in the first iteration of a loop, by the symbol for their end."""
        self._numbers = counter()

    # What is known of numbers.

    def unknown(self, dtype: DType) -> KnownLanes:
        """A number of which only the type is known; another one in every iteration."""
        return KnownLanes(dtype, 1, (of(self.symbol("any", dtype)),))

    def symbol(self, kind: str, dtype: DType) -> Symbol:
        """A new leaf for a number of a type; another one in every iteration of the loops around."""
        return Symbol(kind, next(self._numbers), self.context, *limits(dtype))

    def in_iteration(self, loop: LoopNode) -> Expr:
        """An address of which nothing is known, another one in every iteration of a loop too."""
        context = (*self.context, of(loop.iteration))
        return of(Symbol("any", next(self._numbers), context, *limits(INDEX)))

    def number(self, value: Lanes) -> Expr:
        """A row of one as an expression."""
        assert isinstance(value, KnownLanes)
        return value.expr or of(self.symbol("any", INDEX))

    def counter(self, level: int) -> KnownLanes:
        if level >= len(self.context):
            # Another rule says that there is no such loop.
            return self.unknown(UI32)
        return KnownLanes(UI32, 1, (self.context[-1 - level],))

    def loop(self, span: Expr, step: Expr, body: Callable[[Expr], None]) -> LoopNode:
        """Runs a body once for all of its iterations, and notes it as a loop."""
        trips = functions.iterations(span, step)
        low, high = trips.bounds()
        last = max(0, high - 1)
        iteration = Symbol("iteration", next(self._numbers), (), 0, last, low == high)
        made = LoopNode(self.op, iteration, trips, span, step)
        outer, context, before = self.nodes, self.context, dict(self.registers)
        self.nodes, self.context = made.body, (*context, of(iteration))
        # Of what a loop around leaves open nothing is known in an iteration of this one either:
        # only what is known has to be tried, or the work would double with every loop.
        opened = {name: self.unknown(I64) for name, value in before.items() if _is_open(value)}
        self.registers.update(opened)
        entered = dict(self.registers)
        body(of(iteration))
        changed = self._changed(entered)
        if not opened.keys() >= set(changed):
            # What an iteration leaves in a register is what the next one finds.
            made.body.clear()
            for name in changed:
                self.registers[name] = self.unknown(I64)
            body(of(iteration))
        self.nodes, self.context = outer, context
        for name in opened.keys() - set(changed):
            self.registers[name] = before[name]
        for name in changed:
            self.registers[name] = self.unknown(I64)
        outer.append(made)
        return made

    def _changed(self, before: dict[str, KnownLanes]) -> list[str]:
        now = self.registers
        return [n for n, v in now.items() if n not in before or before[n].row != v.row]

    def constant(self, dtype: DType, count: int, value: int | float) -> KnownLanes:
        return constant(dtype, count, value)

    def iota(self, dtype: DType, count: int) -> KnownLanes:
        if count <= LONGEST:
            return KnownLanes(dtype, count, tuple(Expr(i) for i in range(count)))
        ramp = Ramp(ZERO, ONE)
        return KnownLanes(dtype, count, ramp=ramp if ramp.fits(dtype, count) else None)

    def mask(self, active: tuple[bool, ...]) -> KnownLanes:
        return _mask(active)

    def first_lanes(self, limit: Lanes, count: int) -> KnownLanes:
        bound = self.number(limit)
        low, high = bound.bounds()
        if low == high or low >= count:
            return _first(min(max(low, 0), count), count)
        return KnownLanes(I1, PREDICATE_BITS, active=Prefix(bound, count))

    def address(self, base: Lanes, offset: Lanes, size: int) -> KnownLanes:
        return KnownLanes(INDEX, 1, (self.number(base) + self.number(offset).times(size),))

    # Accesses.

    def _touch(
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
    ) -> None:
        pipe = VECTOR_PIPE if self.scope else site.record.pipe
        self.nodes.append(
            Touch(self.op, pipe, writes, space, may, sure, alignment, addresses, scalar, data)
        )

    def load(self, site: Site, address: Lanes, access: Access, dtype: DType) -> KnownLanes:
        found = lanes_of(access)
        if found:
            start = self.number(address)
            self._touch(site, False, *touched(found, start), access.alignment, (start,))
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
        self._touch(site, True, may, sure, access.alignment, () if sure is None else (start,))

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
                self._touch(site, writes, KnownBytes(anywhere, size), None, width)
            return
        start = self.number(base)
        for lane, offset in enumerate(offsets.row):
            if isinstance(lanes, tuple) and not lanes[lane]:
                continue
            block = KnownBytes(start + offset, size)
            if isinstance(lanes, tuple):
                self._touch(site, writes, block, block, width, (block.start,))
            else:
                self._touch(site, writes, block, None, width)

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
        self._touch(site, writes, may, sure, width, () if sure is None else (start,))

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
        self._touch(site, False, one, one, dtype.bytes, (one.start,), space, True)
        return KnownLanes(dtype, 1)

    def store_scalar(self, site: Site, space: Space, address: Lanes, value: Lanes) -> None:
        size = value.dtype.bytes
        one = KnownBytes(self.number(address), Expr(size))
        self._touch(site, True, one, one, size, (one.start,), space, True)

    # Streams.

    def stream(self) -> KnownStream:
        return UNBEGUN

    def _stream_touch(
        self, site: Site, writes: bool, made: StreamBytes | None, data: KnownBytes | None = None
    ) -> None:
        if made is not None:
            self._touch(site, writes, made.may, made.sure, 1, data=data)

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

    def transfer(self, site: Site, src: Lanes, dst: Lanes, transfer: Transfer[Lanes]) -> None:
        copy, path = transfer.map(self.number), transfer.path
        self.nodes += [FieldNode(self.op, *field) for field in fields(copy, EXPRESSIONS)]
        made = ends(copy, EXPRESSIONS)
        if made is None:
            self.nodes.append(EmptyCopy(self.op))
            return
        for writes, space, address, bursts in (
            (False, path.source, src, made.read),
            (True, path.target, dst, made.written),
        ):
            if bursts.length.number == 0:
                continue
            rows = at(self.number(address), bursts)
            sure = None if rows.length is UNKNOWN else rows
            aligned = MEMORIES[space].copy_alignment
            self._touch(site, writes, rows, sure, aligned, row_starts(rows), space)

    # The rest of the machine.

    def covers(self, site: Site, writes: bool, address: Lanes, length: Lanes) -> None:
        whole = KnownBytes(self.number(address), self.number(length))
        if whole.length.bounds()[0] > 0:
            self._touch(site, writes, whole, whole, 1)

    def issue(self, site: Site, body: Callable[[], None]) -> None:
        self._executes, self._written = True, set()
        body()
        self._executes = False

    def repeat(self, count: Lanes, body: Callable[[Lanes], None]) -> None:
        trips = self.number(count)
        if trips.number == 0:
            return
        self.loop(trips, ONE, lambda iteration: body(KnownLanes(I64, 1, (iteration,))))

    def _register(self, site: Site, writes: bool, name: str) -> None:
        if register_needs_order(writes, site.record.pipe, self._executes):
            self.nodes.append(RegisterTouch(self.op, site.record.pipe, writes, name))

    def read_register(self, site: Site, name: str, dtype: DType, initial: int) -> KnownLanes:
        self._register(site, False, name)
        return self.registers.get(name) or constant(dtype, 1, initial)

    def write_register(self, site: Site, name: str, value: Lanes) -> None:
        assert isinstance(value, KnownLanes)
        if name not in self._written:
            self._written.add(name)
            self._register(site, True, name)
        self.registers[name] = value

    def block(self, which: str) -> KnownLanes:
        return KnownLanes(I64, 1, (_LAUNCH[which],))

    def refuse(self, site: Site, condition: Lanes, code: str, message: str) -> None:
        """A run decides."""

    def print(self, site: Site, value: Lanes) -> None:
        """Nobody runs it."""

    def memory_barrier(self, site: Site, kinds: str) -> None:
        self.nodes.append(MemoryBarrier(self.op, kinds))

    def synchronise(
        self, site: Site, rule: OrderRule, src: str, dst: str, numbers: tuple[Lanes, ...]
    ) -> None:
        # Between cores: nothing that orders the pipes of this one.
        if not rule.between_cores:
            known = tuple(self.number(number) for number in numbers)
            self.nodes.append(Sync(self.op, rule, src, dst, known))
