"""Lane flow: the lanes of its operands that an instruction looks at, read off its meaning.

`lane_flow` runs the meaning of one use over lanes that hold no numbers. It notes each step with the
steps that its lanes come from. `LaneFlow.pull` goes through the steps backward: from the lanes of
the results that matter, and from what leaves the registers, to lanes of the operands. No
instruction is described twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from ptoscope.isa.copies import Transfer
from ptoscope.isa.core import Core
from ptoscope.isa.distributions import NOTHING, Access
from ptoscope.isa.dtypes import I1, I64, INDEX, UI8, UI32, VREG_BYTES, DType
from ptoscope.isa.lanes import PREDICATE_BITS, Arith, Bitwise, Compare, Lanes
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.record import Site
from ptoscope.isa.types import Align, Mask, Ptr, Scalar, Space, Type, VAddr, VReg

LaneSet = int
"""Lanes of a row: bit i stands for lane i."""


def all_lanes(count: int) -> LaneSet:
    """Returns every lane of a row."""
    return (1 << count) - 1


def lane_set(active: tuple[bool, ...]) -> LaneSet:
    """Returns the lanes that are True."""
    return sum(1 << lane for lane, on in enumerate(active) if on)


def as_tuple(lanes: LaneSet, count: int) -> tuple[bool, ...]:
    """Returns a truth value for each lane of a row."""
    return tuple(bool(lanes >> lane & 1) for lane in range(count))


class KnownMask(NamedTuple):
    """Knowledge of a row of i1: the lanes that may be set, and those that surely are."""

    may: LaneSet
    sure: LaneSet


def unknown_bits(count: int) -> KnownMask:
    """Returns what holds of any row of i1."""
    return KnownMask(all_lanes(count), 0)


StepKind = Literal[
    "operand",
    "known",  # its lanes come from no operand
    "constant",  # a row of i1 whose set lanes are those `present`
    "each",  # lane i comes from lane i of every input
    "select",  # lane i comes from lane i of the second input where the first is set, else the third
    "zeroed",  # the same of `Lanes.masked`: an inactive lane is what predication leaves
    "order",  # lane i comes from lane `order[i]` of the input
    "bits",  # the same bits as lanes of another width
    "take",  # any lane of the first input; lane i of the second says which
    "pack",  # the lanes of the first input that the second sets
    "whole",  # every lane comes from all lanes of the inputs
    "leaves",  # the first input leaves the registers, where the second, if there is one, is set
]


@dataclass(frozen=True, eq=False)
class FlowStep:
    """One step of a meaning. `present` are the lanes that leave, or the lanes of i1 that are set;
    `access` says of a load or a store where its lanes are."""

    kind: StepKind
    dtype: DType
    count: int
    inputs: tuple[int, ...] = ()
    order: tuple[int, ...] = ()
    present: LaneSet = 0
    combine: Bitwise | None = None
    access: Access | None = None


@dataclass(frozen=True)
class Pulled:
    """Result of `pull`: the lanes of each operand and of each load that matter, and whether a lane
    does that a mask leaves inactive."""

    operands: tuple[LaneSet, ...]
    loads: tuple[LaneSet, ...]
    inactive: bool


class LaneFlow:
    """The steps of one use."""

    def __init__(
        self,
        steps: list[FlowStep],
        operands: tuple[int | None, ...],
        results: tuple[int | None, ...],
    ) -> None:
        self._steps = steps
        self._operands = operands
        """The step of each operand, None of the state of a stream."""
        self._results = results
        self._loads = tuple(
            i for i, step in enumerate(steps) if step.kind == "known" and step.access is not None
        )
        self.pull: Callable[..., Pulled] = lru_cache(256)(self._pull)

    @property
    def leaves(self) -> bool:
        """True if lanes of it leave the registers: to memory, as addresses, to be shown."""
        return any(step.kind == "leaves" for step in self._steps)

    @property
    def loads(self) -> tuple[Access, ...]:
        """The loads, in the order in which they are done."""
        return tuple(a for i in self._loads if (a := self._steps[i].access) is not None)

    @property
    def stores(self) -> tuple[Access, ...]:
        """The stores of lanes, in the order in which they are done."""
        return tuple(s.access for s in self._steps if s.kind == "leaves" and s.access is not None)

    def mask(self, result: int, masks: tuple[KnownMask | None, ...]) -> KnownMask:
        """Returns what is known of a mask that it makes of masks."""
        step = self._results[result]
        if step is None:
            return unknown_bits(PREDICATE_BITS)
        return self._known(masks)(step)

    def _pull(
        self,
        results: tuple[LaneSet, ...],
        masks: tuple[KnownMask | None, ...],
        sure: bool = False,
        stored: tuple[LaneSet, ...] | None = None,
    ) -> Pulled:
        """Returns the lanes that the given lanes of the results, and what leaves the registers,
        may depend on; with `sure`, those they depend on whatever an unknown mask is.

        `masks` is what is known of each operand that is a mask. `stored` are the lanes of each
        store that matter, all of them if it is None; with it nothing else that leaves does.
        """
        known = self._known(masks)
        need = [0] * len(self._steps)
        for step, lanes in zip(self._results, results, strict=True):
            if step is not None:
                need[step] |= lanes
        store, inactive = len(self.stores), False
        for number in reversed(range(len(self._steps))):
            step, lanes = self._steps[number], need[number]
            if step.kind == "leaves":
                lanes = step.present
                if step.access is not None:
                    store -= 1
                if stored is not None:
                    lanes &= stored[store] if step.access is not None else 0
            if not lanes:
                continue
            match step.kind:
                case "operand" | "known" | "constant":
                    continue
                case "each" if step.combine in ("and", "or") and step.dtype is I1:
                    wanted = _open(step.combine, lanes, *map(known, step.inputs), sure=sure)
                case "each":
                    wanted = (lanes,) * len(step.inputs)
                case "select" | "zeroed":
                    chosen = known(step.inputs[0])
                    if step.kind == "zeroed" and lanes & ~chosen.may:
                        inactive = True
                    if sure:
                        wanted = lanes, lanes & chosen.sure, lanes & ~chosen.may
                    else:
                        wanted = lanes, lanes & chosen.may, lanes & ~chosen.sure
                case "order":
                    wanted = self._ordered(step, lanes)
                case "bits":
                    source = self._steps[step.inputs[0]].count
                    wanted = (_resized(lanes, step.count, source),)
                case "take":
                    wanted = self._all(step.inputs[0]), lanes
                case "pack":
                    chosen = known(step.inputs[1])
                    wanted = chosen.sure if sure else chosen.may, self._all(step.inputs[1])
                case "whole":
                    wanted = tuple(self._all(i) for i in step.inputs)
                case "leaves":
                    gates = step.inputs[1:]
                    if gates:
                        chosen = known(gates[0])
                        lanes &= chosen.sure if sure else chosen.may
                    wanted = lanes, *(self._all(i) for i in gates)
            for source, more in zip(step.inputs, wanted, strict=False):
                need[source] |= more
        return Pulled(
            tuple(0 if i is None else need[i] for i in self._operands),
            tuple(need[i] for i in self._loads),
            inactive,
        )

    def _all(self, step: int) -> LaneSet:
        return all_lanes(self._steps[step].count)

    def _ordered(self, step: FlowStep, lanes: LaneSet) -> tuple[LaneSet, ...]:
        """Returns the lanes of the inputs that lanes of a shuffle come from."""
        first = self._steps[step.inputs[0]].count
        wanted = 0
        for lane, source in enumerate(step.order):
            if lanes >> lane & 1 and source >= 0:
                wanted |= 1 << source
        return wanted & all_lanes(first), wanted >> first

    def _known(self, masks: tuple[KnownMask | None, ...]) -> Callable[[int], KnownMask]:
        """Returns what says of a step of i1 which lanes are set, if those of the operands are."""
        found: dict[int, KnownMask] = {}
        by_step = dict(zip(self._operands, masks, strict=True))

        def of(number: int) -> KnownMask:
            if number not in found:
                step = self._steps[number]
                given = by_step.get(number) if step.kind == "operand" else None
                found[number] = given or _set_lanes(step, self._steps, of)
            return found[number]

        return of


def _set_lanes(step: FlowStep, steps: list[FlowStep], of: Callable[[int], KnownMask]) -> KnownMask:
    """Returns what is known of a row of i1, from what is known of its inputs."""
    nothing = unknown_bits(step.count)
    if step.dtype is not I1 or any(steps[i].dtype is not I1 for i in step.inputs):
        return nothing
    match step.kind:
        case "constant":
            return KnownMask(step.present, step.present)
        case "each" if step.combine is not None:
            a, b = (of(i) for i in step.inputs)
            if step.combine == "and":
                return KnownMask(a.may & b.may, a.sure & b.sure)
            if step.combine == "or":
                return KnownMask(a.may | b.may, a.sure | b.sure)
            return KnownMask(
                (a.may & ~b.sure) | (b.may & ~a.sure), (a.sure & ~b.may) | (b.sure & ~a.may)
            )
        case "select" | "zeroed":
            chosen, yes, no = (of(i) for i in step.inputs)
            return KnownMask(
                (chosen.may & yes.may) | (no.may & ~chosen.sure),
                (chosen.sure & yes.sure) | (no.sure & ~chosen.may) | (yes.sure & no.sure),
            )
        case "order":
            rows = [of(i) for i in step.inputs]
            shift = steps[step.inputs[0]].count
            may, sure = (
                sum(row << (i * shift) for i, row in enumerate(part))
                for part in ([r.may for r in rows], [r.sure for r in rows])
            )
            sources = [(i, s) for i, s in enumerate(step.order) if s >= 0]
            return KnownMask(
                sum(1 << i for i, s in sources if may >> s & 1),
                sum(1 << i for i, s in sources if sure >> s & 1),
            )
        case _:
            return nothing


def _open(
    combine: Bitwise, lanes: LaneSet, a: KnownMask, b: KnownMask, sure: bool
) -> tuple[LaneSet, LaneSet]:
    """Returns the lanes of two rows of i1 that decide lanes of their combination: those that the
    other row leaves open."""
    if combine == "and":
        return (lanes & b.sure, lanes & a.sure) if sure else (lanes & b.may, lanes & a.may)
    return (lanes & ~b.may, lanes & ~a.may) if sure else (lanes & ~b.sure, lanes & ~a.sure)


def _resized(lanes: LaneSet, count: int, other: int) -> LaneSet:
    """Returns the lanes of `other` in the same bytes that have a part in some of `count`."""
    if count == other:
        return lanes
    found, many = 0, max(count, other) // min(count, other)
    for lane in range(min(count, other)):
        if count > other:
            found |= bool(lanes >> (lane * many) & all_lanes(many)) << lane
        elif lanes >> lane & 1:
            found |= all_lanes(many) << (lane * many)
    return found


class FlowLanes(Lanes):
    """A row of lanes of which only the step that makes them is known."""

    __slots__ = ("core", "number")

    def __init__(self, core: FlowCore, step: FlowStep) -> None:
        self.dtype, self.count = step.dtype, step.count
        self.core, self.number = core, core.add(step)

    def _made(
        self,
        kind: StepKind,
        *others: Lanes,
        dtype: DType | None = None,
        count: int | None = None,
        order: tuple[int, ...] = (),
        combine: Bitwise | None = None,
    ) -> FlowLanes:
        inputs = (self.number, *(numbered(other) for other in others))
        size = self.count if count is None else count
        step = FlowStep(kind, dtype or self.dtype, size, inputs, order, combine=combine)
        return FlowLanes(self.core, step)

    def const(self, value: int | float) -> FlowLanes:
        return self.core.constant(self.dtype, self.count, value)

    def arith(self, op: Arith, other: Lanes) -> FlowLanes:
        return self._made("each", other)

    def bitwise(self, op: Bitwise, other: Lanes) -> FlowLanes:
        return self._made("each", other, combine=op)

    def shift(self, left: bool, amount: Lanes) -> FlowLanes:
        return self._made("each", amount)

    def compare(self, op: Compare, other: Lanes) -> FlowLanes:
        return self._made("each", other, dtype=I1)

    def select(self, yes: Lanes, no: Lanes) -> FlowLanes:
        return self._made("select", yes, no, dtype=yes.dtype)

    def masked(self, active: Lanes) -> FlowLanes:
        assert isinstance(active, FlowLanes)
        return active._made("zeroed", self, self.const(0), dtype=self.dtype)

    def cast(self, dtype: DType) -> FlowLanes:
        return self._made("each", dtype=dtype)

    def bits(self, dtype: DType) -> FlowLanes:
        if dtype is self.dtype:
            return self
        count = self.count * self.dtype.bytes // dtype.bytes
        return self._made("bits", dtype=dtype, count=count)

    def rint(self) -> FlowLanes:
        return self._made("each")

    def floor(self) -> FlowLanes:
        return self._made("each")

    def root(self) -> FlowLanes:
        return self._made("each")

    def quotient(self, divisor: Lanes) -> FlowLanes:
        return self._made("each", divisor)

    def fmod(self, divisor: Lanes) -> FlowLanes:
        return self._made("each", divisor)

    def fused(self, factor: Lanes, addend: Lanes) -> FlowLanes:
        return self._made("each", factor, addend)

    def shuffle(self, order: tuple[int, ...], other: Lanes | None = None) -> FlowLanes:
        others = () if other is None else (other,)
        return self._made("order", *others, count=len(order), order=order)

    def take(self, index: Lanes) -> FlowLanes:
        return self._made("take", index, count=index.count)

    def window(self, start: Lanes, count: int) -> FlowLanes:
        return self._made("whole", start, count=count)

    def squeeze(self, active: Lanes) -> FlowLanes:
        return self._made("pack", active)

    def population(self) -> FlowLanes:
        return self._made("whole", dtype=I64, count=1)

    def splat(self, count: int) -> FlowLanes:
        return self._made("whole", count=count)


def numbered(lanes: Lanes) -> int:
    """Returns the number of the step that makes a row."""
    assert isinstance(lanes, FlowLanes)
    return lanes.number


class FlowCore(Core):
    """Notes the steps of a meaning; memory and pipes are left as they are."""

    def __init__(self) -> None:
        self.steps: list[FlowStep] = []

    def add(self, step: FlowStep) -> int:
        """Notes a step and returns its number."""
        self.steps.append(step)
        return len(self.steps) - 1

    def known(self, dtype: DType, count: int = 1, access: Access | None = None) -> FlowLanes:
        """Returns lanes that come from no operand."""
        return FlowLanes(self, FlowStep("known", dtype, count, access=access))

    def leave(
        self, value: Lanes, mask: Lanes | None, present: LaneSet, access: Access | None = None
    ) -> None:
        """Notes that lanes leave the registers, all or those that a row of i1 sets."""
        inputs = (numbered(value),) if mask is None else (numbered(value), numbered(mask))
        self.add(FlowStep("leaves", I1, value.count, inputs, present=present, access=access))

    def _show(self, *values: Lanes) -> None:
        for value in values:
            self.leave(value, None, all_lanes(value.count))

    def constant(self, dtype: DType, count: int, value: int | float) -> FlowLanes:
        if dtype is not I1:
            return self.known(dtype, count)
        present = all_lanes(count) if value else 0
        return FlowLanes(self, FlowStep("constant", I1, count, present=present))

    def iota(self, dtype: DType, count: int) -> FlowLanes:
        return self.known(dtype, count)

    def mask(self, active: tuple[bool, ...]) -> Lanes:
        return FlowLanes(
            self, FlowStep("constant", I1, len(active), present=lane_set(active))
        ).image()

    def first_lanes(self, limit: Lanes, count: int) -> FlowLanes:
        return self.known(I1, PREDICATE_BITS)

    def counter(self, level: int) -> FlowLanes:
        return self.known(UI32)

    def address(self, base: Lanes, offset: Lanes, size: int) -> FlowLanes:
        return self.known(INDEX)

    def load(self, site: Site, address: Lanes, access: Access, dtype: DType) -> FlowLanes:
        return self.known(dtype, len(access.offsets), access)

    def store(
        self, site: Site, address: Lanes, access: Access, value: Lanes, mask: Lanes | None
    ) -> None:
        present = lane_set(tuple(offset != NOTHING for offset in access.offsets))
        self.leave(value, mask, present, access)

    def gather(
        self, site: Site, base: Lanes, offsets: Lanes, active: Lanes, width: int
    ) -> FlowLanes:
        self.leave(offsets, active, all_lanes(offsets.count))
        return self.known(UI8, offsets.count * width)

    def scatter(
        self,
        site: Site,
        base: Lanes,
        offsets: Lanes,
        active: Lanes,
        value: Lanes,
        width: int,
        in_order: bool = False,
    ) -> None:
        self.leave(offsets, active, all_lanes(offsets.count))
        parts = value.bits(UI8) if value.dtype is not UI8 else value
        assert isinstance(active, FlowLanes)
        # A mask for each byte: lane i of the offsets is for `width` bytes.
        order = tuple(i // width for i in range(offsets.count * width))
        more = (-1,) * (parts.count - len(order))
        self.leave(parts, active.shuffle((*order, *more)), all_lanes(parts.count))

    def stream(self) -> object:
        return None

    def stream_prime(self, site: Site, address: Lanes) -> object:
        return None

    def stream_load(self, site: Site, state: object, address: Lanes) -> tuple[Lanes, object]:
        run = Access(tuple(range(VREG_BYTES)), 1, 1)
        return self.known(UI8, VREG_BYTES, run), None

    def stream_store(
        self,
        site: Site,
        state: object,
        base: Lanes,
        address: Lanes,
        value: Lanes,
        length: Lanes,
        position: Lanes,
        named: bool,
    ) -> object:
        self._show(value)

    def stream_end(self, site: Site, state: object, base: Lanes) -> FlowLanes:
        return self.known(INDEX)

    def stream_flush(self, site: Site, state: object, address: Lanes, by_base: bool) -> None:
        """Nothing that is in a register leaves."""

    def covers(self, site: Site, writes: bool, address: Lanes, length: Lanes) -> None:
        """Nothing that is in a register leaves."""

    def issue(self, site: Site, body: Callable[[], None]) -> None:
        body()

    def repeat(self, count: Lanes, body: Callable[[Lanes], None]) -> None:
        body(self.known(I64))

    def load_scalar(self, site: Site, space: Space, address: Lanes, dtype: DType) -> FlowLanes:
        return self.known(dtype)

    def store_scalar(self, site: Site, space: Space, address: Lanes, value: Lanes) -> None:
        self._show(value)

    def transfer(self, site: Site, src: Lanes, dst: Lanes, transfer: Transfer[Lanes]) -> None:
        """Nothing that is in a register leaves."""

    def read_register(self, site: Site, name: str, dtype: DType, initial: int) -> FlowLanes:
        return self.known(dtype)

    def write_register(self, site: Site, name: str, value: Lanes) -> None:
        self._show(value)

    def block(self, which: str) -> FlowLanes:
        return self.known(I64)

    def refuse(
        self,
        site: Site,
        condition: Lanes,
        code: str,
        message: str,
        found: Lanes | None = None,
        expected: str = "",
    ) -> None:
        self._show(condition)

    def print(self, site: Site, value: Lanes) -> None:
        self._show(value)

    def memory_barrier(self, site: Site, kinds: str) -> None:
        """Nothing that is in a register leaves."""

    def synchronise(
        self, site: Site, rule: OrderRule, src: str, dst: str, numbers: tuple[Lanes, ...]
    ) -> None:
        """Nothing that is in a register leaves."""


_FLOWS: dict[object, LaneFlow] = {}


def lane_flow(site: Site) -> LaneFlow:
    """Returns how lanes flow through a use; the same object for uses that are alike."""
    key = (
        site.record.name,
        site.form,
        tuple(sorted(site.attrs.items())),
        site.operands,
        site.results,
        site.segments,
        site.target.name,
        site.revision,
    )
    found = _FLOWS.get(key)
    if found is None:
        if len(_FLOWS) >= _MOST:
            _FLOWS.clear()
        found = _FLOWS[key] = _traced(site)
    return found


_MOST = 1024
"""How many flows are kept."""


def _traced(site: Site) -> LaneFlow:
    core = FlowCore()
    operands = [
        None if isinstance(kind, Align) else FlowLanes(core, FlowStep("operand", *_row(kind)))
        for kind in site.operands
    ]
    made = site.record.meaning(site)(core, *operands)
    results: tuple[object, ...] = (made,) if len(site.results) == 1 else tuple(made or ())
    return LaneFlow(
        core.steps,
        tuple(None if row is None else row.number for row in operands),
        tuple(row.number if isinstance(row, FlowLanes) else None for row in results),
    )


def _row(kind: Type) -> tuple[DType, int]:
    """Returns the element type and the count of lanes of a value."""
    match kind:
        case VReg(dtype=dtype):
            return dtype, dtype.lanes
        case Mask():
            return I1, PREDICATE_BITS
        case Scalar(dtype=dtype):
            return dtype, 1
        case VAddr():
            return UI32, 1
        case Ptr() | Align():
            return INDEX, 1
