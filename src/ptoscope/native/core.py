"""One vector core as generated code: what an instruction does to the machine."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ptoscope.isa.core import Core, Level, Pad, Transfer
from ptoscope.isa.distributions import Access
from ptoscope.isa.dtypes import I1, I32, I64, INDEX, UI8, DType, unsigned
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site
from ptoscope.isa.targets import PIPE_ALL, Target
from ptoscope.isa.types import Space
from ptoscope.machine.faults import Fault
from ptoscope.machine.lanes import constant, storage
from ptoscope.native import layout, types
from ptoscope.native.indexed import gathered, scattered
from ptoscope.native.lanes import RAW, NativeLanes, known
from ptoscope.native.memory import loaded, stored
from ptoscope.native.spans import within_places
from ptoscope.native.stops import Stops
from ptoscope.native.stream import Stream, flushed, stream_stored
from ptoscope.native.text import Code, Value

_NAMES = re.compile(r"%v\d+")


def _native(row: Lanes) -> NativeLanes:
    assert isinstance(row, NativeLanes)
    return row


class NativeCore(Core):
    """Writes code; what it learns about the module is in `stops`, `registers` and `masked`."""

    def __init__(self, code: Code, target: Target, masked_stores: int) -> None:
        self.code = code
        self.target = target
        self.stops = Stops(code)
        self.masked_stores = masked_stores
        """Elements of at least so many bytes have masked stores on this processor."""
        self.registers: dict[str, int] = {}
        """The special registers in use, with their values at launch."""
        self.first_register = layout.VARIABLES
        self.uses_stamps = False
        self._issues = 0

    # Values.

    def constant(self, dtype: DType, count: int, value: int | float) -> NativeLanes:
        return known(self.code, constant(dtype, 1, value), count)

    def iota(self, dtype: DType, count: int) -> NativeLanes:
        numbers = np.arange(count).astype(storage(dtype))
        text = types.listed(dtype, numbers.view(f"uint{8 * dtype.bytes}"))
        return NativeLanes(self.code, dtype, count, Value(types.row(dtype, count), text))

    def mask(self, active: tuple[bool, ...]) -> NativeLanes:
        if len(set(active)) == 1:
            return known(self.code, constant(I1, 1, active[0]), len(active)).image()
        text = Value(types.row(I1, len(active)), types.listed(I1, active))
        return NativeLanes(self.code, I1, len(active), text).image()

    def first_lanes(self, limit: Lanes, count: int) -> NativeLanes:
        number = _native(limit)
        if number.number is not None:
            return self.mask(tuple(lane < number.number for lane in range(count)))
        if count == 64 and number.dtype.bits == 32:
            return _native(
                self.iota(I32, count).compare("lt", number.bits(I32).splat(count))
            ).image()
        # Cut to what the element-wide comparison can hold.
        wide = number.cast(I64)
        low = (wide < 0).select(wide.const(0), wide)
        cut = _native((low > count).select(low.const(count), low))
        bits = 16 if count == 256 else max(8, 2048 // count)
        narrow = self.code.emit(f"i{bits}", f"trunc {cut.value} to i{bits}")
        kind = unsigned(bits)
        limits = NativeLanes(self.code, kind, 1, narrow).splat(count)
        return _native(self.iota(kind, count).compare("lt", limits)).image()

    def address(self, base: Lanes, offset: Lanes, size: int) -> NativeLanes:
        wide = _native(offset).cast(INDEX)
        return _native(base.cast(INDEX) + wide.times(size))

    # UB.

    def load(self, site: Site, address: Lanes, access: Access, dtype: DType) -> NativeLanes:
        at = _native(address)
        self._check_ub(site, at, access, lambda core, a: core.load(site, a, access, dtype))
        return loaded(self.code, at, access, dtype)

    def _check_ub(
        self,
        site: Site,
        at: NativeLanes,
        access: Access,
        act: Callable[..., object],
        rows: tuple[NativeLanes, ...] = (),
        resume: str | bool = False,
    ) -> None:
        wrong = self.outside(at, access.extent, access.alignment)
        if wrong is not None:
            self.stops.when(wrong, site, act, (at, *rows), resume)

    def outside(self, at: NativeLanes, extent: int, alignment: int) -> Value | None:
        """Whether bytes of UB are not inside, or crooked; None if they cannot be."""
        last = self.target.ub_bytes - extent
        span = at.span
        if span is not None and within_places(span, last, alignment):
            return None
        places = alignment.bit_length() - 1
        value = at.value
        if places:
            # Rotated, so that low bits make a huge number: one comparison sees both.
            turn = Value("i64", str(places))
            value = self.code.call("i64", "llvm.fshr.i64", value, value, turn)
        return self.code.emit("i1", f"icmp ugt {value}, {last >> places}")

    def store(
        self, site: Site, address: Lanes, access: Access, value: Lanes, mask: Lanes | None
    ) -> None:
        at, row = _native(address), _native(value).canonical()
        active = None if mask is None or _native(mask).is_full else _native(mask)
        if active is not None and active.is_empty:
            return
        after = self.code.label("after")
        if active is None:
            # Whatever the value is: without a mask this place is a fault.
            zeros = constant(row.dtype, row.count, 0)
            self._check_ub(site, at, access, lambda c, a: c.store(site, a, access, zeros, None))
            stored(self.code, at, access, row, None, self.masked_stores)
            return

        def act(core: Core, a: Lanes, v: Lanes, m: Lanes) -> None:
            core.store(site, a, access, v, m)

        self._check_ub(site, at, access, act, (row, active), after)
        stored(self.code, at, access, row, active, self.masked_stores)
        self.code.jump(after)
        self.code.place(after)

    def gather(
        self, site: Site, base: Lanes, offsets: Lanes, active: Lanes, width: int
    ) -> NativeLanes:
        def act(core: Core, b: Lanes, o: Lanes, a: Lanes) -> object:
            return core.gather(site, b, o, a, width)

        rows = (_native(base), _native(offsets), _native(active))
        return gathered(self, site, *rows, width, act)

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
        def act(core: Core, b: Lanes, o: Lanes, a: Lanes, v: Lanes) -> None:
            core.scatter(site, b, o, a, v, width, in_order)

        rows = (_native(base), _native(offsets), _native(active), _native(value).canonical())
        scattered(self, site, *rows, width, in_order, act)

    # Streams.

    def stream(self) -> Stream:
        return Stream.fresh()

    def stream_store(
        self, site: Site, state: object, address: Lanes, value: Lanes, length: Lanes
    ) -> Stream:
        assert isinstance(state, Stream)
        row = _native(value).bits(UI8)
        return stream_stored(self, site, state, _native(address), row, _native(length))

    def stream_end(self, site: Site, state: object, start: Lanes) -> NativeLanes:
        assert isinstance(state, Stream)
        begun = self.code.emit("i1", f"icmp ne {state.begun}, 0")
        flag = NativeLanes(self.code, I1, 1, begun)
        return flag.select(NativeLanes(self.code, INDEX, 1, state.end), _native(start))

    def stream_flush(self, site: Site, state: object, address: Lanes) -> None:
        assert isinstance(state, Stream)
        flushed(self, site, state, _native(address))

    # Pipes.

    def outline(self, write: Callable[[], None]) -> tuple[str, list[Value]]:
        """Writes a body as a function of its own; its name and the values it takes from
        around it, which its memory holds in order, a word each."""
        self._issues += 1
        name = f"body{self._issues}"
        loops, self.stops.loops = self.stops.loops, []
        with self.code.outlined(f"define i32 @{name}(ptr %state, ptr %captured)") as function:
            write()
            self.code.do("ret i32 0")
        self.stops.loops = loops
        captured = captures([*function.allocas, *function.lines, *function.cold])
        values = [Value(self.code.kinds[n], n) for n in captured]
        opening = [f"  {loaded}" for loaded in PROLOGUE]
        for i, value in enumerate(values):
            opening.append(f"  %at{i} = getelementptr i64, ptr %captured, i64 {i}")
            opening.append(f"  {value.name} = load {value.type}, ptr %at{i}, align 8")
        function.allocas[:0] = opening
        self.code.functions.append(function.text())
        return name, values

    def launch(self, site: Site, pipe: str, write: Callable[[], None]) -> None:
        """Gives a body to a pipe."""
        name, values = self.outline(write)
        address = NativeLanes(
            self.code, I64, 1, self.code.emit("i64", f"ptrtoint ptr @{name} to i64")
        )
        rows = [address, *(self._word(v) for v in values)]
        act = partial(_issue_outlined, site, pipe)
        self.stops.hand("rt_issue", site, act, rows)

    def _word(self, value: Value) -> NativeLanes:
        """A scalar of any type as the word that carries it."""
        kind = value.type
        if kind != "i64":
            if kind in ("float", "half", "double"):
                width = {"half": 16, "float": 32, "double": 64}[kind]
                value = self.code.emit(f"i{width}", f"bitcast {value} to i{width}")
            if value.type != "i64":
                value = self.code.emit("i64", f"zext {value} to i64")
        return NativeLanes(self.code, I64, 1, value)

    def issue(self, site: Site, body: Callable[[], None]) -> None:
        self.launch(site, site.record.pipe, body)

    def transfer(self, site: Site, src: Lanes, dst: Lanes, transfer: Transfer) -> None:
        pad = transfer.pad
        nothing = self.constant(I64, 1, 0)
        enabled = nothing if pad is None else self.constant(I64, 1, 1)
        if pad is not None and pad.enabled is not None:
            enabled = _native(pad.enabled).cast(I64)
        padding = (
            (nothing, nothing, nothing)
            if pad is None
            else (_native(pad.left), _native(pad.right), self._pattern(pad.value))
        )
        levels = [
            _native(number)
            for level in transfer.levels
            for number in (level.count, level.src_stride, level.dst_stride)
        ]
        rows = [_native(src), _native(dst), _native(transfer.length), enabled, *padding, *levels]
        counters = [nothing] * len(transfer.levels)
        words = [row.cast(I64) if row.dtype is not I64 else row for row in (*rows, *counters)]
        limits = (
            len(transfer.levels),
            int(transfer.src_space == "gm"),
            int(transfer.dst_space == "gm"),
            transfer.dtype.bytes,
            1 << transfer.length_bits,
        )
        more = (Value("i64", str(n)) for n in limits)
        act = partial(_transfer_again, site, transfer)
        self.stops.hand("rt_transfer", site, act, words, *more)

    def _pattern(self, value: Lanes) -> NativeLanes:
        """One element repeated to fill a word."""
        raw = _native(value.bits(unsigned(8 * value.dtype.bytes))).cast(I64)
        width = 8 * value.dtype.bytes
        if width == 64:
            return raw
        low = raw & ((1 << width) - 1)
        return _native(low * sum(1 << at for at in range(0, 64, width)))

    def set_flag(self, site: Site, src: str, dst: str, event: Lanes) -> None:
        act = partial(_flag_again, "set_flag", site, src, dst)
        self._count("rt_raise", site, act, layout.flag(src, dst), event)

    def wait_flag(self, site: Site, src: str, dst: str, event: Lanes) -> None:
        act = partial(_flag_again, "wait_flag", site, src, dst)
        self._count("rt_consume", site, act, layout.flag(src, dst), event)

    def get_buf(self, site: Site, pipe: str, buffer: Lanes, mode: Lanes) -> None:
        act = partial(_buffer_again, "get_buf", site, pipe)
        self._buffer("rt_acquire", site, act, pipe, buffer, mode)

    def rls_buf(self, site: Site, pipe: str, buffer: Lanes, mode: Lanes) -> None:
        act = partial(_buffer_again, "rls_buf", site, pipe)
        self._buffer("rt_release", site, act, pipe, buffer, mode)

    def _buffer(
        self, name: str, site: Site, act: Any, pipe: str, buffer: Lanes, mode: Lanes
    ) -> None:
        # A mode that does not exist is refused like a buffer that does not.
        fits = mode.as_unsigned() < 2
        number = fits.select(buffer.cast(I64), self.constant(I64, 1, -1))
        self._count(name, site, act, layout.held(pipe), buffer, mode, number=_native(number))

    def _count(
        self,
        name: str,
        site: Site,
        act: Any,
        first: int,
        *operands: Lanes,
        number: NativeLanes | None = None,
    ) -> None:
        # The runtime function itself puts the number where the engine looks for it.
        rows = [_native(o).cast(I64) for o in operands]
        self.stops.pack(rows[1:])
        stop = self.stops.add(site, act, [*rows[1:], rows[0]])
        counted = rows[0] if number is None else number
        more = (Value("i64", str(first)), counted.value, rows[0].value)
        status = self.stops.call(name, stop, *more, Value("i64", str(len(rows) - 1)))
        self.stops.leave_if_failed(status)

    def barrier(self, site: Site, pipe: str) -> None:
        """Order is kept already, unless something is queued: then the engine drains it."""
        if pipe == PIPE_ALL:
            self.finish(site)

    def finish(self, site: Site) -> None:
        """Waits for what is queued."""
        at = self.code.offset(Value("ptr", "%state"), layout.QUEUED, "i64")
        queued = self.code.load("i64", at, 8)
        busy = self.code.emit("i1", f"icmp ne {queued}, 0")
        self.stops.when(busy, site, partial(_barrier_again, site), (), resume=True)

    def turn(self, site: Site) -> None:
        """A turn of a loop begins: every so many, the engine is asked whether to go on."""
        code = self.code
        at = code.offset(Value("ptr", "%state"), layout.TURNS, "i64")
        left = code.emit("i64", f"sub {code.load('i64', at, 8)}, 1")
        code.store(left, at, 8)
        over = code.emit("i1", f"icmp slt {left}, 0")
        self.stops.when(over, site, partial(_turn_over, site), (), resume=True, turns=True)

    def signal(self, site: Site, kind: str, unit: Lanes, event: Lanes) -> None:
        rows = (_native(unit), _native(event))
        act = partial(_signal_again, "signal", site, kind)
        self.stops.leave_if_failed(self.stops.ask(site, act, rows))

    def await_signal(self, site: Site, kind: str, unit: Lanes, event: Lanes) -> None:
        rows = (_native(unit), _native(event))
        act = partial(_signal_again, "await_signal", site, kind)
        self.stops.leave_if_failed(self.stops.ask(site, act, rows))

    # Control, scalars, registers.

    def repeat(self, count: Lanes, body: Callable[[Lanes], None]) -> None:
        code = self.code
        total = _native(count).cast(I64).value
        loop, done, before = code.label("repeat"), code.label("done"), code.function.label
        some = code.emit("i1", f"icmp sgt {total}, 0")
        code.branch(some, loop, done)
        code.place(loop)
        turn = Value("i64", f"%v{code.fresh()}")
        code.kinds[turn.name] = "i64"
        slot = len(code.function.lines)
        code.do("")
        with code.inside():
            body(NativeLanes(code, I64, 1, turn))
            following = code.emit("i64", f"add {turn}, 1")
            more = code.emit("i1", f"icmp slt {following}, {total.name}")
            last = code.function.label
            code.branch(more, loop, done)
        incoming = f"[ 0, %{before} ], [ {following.name}, %{last} ]"
        code.function.lines[slot] = f"  {turn.name} = phi i64 {incoming}"
        code.place(done)

    def _scalar_at(
        self, site: Site, space: Space, at: NativeLanes, size: int, write: bool, act: Any, rows: Any
    ) -> Value:
        code = self.code
        if space == "ub":
            wrong = self.outside(at, size, size)
            if wrong is not None:
                self.stops.when(wrong, site, act, rows)
            return code.offset(Value("ptr", "%ub"), at.value)
        self.stops.needs.add("rt_scalar")
        call = f"call ptr @rt_scalar(ptr %state, i64 1, {at.value}, i64 {size}, i64 {int(write)})"
        place = code.emit("ptr", call)
        wrong = code.emit("i1", f"icmp eq {place}, null")
        self.stops.when(wrong, site, act, rows)
        return place

    def load_scalar(self, site: Site, space: Space, address: Lanes, dtype: DType) -> NativeLanes:
        at = _native(address)

        def act(core: Core, a: Lanes) -> object:
            return core.load_scalar(site, space, a, dtype)

        place = self._scalar_at(site, space, at, dtype.bytes, False, act, (at,))
        if dtype is I1:
            byte = self.code.load("i8", place, 1)
            value = self.code.emit("i1", f"icmp ne {byte}, 0")
        else:
            value = self.code.load(types.element(dtype), place, 1)
        nan = RAW if types.is_native_float(dtype) else 0
        return NativeLanes(self.code, dtype, 1, value, nans=nan)

    def store_scalar(self, site: Site, space: Space, address: Lanes, value: Lanes) -> None:
        at, row = _native(address), _native(value).canonical()

        def act(core: Core, a: Lanes, v: Lanes) -> None:
            core.store_scalar(site, space, a, v)

        place = self._scalar_at(site, space, at, row.dtype.bytes, True, act, (at, row))
        stored = row.value
        if row.dtype is I1:
            stored = self.code.emit("i8", f"zext {stored} to i8")
        self.code.store(stored, place, 1)

    def _register(self, name: str, initial: int | None = None) -> Value:
        if initial is not None or name not in self.registers:
            self.registers.setdefault(name, 0)
            if initial is not None:
                self.registers[name] = initial
        index = self.first_register + list(self.registers).index(name)
        return self.code.offset(Value("ptr", "%state"), index, "i64")

    def read_register(self, name: str, dtype: DType, initial: int) -> NativeLanes:
        assert dtype is I64
        return NativeLanes(
            self.code, I64, 1, self.code.load("i64", self._register(name, initial), 8)
        )

    def write_register(self, name: str, value: Lanes) -> None:
        self.code.store(_native(value).cast(I64).value, self._register(name), 8)

    def block(self, which: str) -> NativeLanes:
        if which.startswith("subblock"):
            return self.constant(I64, 1, int(which == "subblock_num"))
        index = layout.BLOCK_INDEX if which == "block_idx" else layout.BLOCK_COUNT
        at = self.code.offset(Value("ptr", "%state"), index, "i64")
        return NativeLanes(self.code, I64, 1, self.code.load("i64", at, 8))

    def refuse(self, site: Site, condition: Lanes, code: str, message: str) -> None:
        wrong = _native(condition)
        if wrong.is_empty:
            return

        def act(core: Core) -> None:
            raise Fault(site, code, message)

        self.stops.when(wrong.value, site, act)


PROLOGUE = (
    f"%ub_at = getelementptr i64, ptr %state, i64 {layout.UB}",
    "%ub = load ptr, ptr %ub_at, align 8",
)


def captures(lines: list[str]) -> list[str]:
    """Names that a function's lines use and do not define."""
    used: dict[str, None] = {}
    defined: set[str] = set()
    for line in lines:
        names = _NAMES.findall(line)
        if names and line.startswith(f"  {names[0]} = "):
            defined.add(names.pop(0))
        used.update(dict.fromkeys(names))
    return [name for name in used if name not in defined]


