"""Unaligned streams in code. A state is the bytes it holds and some words: a store works on them
in memory, a load in registers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ptoscope.isa.dtypes import I64, UI8, VREG_BYTES
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site
from ptoscope.isa.targets import BLOCK_BYTES
from ptoscope.native import layout, types
from ptoscope.native.lanes import NativeLanes
from ptoscope.native.llvm_text import Code, Value
from ptoscope.native.memory import store_row
from ptoscope.native.runtime import streams
from ptoscope.native.side_exits import SideExits

_BLOCK = types.row(UI8, BLOCK_BYTES)
_PIECE = 64
"""Bytes that are copied at once."""
_UB = Value("ptr", "%ub")


def _word(number: int) -> Value:
    return Value("i64", str(number))


@dataclass(frozen=True)
class NativeStream:
    """Of a store stream: pending bytes, how many they are, the address after them, its kind,
    base and position, and which word counts what is pending. Of a load stream: the block it
    holds, how many bytes of it (all or none), and as end and base the last and the first address
    at which it may go on."""

    block: Value
    count: Value
    end: Value
    kind: Value
    base: Value
    position: Value
    maker: Value

    @staticmethod
    def fresh() -> NativeStream:
        """A store stream that has not begun."""
        zero = _word(0)
        return NativeStream(Value(_BLOCK, "zeroinitializer"), *[zero] * 6)

    @staticmethod
    def loading(block: Value, count: Value, low: Value, high: Value) -> NativeStream:
        """A load stream."""
        return NativeStream(block, count, high, _word(streams.LOADS), low, _word(0), _word(0))

    @property
    def parts(self) -> tuple[Value, ...]:
        return self.block, *self.words

    @property
    def words(self) -> tuple[Value, ...]:
        """The words, in the order in which they lie in memory."""
        return self.count, self.end, self.kind, self.base, self.position, self.maker

    def is_kind(self, code: Code, kind: int) -> Value:
        """Whether it is of a kind."""
        return code.emit("i1", f"icmp eq {self.kind}, {kind}")

    def rows(self, code: Code) -> list[NativeLanes]:
        """What a reference engine needs of it."""
        numbers = [NativeLanes(code, I64, 1, v) for v in self.words[:-1]]
        return [NativeLanes(code, UI8, BLOCK_BYTES, self.block), *numbers]

    def spilled(self, code: Code) -> Value:
        """The stream in stack memory, as the runtime works on it."""
        memory = code.alloca(f"[{streams.STREAM_BYTES} x i8]")
        for index, number in enumerate(self.words):
            code.store(number, code.offset(memory, index, "i64"), 8)
        code.store(self.block, code.offset(memory, streams.PENDING), 8)
        return memory


def again(block: Any, *words: Lanes) -> object:
    """The reference engine's state of the same stream."""
    from ptoscope.machine.lanes import number
    from ptoscope.machine.stream import LoadStream, Stream

    count, end, kind, base, position = map(number, words)
    data = block.a.tobytes()[:count]
    if kind == streams.LOADS:
        return LoadStream(base, end, data)
    return Stream(data, end if kind == streams.STORES else None, base, position)


def primed(code: Code, at: NativeLanes) -> NativeStream:
    """The block around an address that is inside UB."""
    start = code.emit("i64", f"and {at.value}, -{BLOCK_BYTES}")
    last = code.emit("i64", f"add {start}, {BLOCK_BYTES - 1}")
    return NativeStream.loading(_read(code, start), _word(BLOCK_BYTES), start, last)


def elsewhere(code: Code, stream: NativeStream, at: NativeLanes) -> Value:
    """Whether a load at an address is not one that the stream goes on with."""
    other = code.emit("i1", f"icmp ne {stream.kind}, {streams.LOADS}")
    below = code.emit("i1", f"icmp slt {at.value}, {stream.base.name}")
    above = code.emit("i1", f"icmp sgt {at.value}, {stream.end.name}")
    outside = code.emit("i1", f"or {below}, {above.name}")
    return code.emit("i1", f"or {other}, {outside.name}")


def stream_loaded(
    code: Code, stream: NativeStream, at: NativeLanes
) -> tuple[NativeLanes, NativeStream]:
    """The register at an address that has been checked, and the stream after it. The blocks
    around the register are laid side by side, the first as the stream holds it."""
    row = types.row(UI8, VREG_BYTES)
    start = code.emit("i64", f"and {at.value}, -{BLOCK_BYTES}")
    inside = code.emit("i64", f"and {at.value}, {BLOCK_BYTES - 1}")
    held = code.emit("i1", f"icmp ne {stream.count}, 0")
    first = code.emit(_BLOCK, f"select {held}, {stream.block}, {_read(code, start)}")
    end = code.emit("i64", f"add {at.value}, {VREG_BYTES}")
    # That of the last byte: where the register ends at a border there is none after it.
    before = code.emit("i64", f"sub {end}, 1")
    last = _read(code, code.emit("i64", f"and {before}, -{BLOCK_BYTES}"))
    memory = code.alloca(f"[{VREG_BYTES + BLOCK_BYTES} x i8]")
    code.store(first, memory, 1)
    for offset in range(BLOCK_BYTES, VREG_BYTES, BLOCK_BYTES):
        place = code.emit("i64", f"add {start}, {offset}")
        code.store(_read(code, place), code.offset(memory, offset), 1)
    code.store(last, code.offset(memory, VREG_BYTES), 1)
    value = code.load(row, code.offset(memory, inside), 1)
    whole = code.emit("i1", f"icmp eq {inside}, 0")
    count = code.emit("i64", f"select {whole}, i64 0, i64 {BLOCK_BYTES}")
    after = NativeStream.loading(last, count, end, end)
    return NativeLanes(code, UI8, VREG_BYTES, value), after


