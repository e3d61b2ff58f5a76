"""Inactive lanes of results that are stored and reach GM: the manual forbids to rely on them."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from ptoscope.budget import reach, spend_small
from ptoscope.check.analysis.expr import ZERO
from ptoscope.check.analysis.lane_flow import KnownMask, LaneSet
from ptoscope.check.analysis.nodes import KnownBytes, MemoryId, Touch, flat
from ptoscope.check.analysis.reach import Loops, certain_touches
from ptoscope.check.demanded import LoopIterations, flow_of, mask_bits
from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.check.touched import ends_of_loops, in_iterations
from ptoscope.isa import TABLE
from ptoscope.isa.distributions import NOTHING, Access
from ptoscope.isa.parts import MEMORIES, VECTOR_PIPE
from ptoscope.isa.types import Mask, VReg
from ptoscope.program import Op


def _inactive_lanes(context: Context) -> Iterator[Finding]:
    """Finds stores of lanes that an instruction left inactive and a copy takes to GM; in a kernel
    that copies nothing out, of lanes that stand in UB in the end."""
    if context.revision == "micro" or not _leaves_lanes_inactive(context):
        return
    memory = context.once(_Memory)
    for touch in certain_touches(context.analysis.nodes):
        if not touch.writes or not touch.addresses or touch.pipe != VECTOR_PIPE:
            continue
        for iterations, where in _places(context, touch):
            left = _relied_on(context, touch, iterations, memory)
            if left is not None:
                yield Finding(
                    touch.op.span,
                    f"{touch.op.name} stores lanes that {left.name} at line {left.span.line} left "
                    f"inactive{where}{memory.goal}",
                    found=f"lanes outside the mask of {left.name}",
                    expected="lanes that were computed",
                    hint="the manual forbids relying on inactive lanes: store with the mask of the "
                    "computation, or select by it another value for the other lanes",
                )
                break


def _leaves_lanes_inactive(context: Context) -> bool:
    """Returns True if an instruction may leave lanes inactive that are not to be relied on."""
    types = context.function.types
    return any(
        isinstance(kind := types[slot], Mask) and mask_bits(context, slot).sure != _full(kind)
        for op in context.function.ops()
        if op.name in TABLE and TABLE[op.name].unreliable_zeros
        for slot in op.operands
    )


def _full(mask: Mask) -> LaneSet:
    group = mask.bits // 8
    return sum(1 << (lane * group) for lane in range(mask.lanes))


def _places(context: Context, touch: Touch) -> Iterator[tuple[LoopIterations, str]]:
    """Yields the iterations in which the address of a store is known and no later iteration of it
    overwrites what it stores."""
    start = touch.addresses[0]
    if not start.terms:
        yield {}, ""
        return
    loops = context.once(_Memory).loops
    for _, iterations in () if touch.sure is None else ends_of_loops(touch.sure):
        last = all(number == symbol.high for symbol, number in iterations.items())
        steps = [abs(c) for term, c in start.terms.items() if term[0] in iterations]
        low, high = in_iterations(touch.may, iterations).bounds()
        if last or all(step >= high - low for step in steps):
            yield iterations, loops.at(dict(iterations))


class _CopiedOut(NamedTuple):
    """Bytes that a copy takes to GM."""

    place: int
    memory: MemoryId
    rows: list[tuple[int, int]]


class _Memory:
    """Accesses of a function by their place in the text."""

    def __init__(self, context: Context) -> None:
        self.loops = Loops(context.function, context.analysis.walker)
        self.place = {id(op): place for place, op in enumerate(context.function.ops())}
        touches = [node for node in flat(context.analysis.nodes) if isinstance(node, Touch)]
        to_gm = {id(t.op) for t in touches if t.writes and not MEMORIES[t.space].on_core}
        self.copies: list[_CopiedOut] | None = [] if to_gm else None
        """The copies to GM; None where there are none, and UB is what the kernel leaves."""
        self.writes = [
            (self.place[id(t.op)], t.memory, *t.may.bounds())
            for t in touches
            if t.writes and MEMORIES[t.space].on_core
        ]
        """The place, the memory and the bytes of each access that may overwrite something."""
        self.goal = ", and they reach GM" if to_gm else ""
        for touch in certain_touches(context.analysis.nodes) if to_gm else ():
            if touch.writes or id(touch.op) not in to_gm or touch.sure is None:
                continue
            known = [touch.sure, *(at for at, _ in ends_of_loops(touch.sure))]
            rows = [row for at in known if not at.start.terms for row in at.rows(4096)]
            assert self.copies is not None
            self.copies.append(_CopiedOut(self.place[id(touch.op)], touch.memory, rows))

    def reaching(self, touch: Touch, access: Access, address: int) -> LaneSet:
        """Returns the lanes of a store that are left in the end, or copied to GM before another
        instruction may overwrite them."""
        here = self.place[id(touch.op)]
        starts = {i: address + at for i, at in enumerate(access.offsets) if at != NOTHING}
        first, behind = min(starts.values()), max(starts.values()) + access.width
        reach(touch.op)
        spend_small(len(self.writes))
        later = [
            (place, low, high)
            for place, where, low, high in self.writes
            if place > here and low < behind and first < high and where == touch.memory
        ]
        copies = [c for c in self.copies or () if here < c.place and c.memory == touch.memory]
        spend_small(len(starts) * (len(later) + sum(len(copy.rows) for copy in copies)))
        lanes = 0
        for lane, start in starts.items():
            end = start + access.width
            over = min((p for p, low, high in later if low < end and start < high), default=None)
            reaches = (
                over is None
                if self.copies is None
                else any(
                    (over is None or copy.place < over)
                    and any(low <= start and end <= high for low, high in copy.rows)
                    for copy in copies
                )
            )
            lanes |= reaches << lane
        return lanes


def _relied_on(
    context: Context, touch: Touch, iterations: LoopIterations, memory: _Memory
) -> Op | None:
    """Returns the instruction, if there is one, whose inactive lanes a store surely takes to where
    the kernel leaves its results."""
    flow = flow_of(context, touch.op)
    start = in_iterations(KnownBytes(touch.addresses[0], ZERO), iterations).start.number
    if len(flow.stores) != 1 or start is None:
        return None
    lanes = memory.reaching(touch, flow.stores[0], start)
    need: dict[int, LaneSet] = {}
    queue: list[tuple[int, int]] = []
    ops: dict[int, Op] = {}

    def ask(op: Op, stored: tuple[LaneSet, ...]) -> bool:
        masks: tuple[KnownMask | None, ...] = tuple(
            mask_bits(context, slot, iterations)
            if isinstance(context.function.types[slot], Mask)
            else None
            for slot in op.operands
        )
        results = tuple(need.get(slot, 0) for slot in op.results)
        pulled = flow_of(context, op).pull(results, masks, True, stored)
        for slot, more in zip(op.operands, pulled.operands, strict=True):
            maker = context.values.made(slot)
            known = isinstance(context.function.types[slot], (VReg, Mask))
            if more and known and maker is not None and maker.name in TABLE and not maker.blocks:
                need[slot] = need.get(slot, 0) | more
                if id(maker) not in ops:
                    ops[id(maker)] = maker
                    heappush(queue, (-memory.place[id(maker)], id(maker)))
        return pulled.inactive and TABLE[op.name].unreliable_zeros

    if not lanes:
        return None
    ask(touch.op, (lanes,))
    while queue:
        _, number = heappop(queue)
        op = ops[number]
        if ask(op, (0,) * len(flow_of(context, op).stores)):
            return op
    return None


RULES = (
    Rule(
        "PTO0514",
        "lanes that a mask leaves inactive do not reach GM",
        _inactive_lanes,
        "warning",
    ),
)
