"""A walker that tells its core where it is."""

from __future__ import annotations

from functools import partial

from ptoscope.isa.record import Site
from ptoscope.isa.targets import Revision, Target
from ptoscope.machine.core import ReferenceCore, number
from ptoscope.machine.walker import Registers, Step, Walker
from ptoscope.program import Block, Function, Op
from ptoscope.trace.core import TraceCore
from ptoscope.trace.places import CONTROL, SCOPES, TERMINATORS, issues, list_places


class TraceWalker(Walker):
    """Runs on a TraceCore only. `places` are those of the function, `segments` the places that
    follow each other without control flow, `sites` the place of each use."""

    def __init__(self, function: Function, target: Target, revision: Revision) -> None:
        self.places = list_places(function)
        self.segments: list[list[int]] = []
        self.sites: dict[Site, int] = {}
        self._by_op = {id(place.op): place for place in self.places}
        self._bodies = {id(p.op.blocks[0]) for p in self.places if p.name in SCOPES}
        super().__init__(function, target, revision)

    def _site(self, op: Op) -> Site:
        site = super()._site(op)
        self.sites[site] = self._by_op[id(op)].index
        return site

    def _block(self, block: Block) -> list[Step]:
        steps: list[Step] = []
        segment: list[int] | None = None
        for op in block.ops:
            if op.name in TERMINATORS:
                continue
            place = self._by_op[id(op)]
            if op.name in CONTROL:
                segment = None
            elif segment is None:
                segment = []
                steps.append(partial(_begin_segment, len(self.segments)))
                self.segments.append(segment)
            if segment is not None:
                segment.append(place.index)
            step = self._op(op)
            assert step is not None
            steps.append(step)
            if issues(place):
                # Other instructions may run now: what follows is noted anew.
                segment = None
        if id(block) in self._bodies:
            return [_begin_scope, *steps, _end_scope]
        return steps

    def _scope(self, op: Op) -> Step:
        issue = super()._scope(op)

        def step(core: ReferenceCore, registers: Registers) -> None:
            _traced(core).issue_scope()
            issue(core, registers)

        return step

    def _for(self, op: Op) -> Step:
        run = super()._for(op)
        place = self._by_op[id(op)].index
        first, _, by = op.operands[:3]

        def step(core: ReferenceCore, registers: Registers) -> None:
            traced = _traced(core)
            traced.begin_loop(place, number(registers[first]), number(registers[by]))
            run(core, registers)
            traced.end_loop()

        return step

    def _while(self, op: Op) -> Step:
        run = super()._while(op)
        place = self._by_op[id(op)].index

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
