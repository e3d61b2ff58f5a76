"""Runs a kernel on the reference engine and keeps the record of it."""

from __future__ import annotations

from functools import partial

from ptoscope.arguments import Argument
from ptoscope.diagnostics import PtoError
from ptoscope.isa.record import Site
from ptoscope.isa.targets import Revision, Target
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.elements import quietly
from ptoscope.machine.faults import Fault
from ptoscope.machine.lanes import number
from ptoscope.machine.launch import argument_value, run_cores, seats
from ptoscope.machine.memory import gm_regions
from ptoscope.machine.prints import Prints
from ptoscope.machine.recording.core import RecordingReferenceCore
from ptoscope.machine.walker import Registers, Step, Walker
from ptoscope.program import Block, For, Function, Launchable, Op, Scope, While
from ptoscope.trace.places import Outline
from ptoscope.trace.recorder import Recorder
from ptoscope.trace.spaces import list_spaces
from ptoscope.trace.trace import NONE, Trace


def run(
    kernel: Launchable,
    arguments: list[Argument],
    grid: int,
    limit: int | None,
    prints: Prints | None = None,
) -> Trace:
    """Runs all blocks, one after the other, up to the first that faults. `prints` takes what
    they print."""
    outline = Outline(kernel.function)
    walker = TraceWalker(outline, kernel.function, kernel.target, kernel.revision)
    recorder = Recorder(outline.segments)
    regions = gm_regions(arguments)
    extents = list_spaces(arguments)
    spaces = {id(regions[k]): (e.space, e.begin) for k, e in extents.items()}
    error = last = None
    with quietly():
        values = [argument_value(a) for a in arguments]
        for block in range(grid):
            more = (limit, recorder, walker.sites, spaces, None)
            cores = [
                RecordingReferenceCore(memory, block, grid, *more, seat, core)
                for memory, seat, core in seats(kernel.function, kernel.target, regions)
            ]
            for core in cores:
                core.prints = prints
            try:
                run_cores([partial(walker.run, core, values) for core in cores], cores[0].seat)
            except Fault as fault:
                error = PtoError([fault.diagnostic(kernel.program, block, grid)])
                last = recorder.last_place(walker.sites.get(fault.site, NONE), fault.core)
            recorder.end_block()
            if error is not None:
                break
    return recorder.finish(kernel.function, grid, outline.places, error, last)


class TraceWalker(Walker):
    """Tells its core, which records, where it is. `sites` are the places of uses it has seen."""

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
        place = self._outline.place(op)
        if place is not None:
            self.sites[site] = place.index
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


def _traced(core: ReferenceCore) -> RecordingReferenceCore:
    assert isinstance(core, RecordingReferenceCore)
    return core


def _begin_segment(segment: int, core: ReferenceCore, registers: Registers) -> None:
    _traced(core).begin_segment(segment)


def _begin_scope(core: ReferenceCore, registers: Registers) -> None:
    _traced(core).begin_scope()


def _end_scope(core: ReferenceCore, registers: Registers) -> None:
    _traced(core).end_scope()
