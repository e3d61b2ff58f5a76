"""Puts synchronisation into a function: operations, and the numbers that they take."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from ptoscope.diagnostics import Span
from ptoscope.ir.module import fresh
from ptoscope.isa import arith, core_signals, sync
from ptoscope.isa.dtypes import I64
from ptoscope.isa.order.cores import of_all_others
from ptoscope.isa.order.rules import SET, WAIT
from ptoscope.isa.parts import EVENTS, PIPE_ALL, SECTIONS
from ptoscope.isa.types import Scalar
from ptoscope.lang.sync.buffers import PlacedBuffer
from ptoscope.lang.sync.kinds import SectionKinds
from ptoscope.lang.sync.placing import PlacedSync
from ptoscope.program import Block, Function, Op, operation

_FLAGS = {SET.name: sync.set_flag.name, WAIT.name: sync.wait_flag.name}
_SECTIONS = {kind: name for name, kind in SECTIONS.items()}


class PlacedMemoryBarrier(NamedTuple):
    """A mem_bar of a type, before an operation of a vecscope."""

    type: str
    op: Op


def insert(
    function: Function,
    placed: Sequence[PlacedSync],
    bars: Sequence[PlacedMemoryBarrier],
    kinds: SectionKinds,
    target: str,
) -> None:
    """Puts them there. New values are appended to those of the function; outside of all sections,
    what one kind of core executes gets a section of its own."""
    if placed or bars:
        _Insertion(function, kinds, target).make(placed, bars)


class _Insertion:
    def __init__(self, function: Function, kinds: SectionKinds, target: str) -> None:
        self._function, self._kinds, self._target = function, kinds, target
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
            made = self._signals(one) if one.rule.between_cores else [self._operation(one)]
            where[id(one.op)] += self._for_core(one, made)
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

    def _for_core(self, one: PlacedSync, ops: list[Op]) -> list[Op]:
        if one.core is None or self._kinds.of(one.op) is not None:
            return ops
        return [operation(_SECTIONS[one.core], blocks=(Block(ops=ops),), span=one.op.span)]

    def _signals(self, one: PlacedSync) -> list[Op]:
        """A signal for all cores of the other kind, or the wait for them."""
        assert one.core is not None
        assert one.event is not None
        numbers = of_all_others(one.rule, one.core, one.event)
        return [self._signal(one, number) for number in numbers]

    def _signal(self, one: PlacedSync, number: int) -> Op:
        span, gives = one.op.span, not one.rule.given_by
        record = core_signals.sync_set if gives else core_signals.sync_wait
        if core_signals.has_pipe(record, self._target, one.src):
            return operation(record.name, attrs={"pipe": one.src, "event": number}, span=span)
        # Of the scalar unit.
        record = core_signals.set_intra_block if gives else core_signals.wait_intra_core
        operands = self._constant(0, span), self._constant(number, span)
        return operation(record.name, operands, span=span)

    def _constant(self, number: int, span: Span) -> int:
        if number not in self._constants:
            slot = self._constants[number] = self._slot("event")
            made = operation(arith.constant.name, (), (slot,), {"value": number}, span=span)
            self._at_start[id(self._function.body)].append(made)
        return self._constants[number]

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
            slot = self._events[key] = self._slot("stage_event")
            operands = buffer.stage, self._constant(base, span)
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
