"""Copies that are not made. Where a kernel copies a tile to UB and loads it once, generated code
may read GM instead; and where it stores a tile once and copies it to GM then, it may write both at
once. What is in UB and GM whenever anybody can tell is the same: `runtime.deferred` makes copies
that are needed after all.

Here is which copies are worth it, and what loads and stores of such kernels look like. Only speed
depends on the former.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from ptoscope.isa import TABLE
from ptoscope.isa.copies import CopyPath
from ptoscope.isa.types import AttrValue
from ptoscope.native import layout
from ptoscope.native.inlined import word
from ptoscope.native.lanes import NativeLanes
from ptoscope.native.llvm_text import Code, Value
from ptoscope.native.side_exits import SideExits
from ptoscope.native.subset.memory import LINE_BYTES
from ptoscope.program import Block, Function, Loop, Op, Scope

_MOST_LOOPS = 1
"""Around a load or store in a vecscope: one in more of them may come to the same bytes again."""
_EVERYWHERE = 1
"""With that as the least number of bytes copies are left out whether it is worth it or not."""
_AHEAD = 2048
"""How many bytes ahead a row is asked for."""
_STATE, _UB = Value("ptr", "%state"), Value("ptr", "%ub")


def into_ub(op: Op) -> bool:
    """Whether an operation copies from GM to UB."""
    return _path(op) == ("gm", "ub")


def out_of_ub(op: Op) -> bool:
    """Whether an operation copies from UB to GM."""
    return _path(op) == ("ub", "gm")


def _path(op: Op) -> tuple[str, str]:
    record = TABLE.get(op.name)
    path = CopyPath("", "") if record is None or record.path is None else record.path
    return path.source, path.target


def copied_to(function: Function, least: int) -> list[int]:
    """The slots of pointers to tiles that are copied to UB, but for those that are known to have
    less bytes."""
    known = _known(function)
    return sorted(
        {op.operands[1] for op in function.ops() if into_ub(op) and not _is_less(op, known, least)}
    )


def _known(function: Function) -> dict[int, AttrValue]:
    """The constants of a function."""
    return {
        op.results[0]: op.attrs["value"]
        for op in function.ops()
        if "value" in op.attrs and not op.operands
    }


def _is_less(copy: Op, known: Mapping[int, AttrValue], least: int) -> bool:
    """Whether a copy is known to have less bytes."""
    form = TABLE[copy.name].forms[copy.form]
    names = [operand.name for operand in form.operands]
    names += [operand.name for group in form.groups[:1] for operand in group.operands]
    given = dict(zip(names, copy.operands, strict=False))
    length, rows = (known.get(given.get(name, -1)) for name in ("len_burst", "n_burst"))
    return isinstance(length, int) and isinstance(rows, int) and length * rows < least


def read_once(function: Function, least: int) -> list[int]:
    """Those that are read at one place only, once for each time that they are copied."""
    tiles = copied_to(function, least)
    reads: dict[int, list[TileUse]] = {slot: [] for slot in tiles}
    homes: dict[int, set[int]] = {slot: set() for slot in tiles}
    for use in _uses(function.body, {slot: slot for slot in tiles}):
        if into_ub(use.op) and use.slot == use.op.operands[1]:
            homes[use.slot].add(use.home)
        elif use.loops is None or use.op.results:
            reads[use.slot].append(use)
    return [slot for slot in tiles if _is_once(reads[slot], homes[slot])]


def _is_once(reads: list[TileUse], homes: set[int]) -> bool:
    """Whether there is one read, in the block with the copies."""
    if len(reads) != 1 or homes != {reads[0].home}:
        return False
    (read,) = reads
    return out_of_ub(read.op) if read.loops is None else read.loops <= _MOST_LOOPS


def stored_once(scope: Scope, pointer: int) -> bool:
    """Whether a vecscope stores through a pointer at one place only."""
    named = {pointer: pointer}
    named |= {arg: slot for arg, slot in _inputs(scope) if slot == pointer}
    stores = [use for use in _uses(scope.body, named, 0, 0) if not use.op.results]
    return len(stores) == 1 and (stores[0].loops or 0) <= _MOST_LOOPS


def _inputs(scope: Scope) -> Iterator[tuple[int, int]]:
    """The arguments of a vecscope, each with what is given for it."""
    yield from zip(scope.args, scope.inputs, strict=False)


class TileUse(NamedTuple):
    """An operation that takes a value, the block that it, or its vecscope, stands in, and how many
    loops are around it in its vecscope, None outside."""

    op: Op
    slot: int
    home: int
    loops: int | None


def _uses(
    block: Block, names: dict[int, int], loops: int | None = None, home: int | None = None
) -> Iterator[TileUse]:
    """The operations that take values of these names, each with what it is named for."""
    here = id(block) if home is None else home
    for op in block.ops:
        inside, inner, around = names, loops, home
        if isinstance(op, Scope):
            inner, around = 0, here
            inside = names | {arg: names[slot] for arg, slot in _inputs(op) if slot in names}
        else:
            yield from (
                TileUse(op, names[slot], here, loops) for slot in op.operands if slot in names
            )
            if isinstance(op, Loop) and loops is not None:
                inner = loops + 1
        for part in op.blocks:
            yield from _uses(part, inside, inner, around)


class Delivery(NamedTuple):
    """A copy to GM behind a vecscope that stores for it, and what it takes that is computed in
    between."""

    copy: Op
    before: list[Op]


def delivery(following: Iterable[Op]) -> Delivery | None:
    """The copy to GM that is the next of these operations, but for what only computes or
    synchronises."""
    pure: list[Op] = []
    for op in following:
        record = TABLE.get(op.name)
        if record is None or op.blocks:
            return None
        if out_of_ub(op):
            needed = set(op.operands)
            first: list[Op] = []
            for one in reversed(pure):
                if not needed.isdisjoint(one.results):
                    needed.update(one.operands)
                    first.insert(0, one)
            return Delivery(op, first)
        if record.pure and record.where == "anywhere" and op.results:
            pure.append(op)
        elif record.order is None:
            return None
    return None


def deliveries(block: Block, everywhere: bool) -> Iterator[tuple[int, Delivery]]:
    """The vecscopes that store at one place only what is copied to GM then."""
    for i, op in enumerate(block.ops):
        for part in op.blocks:
            yield from deliveries(part, everywhere)
        if isinstance(op, Scope):
            found = delivery(islice(block.ops, i + 1, None))
            if found is not None and (everywhere or stored_once(op, found.copy.operands[0])):
                yield id(op), found


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
            known = _known(function)
            self.deliveries = {
                scope: found
                for scope, found in deliveries(function.body, everywhere)
                if not _is_less(found.copy, known, least)
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
                part = row.shuffle(tuple(range(first, first + line)))
                for lane in range(0, line, count):
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
