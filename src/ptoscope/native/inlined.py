"""Fast ways written into the code itself, where calling the runtime would take longer than the
work: small copies between GM and UB, scalars of GM, flags and buffers.

Each looks whether it may; if not, the same function of the runtime is called as elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import NamedTuple

from ptoscope.isa.copies import ROW_BITS, Transfer, in_field
from ptoscope.isa.lanes import Lanes
from ptoscope.machine.memory import gm_base, gm_position
from ptoscope.native import layout
from ptoscope.native.lanes import native
from ptoscope.native.llvm_text import Code, Value
from ptoscope.native.runtime.past_cache import PAST_CACHE

LEAST_PAST_CACHE = 128
"""Bytes of a copy that goes past the cache where its array is large."""
MOST_BYTES = 1024
"""Of a copy that is written into the code."""
_STATE = Value("ptr", "%state")
_NO_ARGUMENT = -1
"""A position in the table of arguments that can be looked at, and has none."""
_REGION = (
    (layout.REGION_DATA, "ptr"),
    (layout.REGION_SIZE, "i64"),
    (layout.REGION_WRITEABLE, "i64"),
)
"""The words of a region, and what they are in LLVM."""
_PIECE = 64
_AT_ONCE = 4
_LINE_PIECES = 4
"""Bytes that are copied by one instruction, where there are so many, and how many are on their
way at once."""


class GmPlace(NamedTuple):
    """Where bytes of GM are in this process, whether they are not there after all, and the bytes of
    all of the array."""

    at: Value
    wrong: Value
    size: Value


def word(code: Code, number: int) -> Value:
    """A word of the state."""
    return code.load("i64", code.offset(_STATE, number, "i64"), 8)


def either(code: Code, *conditions: Value) -> Value:
    """Whether one of several conditions holds."""
    return reduce(lambda one, two: code.emit("i1", f"or {one}, {two.name}"), conditions)


def is_queued(code: Code) -> Value:
    """Whether instructions wait in a pipe."""
    return code.emit("i1", f"icmp ne {word(code, layout.QUEUED)}, 0")


def unless(
    code: Code, wrong: Value, otherwise: Callable[[], object], quick: Callable[[], object]
) -> None:
    """Does it the quick way, or where that is wrong, which is rare, otherwise."""
    slow, fast, after = code.label("slow"), code.label("fast"), code.label("after")
    code.branch(wrong, slow, fast, unlikely=True)
    with code.aside(slow):
        otherwise()
        code.jump(after)
    code.place(fast)
    with code.inside():
        quick()
    code.jump(after)
    code.place(after)


def gm_place(
    code: Code, address: Value, size: int, alignment: int, writes: bool, likely: int | None
) -> GmPlace:
    """The place of so many bytes of GM; whoever goes there looks at `wrong` first. `likely` is
    the position of the argument that they are in, where one is more likely than others: in
    another one they are wrong."""
    if likely is None:
        wrong, region, first = _region(code, address)
        words = [code.load(kind, code.offset(region, number, "i64"), 8) for number, kind in _REGION]
    else:
        wrong, first = [], str(gm_base(likely))
        words = [_of_argument(code, likely, number, kind) for number, kind in _REGION]
    data, bytes_there, writeable = words
    offset = code.emit("i64", f"sub {address}, {first}")
    last = code.emit("i64", f"sub {bytes_there}, {size}")
    wrong.append(code.emit("i1", f"icmp slt {offset}, 0"))
    wrong.append(code.emit("i1", f"icmp sgt {offset}, {last.name}"))
    if alignment > 1:
        low = code.emit("i64", f"and {offset}, {alignment - 1}")
        wrong.append(code.emit("i1", f"icmp ne {low}, 0"))
    if writes:
        wrong.append(code.emit("i1", f"icmp eq {writeable}, 0"))
    return GmPlace(code.offset(data, offset), either(code, *wrong), bytes_there)


def _of_argument(code: Code, position: int, number: int, kind: str) -> Value:
    """A word of the region of an argument, looked up once in a function."""
    name = f"%gm{position}.{number}"
    at = layout.REGION_BYTES * position + layout.WORD_BYTES * number
    code.function.begins_with(
        f"{name}.regions = getelementptr i64, ptr %state, i64 {layout.REGIONS}",
        f"{name}.table = load ptr, ptr {name}.regions, align 8",
        f"{name}.at = getelementptr i8, ptr {name}.table, i64 {at}",
        f"{name} = load {kind}, ptr {name}.at, align 8",
    )
    return Value(kind, name)


def _region(code: Code, address: Value) -> tuple[list[Value], Value, str]:
    """Of the argument that an address is in: whether there is none, its entry in the table, and
    the address of its first byte."""
    stretch = gm_base(1) - gm_base(0)
    shift = stretch.bit_length() - 1
    number = code.emit("i64", f"ashr {address}, {shift}")
    position = code.emit("i64", f"add {number}, {gm_position(0)}")
    missing = code.emit("i1", f"icmp uge {position}, {word(code, layout.REGION_COUNT).name}")
    entry = code.emit("i64", f"select {missing}, i64 {_NO_ARGUMENT}, {position}")
    start = code.emit("i64", f"shl {number}, {shift}")
    first = code.emit("i64", f"add {start}, {gm_base(0) - stretch}")
    table = code.load("ptr", code.offset(_STATE, layout.REGIONS, "i64"), 8)
    region = code.offset(table, code.emit("i64", f"mul {entry}, 3"), "i64")
    return [missing], region, first.name


def dense_bytes(transfer: Transfer[Lanes]) -> int | None:
    """The bytes of a copy between GM and UB that is known to be one dense run, its rows aligned,
    its numbers fitting their fields; else None."""
    path, padding = transfer.path, transfer.padding
    if {path.source, path.target} != {"gm", "ub"} or transfer.core is not None:
        return None
    if padding is not None and (padding.enabled is None or native(padding.enabled).number != 0):
        return None
    if len(transfer.loops) != 1:
        return None
    (loop,) = transfer.loops
    length, rows, src_stride, dst_stride = (
        native(n).number for n in (transfer.length, loop.count, loop.src_stride, loop.dst_stride)
    )
    if length is None or rows is None or src_stride is None or dst_stride is None:
        return None
    fields = (
        (length, path.length_bits),
        (rows, ROW_BITS),
        (src_stride, path.source_stride_bits),
        (dst_stride, path.target_stride_bits),
    )
    if not all(in_field(number, bits) for number, bits in fields):
        return None
    alignment = max(path.source_alignment, path.target_alignment)
    if rows > 1 and (not length == src_stride == dst_stride or length % alignment):
        return None
    return rows * length


def copied(code: Code, to: Value, source: Value, size: int) -> None:
    """Copies bytes to others that do not overlap them."""
    pieces: list[tuple[int, int]] = []
    at = 0
    while at < size:
        width = min(_PIECE, 1 << (size - at).bit_length() - 1)
        pieces.append((at, width))
        at += width
    for first in range(0, len(pieces), _AT_ONCE):
        some = pieces[first : first + _AT_ONCE]
        loaded = [code.load(f"<{width} x i8>", code.offset(source, at), 1) for at, width in some]
        for value, (at, _) in zip(loaded, some, strict=True):
            code.store(value, code.offset(to, at), 1)


def copied_out(code: Code, to: GmPlace, source: Value, size: int) -> None:
    """Copies bytes to GM, past the cache where the array is larger than that."""
    if size % layout.PIECE_BYTES or size < LEAST_PAST_CACHE:
        copied(code, to.at, source, size)
        return
    number = code.emit("i64", f"ptrtoint {to.at} to i64")
    low = code.emit("i64", f"and {number}, {layout.PIECE_BYTES - 1}")
    crooked = code.emit("i1", f"icmp ne {low}, 0")
    small = code.emit("i1", f"icmp slt {to.size}, {PAST_CACHE}")
    near, far, on = code.label("near"), code.label("far"), code.label("on")
    code.branch(either(code, crooked, small), near, far)
    code.place(near)
    with code.inside():
        copied(code, to.at, source, size)
    code.jump(on)
    code.place(far)
    kind = f"<{layout.PIECE_BYTES} x i8>"
    with code.inside():
        places = range(0, size, layout.PIECE_BYTES)
        for first in range(0, len(places), _LINE_PIECES):
            some = places[first : first + _LINE_PIECES]
            loaded = [code.load(kind, code.offset(source, at), 1) for at in some]
            for value, at in zip(loaded, some, strict=True):
                code.store_past_cache(value, code.offset(to.at, at))
    code.jump(on)
    code.place(on)


class Counter(NamedTuple):
    """How a flag or buffer counts: the function of the runtime that does it, the word of its
    first, how many there are, the count at which it cannot go on, and what it adds."""

    function: str
    first: Callable[[str, str], int]
    limit: int
    end: int
    step: int

    def counts(self, code: Code, at: int, otherwise: Callable[[], object]) -> None:
        """Counts in a word, without a call where it can go on."""
        self._counts(code, at, otherwise, self.step)

    def answered(self, code: Code, at: int, otherwise: Callable[[], object]) -> None:
        """Sets a flag and takes it down again: what is left is that it was set once more."""
        self._counts(code, at, otherwise, self.step - 1)

    def _counts(self, code: Code, at: int, otherwise: Callable[[], object], step: int) -> None:
        place = code.offset(_STATE, at, "i64")
        before = code.load("i64", place, 8)
        count = code.emit("i64", f"and {before}, {layout.COUNT}")
        stuck = code.emit("i1", f"icmp eq {count}, {self.end}")

        def quick() -> None:
            code.store(code.emit("i64", f"add {before}, {step}"), place, 8)

        unless(code, either(code, stuck, is_queued(code)), otherwise, quick)
