"""A walker that tells its core where it is."""

from __future__ import annotations

from functools import partial

from ptoscope.isa.record import Site
from ptoscope.isa.targets import Revision, Target
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.lanes import number
from ptoscope.machine.recording.core import TraceCore
from ptoscope.machine.walker import Registers, Step, Walker
from ptoscope.program import Block, For, Function, Op, Scope, While
from ptoscope.trace.places import Outline


class TraceWalker(Walker):
    """Runs on a TraceCore only. `sites` are the places of the uses it has seen."""

    def __init__(self, outline: Outline, function: Function, target: Target, revision: Revision):
        self._outline = outline
        self.sites: dict[Site, int] = {}
        super().__init__(function, target, revision)

    def _place(self, op: Op) -> int:
        place = self._outline.place(op)
        assert place is not None
        return place.index

    def _site(self, op: Op) -> Site:
        site = super()._site(op)
        self.sites[site] = self._place(op)
        return site

    def _block(self, block: Block) -> list[Step]:
        steps: list[Step] = []
        for op in block.ops:
            segment = self._outline.begins(op)
            if segment is not None:
                steps.append(partial(_begin_segment, segment))
            step = self._op(op)
            if step is not None:
                steps.append(step)
        return steps

    def _body(self, op: Scope) -> list[Step]:
        return [_begin_scope, *super()._body(op), _end_scope]

    def _scope(self, op: Scope) -> Step:
        issue = super()._scope(op)

        def step(core: ReferenceCore, registers: Registers) -> None:
            _traced(core).issue_scope()
            issue(core, registers)

        return step

    def _for(self, op: For) -> Step:
        run = super()._for(op)
        place = self._place(op)
        first, by = op.lower, op.step

        def step(core: ReferenceCore, registers: Registers) -> None:
            traced = _traced(core)
            traced.begin_loop(place, number(registers[first]), number(registers[by]))
            run(core, registers)
            traced.end_loop()

        return step

    def _while(self, op: While) -> Step:
        run = super()._while(op)
        place = self._place(op)

        def step(core: ReferenceCore, registers: Registers) -> None:
            traced = _traced(core)
            traced.begin_loop(place, 0, 1)
            run(core, registers)
            traced.end_loop()

        return step


def _traced(core: ReferenceCore) -> TraceCore:
    assert isinstance(core, TraceCore)
    return core


def _begin_segment(segment: int, core: ReferenceCore, registers: Registers) -> None:
    _traced(core).begin_segment(segment)


def _begin_scope(core: ReferenceCore, registers: Registers) -> None:
    _traced(core).begin_scope()


def _end_scope(core: ReferenceCore, registers: Registers) -> None:
    _traced(core).end_scope()
