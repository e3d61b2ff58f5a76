"""Unaligned store streams: the state is four values, worked on in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ptoscope.isa.dtypes import I64, UI8
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site
from ptoscope.isa.targets import BLOCK_BYTES
from ptoscope.native import types
from ptoscope.native.lanes import NativeLanes
from ptoscope.native.llvm_text import Code, Value
from ptoscope.native.runtime import streams
from ptoscope.native.side_exits import SideExits

_PENDING = types.row(UI8, BLOCK_BYTES)


@dataclass(frozen=True)
class NativeStream:
    """Pending bytes, how many they are, the address after them, whether it has begun."""

    pending: Value
    count: Value
    end: Value
    begun: Value

    @staticmethod
    def fresh() -> NativeStream:
        zero = Value("i64", "0")
        return NativeStream(Value(_PENDING, "zeroinitializer"), zero, zero, zero)

    @property
    def parts(self) -> tuple[Value, Value, Value, Value]:
        return self.pending, self.count, self.end, self.begun

    def rows(self, code: Code) -> list[NativeLanes]:
        """The parts as rows, for the engine."""
        numbers = [NativeLanes(code, I64, 1, v) for v in self.parts[1:]]
        return [NativeLanes(code, UI8, BLOCK_BYTES, self.pending), *numbers]

    def spilled(self, code: Code) -> Value:
        """The stream in stack memory, as the runtime works on it."""
        memory = code.alloca(f"[{streams.STREAM_BYTES} x i8]")
        for index, number in enumerate(self.parts[1:]):
            code.store(number, code.offset(memory, index, "i64"), 8)
        code.store(self.pending, code.offset(memory, streams.PENDING), 8)
        return memory


def _reloaded(code: Code, memory: Value) -> NativeStream:
    words = [code.load("i64", code.offset(memory, index, "i64"), 8) for index in range(3)]
    return NativeStream(code.load(_PENDING, code.offset(memory, streams.PENDING), 8), *words)


def _again(pending: Any, count: Lanes, end: Lanes, begun: Lanes) -> Any:
    """The reference engine's state of the same stream."""
    from ptoscope.machine.lanes import number
    from ptoscope.machine.stream import Stream as Reference

    data = pending.a.tobytes()[: number(count)]
    return Reference(data, number(end) if number(begun) else None)


def stream_stored(
    code: Code,
    side_exits: SideExits,
    site: Site,
    stream: NativeStream,
    address: NativeLanes,
    value: NativeLanes,
    length: NativeLanes,
) -> NativeStream:
    """Appends the first bytes of a register."""
    memory = stream.spilled(code)
    data = code.alloca(value.type)
    code.store(value.value, data, 64)
    side_exits.needs.add("rt_stream_store")
    wide = length.cast(I64)
    status = code.emit(
        "i64",
        f"call i64 @rt_stream_store(ptr %state, {memory}, {address.value}, {data}, {wide.value})",
    )

    def act(reference: Any, p: Any, n: Lanes, e: Lanes, b: Lanes, a: Lanes, v: Any, k: Lanes):
        reference.stream_store(site, _again(p, n, e, b), a, v, k)

    wrong = code.emit("i1", f"icmp ne {status}, 0")
    side_exits.when(wrong, site, act, (*stream.rows(code), address, value, wide))
    return _reloaded(code, memory)


def flushed(
    code: Code, side_exits: SideExits, site: Site, stream: NativeStream, address: NativeLanes
) -> None:
    """Writes what is left."""
    memory = stream.spilled(code)
    side_exits.needs.add("rt_stream_flush")
    status = code.emit("i64", f"call i64 @rt_stream_flush(ptr %state, {memory}, {address.value})")

    def act(reference: Any, p: Any, n: Lanes, e: Lanes, b: Lanes, a: Lanes) -> None:
        reference.stream_flush(site, _again(p, n, e, b), a)

    wrong = code.emit("i1", f"icmp ne {status}, 0")
    side_exits.when(wrong, site, act, (*stream.rows(code), address))
