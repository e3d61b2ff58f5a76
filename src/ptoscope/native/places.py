"""Elements of UB at a place of their own for each lane, as LLVM text. A register is put together
and taken apart lane by lane: no processor does it much faster, and what is stored in small parts
is slow to load as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ptoscope.isa.dtypes import UI8, unsigned
from ptoscope.native import types
from ptoscope.native.lanes import NativeLanes
from ptoscope.native.llvm_text import Code, Value

_LOW = (1 << 32) - 1


def at_once(width: int) -> int:
    """How many lanes fill a register of 64 bytes; not all where that would be long code."""
    return 1 if width > 8 else min(64 // width, 32)


@dataclass(frozen=True)
class LanePlaces:
    """Places in UB that have been checked, one for each lane."""

    code: Code
    row: NativeLanes
    """Their numbers, of 32 or 64 bits."""
    unit: int
    """Bytes that these count."""
    idle: int
    """That of lanes that take no part."""

    def parts(self, lanes: int) -> list[Value]:
        """The numbers of so many lanes at a time."""
        starts = range(0, self.row.count, lanes)
        return [self.row.shuffle(tuple(range(s, s + lanes))).value for s in starts]

    def gathered(self, part: Value, width: int) -> NativeLanes:
        """What is at some of them: integers of a width up to 8, or the bytes of a wider one."""
        code, lanes = self.code, at_once(width)
        if lanes == 1:
            return NativeLanes(
                code, UI8, width, code.load(types.row(UI8, width), self._pointer(part), 1)
            )
        dtype = unsigned(8 * width)
        row, unit = Value(types.row(dtype, lanes), "poison"), types.element(dtype)
        for lane, pointer in self._pointers(part, range(lanes)):
            value = code.load(unit, pointer, 1)
            row = code.emit(row.type, f"insertelement {row}, {value}, i64 {lane}")
        return NativeLanes(code, dtype, lanes, row)

    def scattered(self, part: Value, row: Value, in_order: bool) -> None:
        """Stores the lanes of a row to some of them, the last lane first unless in order."""
        code = self.code
        if part.type[0] != "<":
            code.store(row, self._pointer(part), 1)
            return
        count, unit = row.type[1:-1].split(" x ")
        lanes = range(int(count))
        for lane, pointer in self._pointers(part, lanes if in_order else reversed(lanes)):
            value = code.emit(unit, f"extractelement {row}, i64 {lane}")
            code.store(value, pointer, 1)

    def _pointers(self, part: Value, lanes: Iterable[int]) -> Iterator[tuple[int, Value]]:
        """Lanes in an order, and where in UB each is."""
        code = self.code
        if self.row.dtype.bits == 64:
            for lane in lanes:
                yield lane, self._pointer(code.emit("i64", f"extractelement {part}, i64 {lane}"))
            return
        # Two at a time: what takes long is to take numbers out of a vector.
        kind = f"<{int(part.type[1:].split()[0]) // 2} x i64>"
        both = code.emit(kind, f"bitcast {part} to {kind}")
        pairs: dict[int, Value] = {}
        for lane in lanes:
            pair = lane // 2
            if pair not in pairs:
                pairs[pair] = code.emit("i64", f"extractelement {both}, i64 {pair}")
            half = f"lshr {pairs[pair]}, 32" if lane % 2 else f"and {pairs[pair]}, {_LOW}"
            yield lane, self._pointer(code.emit("i64", half))

    def _pointer(self, number: Value) -> Value:
        if number.type != "i64":
            number = self.code.emit("i64", f"zext {number} to i64")
        return self.code.offset(Value("ptr", "%ub"), number, f"i{8 * self.unit}")


def joined(parts: list[NativeLanes]) -> NativeLanes:
    """Rows, one behind the other."""
    while len(parts) > 1:
        order = tuple(range(2 * parts[0].count))
        parts = [a.shuffle(order, b) for a, b in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]
