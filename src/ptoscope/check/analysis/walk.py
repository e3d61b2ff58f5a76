"""From a function to the tree of what it does: every operation runs once, abstractly."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from ptoscope.budget import reach, spend
from ptoscope.check.analysis import functions
from ptoscope.check.analysis.core import AbstractCore
from ptoscope.check.analysis.expr import ZERO, Expr, Symbol, of, single
from ptoscope.check.analysis.nodes import (
    BranchNode,
    CarriedNumber,
    LoopNode,
    Node,
    ScopeNode,
)
from ptoscope.check.analysis.streams import CarriedStream, KnownStream, entered
from ptoscope.check.analysis.values import KnownLanes, limits
from ptoscope.isa.dtypes import I1, INDEX, UI32, DType
from ptoscope.isa.lanes import PREDICATE_BITS
from ptoscope.isa.parts import ALONE, CoreId
from ptoscope.isa.targets import Revision, Target
from ptoscope.isa.types import Align, Mask, Ptr, Scalar, Type, VAddr, VReg
from ptoscope.program import (
    Block,
    For,
    Function,
    If,
    Op,
    Scope,
    Section,
    Terminator,
    While,
    site_of,
)

_OP_STEPS = 10
"""Steps of one operation: its meaning runs. Loops may run their bodies again."""


class AnalysisWalker:
    """One function; `values` holds what is known of each slot, `nodes` what was done. Of the
    pointers in `roots` no address is known, as of a parameter: they are symbols."""

    def __init__(
        self,
        function: Function,
        target: Target,
        revision: Revision,
        roots: Collection[int] = (),
        core: CoreId | None = ALONE,
    ) -> None:
        self._function = function
        self._roots = frozenset(roots)
        self._types = function.types
        self._inert: dict[tuple[str, int], bool] = {}
        """Whether an instruction without pointers only computes: found out at its first use."""
        self._target = target
        self._revision: Revision = revision
        self._core = AbstractCore(core)
        self.values: list[Any] = [None] * len(function.types)
        self._solved: dict[Symbol, Expr] = {}
        """What loops carry, by the iteration."""
        for slot in function.params:
            self.values[slot] = self._parameter(slot)
        self._block(function.body)
        self.nodes: list[Node] = self._core.nodes

    def number(self, slot: int) -> Expr:
        """What is known of an integer or a pointer."""
        value = self.values[slot]
        assert isinstance(value, KnownLanes)
        return value.expr or ZERO

    def solved(self, value: Expr) -> Expr:
        """Returns a number with what loops carry expressed by their iterations, where that is
        known."""
        while not self._solved.keys().isdisjoint(value.symbols):
            value = value.substitute(self._solved)
        return value

    def at_end(self, register: str) -> int | None:
        """What a special register holds in the end, where that is known."""
        value = self._core.registers.get(register)
        return None if value is None or value.expr is None else value.expr.number

    def _parameter(self, slot: int) -> KnownLanes | KnownStream:
        kind = self._types[slot]
        if isinstance(kind, Ptr):
            return _pointer(slot)
        if isinstance(kind, Scalar) and kind.dtype.is_int:
            low, high = limits(kind.dtype)
            return KnownLanes(kind.dtype, 1, (of(Symbol("param", slot, (), low, high)),))
        return _anything(kind)

    def _block(self, block: Block) -> None:
        for op in block.ops:
            self._op(op)

    def _op(self, op: Op) -> None:
        reach(op)
        spend(_OP_STEPS)
        core = self._core
        core.op = op
        match op:
            case For():
                self._for(op)
            case If():
                self._if(op)
            case While():
                self._while(op)
            case Terminator():
                pass
            case Scope():
                self._scope(op)
            case Section():
                self._block(op.body)
            case _:
                self._instruction(op)

    def _instruction(self, op: Op) -> None:
        values, types, core = self.values, self._types, self._core
        results = [types[slot] for slot in op.results]
        operands = [types[slot] for slot in op.operands]
        lanewise = all(isinstance(r, VReg) for r in results) and not any(
            isinstance(o, (Ptr, Align)) for o in operands
        )
        key = (op.name, op.form)
        if lanewise and results and self._inert.get(key) and not self._indexes(op):
            for slot, kind in zip(op.results, results, strict=True):
                values[slot] = _anything(kind)
            return
        site = site_of(self._function, op, self._target, self._revision)
        done, registers, core.refuses = len(core.nodes), dict(core.registers), False
        made = site.record.meaning(site)(core, *[values[slot] for slot in op.operands])
        if lanewise:
            acts = len(core.nodes) != done or registers != core.registers or core.refuses
            self._inert[key] = not acts
        if len(results) == 1:
            self._define(op.results[0], made)
        else:
            for slot, value in zip(op.results, made or (), strict=True):
                self._define(slot, value)

    def _indexes(self, op: Op) -> bool:
        """Whether what an instruction computes may be known indices: integers, of such alone."""
        made = (self._types[slot] for slot in op.results)
        taken = (slot for slot in op.operands if isinstance(self._types[slot], VReg))
        return all(isinstance(kind, VReg) and kind.dtype.is_int for kind in made) and all(
            isinstance(value := self.values[slot], KnownLanes) and value.ramp is not None
            for slot in taken
        )

    def _define(self, slot: int, value: Any) -> None:
        if slot in self._roots:
            value = _pointer(slot)
        kind = self._types[slot]
        dtype = _integer(kind)
        if dtype is not None and (not isinstance(value, KnownLanes) or value.row is None):
            value = self._core.unknown(dtype)
        self.values[slot] = value

    def _assign(self, slots: tuple[int, ...], values: list[Any]) -> None:
        for slot, value in zip(slots, values, strict=False):
            self._define(slot, value)

    def _take(self, slots: tuple[int, ...]) -> list[Any]:
        return [self.values[slot] for slot in slots]

    def _scope(self, op: Scope) -> None:
        core = self._core
        node = ScopeNode(op)
        outer, core.nodes, core.scope = core.nodes, node.body, True
        self._assign(op.args, self._take(op.inputs))
        self._block(op.body)
        core.nodes, core.scope = outer, False
        outer.append(node)

    def _if(self, op: If) -> None:
        core = self._core
        condition = core.number(self.values[op.condition])
        if condition.number is not None:
            block = op.then if condition.number else op.otherwise
            self._block(block)
            self._assign(op.results, self._take(block.yields))
            return
        node = BranchNode(op, condition)
        outer, before = core.nodes, dict(core.registers)
        sides: list[tuple[list[Any], dict[str, KnownLanes]]] = []
        for block, nodes in ((op.then, node.yes), (op.otherwise, node.no)):
            core.nodes, core.registers = nodes, dict(before)
            self._block(block)
            sides.append((self._take(block.yields), core.registers))
        core.nodes = outer
        (yes, left), (no, right) = sides
        core.registers = {
            name: self._either(condition, left.get(name), right.get(name)) or core.unknown(INDEX)
            for name in {**left, **right}
        }
        self._assign(
            op.results, [self._either(condition, a, b) for a, b in zip(yes, no, strict=False)]
        )
        outer.append(node)

    def _either(self, condition: Expr, yes: Any, no: Any) -> Any:
        if not isinstance(yes, KnownLanes) or not isinstance(no, KnownLanes):
            same = yes if yes == no else KnownStream()
            return same if isinstance(yes, KnownStream) else None
        if yes.expr is None or no.expr is None or yes.count != 1:
            return KnownLanes(yes.dtype, yes.count)
        return KnownLanes(yes.dtype, 1, (functions.select(condition, yes.expr, no.expr),))

    def _for(self, op: For) -> None:
        core = self._core
        low, high, step = (core.number(self.values[s]) for s in op.bounds)
        first = self._take(op.inits)
        if functions.iterations(high - low, step).number == 0:
            self._assign(op.results, first)
            return
        symbols = self._enter(op.carried)

        def iterate(iteration: Expr) -> None:
            kind = _scalar(self._types[op.index])
            self._define(op.index, KnownLanes(kind, 1, (low + step * iteration,)))
            self._start(op.carried, symbols, first)
            self._block(op.body)
            core.op = op

        loop = core.loop(high - low, step, iterate)
        self._leave(loop, symbols, first, self._take(op.yields), op.results)

    def _while(self, op: While) -> None:
        core = self._core
        symbols, first = self._enter(op.carried), self._take(op.inits)

        def iterate(iteration: Expr) -> None:
            self._start(op.carried, symbols, first)
            self._block(op.before)
            self._assign(op.received, self._take(op.passed))
            self._block(op.after)
            core.op = op

        loop = core.loop(core.number(core.unknown(INDEX)), Expr(1), iterate)
        loop.counted = False
        self._leave(loop, symbols, first, self._take(op.yields), ())
        self._assign(op.results, [_anything(self._types[slot]) for slot in op.results])

    def _enter(self, slots: tuple[int, ...]) -> dict[int, Symbol]:
        """A symbol for each number that a loop carries, and for the end of each stream."""
        kinds = ((i, self._types[slot]) for i, slot in enumerate(slots))
        dtypes = {i: INDEX if isinstance(k, Align) else _integer(k) for i, k in kinds}
        return {i: self._core.symbol("carried", d) for i, d in dtypes.items() if d is not None}

    def _start(self, slots: tuple[int, ...], symbols: dict[int, Symbol], first: list[Any]) -> None:
        for i, slot in enumerate(slots):
            kind = self._types[slot]
            dtype = _integer(kind)
            if dtype is not None:
                self.values[slot] = KnownLanes(dtype, 1, (of(symbols[i]),))
            elif isinstance(first[i], KnownStream):
                self.values[slot] = entered(first[i], symbols[i])
            else:
                self.values[slot] = _anything(kind)

    def _leave(
        self,
        loop: LoopNode,
        symbols: dict[int, Symbol],
        first: list[Any],
        following: list[Any],
        results: tuple[int, ...],
    ) -> None:
        """Solves what a loop carries: a value that grows by the same in every iteration is a
        function of the iteration; the others stay symbols."""
        core = self._core
        carried: dict[int, CarriedNumber] = {}
        streams: dict[int, CarriedStream] = {}
        for i, symbol in symbols.items():
            if isinstance(first[i], KnownStream):
                start = first[i].end if first[i].begun else core.begun_at.get(symbol)
                streams[i] = CarriedStream(symbol, start, following[i])
                continue
            after = Symbol("after", symbol.ident, core.context, symbol.low, symbol.high)
            start, end = core.number(first[i]), core.number(following[i])
            carried[i] = CarriedNumber(symbol, start, end, after)
        varying = {loop.iteration, *symbols.values()}
        solved: dict[Symbol, Expr] = {}
        finals: dict[int, Expr] = {}
        for i, value in carried.items():
            growth = value.next - of(value.symbol)
            down = _countdown(value)
            if loop.counted and not growth.symbols & varying:
                solved[value.symbol] = value.first + growth * of(loop.iteration)
                finals[i] = value.first + growth * loop.trips
            elif loop.counted and down is not None:
                solved[value.symbol] = down(of(loop.iteration))
                finals[i] = down(loop.trips)
            else:
                loop.carried.append(value)
                finals[i] = of(value.after)
        after_streams = {i: s.after(loop, varying, solved) for i, s in streams.items()}
        for stream in streams.values():
            solved[stream.symbol] = stream.solve(loop, varying) or core.in_iteration(loop)
        self._solved.update(solved)
        if solved:
            loop.body[:] = [node.instance(solved) for node in loop.body]
            loop.carried[:] = [value.instance(solved) for value in loop.carried]
        for i, slot in enumerate(results):
            dtype = _integer(self._types[slot])
            if dtype is not None:
                self.values[slot] = KnownLanes(dtype, 1, (finals[i],))
            else:
                self.values[slot] = after_streams.get(i, _anything(self._types[slot]))


def _countdown(carried: CarriedNumber) -> Callable[[Expr], Expr] | None:
    """Returns what a number is after so many iterations that each take the same off it, down to
    0; None if it is another one."""
    chosen = single(carried.next)
    if chosen is None or chosen.kind != "select" or carried.first.bounds()[0] < 0:
        return None
    _, *sides = chosen.args
    less = next((side for side in sides if side.terms), ZERO)
    taken = (of(carried.symbol) - less).number
    if taken is None or taken <= 0 or carried.next != functions.positive_part(less):
        return None
    return lambda times: functions.positive_part(carried.first - times.times(taken))


def _pointer(slot: int) -> KnownLanes:
    return KnownLanes(INDEX, 1, (of(Symbol("pointer", slot)),))


def _integer(kind: Type) -> DType | None:
    if isinstance(kind, Ptr):
        return INDEX
    if isinstance(kind, VAddr):
        return UI32
    return kind.dtype if isinstance(kind, Scalar) and kind.dtype.is_int else None


def _scalar(kind: Type) -> DType:
    assert isinstance(kind, Scalar)
    return kind.dtype


def _anything(kind: Type) -> KnownLanes | KnownStream:
    match kind:
        case VReg(dtype=dtype):
            return KnownLanes(dtype, dtype.lanes)
        case Mask():
            return KnownLanes(I1, PREDICATE_BITS)
        case Align():
            return KnownStream()
        case Scalar(dtype=dtype):
            return KnownLanes(dtype, 1)
        case Ptr():
            return KnownLanes(INDEX, 1)
        case VAddr():
            return KnownLanes(UI32, 1)
