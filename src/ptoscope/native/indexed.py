"""Gather and scatter: one element, or one block, for each lane's own address."""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import I32, I64, UI8
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site
from ptoscope.isa.targets import Target
from ptoscope.native import layout, types
from ptoscope.native.lanes import NativeLanes, native
from ptoscope.native.llvm_text import Value
from ptoscope.native.permutes import each
from ptoscope.native.tiles import TileCore

_NEAR = 1 << 30
"""Bases this far from UB are certainly outside it, and sums with them fit 32 bits."""


class IndexedCore(TileCore):
    """The part of a core that gathers and scatters."""

    target: Target
    uses_stamps = False
    """Whether the module finds two lanes that write one place."""

    def gather(
        self, site: Site, base: Lanes, offsets: Lanes, active: Lanes, width: int
    ) -> NativeLanes:
        def act(core: Core, b: Lanes, o: Lanes, a: Lanes) -> object:
            return core.gather(site, b, o, a, width)

        code, count = self.code, offsets.count
        rows = (native(base), native(offsets), native(active))
        # Lanes that take no part read behind UB, where the engine keeps zeros.
        places = self._places(site, rows, width, act, self.target.ub_bytes)
        result = code.alloca(types.row(UI8, count * width))
        unit = _unit(width)

        def move(i: Value) -> None:
            place = self._place(places, i)
            value = code.load(unit, code.offset(Value("ptr", "%ub"), place), 1)
            code.store(value, code.offset(result, i, unit), 1)

        each(code, count, move)
        value = code.load(types.row(UI8, count * width), result, 64)
        return NativeLanes(code, UI8, count * width, value)

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

        code, count = self.code, offsets.count
        stored = native(value).canonical()
        rows = (native(base), native(offsets), native(active), stored)
        # Behind UB, and behind the zeros that idle lanes of a gather read.
        idle = self.target.ub_bytes + layout.SLACK // 2
        places = self._places(site, rows, width, act, idle)
        if not in_order and not self.target.ordered_aliases:
            self._refuse_aliases(site, places, count, idle, act, rows)
        source, unit = stored.spilled(), _unit(width)

        def move(i: Value) -> None:
            lane = i if in_order else code.emit("i64", f"sub i64 {count - 1}, {i.name}")
            part = code.load(unit, code.offset(source, lane, unit), 1)
            code.store(part, code.offset(Value("ptr", "%ub"), self._place(places, lane)), 1)

        each(code, count, move)

    def _places(
        self,
        site: Site,
        rows: tuple[NativeLanes, ...],
        width: int,
        act: Callable[..., object],
        idle: int,
    ) -> Value:
        """Stack memory with each lane's checked place in UB, `idle` for lanes that take no part;
        32 or 64 bits each, as the type says. `rows` are base, offsets, active lanes, and what
        else the instruction takes."""
        base, offsets, active, *_ = rows
        count = offsets.count
        narrow = _narrow(offsets)
        if narrow is not None:
            start = base.cast(I64)
            near = (start + _NEAR).as_unsigned() < 2 * _NEAR
            at = start.cast(I32).splat(count) + narrow
            far = ~near.splat(count)
            raw = at.as_unsigned()
        else:
            at = base.cast(I64).splat(count) + offsets
            raw, far = at.as_unsigned(), None
        last = self.target.ub_bytes - width
        wrong = (raw > last) | (raw & (width - 1)).ne(0)
        wrong = (wrong if far is None else wrong | far) & active
        assert isinstance(wrong, NativeLanes)
        self.side_exits.when(self._any(wrong), site, act, rows)
        place = active.select(at, at.const(idle))
        assert isinstance(place, NativeLanes)
        memory = place.spilled()
        return Value(types.element(place.dtype), memory.name)

    def _place(self, places: Value, i: Value) -> Value:
        kind, memory = places.type, Value("ptr", places.name)
        place = self.code.load(kind, self.code.offset(memory, i, kind), 1)
        if kind == "i64":
            return place
        return self.code.emit("i64", f"zext {place} to i64")

    def _any(self, lanes: NativeLanes) -> Value:
        word = f"i{lanes.count}"
        packed = self.code.emit(word, f"bitcast {lanes.value} to {word}")
        return self.code.emit("i1", f"icmp ne {packed}, 0")

    def _refuse_aliases(
        self,
        site: Site,
        places: Value,
        count: int,
        idle: int,
        act: Callable[..., object],
        rows: tuple[NativeLanes, ...],
    ) -> None:
        """Each place is stamped; one that already has this scatter's stamp is an alias."""
        code = self.code
        self.uses_stamps = True
        state = Value("ptr", "%state")
        stamp_at = code.offset(state, layout.STAMP, "i64")
        stamp = code.emit("i64", f"add {code.load('i64', stamp_at, 8)}, 1")
        code.store(stamp, stamp_at, 8)
        short = code.emit("i32", f"trunc {stamp} to i32")
        table = code.load("ptr", code.offset(state, layout.STAMPS, "i64"), 8)
        found = code.alloca("i8", 1)
        code.store(Value("i8", "0"), found, 1)

        def mark(i: Value) -> None:
            place = self._place(places, i)
            at = code.offset(table, place, "i32")
            seen = code.emit("i1", f"icmp eq {code.load('i32', at, 4)}, {short.name}")
            real = code.emit("i1", f"icmp ne {place}, {idle}")
            both = code.emit("i1", f"and {seen}, {real.name}")
            alias = code.emit("i8", f"zext {both} to i8")
            code.store(code.emit("i8", f"or {code.load('i8', found, 1)}, {alias.name}"), found, 1)
            code.store(short, at, 4)

        each(code, count, mark)
        wrong = code.emit("i1", f"icmp ne {code.load('i8', found, 1)}, 0")
        self.side_exits.when(wrong, site, act, rows)


def _narrow(offsets: NativeLanes) -> NativeLanes | None:
    """The offsets in 32 bits, where they are known to fit."""
    if offsets.scaled is None:
        return None
    source, factor = offsets.scaled
    if source.dtype.bits > 16 or factor > 8:
        return None
    narrow = source.cast(I32) * factor
    assert isinstance(narrow, NativeLanes)
    return narrow


def _unit(width: int) -> str:
    return f"i{8 * width}" if width <= 8 else f"<{width} x i8>"
