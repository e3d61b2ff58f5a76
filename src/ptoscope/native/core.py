"""One core as generated code: what an instruction does to the machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ptoscope.isa.core import Core
from ptoscope.isa.distributions import Access
from ptoscope.isa.dtypes import I1, I32, I64, INDEX, UI32, DType, unsigned
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.parts import CoreKind, core_ids
from ptoscope.isa.record import Site
from ptoscope.isa.targets import Target
from ptoscope.isa.types import Align, Mask, Space
from ptoscope.machine.elements import storage
from ptoscope.machine.lanes import constant
from ptoscope.native import layout, types
from ptoscope.native.elision import Eliding
from ptoscope.native.inlined import either, gm_place
from ptoscope.native.lanes import RAW, NativeLanes, known, native
from ptoscope.native.llvm_text import Code, Value
from ptoscope.native.memory import loaded, reads_exactly, stored
from ptoscope.native.ranges import always_inside
from ptoscope.native.side_exits import SideExits
from ptoscope.native.stream import NativeStream, again
from ptoscope.native.stream_core import StreamCore
from ptoscope.program import Show

_COORDINATES = {
    "block_idx": layout.BLOCK_INDEX,
    "block_num": layout.BLOCK_COUNT,
    "is_cube": layout.IS_CUBE,
    "subblock_idx": layout.SUBBLOCK_INDEX,
    "subblock_num": layout.SUBBLOCK_COUNT,
}
"""The words that tell a core where it runs."""
_STORED_FIRST = 64
"""Instructions of a block of code in which a row is stored before it is looked through for NaNs. In
a long one nothing is gained, and LLVM takes a stack that grows with it."""


class NativeCore(StreamCore):
    """Writes code; what it learns about the module is in `side_exits`, `registers` and `masked`."""

    def __init__(self, code: Code, target: Target) -> None:
        self.code = code
        self.target = target
        self.side_exits = SideExits(code)
        self.registers: dict[str, int] = {}
        """The special registers in use, with their values at launch."""
        self.first_register = layout.VARIABLES
        self.ub_top = 0
        """How many bytes of UB, from its first on, the stores that were written can reach."""
        self.pending = {}
        self.arguments = {}
        self.eliding = Eliding(code, self.side_exits)
        self.cores: tuple[CoreKind, ...] = ("vector",)
        """Those of a block, which all run the code."""
        self.counters: list[tuple[NativeLanes, NativeLanes, NativeLanes]] = []
        """Of the counted loops around what is written: its counter, where it begins, its step."""

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
        number = native(limit)
        if number.number is not None:
            return self.mask(tuple(lane < number.number for lane in range(count)))
        if count == 64 and number.dtype.bits == 32:
            return native(
                self.iota(I32, count).compare("lt", number.bits(I32).splat(count))
            ).image()
        # Cut to what the element-wide comparison can hold.
        wide = number.cast(I64)
        low = (wide < 0).select(wide.const(0), wide)
        cut = native((low > count).select(low.const(count), low))
        bits = 16 if count == 256 else max(8, 2048 // count)
        narrow = self.code.emit(f"i{bits}", f"trunc {cut.value} to i{bits}")
        kind = unsigned(bits)
        limits = NativeLanes(self.code, kind, 1, narrow).splat(count)
        return native(self.iota(kind, count).compare("lt", limits)).image()

    def counter(self, level: int) -> NativeLanes:
        if level >= len(self.counters):
            return self.constant(UI32, 1, 0)
        at, first, step = self.counters[-1 - level]
        return native((at - first).quotient(step)).cast(UI32)

    def address(self, base: Lanes, offset: Lanes, size: int) -> NativeLanes:
        wide, start = native(offset).cast(INDEX), native(base).cast(INDEX)
        moved = native(start + wide.times(size))
        for origins in (self.arguments, self.eliding.tiles):
            origin = origins.get(start.value.name)
            if origin is not None:
                origins[moved.value.name] = origin
        return moved

    # UB.

    def load(self, site: Site, address: Lanes, access: Access, dtype: DType) -> NativeLanes:
        at = native(address)
        self._check_ub(site, at, access, lambda core, a: core.load(site, a, access, dtype))
        if not self.eliding.defers:
            return loaded(self.code, at, access, dtype)
        if not reads_exactly(access):
            self.eliding.met(at, access.extent)
            return loaded(self.code, at, access, dtype)
        return loaded(self.code, at, access, dtype, self.eliding.loaded_from(at, access.extent))

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
            self.side_exits.when(wrong, site, act, (at, *rows), resume)

    def outside(self, at: NativeLanes, extent: int, alignment: int) -> Value | None:
        """Whether bytes of UB are not inside, or crooked; None if they cannot be."""
        last = self.target.ub_bytes - extent
        known_range = at.range
        if known_range is not None and always_inside(known_range, last, alignment):
            return None
        places = alignment.bit_length() - 1
        value = at.value
        if places:
            # Rotated, so that low bits make a huge number: one comparison sees both.
            by = Value("i64", str(places))
            value = self.code.call("i64", "llvm.fshr.i64", value, value, by)
        return self.code.emit("i1", f"icmp ugt {value}, {last >> places}")

    def reach(self, at: NativeLanes, extent: int) -> None:
        """Code stores so many bytes at an address of UB."""
        whole = self.target.ub_bytes
        end = whole if at.range is None else min(at.range.high + extent, whole)
        self.ub_top = max(self.ub_top, end)

    def store(
        self, site: Site, address: Lanes, access: Access, value: Lanes, mask: Lanes | None
    ) -> None:
        at, row = native(address), native(value)
        active = None if mask is None or native(mask).is_full else native(mask)
        is_whole = active is None and access.contiguous and not self.eliding.writes_through
        is_quick = is_whole and row.looks_for_nans() and self.code.is_short(_STORED_FIRST)
        if not is_quick:
            row = row.canonical()
        if active is not None and active.is_empty:
            return
        self.reach(at, access.extent)
        after = self.code.label("after")
        eliding, dense = self.eliding, row if access.contiguous else None
        if active is None:
            # Whatever the value is: without a mask this place is a fault.
            zeros = constant(row.dtype, row.count, 0)
            self._check_ub(site, at, access, lambda c, a: c.store(site, a, access, zeros, None))
            store = partial(stored, self.code, at, access, row, None)
            eliding.stored(at, access.extent, dense, None, store)
            return

        def act(core: Core, a: Lanes, v: Lanes, m: Lanes) -> None:
            core.store(site, a, access, v, m)

        self._check_ub(site, at, access, act, (row, active), after)
        full = self._all(active) if eliding.writes_through else None
        store = partial(stored, self.code, at, access, row, active)
        eliding.stored(at, access.extent, dense, full, store)
        self.code.jump(after)
        self.code.place(after)

    # Control, scalars, registers.

    def repeat(self, count: Lanes, body: Callable[[Lanes], None]) -> None:
        code = self.code
        code.function.is_hot = True
        total = native(count).cast(I64).value
        loop, done, before = code.label("repeat"), code.label("done"), code.function.label
        some = code.emit("i1", f"icmp sgt {total}, 0")
        code.branch(some, loop, done)
        code.place(loop)
        iteration = code.promised("i64")
        slot = len(code.function.lines)
        code.do("")
        with code.inside():
            body(NativeLanes(code, I64, 1, iteration))
            following = code.emit("i64", f"add {iteration}, 1")
            more = code.emit("i1", f"icmp slt {following}, {total.name}")
            last = code.function.label
            code.branch(more, loop, done)
        incoming = f"[ 0, %{before} ], [ {following.name}, %{last} ]"
        code.function.lines[slot] = f"  {iteration.name} = phi i64 {incoming}"
        code.place(done)

    def transpose(
        self, site: Site, dest: Lanes, src: Lanes, rows: Lanes, columns: Lanes, dtype: DType
    ) -> None:
        code = self.code
        self.eliding.settle()
        self.side_exits.needs.add("rt_transpose")
        words = ", ".join(str(native(n).cast(I64).value) for n in (dest, src, rows, columns))
        given = f"ptr %state, {words}, i64 {dtype.bytes}"
        status = code.emit("i64", f"call i64 @rt_transpose({given})")
        failed = code.emit("i1", f"icmp ne {status}, 0")
        steps, done = code.label("steps"), code.label("done")
        code.branch(failed, steps, done, unlikely=True)
        code.place(steps)
        with code.inside():
            super().transpose(site, dest, src, rows, columns, dtype)
        code.jump(done)
        code.place(done)

    def _scalar_at(
        self, site: Site, space: Space, at: NativeLanes, size: int, write: bool, act: Any, rows: Any
    ) -> Value:
        code = self.code
        if space == "ub":
            self.eliding.settle()
            wrong = self.outside(at, size, size)
            if wrong is not None:
                self.side_exits.when(wrong, site, act, rows)
            return code.offset(Value("ptr", "%ub"), at.value)
        own = layout.own(space)

        def asked() -> Value:
            name = "rt_own_scalar" if own else "rt_gm_scalar"
            self.side_exits.needs.add(name)
            memory = f"i64 {own}, " if own else ""
            given = f"ptr %state, {memory}{at.value}, i64 {size}, i64 {int(write)}"
            place = code.emit("ptr", f"call ptr @{name}({given})")
            wrong = code.emit("i1", f"icmp eq {place}, null")
            self.side_exits.when(wrong, site, act, rows)
            return place

        if own or not self.side_exits.loops:
            return asked()
        code.function.is_busy = True
        likely = self.arguments.get(at.value.name)
        found = gm_place(code, at.value, size, size, write, likely)
        wrong = found.wrong
        if write and self.eliding.defers:
            wrong = either(code, wrong, self.eliding.is_deferring())
        slow, on, before = code.label("slow"), code.label("on"), code.function.label
        code.branch(wrong, slow, on, unlikely=True)
        with code.aside(slow):
            other = asked()
            last = code.function.label
            code.jump(on)
        code.place(on)
        return code.phi("ptr", (found.at, before), (other, last))

    def load_scalar(self, site: Site, space: Space, address: Lanes, dtype: DType) -> NativeLanes:
        at = native(address)

        def act(core: Core, a: Lanes) -> object:
            return core.load_scalar(site, space, a, dtype)

        place = self._scalar_at(site, space, at, dtype.bytes, False, act, (at,))
        if dtype is I1:
            byte = self.code.load("i8", place, 1)
            value = self.code.emit("i1", f"icmp ne {byte}, 0")
        else:
            value = self.code.load(types.element(dtype), place, 1)
        nan = RAW if types.tracks_nans(dtype) else 0
        return NativeLanes(self.code, dtype, 1, value, nans=nan)

    def store_scalar(self, site: Site, space: Space, address: Lanes, value: Lanes) -> None:
        at, row = native(address), native(value).canonical()

        def act(core: Core, a: Lanes, v: Lanes) -> None:
            core.store_scalar(site, space, a, v)

        if space == "ub":
            self.reach(at, row.dtype.bytes)
        place = self._scalar_at(site, space, at, row.dtype.bytes, True, act, (at, row))
        stored = row.value
        if row.dtype is I1:
            stored = self.code.emit("i8", f"zext {stored} to i8")
        self.code.store(stored, place, 1)

    def register(self, name: str, initial: int | None = None) -> Value:
        if initial is not None or name not in self.registers:
            self.registers.setdefault(name, 0)
            if initial is not None:
                self.registers[name] = initial
        return self.code.offset(Value("ptr", "%state"), self.register_word(name), "i64")

    def register_word(self, name: str) -> int:
        return self.first_register + list(self.registers).index(name)

    def read_register(self, site: Site, name: str, dtype: DType, initial: int) -> NativeLanes:
        assert dtype is I64
        return NativeLanes(
            self.code, I64, 1, self.code.load("i64", self.register(name, initial), 8)
        )

    def write_register(self, site: Site, name: str, value: Lanes) -> None:
        self.code.store(native(value).cast(I64).value, self.register(name), 8)

    def block(self, which: str) -> NativeLanes:
        if len(self.cores) == 1 and not which.startswith("block"):
            (core,) = core_ids(self.cores)
            return self.constant(I64, 1, core.coordinates(0, 1)[which])
        at = self.code.offset(Value("ptr", "%state"), _COORDINATES[which], "i64")
        return NativeLanes(self.code, I64, 1, self.code.load("i64", at, 8))

    def print(self, site: Site, value: Lanes) -> None:
        self._tell(site, partial(_print, site), (native(value),))

    def show(self, site: Site, show: Show, *values: Any) -> None:
        """Shows what was asked for: a value of the machine, or what is there without one."""
        rows = values
        if values and isinstance(values[0], NativeStream):
            rows = values[0].rows(self.code)
        elif values and isinstance(site.operands[0], Mask):
            rows = (values[0].gate(site.operands[0].lanes),)
        looks = bool(values) or show.memory is not None
        self._tell(site, partial(_show, site, show), rows, looks)

    def _tell(
        self, site: Site, say: Callable[..., None], rows: Sequence[NativeLanes], looks: bool = True
    ) -> None:
        """Says something on the reference core, which knows the iterations of all loops around."""
        outer = self.side_exits.outer
        numbers = [NativeLanes(self.code, I64, 1, loop.iteration) for loop in outer]
        act = partial(_inside, tuple(loop.name for loop in outer), say)
        if looks:
            self.side_exits.look(site, act, (*numbers, *rows))
        else:
            self.side_exits.hand("rt_service", site, act, (*numbers, *rows))

    def refuse(
        self,
        site: Site,
        condition: Lanes,
        code: str,
        message: str,
        found: Lanes | None = None,
        expected: str = "",
    ) -> None:
        wrong = native(condition)
        if wrong.is_empty:
            return

        def act(core: Core, *value: Lanes) -> None:
            caused = value[0] if value else None
            core.refuse(site, core.constant(I1, 1, 1), code, message, caused, expected)

        rows = () if found is None else (native(found),)
        self.side_exits.when(wrong.value, site, act, rows)


def _inside(names: tuple[str, ...], say: Callable[..., None], core: Any, *rows: Lanes) -> None:
    core.inside(names, rows[: len(names)])
    say(core, *rows[len(names) :])


def _print(site: Site, core: Core, value: Lanes) -> None:
    core.print(site, value)


def _show(site: Site, show: Show, core: Any, *rows: Lanes) -> None:
    of_stream = bool(rows) and isinstance(site.operands[0], Align)
    core.show_later(site, show, *((again(*rows),) if of_stream else rows))
