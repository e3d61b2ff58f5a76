"""Demanded lanes: which lanes of a value any use can see.

A lane is demanded if it leaves the registers (a store writes it to memory, it is an address, it
decides what happens, it is shown), or if a demanded lane of another value depends on it. Lanes that
a mask drops on every way are not. A result that nothing takes, of an instruction of which nothing
is taken, counts as demanded: a use may still be written.

`demanded_lanes` is the one statement of this. What an instruction looks at is read off its meaning
(`check.analysis.lane_flow`), what a mask is off what the analysis knows of numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from ptoscope.budget import spend
from ptoscope.check.analysis.copies import lanes_of
from ptoscope.check.analysis.expr import Expr, Symbol
from ptoscope.check.analysis.lane_flow import (
    KnownMask,
    LaneFlow,
    LaneSet,
    all_lanes,
    as_tuple,
    lane_flow,
    lane_set,
    unknown_bits,
)
from ptoscope.check.analysis.nodes import KnownBytes, Touch, flat
from ptoscope.check.analysis.values import KnownLanes, Prefix
from ptoscope.check.rule import Context
from ptoscope.dataflow import Carried, InOrder, LoopResult
from ptoscope.isa import TABLE
from ptoscope.isa.lanes import PREDICATE_BITS
from ptoscope.isa.types import Mask, VReg
from ptoscope.program import Op

LoopIterations = Mapping[Symbol, int]
"""LoopIterations of loops around a place; of the other loops nothing is known."""

_ALL_MASKS = unknown_bits(PREDICATE_BITS)
_MOST_WORK = 200_000
"""How many operations are looked at for one function before every lane counts as demanded."""


def demanded_lanes(
    context: Context, slot: int, iterations: LoopIterations | None = None
) -> LaneSet:
    """Returns the lanes of a vector or of a mask that any use can see, in the given iterations of
    the loops around its definition, or in all. A mask has a lane for each byte of a vector."""
    return _demands(context, iterations).lanes(slot)


def demanded_bytes(
    context: Context, read: Touch, data: KnownBytes, iterations: LoopIterations | None = None
) -> tuple[KnownBytes, ...]:
    """Returns the bytes of an access that reads that its demanded lanes come from, in regular
    runs: none where no use can see any. `data` are all of its bytes in these iterations."""
    return _demands(context, iterations).bytes(read, data)


def mask_bits(context: Context, slot: int, iterations: LoopIterations | None = None) -> KnownMask:
    """Returns what is known of a mask, in the given iterations of the loops around its definition
    or in all."""
    return _demands(context, iterations).mask(slot)


def flow_of(context: Context, op: Op) -> LaneFlow:
    """Returns how lanes flow through an operation."""
    flows = context.once(_Uses).flows
    found = flows.get(id(op))
    if found is None:
        found = flows[id(op)] = lane_flow(context.site(op))
    return found


class _Uses:
    """Facts about a function that all questions share."""

    def __init__(self, context: Context) -> None:
        self.flows: dict[int, LaneFlow] = {}
        """How lanes flow through operations, by their identity."""
        self.demands: dict[tuple[tuple[Symbol, int], ...], _Demands] = {}
        """The answers in some iterations."""
        self.work = 0
        """How many operations were looked at."""
        self.place = {id(op): place for place, op in enumerate(context.function.ops())}
        self.joins: dict[int, list[int]] = defaultdict(list)
        """The values that a value may become where control flow hands it on."""
        self.loads: dict[int, list[Touch]] = defaultdict(list)
        """The reads of each operation, in the order in which it does them."""
        for slot, kind in enumerate(context.function.types):
            if isinstance(kind, (VReg, Mask)):
                for source in context.values.joined(slot):
                    self.joins[source].append(slot)
        for node in flat(context.analysis.nodes):
            if isinstance(node, Touch) and not node.writes:
                self.loads[id(node.op)].append(node)


def _demands(context: Context, iterations: LoopIterations | None) -> _Demands:
    demands = context.once(_Uses).demands
    key = tuple(sorted((iterations or {}).items(), key=lambda item: hash(item[0])))
    if key not in demands:
        demands[key] = _Demands(context, iterations or {})
    return demands[key]


class _Demands:
    """The demanded lanes of the values of a function in some iterations, each found once."""

    def __init__(self, context: Context, iterations: LoopIterations) -> None:
        self._context, self._values = context, context.values
        self._types, self._uses = context.function.types, context.once(_Uses)
        self._iterations = {symbol: Expr(number) for symbol, number in iterations.items()}
        self._lanes: dict[int, LaneSet] = {}
        self._done: set[int] = set()
        self.mask = InOrder(self._mask, lambda slot: isinstance(self._types[slot], Mask))

    def lanes(self, slot: int) -> LaneSet:
        """Returns the demanded lanes of a value."""
        self._solve(slot)
        op = self._values.made(slot)
        return self._lanes.get(slot, 0) if op is None else self._wanted(op)[op.results.index(slot)]

    def bytes(self, read: Touch, data: KnownBytes) -> tuple[KnownBytes, ...]:
        """Returns the bytes of a read that demanded lanes come from."""
        op = read.op
        if not any(isinstance(self._types[slot], (VReg, Mask)) for slot in op.results):
            return (data,)
        for slot in op.results:
            self._solve(slot)
        wanted, flow = self._wanted(op), flow_of(self._context, op)
        reads = self._uses.loads[id(op)]
        number = next(i for i, touch in enumerate(reads) if touch is read)
        if len(reads) != len(flow.loads):
            # Of an access by indices it is not known which lanes it is for.
            return (data,) if any(wanted) else ()
        access = flow.loads[number]
        lanes = flow.pull(wanted, self._masks(op)).loads[number]
        if lanes == all_lanes(len(access.offsets)):
            return (data,)
        origin = data.start - Expr(lanes_of(access)[0].start)
        return tuple(
            KnownBytes(
                origin + Expr(run.start),
                Expr(run.length),
                ((Expr(run.runs), Expr(run.stride)),) if run.runs > 1 else (),
            )
            for run in lanes_of(access, as_tuple(lanes, len(access.offsets)))
        )

    def _solve(self, slot: int) -> None:
        """Finds the demanded lanes of a value and of all that is made of it: from the last use in
        the text back, until nothing changes."""
        if slot in self._done:
            return
        reached, ops = self._reached(slot)
        changed = True
        while changed:
            changed = False
            self._uses.work += len(ops) + 1
            spend(len(ops) + 1)
            if self._uses.work > _MOST_WORK:
                self._lanes.update((value, self._every(value)) for value in reached)
                break
            for op in ops:
                for value, lanes in self._taken(op):
                    before = self._lanes.get(value, 0)
                    if value in reached and lanes & ~before:
                        self._lanes[value] = before | lanes
                        changed = True
        self._done |= reached

    def _reached(self, slot: int) -> tuple[set[int], list[Op]]:
        """Returns the values that are made of a value, as far as they are not done, itself too,
        and their uses, the last in the text first."""
        reached, stack, ops = {slot}, [slot], dict[int, Op]()
        while stack:
            value = stack.pop()
            targets = [j for j in self._uses.joins[value] if not self._leaves_iteration(j)]
            for op in self._values.users.get(value, ()):
                ops[id(op)] = op
                targets += [] if _controls(op) else op.results
            for target in targets:
                if target not in reached and target not in self._done:
                    reached.add(target)
                    stack.append(target)
        return reached, sorted(ops.values(), key=lambda op: -self._uses.place[id(op)])

    def _leaves_iteration(self, joined: int) -> bool:
        """Returns True if what is known of iterations does not hold where a joined value is."""
        definition = self._values.definitions[joined]
        return bool(self._iterations) and isinstance(definition, (Carried, LoopResult))

    def _taken(self, op: Op) -> Iterator[tuple[int, LaneSet]]:
        """Yields the operands of an operation with the lanes of them that it shows on."""
        if not _controls(op):
            pulled = flow_of(self._context, op).pull(self._wanted(op), self._masks(op))
            yield from zip(op.operands, pulled.operands, strict=True)
            return
        for slot in op.operands:
            for joined in self._uses.joins.get(slot, ()):
                if self._leaves_iteration(joined):
                    yield slot, demanded_lanes(self._context, joined)
                else:
                    yield slot, self._lanes.get(joined, 0)

    def _wanted(self, op: Op) -> tuple[LaneSet, ...]:
        """Returns the demanded lanes of the results of an operation, as found so far."""
        if not any(self._values.users.get(slot) for slot in op.results):
            return tuple(self._every(slot) for slot in op.results)
        return tuple(self._lanes.get(slot, 0) for slot in op.results)

    def _every(self, slot: int) -> LaneSet:
        kind = self._types[slot]
        if isinstance(kind, VReg):
            return all_lanes(kind.lanes)
        return all_lanes(PREDICATE_BITS) if isinstance(kind, Mask) else 1

    def _masks(self, op: Op) -> tuple[KnownMask | None, ...]:
        """Returns what is known of the operands that are masks."""
        return tuple(
            self.mask(slot) if isinstance(self._types[slot], Mask) else None for slot in op.operands
        )

    def _mask(self, slot: int) -> KnownMask:
        walker, op = self._context.analysis.walker, self._values.made(slot)
        value = walker.values[slot]
        active = value.active if isinstance(value, KnownLanes) else None
        if isinstance(active, Prefix):
            limit = walker.solved(active.limit).substitute(self._iterations)
            low, high = limit.bounds()
            return KnownMask(_first(high, active.lanes), _first(low, active.lanes))
        if active is not None and len(active) == PREDICATE_BITS:
            lanes = lane_set(active)
            return KnownMask(lanes, lanes)
        if op is None or _controls(op):
            return _ALL_MASKS
        return flow_of(self._context, op).mask(op.results.index(slot), self._masks(op))


def _controls(op: Op) -> bool:
    """Returns True for control flow and scopes: they hand values on."""
    return bool(op.blocks) or op.name not in TABLE


def _first(limit: int, lanes: int) -> LaneSet:
    """Returns the bits of a mask whose first `limit` lanes are active."""
    group = PREDICATE_BITS // lanes
    return sum(1 << (lane * group) for lane in range(max(0, min(limit, lanes))))
