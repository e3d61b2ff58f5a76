"""Gives the UB arrays of a kernel their addresses, and copies to those of pipelined loops."""

from __future__ import annotations

from typing import Any

from ptoscope.isa.dtypes import I64
from ptoscope.isa.types import Scalar
from ptoscope.lang.compile.emitter import Allocation, Emitter
from ptoscope.program import Function, Op, operation


def place(function: Function, emitter: Emitter, sync: str) -> Any:
    """Writes down where each array lies; the map of them."""
    at = 0
    front: list[Op] = []
    for one in emitter.allocations:
        address = at if one.at is None else one.at
        copies = one.loop.stages if one.loop is not None else 1
        at += one.bytes * copies
        if not emitter.names[one.slot]:
            emitter.name(one.slot, "ub")
        if one.loop is None:
            front += _pointer(emitter, one, emitter.constant(I64, address))
        else:
            assert one.loop.op is not None
            body = one.loop.op.body
            body.ops[:0] = _staged(emitter, one, address)
    function.body.ops[:0] = front
    return None


def _pointer(emitter: Emitter, one: Allocation, address: int) -> list[Op]:
    return [operation("pto.castptr", (address,), (one.slot,), span=one.span)]


def _staged(emitter: Emitter, one: Allocation, address: int) -> list[Op]:
    """The pointer to the copy of an iteration: stage * bytes + address."""
    assert one.loop is not None
    name = emitter.names[one.slot]
    offset = emitter.slot(Scalar(I64), f"{name}_offset")
    size = emitter.constant(I64, one.bytes)
    ops = [operation("arith.muli", (one.loop.stage, size), (offset,), span=one.span)]
    if address:
        base = offset
        offset = emitter.slot(Scalar(I64), f"{name}_address")
        start = emitter.constant(I64, address)
        ops.append(operation("arith.addi", (base, start), (offset,), span=one.span))
    return [*ops, *_pointer(emitter, one, offset)]
