"""Puts synchronisation into a function: operations, and the numbers that they take."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from ptoscope.diagnostics import Span
from ptoscope.ir.module import fresh
from ptoscope.isa import arith, sync
from ptoscope.isa.dtypes import I64
from ptoscope.isa.order.rules import SET, WAIT
from ptoscope.isa.parts import EVENTS, PIPE_ALL
from ptoscope.isa.types import Scalar
from ptoscope.lang.sync.buffers import PlacedBuffer
from ptoscope.lang.sync.placing import PlacedSync
from ptoscope.program import Block, Function, Op, operation

_FLAGS = {SET.name: sync.set_flag.name, WAIT.name: sync.wait_flag.name}


class PlacedMemoryBarrier(NamedTuple):
    """A mem_bar of a type, before an operation of a vecscope."""

    type: str
    op: Op


def insert(
    function: Function, placed: Sequence[PlacedSync], bars: Sequence[PlacedMemoryBarrier]
) -> None:
    """Puts them there. New values are appended to those of the function."""
    if placed or bars:
        _Insertion(function).make(placed, bars)


class _Insertion:
    def __init__(self, function: Function) -> None:
        self._function = function
        self._names = set(function.names)
        self._before: dict[int, list[Op]] = defaultdict(list)
        self._after: dict[int, list[Op]] = defaultdict(list)
        self._at_start: dict[int, list[Op]] = defaultdict(list)
        """By the id of a block."""
        self._constants: dict[int, int] = {}
        self._events: dict[tuple[int | None, int], int] = {}

    def make(self, placed: Sequence[PlacedSync], bars: Sequence[PlacedMemoryBarrier]) -> None:
        for one in sorted(placed, key=lambda one: one.rank):
            where = self._after if one.after else self._before
            where[id(one.op)].append(self._operation(one))
        for bar in bars:
            made = operation(sync.mem_bar.name, attrs={"type": bar.type}, span=bar.op.span)
            self._before[id(bar.op)].append(made)
        self._rebuild(self._function.body)

    def _rebuild(self, block: Block) -> None:
        made = list(self._at_start[id(block)])
        for op in block.ops:
            for inner in op.blocks:
                self._rebuild(inner)
            made += [*self._before[id(op)], op, *self._after[id(op)]]
        block.ops[:] = made

    def _operation(self, one: PlacedSync) -> Op:
        span = one.op.span
        if one.event is None:
            record = sync.barrier if one.src == PIPE_ALL else sync.pipe_barrier
            return operation(record.name, attrs={"pipe": one.src}, span=span)
        name, pipes = _FLAGS[one.rule.name], {"src": one.src, "dst": one.dst}
        if one.buffer is None:
            return operation(name, attrs={**pipes, "event": EVENTS[one.event]}, span=span)
        event = self._event(one.buffer, one.event, span)
        return operation(name, (event,), attrs=pipes, span=span, form=1)

    def _event(self, buffer: PlacedBuffer, base: int, span: Span) -> int:
        """The value that is the event of the copy in turn."""
        assert buffer.stage is not None
        assert buffer.loop is not None
        if base == 0:
            return buffer.stage
        key = buffer.stage, base
        if key not in self._events:
            if base not in self._constants:
                slot = self._constants[base] = self._slot("event")
                made = operation(arith.constant.name, (), (slot,), {"value": base}, span=span)
                self._at_start[id(self._function.body)].append(made)
            slot = self._events[key] = self._slot("stage_event")
            operands = buffer.stage, self._constants[base]
            made = operation(arith.addi.name, operands, (slot,), span=span)
            self._at_start[id(buffer.loop.body)].append(made)
        return self._events[key]

    def _slot(self, name: str) -> int:
        """A new value: an event's number."""
        function = self._function
        name = fresh(name, self._names)
        self._names.add(name)
        function.names.append(name)
        function.types.append(Scalar(I64))
        return len(function.types) - 1
