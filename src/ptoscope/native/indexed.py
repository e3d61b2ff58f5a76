"""Gather and scatter: one element, or one block, for each lane's own address."""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import I32, I64, UI8, unsigned
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site
from ptoscope.isa.targets import Target
from ptoscope.native import layout, types
from ptoscope.native.lanes import NativeLanes, native
from ptoscope.native.llvm_text import Value
from ptoscope.native.permutes import each
from ptoscope.native.places import LanePlaces, at_once, joined
from ptoscope.native.tiles import TileCore

_UNROLLED = 64
"""Lanes up to which they are written out; more of them are a loop, which keeps the code short."""
_NEAR = 1 << 30
"""Bases this far from UB are certainly outside it, and sums with them fit 32 bits."""


class IndexedCore(TileCore):
    """The part of a core that gathers and scatters."""

    target: Target
    ub_top: int
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
        lanes = at_once(width)
        if count <= _UNROLLED:
            parts = [places.gathered(part, width) for part in places.parts(lanes)]
            return joined(parts).bits(UI8)
        result = code.alloca(types.row(UI8, count * width))
        memory, piece = places.row.spilled(), types.row(unsigned(8 * width), lanes)
        kind = types.row(places.row.dtype, lanes)

        def move(i: Value) -> None:
            part = code.load(kind, code.offset(memory, i, kind), 1)
            code.store(places.gathered(part, width).value, code.offset(result, i, piece), 1)

        each(code, count // lanes, move, 1)
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
        self.ub_top = self.target.ub_bytes
        # Behind UB, and behind the zeros that idle lanes of a gather read.
        idle = self.target.ub_bytes + layout.SLACK // 2
        places = self._places(site, rows, width, act, idle)
        if not in_order and not self.target.ordered_aliases:
            self._refuse_aliases(site, places, count, act, rows)
        lanes, source = at_once(width), stored if width <= 8 else stored.bits(UI8)
        size, steps = source.count // count * lanes, count // lanes
        order = range(steps) if in_order else range(steps - 1, -1, -1)
        if count <= _UNROLLED:
            parts = places.parts(lanes)
            for step in order:
                piece = source.shuffle(tuple(range(step * size, (step + 1) * size)))
                places.scattered(parts[step], piece.value, in_order)
            return
        memory, values = places.row.spilled(), source.spilled()
        kind, piece = types.row(places.row.dtype, lanes), types.row(source.dtype, size)

        def move(i: Value) -> None:
            step = i if in_order else code.emit("i64", f"sub i64 {steps - 1}, {i.name}")
            part = code.load(kind, code.offset(memory, step, kind), 1)
            row = code.load(piece, code.offset(values, step, piece), 1)
            places.scattered(part, row, in_order)

        each(code, steps, move, 1)

    def _places(
        self,
        site: Site,
        rows: tuple[NativeLanes, ...],
        width: int,
        act: Callable[..., object],
        idle: int,
    ) -> LanePlaces:
        """Each lane's checked place in UB, `idle` for lanes that take no part. `rows` are base,
        offsets, active lanes, and what else the instruction takes."""
        base, offsets, active, *_ = rows
        self.eliding.settle()
        count = offsets.count
        last = self.target.ub_bytes - width
        start = base.cast(I64)
        narrow = _narrow(offsets, width)
        if narrow is not None:
            # In elements. A base that is not one of them is refused for all lanes, as is one
            # that is far away, with which sums would not fit 32 bits.
            unit = width
            inside = ((start + _NEAR).as_unsigned() < 2 * _NEAR) & (start & (width - 1)).eq(0)
            at = (start >> (width.bit_length() - 1)).cast(I32).splat(count) + narrow
            wrong = (at.as_unsigned() > last // width) | ~inside.splat(count)
        else:
            unit = 1
            at = start.splat(count) + offsets
            raw = at.as_unsigned()
            wrong = (raw > last) | (raw & (width - 1)).ne(0)
        wrong = wrong & active
        assert isinstance(wrong, NativeLanes)
        self.side_exits.when(self._any(wrong), site, act, rows)
        place = native(active.select(at, at.const(idle // unit)))
        return LanePlaces(self.code, place, unit, idle // unit)

    def _any(self, lanes: NativeLanes) -> Value:
        return self.code.emit("i1", f"icmp ne {self._packed(lanes)}, 0")

    def _all(self, lanes: NativeLanes) -> Value:
        return self.code.emit("i1", f"icmp eq {self._packed(lanes)}, -1")

    def _packed(self, lanes: NativeLanes) -> Value:
        word = f"i{lanes.count}"
        return self.code.emit(word, f"bitcast {lanes.value} to {word}")

    def _refuse_aliases(
        self,
        site: Site,
        places: LanePlaces,
        count: int,
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
        number = types.element(places.row.dtype)
        memory = places.row.spilled()
        found = code.alloca("i8", 1)
        code.store(Value("i8", "0"), found, 1)

        def mark(i: Value) -> None:
            place = code.load(number, code.offset(memory, i, number), 1)
            at = code.offset(table, place, "i32")
            seen = code.emit("i1", f"icmp eq {code.load('i32', at, 4)}, {short.name}")
            real = code.emit("i1", f"icmp ne {place}, {places.idle}")
            both = code.emit("i1", f"and {seen}, {real.name}")
            alias = code.emit("i8", f"zext {both} to i8")
            code.store(code.emit("i8", f"or {code.load('i8', found, 1)}, {alias.name}"), found, 1)
            code.store(short, at, 4)

        each(code, count, mark)
        wrong = code.emit("i1", f"icmp ne {code.load('i8', found, 1)}, 0")
        self.side_exits.when(wrong, site, act, rows)


def _narrow(offsets: NativeLanes, width: int) -> NativeLanes | None:
    """The offsets in 32 bits and in elements, where they are known to be such."""
    if offsets.scaled is None:
        return None
    source, factor = offsets.scaled
    # Unsigned numbers of 32 bits would wrap.
    if factor != width or source.dtype.bits + (not source.dtype.signed) > 32:
        return None
    return source.cast(I32)