def _read(code: Code, start: Value) -> Value:
    """A block of UB."""
    return code.load(_BLOCK, code.offset(_UB, start), BLOCK_BYTES)


def refused_store(
    code: Code, stream: NativeStream, base: Value, address: Value, length: Value, named: bool
) -> tuple[Value, Value]:
    """Whether a store does not follow, is of another base or is not inside UB; and the base of
    the stream after it. Only load streams, refused anyway, and stores without a post-update have
    a position that is not the end."""

    def test(words: str) -> Value:
        return code.emit("i1", words)

    follows = test(f"icmp eq {address}, {stream.end.name}")
    goes_on = test(f"and {stream.is_kind(code, streams.STORES)}, {follows.name}")
    pending = test(f"icmp ne {stream.count}, 0")
    stays = test(f"icmp ne {stream.position}, {stream.end.name}")
    held = test(f"or {pending}, {stays.name}")
    apart = test(f"xor {follows}, true")
    own = code.emit("i64", f"select {goes_on}, {stream.base}, {base}")
    wrong = [
        stream.is_kind(code, streams.LOADS),
        test(f"and {held}, {apart.name}"),
        test(f"icmp slt {address}, {stream.count.name}"),
    ]
    room = code.load("i64", code.offset(Value("ptr", "%state"), layout.UB_BYTES, "i64"), 8)
    last = code.emit("i64", f"sub {room}, {length.name}")
    wrong.append(test(f"icmp sgt {address}, {last.name}"))
    if named:
        other, after = test(f"icmp ne {base}, {own.name}"), test(f"icmp sgt {base}, {address.name}")
        wrong.append(test(f"select {goes_on}, {other}, {after}"))
    some = wrong[0]
    for one in wrong[1:]:
        some = test(f"or {some}, {one.name}")
    return some, own


def stream_stored(
    code: Code,
    stream: NativeStream,
    base: Value,
    address: Value,
    value: NativeLanes,
    length: Value,
    position: Value,
    maker: int,
) -> NativeStream:
    """Appends the first bytes of a row at an address that has been checked: whole blocks
    reach UB, the rest is pending."""

    def number(words: str) -> Value:
        return code.emit("i64", words)

    start = number(f"sub {address}, {stream.count.name}")
    end = number(f"add {address}, {length.name}")
    border = number(f"and {end}, -{BLOCK_BYTES}")
    ends = code.emit("i1", f"icmp sgt {border}, {start.name}")
    old = number(f"select {ends}, {stream.count}, i64 0")
    new = code.call("i64", "llvm.smax.i64", number(f"sub {border}, {address.name}"), _word(0))
    block = NativeLanes(code, UI8, BLOCK_BYTES, stream.block)
    _store_first(code, code.offset(_UB, start), block, old)
    for at in range(0, value.count, _PIECE):
        piece = value.shuffle(tuple(range(at, min(at + _PIECE, value.count))))
        rest = number(f"sub {new}, {at}")
        _store_first(code, code.offset(_UB, number(f"add {address}, {at}")), piece, rest)
    top = code.offset(Value("ptr", "%state"), layout.UB_TOP, "i64")
    code.store(code.call("i64", "llvm.smax.i64", code.load("i64", top, 8), border), top, 8)
    # What is pending now: of the bytes before it and the row, side by side.
    memory = code.offset(code.alloca(f"[{VREG_BYTES + 2 * BLOCK_BYTES} x i8]"), BLOCK_BYTES)
    back = number(f"sub i64 0, {stream.count.name}")
    code.store(stream.block, code.offset(memory, back), 1)
    code.store(value.value, memory, 1)
    first = number(f"select {ends}, {new}, {back}")
    left = number(f"sub {length}, {first.name}")
    _count(code, stream.maker, back)
    _count(code, _word(maker), left)
    pending = code.load(_BLOCK, code.offset(memory, first), 1)
    kind = _word(streams.STORES)
    return NativeStream(pending, left, end, kind, base, position, _word(maker))


def _count(code: Code, maker: Value, by: Value) -> None:
    """Adds to the word that counts what a store left pending."""
    at = code.offset(Value("ptr", "%state"), maker, "i64")
    code.store(code.emit("i64", f"add {code.load('i64', at, 8)}, {by.name}"), at, 8)


def _store_first(code: Code, place: Value, row: NativeLanes, count: Value) -> None:
    """The first bytes of a row, at most as many as it has."""
    size = row.count
    least = code.call("i64", "llvm.smax.i64", count, _word(0))
    most = code.call("i64", "llvm.smin.i64", least, _word(size))
    limit = NativeLanes(code, UI8, 1, code.emit("i8", f"trunc {most} to i8")).splat(size)
    numbers = Value(types.row(UI8, size), types.listed(UI8, range(size)))
    active = NativeLanes(code, UI8, size, numbers).compare("lt", limit)
    store_row(code, place, 1, row, active)


def flushed(
    code: Code,
    side_exits: SideExits,
    site: Site,
    stream: NativeStream,
    address: NativeLanes,
    by_base: bool,
) -> None:
    """Writes what is left."""
    memory = stream.spilled(code)
    side_exits.needs.add("rt_stream_flush")
    given = f"ptr %state, {memory}, {address.value}, i64 {int(by_base)}"
    status = code.emit("i64", f"call i64 @rt_stream_flush({given})")

    def act(reference: Any, *rows: Any) -> None:
        *words, a = rows
        reference.stream_flush(site, again(*words), a, by_base)

    wrong = code.emit("i1", f"icmp ne {status}, 0")
    side_exits.when(wrong, site, act, (*stream.rows(code), address))
