"""The steps of a function, each of which tells what it made."""

from __future__ import annotations

from functools import partial
from typing import cast

from ptoscope.isa.record import Site
from ptoscope.isa.targets import Revision, Target
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.recording.run import TraceWalker
from ptoscope.machine.recording.values_core import ValuesCore
from ptoscope.machine.shadow.run import ShadowWalker
from ptoscope.machine.walker import Registers, Step
from ptoscope.program import Block, For, Function, If, Op, Scope, While
from ptoscope.trace.places import Outline


class ValuesWalker(TraceWalker, ShadowWalker):
    """As its bases; it tells its core which values its blocks begin with and its steps make."""

    def __init__(self, outline: Outline, function: Function, target: Target, revision: Revision):
        self._heads: dict[int, tuple[int, ...]] = {id(function.body): tuple(function.params)}
        super().__init__(outline, function, target, revision)

    def _op(self, op: Op) -> Step | None:
        self._begin(op)
        step = super()._op(op)
        if step is None or isinstance(op, Scope):
            return step
        if isinstance(op, (For, While, If)):
            return _then(step, partial(_note, op.results)) if op.results else step
        if self._outline.place(op) is None:
            return step
        return _executed(step, self._site(op), tuple(op.results))

    def _begin(self, op: Op) -> None:
        """The slots that a block has values for when it begins."""
        match op:
            case For():
                self._heads[id(op.body)] = (op.index, *op.carried)
            case While():
                self._heads[id(op.before)] = op.carried
                self._heads[id(op.after)] = op.received
            case Scope():
                self._heads[id(op.body)] = (*op.args, *_taken_in(op))
            case _:
                pass

    def _block(self, block: Block) -> list[Step]:
        steps = super()._block(block)
        slots = self._heads.get(id(block), ())
        return [partial(_note, slots), *steps] if slots else steps


def _taken_in(op: Scope) -> tuple[int, ...]:
    """The values from outside that a vecscope uses: one that had to wait has those of its issue."""
    inner = [inside for block in op.blocks for inside in block.walk()]
    used = {slot for one in inner for slot in one.operands}
    made = {slot for one in inner for slot in one.results}
    made |= {slot for one in (op, *inner) for block in one.blocks for slot in block.args}
    return tuple(sorted(used - made))


def _note(slots: tuple[int, ...], core: ReferenceCore, registers: Registers) -> None:
    values = cast(ValuesCore, core)
    for slot in slots:
        values.notes.value(slot, registers[slot], values.number)


def _then(step: Step, after: Step) -> Step:
    def both(core: ReferenceCore, registers: Registers) -> None:
        step(core, registers)
        after(core, registers)

    return both


def _executed(step: Step, site: Site, results: tuple[int, ...]) -> Step:
    def run(core: ReferenceCore, registers: Registers) -> None:
        values = cast(ValuesCore, core)
        outer, values.issued = values.issued, False
        step(core, registers)
        for slot in results:
            values.notes.value(slot, registers[slot], values.number)
        if not values.issued:
            values.executed(site)
        # What is executed while another instruction waits is no business of that one's.
        values.issued = outer

    return run
