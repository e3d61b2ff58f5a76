"""A core that executes nothing and notes what would be touched."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import count as counter

from ptoscope.check.analysis import functions
from ptoscope.check.analysis.expr import ONE, ZERO, Expr, Symbol, of, single
from ptoscope.check.analysis.moves import MovingCore
from ptoscope.check.analysis.nodes import (
    FieldNode,
    LoopNode,
    MemoryBarrier,
    RefusalNode,
    RegisterTouch,
    Sync,
)
from ptoscope.check.analysis.values import LONGEST, KnownLanes, Prefix, Ramp, constant, limits
from ptoscope.isa.dtypes import I1, I64, INDEX, UI32, DType
from ptoscope.isa.lanes import PREDICATE_BITS, Lanes
from ptoscope.isa.order.memory import register_needs_order
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.parts import ALONE, VECTOR_CORES, CoreId
from ptoscope.isa.record import Site

_LAUNCH = {
    "block_idx": of(Symbol("launch", "block_idx", low=0)),
    "block_num": of(Symbol("launch", "block_num", low=1)),
}
_OF_CORE = {
    "subblock_idx": of(Symbol("launch", "subblock_idx", low=0, high=VECTOR_CORES - 1)),
    "is_cube": of(Symbol("launch", "is_cube", low=0, high=1)),
}
"""What differs from core to core of a cluster."""


@cache
def _mask(active: tuple[bool, ...]) -> KnownLanes:
    return KnownLanes(I1, len(active), active=active).image()


@cache
def _first(limit: int, count: int) -> KnownLanes:
    return _mask(tuple(lane < limit for lane in range(count)))


def _is_open(value: KnownLanes) -> bool:
    """Whether nothing is known of a register, since a loop changes it."""
    symbol = None if value.expr is None else single(value.expr)
    return symbol is not None and symbol.kind == "any"


class AbstractCore(MovingCore):
    """Runs the meaning of instructions over expressions; `nodes` is what they did.

    The caller says which operation runs (`op`), the iterations of the loops around it
    (`context`), and whether it stands in a vecscope.
    """

    def __init__(self, core: CoreId | None = ALONE) -> None:
        self._id = ALONE._replace(vectors=VECTOR_CORES) if core is None else core
        super().__init__(self._id.number)
        symbols = {**_LAUNCH, **(_OF_CORE if core is None else {})}
        self._coordinates = {
            name: symbols.get(name, Expr(number))
            for name, number in self._id.coordinates(0, 1).items()
        }
        self.context: tuple[Expr, ...] = ()
        self.registers: dict[str, KnownLanes] = {}
        self.refuses = False
        """True once an instruction has looked at a number that it may refuse; the walker resets
        it before each."""
        self._at_launch: dict[str, KnownLanes] = {}
        self._executes = False
        """Whether a pipe executes what was issued to it, and what it has written then."""
        self._written: set[str] = set()
        self._numbers = counter()

    # What is known of numbers.

    def unknown(self, dtype: DType) -> KnownLanes:
        """A number of which only the type is known; another one in every iteration."""
        return KnownLanes(dtype, 1, (of(self.symbol("any", dtype)),))

    def symbol(self, kind: str, dtype: DType) -> Symbol:
        """A new leaf for a number of a type; another one in every iteration of the loops around."""
        return Symbol(kind, self._ident(), self.context, *limits(dtype))

    def _ident(self) -> object:
        """What tells a leaf from all others of this core and of others."""
        return next(self._numbers), self._id

    def in_iteration(self, loop: LoopNode) -> Expr:
        """An address of which nothing is known, another one in every iteration of a loop too."""
        context = (*self.context, of(loop.iteration))
        return of(Symbol("any", self._ident(), context, *limits(INDEX)))

    def number(self, value: Lanes) -> Expr:
        """A row of one as an expression."""
        assert isinstance(value, KnownLanes)
        return value.expr or of(self.symbol("any", INDEX))

    def counter(self, level: int) -> KnownLanes:
        if level >= len(self.context):
            # Another rule says that there is no such loop.
            return self.unknown(UI32)
        return KnownLanes(UI32, 1, (self.context[-1 - level],))

    def loop(self, span: Expr, step: Expr, body: Callable[[Expr], None]) -> LoopNode:
        """Runs a body once for all of its iterations, and notes it as a loop."""
        trips = functions.iterations(span, step)
        low, high = trips.bounds()
        last = max(0, high - 1)
        iteration = Symbol("iteration", self._ident(), (), 0, last, low == high)
        made = LoopNode(self.op, iteration, trips, span, step)
        outer, context, before = self.nodes, self.context, dict(self.registers)
        self.nodes, self.context = made.body, (*context, of(iteration))
        # Of what a loop around leaves open nothing is known in an iteration of this one either:
        # only what is known has to be tried, or the work would double with every loop.
        opened = {name: self.unknown(I64) for name, value in before.items() if _is_open(value)}
        self.registers.update(opened)
        entered = dict(self.registers)
        body(of(iteration))
        changed = self._changed(entered)
        if not opened.keys() >= set(changed):
            # What an iteration leaves in a register is what the next one finds.
            made.body.clear()
            for name in changed:
                self.registers[name] = self.unknown(I64)
            body(of(iteration))
        self.nodes, self.context = outer, context
        for name in opened.keys() - set(changed):
            self.registers[name] = before[name]
        for name in changed:
            left = self.registers[name].expr
            # What every iteration leaves is there after the last, if there is one.
            if low < 1 or left is None or left.number is None:
                self.registers[name] = self.unknown(I64)
        outer.append(made)
        return made

    def _changed(self, before: dict[str, KnownLanes]) -> list[str]:
        found = {**self._at_launch, **before}
        return [n for n, v in self.registers.items() if n not in found or found[n].row != v.row]

    def constant(self, dtype: DType, count: int, value: int | float) -> KnownLanes:
        return constant(dtype, count, value)

    def iota(self, dtype: DType, count: int) -> KnownLanes:
        if count <= LONGEST:
            return KnownLanes(dtype, count, tuple(Expr(i) for i in range(count)))
        ramp = Ramp(ZERO, ONE)
        return KnownLanes(dtype, count, ramp=ramp if ramp.fits(dtype, count) else None)

    def mask(self, active: tuple[bool, ...]) -> KnownLanes:
        return _mask(active)

    def first_lanes(self, limit: Lanes, count: int) -> KnownLanes:
        bound = self.number(limit)
        low, high = bound.bounds()
        if low == high or low >= count:
            return _first(min(max(low, 0), count), count)
        return KnownLanes(I1, PREDICATE_BITS, active=Prefix(bound, count))

    def address(self, base: Lanes, offset: Lanes, size: int) -> KnownLanes:
        return KnownLanes(INDEX, 1, (self.number(base) + self.number(offset).times(size),))

    # The rest of the machine.

    def issue(self, site: Site, body: Callable[[], None]) -> None:
        self._executes, self._written = True, set()
        body()
        self._executes = False

    def repeat(self, count: Lanes, body: Callable[[Lanes], None]) -> None:
        trips = self.number(count)
        if trips.number == 0:
            return
        self.loop(trips, ONE, lambda iteration: body(KnownLanes(I64, 1, (iteration,))))

    def _register(self, site: Site, writes: bool, name: str) -> None:
        if register_needs_order(writes, site.record.pipe, self._executes):
            self.nodes.append(RegisterTouch(self.op, site.record.pipe, writes, name))

    def read_register(self, site: Site, name: str, dtype: DType, initial: int) -> KnownLanes:
        self._register(site, False, name)
        at_launch = self._at_launch.setdefault(name, constant(dtype, 1, initial))
        return self.registers.get(name) or at_launch

    def write_register(self, site: Site, name: str, value: Lanes) -> None:
        assert isinstance(value, KnownLanes)
        if name not in self._written:
            self._written.add(name)
            self._register(site, True, name)
        self.registers[name] = value

    def block(self, which: str) -> KnownLanes:
        return KnownLanes(I64, 1, (self._coordinates[which],))

    def refuse(
        self,
        site: Site,
        condition: Lanes,
        code: str,
        message: str,
        found: Lanes | None = None,
        expected: str = "",
    ) -> None:
        """Records a refusal, unless its condition is known not to hold."""
        self.refuses = True
        assert isinstance(condition, KnownLanes)
        if condition.expr is not None and condition.expr.number != 0:
            value = None if found is None else self.number(found)
            node = RefusalNode(self.op, condition.expr, code, message, value, expected)
            self.nodes.append(node)

    def fits_field(self, site: Site, name: str, value: Lanes, bits: int) -> None:
        self.refuses = True
        self.nodes.append(FieldNode(self.op, name, self.number(value), bits))

    def print(self, site: Site, value: Lanes) -> None:
        """Nobody runs it."""

    def memory_barrier(self, site: Site, kinds: str) -> None:
        self.nodes.append(MemoryBarrier(self.op, kinds))

    def synchronise(
        self, site: Site, rule: OrderRule, src: str, dst: str, numbers: tuple[Lanes, ...]
    ) -> None:
        known = tuple(self.number(number) for number in numbers)
        self.nodes.append(Sync(self.op, rule, src, dst, known))
