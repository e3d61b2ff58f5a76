"""Lanes in another order, as LLVM text.

An order that is known now is one or two shuffles. One that is known only when running goes
through the stack, in a loop, where the processor has no instruction for it (see `registers`): a
loop over memory is at least as fast as what a compiler makes of it lane by lane.
"""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.isa.dtypes import DType
from ptoscope.native import types
from ptoscope.native.llvm_text import Code, Value

_UNROLL = 8


def picked(code: Code, dtype: DType, count: int, row: Value, order: tuple[int, ...]) -> Value:
    """Lane i is lane order[i] of a row of `count`; zero where that is negative."""
    if len(order) == 1 and order[0] < 0:
        return Value(types.element(dtype), "zeroinitializer")
    if len(order) == 1:
        return code.emit(types.element(dtype), f"extractelement {row}, i64 {order[0]}")
    filled = types.indices(tuple(count if i < 0 else i for i in order))
    source = f"{row}, {row.type} zeroinitializer, {filled}"
    return code.emit(types.row(dtype, len(order)), f"shufflevector {source}")


def picked_of_two(
    code: Code, dtype: DType, one: Value, two: Value, order: tuple[int, ...]
) -> Value:
    """Lane i is lane order[i] of a row and the other one behind it, likewise; at least two."""
    target = types.row(dtype, len(order))
    made = code.emit(target, f"shufflevector {one}, {two}, {types.indices(order)}")
    if min(order) < 0:
        kept = tuple(len(order) if i < 0 else n for n, i in enumerate(order))
        source = f"{made}, {target} zeroinitializer, {types.indices(kept)}"
        made = code.emit(target, f"shufflevector {source}")
    return made


def splatted(code: Code, dtype: DType, lane: Value, count: int) -> Value:
    """One lane, so often."""
    kind = types.row(dtype, count)
    first = code.emit(kind, f"insertelement {kind} poison, {lane}, i64 0")
    zeros = f"<{count} x i32> zeroinitializer"
    return code.emit(kind, f"shufflevector {first}, {kind} poison, {zeros}")


def each(code: Code, count: int, body: Callable[[Value], None], unroll: int = _UNROLL) -> None:
    """Runs a body for 0 to count - 1, which is known now."""
    step = unroll if count % unroll == 0 else 1
    loop, done, before = code.label("each"), code.label("done"), code.function.label
    code.jump(loop)
    code.place(loop)
    name = f"%v{code.fresh()}"
    slot = len(code.function.lines)
    code.do("")
    with code.inside():
        index = Value("i64", name)
        for i in range(step):
            body(code.emit("i64", f"add {index}, {i}") if i else index)
        following = code.emit("i64", f"add {index}, {step}")
        more = code.emit("i1", f"icmp ult {following}, {count}")
        last = code.function.label
        code.branch(more, loop, done)
    code.function.lines[slot] = (
        f"  {name} = phi i64 [ 0, %{before} ], [ {following.name}, %{last} ]"
    )
    code.place(done)


def taken(code: Code, dtype: DType, row: Value, order: Value, number: str, count: int) -> Value:
    """Lane i is lane order[i] of a row; both are in memory, the order as LLVM's `number`."""
    lane = types.element(dtype)
    result = code.alloca(types.row(dtype, count))

    def move(i: Value) -> None:
        which = code.load(number, code.offset(order, i, number), 1)
        if number != "i64":
            which = code.emit("i64", f"zext {which} to i64")
        value = code.load(lane, code.offset(row, which, lane), 1)
        code.store(value, code.offset(result, i, lane), 1)

    each(code, count, move)
    return code.load(types.row(dtype, count), result, 64)


def squeezed(code: Code, dtype: DType, row: Value, active: Value, count: int) -> Value:
    """The active lanes in order, then zeros; both are in memory, the mask a byte for a lane."""
    lane, kind = types.element(dtype), types.row(dtype, count)
    # An inactive lane is written as zero where the next active one will be.
    result = code.alloca(kind)
    code.store(Value(kind, "zeroinitializer"), result, 64)
    place = code.alloca("i64", 8)
    code.store(Value("i64", "0"), place, 8)
    zero = Value(lane, types.constant(dtype, 1, 0))

    def move(i: Value) -> None:
        at = code.load("i64", place, 8)
        flag = code.load("i8", code.offset(active, i), 1)
        value = code.load(lane, code.offset(row, i, lane), 1)
        taken = code.emit("i1", f"icmp ne {flag}, 0")
        kept = code.emit(lane, f"select {taken}, {value}, {zero}")
        code.store(kept, code.offset(result, at, lane), 1)
        step = code.emit("i64", f"zext {flag} to i64")
        code.store(code.emit("i64", f"add {at}, {step.name}"), place, 8)

    each(code, count, move)
    return code.load(kind, result, 64)
