"""Stages: copies in, vector work, copies out, with what orders the three pipes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import I64, INDEX
from ptoscope.isa.parts import BUFFERS, EVENTS
from ptoscope.isa.types import Scalar
from tests.fuzz import bodies, control, copies, faults
from tests.fuzz.faults import Fault
from tests.fuzz.kernel import Kernel, Value
from tests.fuzz.scalars import SLOTS
from tests.fuzz.text import Block, Stage

Order = Literal["flags", "buffers", "barriers", "out first", "in last", "reversed"]
ORDERS: tuple[Order, ...] = (
    *("flags", "flags", "buffers", "barriers", "out first", "in last", "reversed"),
)
"""What orders the pipes. The last three are flags whose waits stand before their sets: each
pipe keeps what it was given until then."""


@dataclass
class Parts:
    """The lines of a stage, by pipe."""

    block: Block
    iterations: int
    row: Value | None = None
    copies_in: Block = field(init=False)
    work: Block = field(init=False)
    copies_out: Block = field(init=False)

    def __post_init__(self) -> None:
        kernel, stage = self.block.kernel, self.block.stage
        self.copies_in, self.work, self.copies_out = (
            Block(kernel, stage, self.block) for _ in range(3)
        )


def write(root: Block, budget: int, fault: Fault | None = None) -> None:
    """One stage, or a loop over it, with a fault somewhere in it if one is given."""
    kernel, rng = root.kernel, root.rng
    order = rng.choice(ORDERS)
    iterations = rng.choice((1, 1, 2, 3)) if order in ("flags", "buffers", "barriers") else 1
    stage = Stage(kernel.results_end, ordered=order in ("flags", "buffers", "barriers"))
    block = Block(kernel, stage, root)
    parts = Parts(block, iterations)
    tile = kernel.fresh(Scalar(INDEX), "t") if iterations > 1 or rng.random() < 0.1 else None
    if tile is not None:
        block.see(tile)
        kernel.used.add(tile.name)
    parts.row = _row(block, tile, iterations)
    numbers = kernel.array(I64, SLOTS * iterations * kernel.grid, "num")
    stage.numbers = copies.row_pointer(block, numbers, parts.row, SLOTS * 8)
    place = rng.choice(fault.places) if fault else ""
    rows = iterations * kernel.grid
    bodies.outer_body(parts.work, budget // 2)
    if fault and place in ("scope", "work"):
        faults.plant(parts.work, fault, place, parts.row, rows)
    bodies.outer_body(parts.work, budget - budget // 2)
    while place == "out" and not kernel.results_end:
        # A copy out finds something to copy.
        bodies.outer_body(parts.work, 2)
    control.finish(parts.work)
    if fault and place == "in":
        faults.plant(parts.copies_in, fault, place, parts.row, rows)
    _copies_in(parts)
    if fault and place == "out":
        faults.plant(parts.copies_out, fault, place, parts.row, rows)
    _copies_out(parts)
    before, after = _assemble(parts, order, tile)
    if tile is None:
        root.lines += [*before, *block.lines, *after]
        return
    low, step = kernel.constant(0, INDEX), kernel.constant(1, INDEX)
    high = kernel.known(iterations, INDEX) if stage.ordered else kernel.constant(iterations, INDEX)
    root.lines += before
    root.nest(f"scf.for {tile.name} = {low.name} to {high.name} step {step.name} {{", block)
    root.lines += after


def _row(block: Block, tile: Value | None, iterations: int) -> Value | None:
    """The number of this block and iteration among all of the launch."""
    kernel = block.kernel
    row: Value | None = None
    if kernel.grid > 1 or kernel.chance(0.2):
        row = kernel.fresh(Scalar(I64))
        block.emit(f"{row.name} = pto.get_block_idx", (), ())
        row = block.operation("muli", (row, kernel.constant(iterations, I64)), Scalar(I64))
    if tile is None:
        return row
    iteration = block.operation("index_cast", (tile,), Scalar(I64), "index to i64")
    return iteration if row is None else block.operation("addi", (row, iteration), Scalar(I64))


def _copies_in(parts: Parts) -> None:
    block = parts.copies_in
    kernel = block.kernel
    rows = parts.iterations * kernel.grid
    for source in block.stage.sources:
        shape = copies.inward(block, source)
        size = -(-shape.gm_bytes // 8) * 8
        gm = kernel.array(source.dtype, rows * size // source.dtype.bytes, "x")
        per_row = size // source.dtype.bytes
        patch = tuple((row * per_row + at, v) for row in range(rows) for at, v in source.patch)
        kernel.change(gm, fill=source.fill, limit=source.limit, patch=patch)
        at = copies.row_pointer(block, gm, parts.row, size)
        copies.copy_in(block, source, at, shape)


def _copies_out(parts: Parts) -> None:
    block = parts.copies_out
    kernel, stage = block.kernel, block.stage
    start, end = stage.first, kernel.results_end
    piece = 16 * 1024
    legal = TABLE["pto.mte_ub_gm"].types["T"].legal(kernel.target, kernel.revision)
    for address in range(start, end, piece):
        element = kernel.rng.choice(legal)
        shape = copies.outward(block, min(piece, end - address), element)
        size = -(-shape.gm_bytes // 8) * 8
        rows = parts.iterations * kernel.grid
        gm = kernel.array(element, rows * size // element.bytes, "y")
        update = copies.update(block, element)
        # Sums and comparisons of integers come out the same in any order of rows.
        shared = update is not None and update[0].startswith("s") and kernel.chance(0.3)
        at = copies.row_pointer(block, gm, None if shared else parts.row, size)
        copies.copy_out(block, address, element, at, shape, update)


def _flag(action: str, src: str, dst: str, event: str) -> str:
    return f'pto.{action}_flag["PIPE_{src}", "PIPE_{dst}", {event}]'


def _assemble(parts: Parts, order: Order, tile: Value | None) -> tuple[list[str], list[str]]:
    """Puts the lines of the three pipes into the block; gives lines before and after a loop."""
    block = parts.block
    if order == "buffers":
        return with_buffers(parts)
    if order == "barriers":
        stop = "pto.barrier #pto.pipe<PIPE_ALL>"
        for part in (parts.copies_in, parts.work, parts.copies_out):
            block.lines += [*part.lines, stop]
        return [], []
    ready, done = (_event(block, tile) for _ in "ab")
    load = [*parts.copies_in.lines, _flag("set", "MTE2", "V", ready)]
    work = [_flag("wait", "MTE2", "V", ready), *parts.work.lines, _flag("set", "V", "MTE3", done)]
    store = [_flag("wait", "V", "MTE3", done), *parts.copies_out.lines]
    match order:
        case "out first":
            block.lines += [*store, *load, *work]
        case "in last":
            block.lines += [*work, *load, *store]
        case "reversed":
            block.lines += [*store, *work, *load]
        case _:
            return _with_flags(block, load, work, store, looped=tile is not None)
    return [], []


def _event(block: Block, tile: Value | None) -> str:
    """An event by name, or by a number known when it runs."""
    if not block.kernel.chance(0.4):
        return f'"{block.rng.choice(EVENTS)}"'
    number = block.kernel.known(block.rng.randrange(len(EVENTS)), I64)
    if tile is None:
        return number.name
    two = block.kernel.constant(1, INDEX)
    return block.operation("andi", (tile, two), Scalar(INDEX)).name


def _with_flags(
    block: Block, load: list[str], work: list[str], store: list[str], *, looped: bool
) -> tuple[list[str], list[str]]:
    """In a loop the areas are handed back, too."""
    if not looped:
        block.lines += [*load, *work, *store]
        return [], []
    names = [f'"{e}"' for e in block.rng.sample(EVENTS, 2)]
    back = (("V", "MTE2", names[0]), ("MTE3", "V", names[1]))
    sets, waits = ([_flag(a, *b) for b in back] for a in ("set", "wait"))
    block.lines += [waits[0], *load, waits[1], *work, sets[0], *store, sets[1]]
    return sets, waits


def with_buffers(parts: Parts) -> tuple[list[str], list[str]]:
    """One buffer id for what comes in and one for what goes out."""
    kernel, block = parts.block.kernel, parts.block
    # One spelling for each id: which ids are the same has to be seen.
    ids = [number for number in range(BUFFERS) if number != kernel.apart]
    first, second = (_buffer(kernel, number) for number in kernel.rng.sample(ids, 2))

    def held(pipe: str, buffers: tuple[str, ...], lines: list[str]) -> list[str]:
        get = [f"pto.get_buf {ids}".replace("PIPE", f"PIPE_{pipe}") for ids in buffers]
        return [*get, *lines, *(line.replace("get", "rls") for line in get)]

    block.lines += held("MTE2", (first,), parts.copies_in.lines)
    block.lines += held("V", (first, second), parts.work.lines)
    block.lines += held("MTE3", (second,), parts.copies_out.lines)
    return [], []


def _buffer(kernel: Kernel, number: int) -> str:
    """The operands of get_buf: "PIPE" for its pipe, a buffer id and mode 0."""
    if kernel.chance(0.5):
        return f'"PIPE", {number}, 0'
    named, mode = kernel.known(number, I64).name, kernel.constant(0, I64).name
    first = f'{named}, "PIPE"' if kernel.chance(0.5) else f'"PIPE", {named}'
    return f"{first}, {mode} : i64, i64"
