"""Control flow around instructions: loops, branches, vector scopes, with values carried."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ptoscope.isa.dtypes import I1, I32, INDEX, DType
from ptoscope.isa.types import Mask, Scalar, Type, VReg
from tests.fuzz import draw, memory, scalars
from tests.fuzz.kernel import Full, Kernel, Value
from tests.fuzz.text import Block, Iteration

Filler = Callable[[Block, int], None]
"""Writes about so many operations into a block."""

MOST_ITERATIONS = 12


def finish(block: Block, kept: list[Value] | None = None) -> None:
    """Stores every value of the block that nothing has used."""
    block.kernel.used.update(v.name for v in kept or ())
    for value in list(block.values):
        if value.name in block.kernel.used and not block.kernel.chance(0.05):
            continue
        try:
            if isinstance(value.type, Scalar):
                scalars.sink(block, value)
            elif isinstance(value.type, (VReg, Mask)):
                memory.sink(block, value)
        except Full:
            # What has no room any more is a small part of a large program.
            continue


def _carried(block: Block, most: int) -> list[Value]:
    """Live values that a loop takes along."""
    kinds = (VReg, Mask, Scalar) if block.scope else (Scalar,)
    live = [v for v in block.visible() if isinstance(v.type, kinds)]
    return block.rng.sample(live, min(len(live), block.rng.randint(0, most)))


def _of(block: Block, kind: Type) -> Value:
    """A value of a type, live or new."""
    own = [v for v in block.values if v.type == kind]
    if own and block.kernel.chance(0.8):
        return block.rng.choice(own)
    match kind:
        case VReg():
            return draw.vector(block, kind.dtype)
        case Mask():
            return draw.mask(block, kind.bits)
        case Scalar() if kind.dtype.is_float or kind.dtype.signless:
            return draw.scalar(block, kind.dtype)
        case _:
            found = block.find(kind)
            assert found is not None
            return found


def _typed(values: list[Value]) -> str:
    return ", ".join(str(v.type) for v in values)


def _names(values: list[Value]) -> str:
    return ", ".join(v.name for v in values)


@dataclass(frozen=True)
class _Iterations:
    """How often a loop runs, and of how many iterations there has to be room for the stores."""

    runs: int
    room: int

    @property
    def hidden(self) -> bool:
        return self.room > self.runs

    def end(self, kernel: Kernel, low: int, step: int, kind: DType) -> Value:
        """The bound of a loop; one that only the run tells is limited for everyone to see."""
        high = low + self.runs * step
        if self.hidden:
            return kernel.limited(high, low + self.room * step, kind)
        short = kernel.rng.randrange(step) if self.runs else kernel.rng.choice((0, 1, 100))
        return kernel.constant(high - short, kind)


def _iterations(block: Block, runs: int | None = None) -> _Iterations:
    outer = max(1, block.iteration.count) if block.iteration else 1
    most = MOST_ITERATIONS // outer
    if runs is None:
        runs = min(block.rng.choice((0, 1, 2, 2, 3, 3, 4)), most)
    hides = max(3, runs + 1) <= most and block.kernel.chance(0.4)
    return _Iterations(runs, max(3, runs + 1) if hides else runs)


def nested_iteration(block: Block, own: Value, runs: int, room: int) -> Iteration:
    """The iteration of a loop inside others."""
    if block.outer is None or block.outer.iteration is None:
        return Iteration(own, room, runs)
    outer = block.outer.iteration
    size = block.kernel.constant(room, INDEX)
    first = block.operation("muli", (outer.index, size), Scalar(INDEX))
    index = block.operation("addi", (first, own), Scalar(INDEX))
    return Iteration(index, outer.count * room, runs)


def for_loop(block: Block, fill: Filler, budget: int, iterations: int | None = None) -> None:
    """A loop of a few iterations, by steps of any size, of type index or i32."""
    kernel = block.kernel
    count = _iterations(block, iterations)
    kind = kernel.rng.choice((INDEX, INDEX, INDEX, I32))
    low, step = kernel.rng.choice(((0, 1), (0, 1), (3, 2), (-4, 3), (0, 64)))
    bounds = [kernel.constant(low, kind), count.end(kernel, low, step, kind)]
    bounds.append(kernel.constant(step, kind))
    outer = _carried(block, 3)
    inner = Block(kernel, block.stage, block)
    counter = kernel.fresh(Scalar(kind), "i")
    arguments = [inner.see(kernel.fresh(v.type)) for v in outer]
    inner.see(counter)
    own = counter
    if (low, step) != (0, 1):
        own = inner.operation("subi", (counter, bounds[0]), Scalar(kind))
        own = inner.operation("divui", (own, kernel.constant(step, kind)), Scalar(kind))
    inner.iteration = nested_iteration(inner, inner.index(own), count.runs, count.room)
    fill(inner, budget)
    yielded = [_of(inner, v.type) for v in outer]
    finish(inner, yielded)
    results = [kernel.fresh(v.type) for v in outer]
    head = f"scf.for {counter.name} = {' to '.join(b.name for b in bounds[:2])}"
    head += f" step {bounds[2].name}"
    if outer:
        inner.emit(f"scf.yield {_names(yielded)} : {_typed(yielded)}")
        pairs = ", ".join(f"{a.name} = {v.name}" for a, v in zip(arguments, outer, strict=True))
        head = f"{_names(results)} = {head} iter_args({pairs}) -> ({_typed(outer)})"
    head += " {" if kind is INDEX else f" : {kind} {{"
    block.nest(head, inner)
    block.emit_results(results, [*outer, *bounds])


def branch(block: Block, fill: Filler, budget: int) -> None:
    """A branch on data, with values from both sides."""
    kernel = block.kernel
    condition = draw.scalar(block, I1)
    if kernel.chance(0.6):
        left, right = draw.scalar(block, I32), draw.scalar(block, I32)
        word = kernel.rng.choice(("slt", "uge", "ne"))
        condition = kernel.fresh(Scalar(I1))
        text = f"{condition.name} = arith.cmpi {word}, {left.name}, {right.name} : i32"
        block.emit(text, (condition,), (left, right))
    kinds = [v.type for v in _carried(block, 2)]
    sides = [Block(kernel, block.stage, block) for _ in range(2)]
    for side in sides:
        fill(side, budget // 2)
        yielded = [_of(side, kind) for kind in kinds]
        finish(side, yielded)
        if kinds:
            side.emit(f"scf.yield {_names(yielded)} : {_typed(yielded)}")
    results = [kernel.fresh(kind) for kind in kinds]
    head = f"scf.if {condition.name} {{"
    if results:
        head = f"{_names(results)} = scf.if {condition.name} -> ({_typed(results)}) {{"
    block.nest(head, sides[0], "} else {")
    block.lines.pop()
    block.nest("} else {", sides[1])
    block.emit_results(results, [condition])


def while_loop(block: Block, fill: Filler, budget: int, iterations: int | None = None) -> None:
    """A loop that counts its iterations; its test passes on more than it takes."""
    kernel = block.kernel
    count = _iterations(block, iterations)
    zero = kernel.constant(0, I32)
    limit = count.end(kernel, 0, 1, I32)
    carried = [zero, *_carried(block, 2)]
    before = Block(kernel, block.stage, block)
    taken = [before.see(kernel.fresh(v.type)) for v in carried]
    more = kernel.fresh(Scalar(I1))
    before.emit(f"{more.name} = arith.cmpi slt, {taken[0].name}, {limit.name} : i32", (more,))
    passed = list(taken)
    if block.scope:
        masks = [v for v in taken if isinstance(v.type, Mask)]
        passed += [draw.mask(before, m.type.bits) for m in masks if isinstance(m.type, Mask)]
    else:
        passed.append(before.operation("muli", (taken[0], taken[0]), Scalar(I32)))
    before.emit(f"scf.condition({more.name}) {_names(passed)} : {_typed(passed)}")
    after = Block(kernel, block.stage, block)
    arguments = [after.see(kernel.fresh(v.type)) for v in passed]
    after.iteration = nested_iteration(after, after.index(arguments[0]), count.runs, count.room)
    fill(after, budget)
    one = kernel.constant(1, I32)
    next_iteration = after.operation("addi", (arguments[0], one), Scalar(I32))
    yielded = [next_iteration, *(_of(after, v.type) for v in carried[1:])]
    finish(after, yielded)
    after.emit(f"scf.yield {_names(yielded)} : {_typed(yielded)}")
    results = [kernel.fresh(v.type) for v in passed]
    pairs = ", ".join(f"{a.name} = {v.name}" for a, v in zip(taken, carried, strict=True))
    head = f"{_names(results)} = scf.while ({pairs}) : ({_typed(carried)}) -> ({_typed(passed)}) {{"
    block.nest(head, before, "} do {")
    listed = ", ".join(f"{a.name}: {a.type}" for a in arguments)
    after.lines.insert(0, f"^bb0({listed}):")
    block.lines.pop()
    block.nest("} do {", after)
    block.emit_results(results, carried)


_NAME = re.compile(r"%\w+")
_TEXT = re.compile(r'("[^"]*")')
"""Formats have percent signs that begin no name."""


def vecscope(block: Block, fill: Filler, budget: int, strict: bool | None = None) -> None:
    """A vector scope; a strict one is passed what it uses."""
    inner = Block(block.kernel, block.stage, block, scope=True)
    fill(inner, budget)
    finish(inner)
    if strict is None:
        strict = block.kernel.chance(0.25)
    if not strict:
        block.nest("pto.vecscope {", inner)
        return
    types = block.kernel.types
    used = dict.fromkeys(n for row in inner.lines for n in _NAME.findall(_TEXT.sub("", row)))
    defined = {n for row in inner.lines for n in definitions(row)}
    passed = [n for n in used if n not in defined]
    inner.lines = [_renamed(row, defined) for row in inner.lines]
    listed = ", ".join(f"{n}_in: {types[n]}" for n in passed)
    inner.lines.insert(0, f"^bb0({listed}):")
    kinds = ", ".join(str(types[n]) for n in passed)
    head = f"pto.strict_vecscope({', '.join(passed)}) {{"
    block.nest(head, inner, f"}} : ({kinds}) -> ()")


def _renamed(row: str, defined: set[str]) -> str:
    """A line that uses the arguments of the scope."""
    parts = _TEXT.split(row)
    parts[::2] = [
        _NAME.sub(lambda m: m[0] if m[0] in defined else f"{m[0]}_in", part) for part in parts[::2]
    ]
    return "".join(parts)


def definitions(row: str) -> list[str]:
    """The names that a line defines: results, loop counters, carried values, block arguments."""
    left, equals, _ = row.partition(" = ")
    names = _NAME.findall(left) if equals and left.strip().startswith("%") else []
    if "scf.for " in row:
        names += re.findall(r"scf\.for (%\w+)", row)
    for group in re.findall(r"(?:iter_args|scf\.while )\((.*?)\)", row):
        names += [pair.split(" = ")[0].strip() for pair in group.split(", ")]
    if row.strip().startswith("^bb0("):
        names += re.findall(r"(%\w+): ", row)
    return names
