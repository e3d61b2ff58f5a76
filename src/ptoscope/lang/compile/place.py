"""Gives the arrays of a kernel their addresses, and copies to those of pipelined loops."""

from __future__ import annotations

from collections.abc import Iterable

from ptoscope.isa.dtypes import I64
from ptoscope.isa.types import Scalar
from ptoscope.lang.accesses import RootedAccess, RootedAccesses
from ptoscope.lang.compile.bodies import NewArray, OpenLoop
from ptoscope.lang.compile.emitter import Emitter
from ptoscope.lang.memory.allocation import Allocation
from ptoscope.lang.memory.map import MemoryMap
from ptoscope.lang.memory.plan import plan
from ptoscope.lang.sync.buffers import PlacedBuffer
from ptoscope.lang.sync.conflicts import Conflicts
from ptoscope.program import For, Function, Op, Program, operation


def place(
    program: Program, function: Function, emitter: Emitter
) -> tuple[MemoryMap, RootedAccesses]:
    """Writes down where each array lies; the map of them, and the accesses of the function, which
    stay what they are relative to the arrays. PtoError where they do not fit."""
    bases = {id(one): _based(function, emitter, one) for one in reversed(emitter.arrays)}
    roots = [one.slot for one in emitter.arrays]
    rooted = RootedAccesses(function, roots, emitter.target, emitter.revision)
    accesses = list(rooted)
    loops = [loop for loop in emitter.staged if loop.op is not None]
    for one in emitter.arrays:
        if one.loop is None and one.at is None:
            one.loop = _only_user(one, accesses, loops)
    allocations = [_allocation(emitter, one) for one in emitter.arrays]
    found = plan(allocations, accesses, program, function, emitter.target)
    for one, placed in reversed(list(zip(emitter.arrays, found.placements, strict=True))):
        base = bases[id(one)]
        base.attrs = {"value": placed.address}
        if placed.allocation.copies > 1:
            _stage(function, emitter, one, base, placed.allocation.stride)
    return found, rooted


def buffers(emitter: Emitter, memory: MemoryMap) -> list[PlacedBuffer]:
    """The arrays, for those who synchronise the pipes that use them."""
    found: list[PlacedBuffer] = []
    for one, placed in zip(emitter.arrays, memory.placements, strict=True):
        allocation, loop = placed.allocation, one.loop
        if allocation.copies > 1 and loop is not None and isinstance(loop.op, For):
            turns = allocation.copies, loop.op, loop.stage
        else:
            turns = 1, None, None
        found.append(
            PlacedBuffer((one.slot,), placed.address, allocation.stride, *turns, one.memory)
        )
    return found


def _based(function: Function, emitter: Emitter, one: NewArray) -> Op:
    """Writes down the pointer of an array, and its address, which is not decided yet."""
    emitter.name(one.slot, one.memory)
    at = emitter.slot(Scalar(I64), f"{emitter.names[one.slot]}_at")
    base = operation("arith.constant", (), (at,), {"value": 0}, span=one.span)
    pointer = operation("pto.castptr", (at,), (one.slot,), span=one.span)
    function.body.ops[:0] = [base, pointer]
    return base


def _only_user(
    one: NewArray, accesses: Iterable[RootedAccess], loops: Iterable[OpenLoop]
) -> OpenLoop | None:
    """The pipelined loop to whose iterations an array belongs that was made before it: nothing
    else touches it, and every iteration begins by filling it with a copy."""
    touching = [
        a for a in accesses if a.space == one.memory and (a.roots is None or one.slot in a.roots)
    ]
    if not touching or not _fills(touching[0], one):
        return None
    for loop in loops:
        assert isinstance(loop.op, For)
        inside = {id(op) for op in loop.op.body.walk()}
        if any(touching[0].op is op for op in loop.op.body.ops) and all(
            id(a.op) in inside for a in touching
        ):
            return loop
    return None


def _fills(access: RootedAccess, one: NewArray) -> bool:
    """Whether it is a copy to all of an array, or to its begin where there is less data: nothing
    behind what a copy can reach is kept from one iteration to the next."""
    if not access.writes or access.scope is not None:
        return False
    located = Conflicts(()).locate(access)
    at = None if located.offset is None else located.offset.number
    return at == 0 and located.high >= one.count * one.dtype.bytes


def _allocation(emitter: Emitter, one: NewArray) -> Allocation:
    loop = one.loop
    return Allocation(
        emitter.names[one.slot],
        one.dtype,
        (one.count,),
        one.slot,
        one.span,
        copies=1 if loop is None else loop.stages,
        loop=None if loop is None else loop.op,
        at=one.at,
        memory=one.memory,
    )


def _stage(function: Function, emitter: Emitter, one: NewArray, base: Op, stride: int) -> None:
    """Moves the pointer of an array into its loop: base + stage * stride."""
    assert one.loop is not None
    assert isinstance(one.loop.op, For)
    name = emitter.names[one.slot]
    size = emitter.constant(I64, stride)
    offset = emitter.slot(Scalar(I64), f"{name}_offset")
    address = emitter.slot(Scalar(I64), f"{name}_address")
    pointer = next(op for op in function.body.ops if one.slot in op.results)
    function.body.ops.remove(pointer)
    pointer.operands = (address,)
    one.loop.op.body.ops[:0] = [
        operation("arith.muli", (one.loop.stage, size), (offset,), span=one.span),
        operation("arith.addi", (offset, *base.results), (address,), span=one.span),
        pointer,
    ]
