"""Copies that are not made. Where a kernel copies a tile to UB and loads it once, generated code
may read GM instead; and where it stores a tile once and copies it to GM then, it may write GM at
once. What is in UB and GM whenever anybody can tell is the same: `runtime.deferred` brings tiles to
UB that are needed there after all.

Here is what loads and stores of such kernels look like; `elidable` says which copies are worth it.
"""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.native import layout
from ptoscope.native.elidable import (
    Delivery,
    constants,
    copied_to,
    deliveries,
    is_less,
    read_once,
)
from ptoscope.native.inlined import word
from ptoscope.native.lanes import NativeLanes
from ptoscope.native.llvm_text import Code, Value
from ptoscope.native.side_exits import SideExits
from ptoscope.native.subset.memory import LINE_BYTES
from ptoscope.program import Function

_EVERYWHERE = 1
"""With that as the least number of bytes copies are left out whether it is worth it or not."""
_AHEAD = 2048
"""How many bytes ahead a row is asked for."""
_STATE, _UB = Value("ptr", "%state"), Value("ptr", "%ub")


class Eliding:
    """What a kernel leaves out, and what its loads and stores do besides."""

    def __init__(
        self,
        code: Code,
        side_exits: SideExits,
        function: Function | None = None,
        least: int = 0,
    ) -> None:
        self._code = code
        self._side_exits = side_exits
        may = (
            function is not None
            and function.cores == ("vector",)
            and not function.uses_matrix_memories
        )
        self.least = least if may else 0
        """How many bytes a copy has that may be left out; 0 where none may be."""
        slots: list[int] = []
        self.deliveries: dict[int, Delivery] = {}
        """Of vecscopes by their ids, the copies that they store for."""
        if self.least and function is not None:
            everywhere = least == _EVERYWHERE
            slots = (copied_to if everywhere else read_once)(function, least)
            known = constants(function)
            self.deliveries = {
                scope: found
                for scope, found in deliveries(function.body, everywhere)
                if not is_less(found.copy, known, least)
            }
        self._slots = {slot: number for number, slot in enumerate(slots[: layout.MOST_DEFERRED])}
        self.tiles: dict[str, int] = {}
        """Values that point into a tile which may be deferred, with its number."""
        self.defers = bool(self._slots or self.deliveries)
        """Whether anything is left out."""
        self.writes_through = False
        """Whether the vecscope that is written may write a tile to GM as it stores it."""

    def elides(self, size: int) -> bool:
        """Whether a copy of so many bytes may be left out."""
        return 0 < self.least <= size

    def define(self, slot: int, value: NativeLanes) -> None:
        """A value is made."""
        number = self._slots.get(slot)
        if number is not None:
            self.tiles[value.value.name] = number

    def is_deferring(self) -> Value:
        """Whether a copy is deferred."""
        return self._code.emit("i1", f"icmp ne {word(self._code, layout.DEFERRED_HIGH)}, 0")

    def settle(self) -> None:
        """UB is read or written in a way that is not looked at closely."""
        if self.defers:
            self._rarely(self.is_deferring(), lambda: self._call("rt_settle"))

    def loaded_from(self, at: NativeLanes, extent: int) -> Value:
        """Where a dense row of UB is read: in UB, or in GM from its begin on."""
        code, number = self._code, self.tiles.get(at.value.name)
        if number is None:
            self.met(at, extent)
            return _UB
        first = layout.DEFERRED_TILES + layout.TILE_WORDS * number
        begin, size = word(code, first + layout.TILE_AT), word(code, first + layout.TILE_SIZE)
        base = code.load("ptr", code.offset(_STATE, first + layout.TILE_BASE, "i64"), 8)
        offset = code.emit("i64", f"sub {at.value}, {begin.name}")
        rows = code.call("i64", "llvm.usub.sat.i64", size, Value("i64", str(extent - 1)))
        is_there = code.emit("i1", f"icmp ult {offset}, {rows.name}")
        chosen = code.emit("ptr", f"select {is_there}, {base}, {_UB}")
        # In this block, so that it stays before the load itself.
        self._prefetch(code.offset(chosen, at.value), extent)
        is_not = code.emit("i1", f"xor {is_there}, true")
        meets = code.emit("i1", f"and {is_not}, {self._meets(at, extent).name}")
        self._rarely(meets, lambda: self._meet(at, extent))
        return chosen

    def _prefetch(self, there: Value, extent: int, writes: bool = False) -> None:
        """Asks for a row that comes later, so that it is there when it is loaded, or may be written
        when it is stored."""
        kind = tuple(Value("i32", number) for number in (str(int(writes)), "3", "1"))
        for line in range(_AHEAD, _AHEAD + extent, LINE_BYTES):
            self._code.call("void", "llvm.prefetch.p0", self._code.offset(there, line), *kind)

    def met(self, at: NativeLanes, extent: int) -> None:
        """Bytes of UB are read or written: copies to them that are deferred are made."""
        if self.defers:
            self._rarely(self._meets(at, extent), lambda: self._meet(at, extent))

    def _meets(self, at: NativeLanes, extent: int) -> Value:
        code = self._code
        high, low = word(code, layout.DEFERRED_HIGH), word(code, layout.DEFERRED_LOW)
        end = code.emit("i64", f"add {at.value}, {extent}")
        before = code.emit("i1", f"icmp slt {at.value}, {high.name}")
        behind = code.emit("i1", f"icmp sgt {end}, {low.name}")
        return code.emit("i1", f"and {before}, {behind.name}")

    def _meet(self, at: NativeLanes, extent: int) -> None:
        self._call("rt_meet", at.value, Value("i64", str(extent)))

    def stored(
        self,
        at: NativeLanes,
        extent: int,
        row: NativeLanes | None,
        full: Value | None,
        store: Callable[[], None],
    ) -> None:
        """Stores a row, by `store` or in GM: there, where it is dense (else None), of whole pieces,
        the next of the tile that is written, and all its lanes are there (`full`; None where that
        is known)."""
        if not self.writes_through or row is None or extent % layout.PIECE_BYTES:
            self.met(at, extent)
            store()
            return
        code = self._code
        first = layout.DEFERRED_TILES + layout.TILE_WORDS * layout.WRITTEN
        size_at = code.offset(_STATE, first + layout.TILE_SIZE, "i64")
        size = code.load("i64", size_at, 8)
        begin = word(code, first + layout.TILE_AT)
        following = code.emit("i64", f"add {begin}, {size.name}")
        end = code.emit("i64", f"add {at.value}, {extent}")
        inside = code.emit("i1", f"icmp sle {end}, {word(code, layout.WRITTEN_END).name}")
        is_next = code.emit("i1", f"icmp eq {at.value}, {following.name}")
        goes = code.emit("i1", f"and {inside}, {is_next.name}")
        if full is not None:
            goes = code.emit("i1", f"and {goes}, {full.name}")
        there, here, after = code.label("there"), code.label("here"), code.label("after")
        code.branch(goes, there, here)
        code.place(there)
        with code.inside():
            base = code.load("ptr", code.offset(_STATE, first + layout.TILE_BASE, "i64"), 8)
            self._write(code.offset(base, at.value), row)
            code.store(code.emit("i64", f"add {size}, {extent}"), size_at, 8)
        code.jump(after)
        code.place(here)
        with code.inside():
            self.met(at, extent)
            store()
        code.jump(after)
        code.place(after)

    def _write(self, place: Value, row: NativeLanes) -> None:
        """A row to GM, piece by piece past the cache where it is to go so."""
        code, count = self._code, layout.PIECE_BYTES // row.dtype.bytes
        beside, through, on = code.label("beside"), code.label("through"), code.label("on")
        asked = word(code, layout.WRITTEN_PAST_CACHE)
        code.branch(code.emit("i1", f"icmp ne {asked}, 0"), beside, through)
        code.place(beside)
        with code.inside():
            # By lines first: LLVM takes long for a small part of a large row.
            line = min(LINE_BYTES // row.dtype.bytes, row.count)
            for first in range(0, row.count, line):
                part = row.shuffle(tuple(range(first, min(first + line, row.count))))
                for lane in range(0, part.count, count):
                    piece = part.shuffle(tuple(range(lane, lane + count))).value
                    at = (first + lane) * row.dtype.bytes
                    code.store_past_cache(piece, code.offset(place, at))
        code.jump(on)
        code.place(through)
        with code.inside():
            self._prefetch(place, row.count * row.dtype.bytes, writes=True)
            code.store(row.value, place, 1)
        code.jump(on)
        code.place(on)

    def _call(self, name: str, *values: Value) -> None:
        self._side_exits.needs.add(name)
        listed = "".join(f", {value}" for value in values)
        self._code.emit("i64", f"call i64 @{name}(ptr %state{listed})")

    def _rarely(self, condition: Value, act: Callable[[], None]) -> None:
        """Does something where a condition holds, which is rare."""
        code = self._code
        rare, on = code.label("rare"), code.label("on")
        code.branch(condition, rare, on, unlikely=True)
        with code.aside(rare):
            act()
            code.jump(on)
        code.place(on)
