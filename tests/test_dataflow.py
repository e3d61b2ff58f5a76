"""Who defines and who uses each value, and what a value may be."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

from ptoscope.dataflow import (
    BranchResult,
    Carried,
    Dataflow,
    Definition,
    Fixpoint,
    Index,
    Joined,
    LoopResult,
    OpResult,
    Parameter,
    Received,
    ScopeArgument,
    ways,
)
from ptoscope.kernel import parse
from ptoscope.program import Block, For, Function, If, Op, Scope, While, operation
from tests.fuzz.programs import generate
from tests.races.scope_programs import Writer

TEXT = """\
func.func @k(%n: i32, %t: i1, %p: !pto.ptr<f32, ub>) {
  %zero = arith.constant 0 : index
  %ten = arith.constant 10 : index
  %one = arith.constant 1 : index
  %sum, %old = scf.for %i = %zero to %ten step %one iter_args(%x = %n, %y = %n) -> (i32, i32) {
    %more = arith.addi %x, %n : i32
    %big = scf.if %t -> (i32) {
      scf.yield %more : i32
    } else {
      scf.yield %y : i32
    }
    scf.yield %big, %x : i32, i32
  }
  %last = scf.while (%w = %sum) : (i32) -> (i32) {
    %half = arith.addi %w, %w : i32
    scf.condition(%t) %half : i32
  } do {
  ^bb0(%h: i32):
    %next = arith.addi %h, %n : i32
    scf.yield %next : i32
  }
  pto.strict_vecscope(%p, %last) {
  ^bb0(%q: !pto.ptr<f32, ub>, %l: i32):
    %inner = arith.addi %l, %l : i32
  } : (!pto.ptr<f32, ub>, i32) -> ()
  return
}
"""


class Named:
    """The function above, its values by name."""

    def __init__(self) -> None:
        self.function = parse(TEXT, "k.pto").functions[0]
        self.flow = Dataflow(self.function)

    def slot(self, name: str) -> int:
        return self.function.names.index(name)

    def definition(self, name: str) -> Definition:
        return self.flow.definitions[self.slot(name)]

    def names(self, slots: Sequence[int | None]) -> list[str]:
        return [self.function.names[slot] for slot in slots if slot is not None]


@pytest.fixture(scope="module")
def k() -> Named:
    return Named()


def op_of(k: Named, kind: type[Op]) -> Op:
    return next(op for op in k.function.ops() if isinstance(op, kind))


def test_definitions(k: Named):
    """One of each kind, as the text above says."""
    n, x, y, total = (k.slot(name) for name in ("n", "x", "y", "sum"))
    loop, branch = op_of(k, For), op_of(k, If)
    again, scope = op_of(k, While), op_of(k, Scope)
    assert isinstance(loop, For)
    assert isinstance(branch, If)
    assert isinstance(again, While)
    assert isinstance(scope, Scope)
    assert k.definition("n") == Parameter(0, None)
    assert k.definition("i") == Index(1, None, loop)
    big = k.slot("big")
    assert k.definition("x") == Carried(1, None, loop, n, big)
    assert k.definition("y") == Carried(1, None, loop, n, x)
    assert k.definition("sum") == LoopResult(0, None, loop, n, big)
    assert k.definition("old") == LoopResult(0, None, loop, n, x)
    assert k.definition("big") == BranchResult(1, None, branch, (k.slot("more"), y))
    assert k.definition("w") == Carried(1, None, again, total, k.slot("next"))
    assert k.definition("h") == Received(1, None, again, k.slot("half"))
    assert k.definition("last") == LoopResult(0, None, again, None, k.slot("half"))
    assert k.definition("l") == ScopeArgument(0, scope, scope, k.slot("last"))
    inner = k.definition("inner")
    assert isinstance(inner, OpResult)
    assert (inner.depth, inner.inside, inner.op) == (0, scope, scope.body.ops[0])


def test_users(k: Named):
    """Terminators use values too."""

    def users(name: str) -> list[str]:
        return [op.name for op in k.flow.users.get(k.slot(name), [])]

    assert users("x") == ["arith.addi", "scf.yield"]
    assert users("n") == ["scf.for", "scf.for", "arith.addi", "arith.addi"]
    assert users("t") == ["scf.if", "scf.condition"]
    assert users("last") == ["pto.strict_vecscope"]
    assert users("old") == []


def test_results_and_depths(k: Named):
    assert k.flow.made(k.slot("sum")) is op_of(k, For)
    assert k.flow.made(k.slot("x")) is None
    more = k.flow.made(k.slot("more"))
    assert more is not None
    assert (more.name, k.flow.depth(more)) == ("arith.addi", 1)
    assert k.flow.depth(op_of(k, Scope)) == 0


@pytest.mark.parametrize(
    ("name", "joined", "sources"),
    [
        ("n", "", "n"),
        ("more", "", "more"),
        ("x", "n big", "n more"),
        ("y", "n x", "n more"),
        ("sum", "n big", "n more"),
        ("old", "n x", "n more"),
        ("big", "more y", "n more"),
        ("w", "sum next", "n more next"),
        ("h", "half", "half"),
        ("last", "half", "half"),
        ("l", "last", "half"),
    ],
)
def test_what_a_value_may_be(k: Named, name: str, joined: str, sources: str):
    assert k.names(k.flow.joined(k.slot(name))) == joined.split()
    assert sorted(k.names(sorted(k.flow.sources(k.slot(name))))) == sorted(sources.split())


def test_walk_goes_where_it_is_sent(k: Named):
    """Into operands only: up to what control flow hands on; each value once."""

    def operands(slot: int, definition: Definition) -> Sequence[int]:
        return definition.op.operands if isinstance(definition, OpResult) else ()

    reached = [slot for slot, _ in k.flow.walk((k.slot("next"),), operands)]
    assert k.names(reached) == ["next", "n", "h"]
    assert [slot for slot, _ in k.flow.walk((k.slot("n"),) * 2, operands)] == [k.slot("n")]


def test_fixpoint(k: Named):
    """Which parameters and constants are in a value: sets, of which loops make the union."""

    def made(slot: int, of: Callable[[int], frozenset[str]]) -> frozenset[str]:
        definition = k.flow.definitions[slot]
        if isinstance(definition, OpResult) and definition.op.operands:
            return frozenset[str]().union(*(of(s) for s in definition.op.operands))
        return frozenset([k.function.names[slot]])

    nothing = frozenset[str]()
    for in_order in (False, True):
        found = Fixpoint(k.flow, nothing, frozenset[str].union, made, in_order)
        assert found.of(k.slot("l")) == {"n"}
        assert found.of(k.slot("i")) == {"i"}
        assert found.of(k.slot("inner")) == {"n"}


@pytest.mark.parametrize("in_order", [False, True])
def test_fixpoint_around_a_swap(in_order: bool):
    """Two values that a loop swaps are both, whichever is asked for first."""
    loop = operation(
        "scf.for",
        (0, 0, 0, 1, 2),
        (6, 7),
        blocks=(Block((3, 4, 5), [operation("scf.yield", (5, 4))]),),
    )
    kind = parse("func.func @k(%n: i32) {\n  return\n}\n", "k.pto").functions[0].types[0]
    flow = Dataflow(Function("k", (0, 1, 2), Block((0, 1, 2), [loop]), [kind] * 8, ["v"] * 8))
    nothing = frozenset[int]()
    for first in range(4, 8):
        found = Fixpoint(
            flow, nothing, frozenset[int].union, lambda slot, of: frozenset([slot]), in_order
        )
        assert [found.of(slot) for slot in (first, 4, 5, 6, 7)] == [{1, 2}] * 5


def test_a_text_that_was_not_read_whole():
    """Values that are missing leave fewer that a value may be."""
    kind = parse("func.func @k(%n: i32) {\n  return\n}\n", "k.pto").functions[0].types[0]
    body = Block((1, 2), [operation("x", (0,))])
    loop = operation("scf.for", (0, 0, 0), (3,), blocks=(body,))
    flow = Dataflow(Function("k", (0,), Block((0,), [loop]), [kind] * 4, ["v"] * 4))
    assert isinstance(flow.definitions[2], Carried)
    assert flow.joined(2) == flow.joined(3) == ()


# Random programs, against values that travel one by one.

Made = tuple[int, int]
"""A value by the slot that made it, and the iteration it was made in; -1 outside all loops."""


class Travel:
    """Runs a function without computing anything: which way it goes is drawn, and every value
    is who made it. Operands are read by their positions in the generic form. It is at the same
    time what is known of that run."""

    def __init__(self, function: Function, rng: random.Random) -> None:
        self._rng = rng
        self._values: dict[int, Made] = {slot: (slot, -1) for slot in function.params}
        self._parent: list[int] = []
        self._before: list[int | None] = []
        self._last: dict[tuple[int, int], int | None] = {}
        self._sides: dict[tuple[int, int], int] = {}
        self.seen: list[tuple[int, int, Made]] = []
        """Each value that was handed on: its slot, the iteration, and who made it."""
        self._block(function.body, -1)

    def _hand(self, slots: Sequence[int], values: Sequence[int], at: int) -> None:
        made = [self._values[value] for value in values]
        for slot, value in zip(slots, made, strict=True):
            self._values[slot] = value
            self.seen.append((slot, at, value))

    def _begin(self, op: Op, at: int) -> int:
        self._parent.append(at)
        self._before.append(self._last[id(op), at])
        now = self._last[id(op), at] = len(self._parent) - 1
        return now

    def _block(self, block: Block, at: int) -> None:
        for op in block.ops:
            if op.name == "scf.for":
                self._for(op, at)
            elif op.name == "scf.while":
                self._while(op, at)
            elif op.name == "scf.if":
                side = self._sides[id(op), at] = self._rng.randrange(2)
                self._block(op.blocks[side], at)
                if op.results:
                    self._hand(op.results, op.blocks[side].ops[-1].operands, at)
            elif op.blocks:
                self._hand(op.blocks[0].args, op.operands, at)
                self._block(op.blocks[0], at)
            else:
                self._values.update((slot, (slot, at)) for slot in op.results)

    def _for(self, op: Op, at: int) -> None:
        (block,) = op.blocks
        self._last[id(op), at] = None
        source, now = op.operands[3:], at
        for _ in range(self._rng.choice((0, 1, 2, 3, 5))):
            now = self._begin(op, at)
            self._values[block.args[0]] = block.args[0], now
            self._hand(block.args[1:], source, now)
            self._block(block, now)
            source = block.ops[-1].operands
        self._hand(op.results, source, at)

    def _while(self, op: Op, at: int) -> None:
        test, body = op.blocks
        self._last[id(op), at] = None
        source, more = op.operands, self._rng.choice((0, 1, 2, 4))
        while True:
            now = self._begin(op, at)
            self._hand(test.args, source, now)
            self._block(test, now)
            passed = test.ops[-1].operands[1:]
            if not more:
                break
            more -= 1
            self._hand(body.args, passed, now)
            self._block(body, now)
            source = body.ops[-1].operands
        self._hand(op.results, passed, at)

    # What is known of the run.

    def around(self, iteration: int, loops: int, /) -> int:
        for _ in range(loops):
            iteration = self._parent[iteration]
        return iteration

    def before(self, loop: Op, iteration: int, /) -> Sequence[int | None]:
        return (self._before[iteration],)

    def last(self, loop: Op, iteration: int, /) -> Sequence[int | None]:
        return (self._last[id(loop), iteration],)

    def sides(self, branch: Op, iteration: int, /) -> Sequence[int]:
        return (self._sides[id(branch), iteration],)


def followed(flow: Dataflow, run: Travel, slot: int, at: int) -> Made:
    """Who made a value, by the ways that the run leaves."""
    while True:
        definition = flow.definitions[slot]
        if not isinstance(definition, Joined):
            return slot, at
        ((slot, seen, depth),) = ways(definition, at, run)
        at = run.around(seen, depth - flow.definitions[slot].depth)


def functions() -> list[Function]:
    """Kernels of the generator, and bodies full of loops that carry and swap values."""
    made = [parse(generate(seed).text, "k.pto").functions[0] for seed in range(40)]
    for seed in range(150):
        body = Writer(random.Random(seed)).body()
        block = Block((0, 1, 2), [body.scope])
        made.append(Function("k", (0, 1, 2), block, body.types, [""] * len(body.types)))
    return made


def test_random_programs():
    """The ways through a known run lead to who made each value; and who made it in some run is
    just who may have made it in any."""
    kinds: set[type[Definition]] = set()
    for number, function in enumerate(functions()):
        flow = Dataflow(function)
        met: dict[int, set[int]] = {}
        for seed in range(40):
            run = Travel(function, random.Random(f"{number} {seed}"))
            for slot, at, made in run.seen:
                kinds.add(type(flow.definitions[slot]))
                assert followed(flow, run, slot, at) == made
                met.setdefault(slot, set()).add(made[0])
        for slot, makers in met.items():
            assert makers == flow.sources(slot), (number, slot)
    assert kinds == {Carried, Received, LoopResult, BranchResult, ScopeArgument}