# Instructions on the reference core, with the values that generated code handed over.


def _issue_outlined(site: Site, pipe: str, core: Any, address: Lanes, *captured: Lanes) -> None:
    core.issue_native(site, pipe, address, captured)


def _transfer_again(site: Site, transfer: Transfer, core: Core, *words: Lanes) -> None:
    src, dst, length, enabled, left, right, pattern, *rest = words
    levels = [Level(*rest[3 * i : 3 * i + 3]) for i in range(len(transfer.levels))]
    pad = transfer.pad
    if pad is not None:
        value = pattern.cast(unsigned(8 * transfer.dtype.bytes))
        pad = Pad(value.bits(transfer.dtype), left, right, enabled.ne(0))
    again = Transfer(
        transfer.src_space,
        transfer.dst_space,
        transfer.dtype,
        length,
        tuple(levels),
        pad,
        transfer.length_bits,
    )
    core.transfer(site, src, dst, again)


def _flag_again(name: str, site: Site, src: str, dst: str, core: Core, event: Lanes) -> None:
    getattr(core, name)(site, src, dst, event)


def _buffer_again(name: str, site: Site, pipe: str, core: Core, mode: Lanes, buffer: Lanes) -> None:
    getattr(core, name)(site, pipe, buffer, mode)


def _barrier_again(site: Site, core: Core) -> None:
    core.barrier(site, PIPE_ALL)


def _turn_over(site: Site, core: Any) -> None:
    core.turn_over(site)


def _signal_again(name: str, site: Site, kind: str, core: Core, unit: Lanes, event: Lanes) -> None:
    getattr(core, name)(site, kind, unit, event)
