"""Random bodies of a vecscope with loops, carried values and branches, and runs of them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np

from ptoscope.isa.dtypes import F32, INDEX
from ptoscope.isa.order.memory import MEMORY_BARRIERS
from ptoscope.isa.types import Scalar, Type, VReg
from ptoscope.program import Block, Function, Op, operation
from ptoscope.trace.places import list_places
from ptoscope.trace.trace import MEM_BAR, NONE, UB, Accesses, Events, Iterations, Syncs, Trace

NAMES = {"VLD": "pto.vlds", "VST": "pto.vsts", "LD": "pto.load_scalar", "ST": "pto.store_scalar"}
KINDS = {name: kind for kind, name in NAMES.items()}
Token = tuple[object, ...]


@dataclass
class Access:
    """One execution: its kind, which operation, its bytes, the earlier executions whose data it
    uses (by number), what it stores, and how many barriers came before."""

    kind: str
    op: Op
    bytes: range
    used: frozenset[int]
    token: Token
    bars: int

    @property
    def writes(self) -> bool:
        return self.kind.endswith("ST")


@dataclass
class Bytes:
    """Where an access goes: `step` further in every iteration of the innermost loop."""

    start: int
    size: int
    step: int


@dataclass
class Body:
    """A vecscope, the types of its slots, and where its accesses go, by their ids."""

    scope: Op
    types: list[Type]
    places: dict[int, Bytes] = field(default_factory=dict[int, Bytes])


class Writer:
    """Makes one body."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._types: list[Type] = [VReg(F32), VReg(F32), Scalar(INDEX)]
        """The first slots come from outside."""
        self._places: dict[int, Bytes] = {}
        self._stores: list[Op] = []

    def body(self) -> Body:
        scope = operation("pto.vecscope", blocks=(Block(ops=self._ops([0, 1, 2], 0)),))
        return Body(scope, self._types, self._places)

    def _slot(self, kind: Type) -> int:
        self._types.append(kind)
        return len(self._types) - 1

    def _pick(self, seen: list[int], vector: bool) -> int:
        fitting = [s for s in seen if isinstance(self._types[s], VReg) == vector]
        # Late ones more often: those are of loads.
        return self._rng.choice(fitting[-4:] if self._rng.random() < 0.8 else fitting)

    def _ops(self, seen: list[int], depth: int, most: int = 5) -> list[Op]:
        rng, seen = self._rng, list(seen)
        ops: list[Op] = []
        for _ in range(rng.randint(1, most)):
            roll = rng.random()
            if roll < 0.15:
                ops.append(Op("pto.mem_bar", attrs={"type": rng.choice(MEMORY_BARRIERS)}))
            elif roll < 0.35 and depth < 2:
                ops.append(
                    rng.choice([self._for, self._for, self._while, self._if, self._if])(seen, depth)
                )
            elif roll < 0.5:
                sources = self._pick(seen, True), self._pick(seen, rng.random() < 0.7)
                ops.append(Op("pto.vadd", sources, (self._slot(VReg(F32)),)))
            else:
                ops.append(self._access(seen))
            seen += ops[-1].results
        return ops

    def _access(self, seen: list[int]) -> Op:
        rng = self._rng
        again = [op for op in self._stores if set(op.operands) <= set(seen)]
        if again and rng.random() < 0.3:
            op = rng.choice(again)
            twin = Op(op.name, op.operands)
            self._places[id(twin)] = self._places[id(op)]
            return twin
        kind = rng.choice(["VLD", "VST", "VLD", "VST", "LD", "ST"])
        address = (self._pick(seen, False),) if rng.random() < 0.3 else (2,)
        if kind.endswith("LD"):
            result = self._slot(VReg(F32) if kind == "VLD" else Scalar(INDEX))
            op = Op(NAMES[kind], address, (result,))
        else:
            op = Op(NAMES[kind], (self._pick(seen, kind == "VST"), *address))
            self._stores.append(op)
        self._places[id(op)] = Bytes(rng.randrange(3), rng.randint(1, 2), rng.choice([0, 0, 1]))
        return op

    def _carry(self, seen: list[int]) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Values that go into a loop, the slots of its arguments and of its results."""
        first = tuple(self._pick(seen, True) for _ in range(self._rng.randint(0, 2)))
        args, results = (tuple(self._slot(VReg(F32)) for _ in first) for _ in range(2))
        return first, args, results

    def _closed(self, name: str, ops: list[Op], seen: list[int], count: int, *more: int) -> Op:
        inside = [*seen, *(slot for op in ops for slot in op.results)]
        ends = (self._pick(inside, True) for _ in range(count))
        return operation(name, (*more, *ends))

    def _plain(self) -> Op:
        """What shows that a block was executed."""
        return Op("arith.constant", (), (self._slot(Scalar(INDEX)),), {"value": 0})

    def _for(self, seen: list[int], depth: int) -> Op:
        first, args, results = self._carry(seen)
        index = self._slot(Scalar(INDEX))
        inside = [*seen, index, *args]
        ops = [self._plain(), *self._ops(inside, depth + 1, 4)]
        block = Block((index, *args), [*ops, self._closed("scf.yield", ops, inside, len(args))])
        return operation("scf.for", (2, 2, 2, *first), results, blocks=(block,))

    def _while(self, seen: list[int], depth: int) -> Op:
        first, args, results = self._carry(seen)
        passed = tuple(self._slot(VReg(F32)) for _ in first)
        check = [self._plain(), *self._ops([*seen, *args], depth + 1, 2)]
        test = self._closed("scf.condition", check, [*seen, *args], len(args), 2)
        ops = self._ops([*seen, *passed], depth + 1, 2)
        again = self._closed("scf.yield", ops, [*seen, *passed], len(args))
        blocks = Block(args, [*check, test]), Block(passed, [*ops, again])
        return operation("scf.while", first, results, blocks=blocks)

    def _if(self, seen: list[int], depth: int) -> Op:
        results = tuple(self._slot(VReg(F32)) for _ in range(self._rng.randint(1, 2)))
        blocks: list[Block] = []
        for _ in range(2):
            ops = [self._plain(), *self._ops(seen, depth + 1, 2)]
            blocks.append(Block((), [*ops, self._closed("scf.yield", ops, seen, len(results))]))
        return operation("scf.if", (2,), results, blocks=tuple(blocks))


class Runner:
    """Executes a body, value by value: `accesses` and `bars` are what it did."""

    def __init__(self, body: Body, rng: random.Random) -> None:
        self._body, self._rng = body, rng
        self.accesses: list[Access] = []
        self.bars: list[str] = []
        self._function = Function("scope", (0, 1, 2), Block(ops=[body.scope]), body.types, [])
        self._listed = list_places(self._function)
        self._place = {id(place.op): place.index for place in self._listed}
        self._values: dict[int, tuple[frozenset[int], Token]] = {
            slot: (frozenset(), ("outside", slot)) for slot in range(3)
        }
        self._events: list[tuple[int, int]] = [(0, NONE)]
        self._iterations: list[tuple[int, int, int]] = []
        self._touched: list[int] = []
        self._barred: list[int] = []
        self._block(body.scope.blocks[0], NONE)

    def place(self, op: Op) -> int:
        return self._place[id(op)]

    def _assign(self, slots: tuple[int, ...], sources: tuple[int, ...]) -> None:
        """What is joined is another value every time."""
        values = [self._values[source][0] for source in sources]
        for slot, used in zip(slots, values, strict=True):
            self._values[slot] = used, ("joined", slot, len(self._events), len(self._iterations))

    def _block(self, block: Block, iteration: int) -> None:
        for op in block.ops:
            match op.name:
                case "scf.for":
                    self._for(op, iteration)
                case "scf.while":
                    self._while(op, iteration)
                case "scf.if":
                    side = op.blocks[self._rng.randrange(2)]
                    self._block(side, iteration)
                    self._assign(op.results, side.ops[-1].operands)
                case "scf.yield" | "scf.condition":
                    pass
                case _:
                    self._execute(op, iteration)

    def _iteration(self, op: Op, iteration: int, value: int) -> int:
        self._iterations.append((iteration, self.place(op), value))
        return len(self._iterations) - 1

    def _for(self, op: Op, iteration: int) -> None:
        block = op.blocks[0]
        index, *args = block.args
        source = op.operands[3:]
        for value in range(self._rng.choice([0, 1, 2, 2, 3])):
            now = self._iteration(op, iteration, value)
            self._values[index] = frozenset(), ("index", index, now)
            self._assign(tuple(args), source)
            self._block(block, now)
            source = block.ops[-1].operands
        self._assign(op.results, source)

    def _while(self, op: Op, iteration: int) -> None:
        check, again = op.blocks
        passed = check.ops[-1].operands[1:]
        source = op.operands
        last = self._rng.choice([0, 1, 2])
        for value in range(last + 1):
            now = self._iteration(op, iteration, value)
            self._assign(check.args, source)
            self._block(check, now)
            if value < last:
                self._assign(again.args, passed)
                self._block(again, now)
                source = again.ops[-1].operands
        self._assign(op.results, passed)

    def _execute(self, op: Op, iteration: int) -> None:
        event = len(self._events)
        self._events.append((self.place(op), iteration))
        used = frozenset[int]().union(*(self._values[slot][0] for slot in op.operands))
        token: Token = (id(op), *(self._values[slot][1] for slot in op.operands))
        if op.name == "pto.mem_bar":
            self.bars.append(str(op.attrs["type"]))
            self._barred.append(event)
        elif op.name in KINDS:
            at = self._body.places[id(op)]
            start = at.start + at.step * (
                self._iterations[iteration][2] if iteration != NONE else 0
            )
            stored = self._values[op.operands[0]][1] if op.operands else ()
            what = range(start, start + at.size)
            self.accesses.append(Access(KINDS[op.name], op, what, used, stored, len(self.bars)))
            self._touched.append(event)
            number = len(self.accesses) - 1
            used, token = used | {number}, ("loaded", number)
        for slot in op.results:
            self._values[slot] = used, token

    def trace(self) -> Trace:
        """What a recorder would have written."""
        place, iteration = np.array(self._events).T
        zeros = place * 0
        parent, loop, value = np.array(self._iterations, dtype=np.int64).reshape(-1, 3).T
        event = np.array(self._touched, dtype=np.int64)
        start = np.array([a.bytes.start for a in self.accesses], dtype=np.int64)
        size = np.array([len(a.bytes) for a in self.accesses], dtype=np.int64)
        writes = np.array([a.writes for a in self.accesses], dtype=bool)
        one, at = event * 0 + 1, np.array(self._barred, dtype=np.int64)
        mode = np.array([MEMORY_BARRIERS.index(bar) for bar in self.bars], dtype=np.int64)
        return Trace(
            self._function,
            1,
            self._listed,
            Events(place, zeros, iteration, zeros),
            Iterations(parent, loop, value),
            Accesses(event, one * UB, writes, one * 0, start, size, one, one * 0),
            Syncs(at, at * 0 + MEM_BAR, at * 0 - 1, at * 0 - 1, at * 0 - 1, mode),
        )
