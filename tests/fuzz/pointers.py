"""Loops that carry a pointer, which an access advances in every iteration."""

from __future__ import annotations

from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import INDEX
from ptoscope.isa.types import Scalar
from tests.fuzz import control, draw, memory
from tests.fuzz.draw import Unfit, Use
from tests.fuzz.kernel import Full
from tests.fuzz.text import Block

RECORDS = [
    r for r in TABLE.values() if any(f.results and f.results[-1].name == "updated" for f in r.forms)
]
MOST = 4


def loop(block: Block) -> None:
    """A loop of a few iterations around one post-update access."""
    kernel = block.kernel
    chosen = _use(block)
    element = memory.pointed(chosen)
    around = max(1, block.iteration.count) if block.iteration else 1
    runs = kernel.rng.randint(0, min(MOST, control.MOST_ITERATIONS // around))
    try:
        if memory.loads(chosen):
            start = memory.pointer(block, element)
        else:
            room = memory.extent(chosen) + MOST * memory.ADVANCE
            start = memory.moved(block, *memory.place(block, room, element))
    except Full:
        raise Unfit from None
    inner = Block(kernel, block.stage, block)
    counter, carried, end = (kernel.fresh(k) for k in (Scalar(INDEX), start.type, start.type))
    inner.iteration = control.nested_iteration(inner, counter, runs, runs)
    inner.emit('pto.mem_bar "VV_ALL"')
    after = memory.write_update(inner, chosen, carried, follow=kernel.chance(0.3))
    control.finish(inner)
    inner.emit(f"scf.yield {after.name} : {after.type}")
    zero, last, one = (kernel.constant(n, INDEX).name for n in (0, runs, 1))
    block.nest(
        f"{end.name} = scf.for {counter.name} = {zero} to {last} step {one} "
        f"iter_args({carried.name} = {start.name}) -> ({start.type}) {{",
        inner,
    )
    if memory.loads(chosen):
        memory.load_at(block, end)


def _use(block: Block) -> Use:
    """A post-update use of an instruction that has one."""
    for _ in range(draw.TRIES):
        chosen = draw.use(block, block.rng.choice(RECORDS))
        if memory.updates(chosen):
            return chosen
    raise Unfit
