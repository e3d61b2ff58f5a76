"""Moves by lanes known only when running: through the stack, in a loop.

Neither LLVM nor most processors have them for every width; a loop over memory is at
least as fast as what a compiler makes of them lane by lane.
"""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.isa.dtypes import UI8
from ptoscope.native import types
from ptoscope.native.lanes import NativeLanes
from ptoscope.native.llvm_text import Code, Value

_UNROLL = 8


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
        turn = Value("i64", name)
        for i in range(step):
            body(code.emit("i64", f"add {turn}, {i}") if i else turn)
        following = code.emit("i64", f"add {turn}, {step}")
        more = code.emit("i1", f"icmp ult {following}, {count}")
        last = code.function.label
        code.branch(more, loop, done)
    code.function.lines[slot] = (
        f"  {name} = phi i64 [ 0, %{before} ], [ {following.name}, %{last} ]"
    )
    code.place(done)


def spilled(row: NativeLanes) -> Value:
    """The row in stack memory, each lane a whole number of bytes."""
    value = row.canonical().value
    if row.dtype.bits == 1:
        value = row.code.emit(types.row(UI8, row.count), f"zext {value} to <{row.count} x i8>")
    at = row.code.alloca(value.type)
    row.code.store(value, at, 64)
    return at


def taken(row: NativeLanes, index: NativeLanes) -> NativeLanes:
    """Lane i is lane index[i] of the row."""
    code, lane, number = row.code, types.element(row.dtype), types.element(index.dtype)
    source, order = spilled(row), spilled(index)
    result = code.alloca(types.row(row.dtype, index.count))

    def move(i: Value) -> None:
        which = code.load(number, code.offset(order, i, number), 1)
        if number != "i64":
            which = code.emit("i64", f"zext {which} to i64")
        value = code.load(lane, code.offset(source, which, lane), 1)
        code.store(value, code.offset(result, i, lane), 1)

    each(code, index.count, move)
    made = code.load(types.row(row.dtype, index.count), result, 64)
    return NativeLanes(code, row.dtype, index.count, made, nans=row.canonical().nans)


def squeezed(row: NativeLanes, active: NativeLanes) -> NativeLanes:
    """The active lanes in order, then zeros."""
    code, lane = row.code, types.element(row.dtype)
    source, flags = spilled(row), spilled(active)
    # An inactive lane is written as zero where the next active one will be.
    result = code.alloca(row.type)
    code.store(Value(row.type, "zeroinitializer"), result, 64)
    place = code.alloca("i64", 8)
    code.store(Value("i64", "0"), place, 8)
    zero = Value(lane, types.constant(row.dtype, 1, 0))

    def move(i: Value) -> None:
        at = code.load("i64", place, 8)
        flag = code.load("i8", code.offset(flags, i), 1)
        value = code.load(lane, code.offset(source, i, lane), 1)
        taken = code.emit("i1", f"icmp ne {flag}, 0")
        kept = code.emit(lane, f"select {taken}, {value}, {zero}")
        code.store(kept, code.offset(result, at, lane), 1)
        step = code.emit("i64", f"zext {flag} to i64")
        code.store(code.emit("i64", f"add {at}, {step.name}"), place, 8)

    each(code, row.count, move)
    made = code.load(row.type, result, 64)
    return NativeLanes(code, row.dtype, row.count, made, nans=row.canonical().nans)
