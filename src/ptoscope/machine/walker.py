"""From a program to steps: each operation becomes one Python closure, once per kernel."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import DType
from ptoscope.isa.record import Run, Site
from ptoscope.isa.targets import Revision, Target
from ptoscope.isa.types import Ptr, Scalar
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.elements import storage
from ptoscope.machine.faults import LOOP_STEP, Fault
from ptoscope.machine.lanes import NumpyLanes, number
from ptoscope.program import (
    Block,
    For,
    Function,
    If,
    Op,
    Scope,
    Show,
    Terminator,
    While,
    site_of,
)

Registers = list[Any]
Step = Callable[[ReferenceCore, Registers], None]


class Walker:
    """The steps of one function for one target and revision."""

    def __init__(self, function: Function, target: Target, revision: Revision) -> None:
        self.function = self._function = function
        self._target = target
        self._revision: Revision = revision
        self._steps = self._block(function.body)

    def run(self, core: ReferenceCore, arguments: list[NumpyLanes]) -> None:
        """Runs the function on a core; returns when all pipes are done."""
        registers: Registers = [None] * len(self._function.types)
        for slot, value in zip(self._function.params, arguments, strict=True):
            registers[slot] = value
        _walk(self._steps, core, registers)
        core.pipes.drain()

    def _block(self, block: Block) -> list[Step]:
        return [step for op in block.ops if (step := self._op(op)) is not None]

    def _op(self, op: Op) -> Step | None:
        match op:
            case For():
                return self._for(op)
            case If():
                return self._if(op)
            case While():
                return self._while(op)
            case Terminator():
                # What it passes on is read by the operation that owns the block.
                return None
            case Scope():
                return self._scope(op)
            case Show():
                return _step(partial(_show, self._site(op), op), op)
            case _:
                return _step(TABLE[op.name].meaning(self._site(op)), op)

    def _site(self, op: Op) -> Site:
        return site_of(self._function, op, self._target, self._revision)

    def _scope(self, op: Scope) -> Step:
        site = self._site(op)
        args, inputs = op.args, op.inputs
        body = self._body(op)

        def step(core: ReferenceCore, registers: Registers) -> None:
            _assign(registers, args, inputs)
            # A scope that has to wait keeps the values it was launched with.
            seen = registers if core.pipes.idle("PIPE_V") else registers.copy()
            core.pipes.issue("PIPE_V", site, partial(_walk, body, core, seen))

        return step

    def _body(self, op: Scope) -> list[Step]:
        """What PIPE_V executes of a vecscope."""
        return [*self._block(op.body), _settle_streams]

    def _for(self, op: For) -> Step:
        site = self._site(op)
        body = self._block(op.body)
        bounds, index = op.bounds, op.index
        inits, carried, yields = op.inits, op.carried, op.yields
        name = self._function.names[index]
        dtype = _scalar(self._function, index)
        kind = storage(dtype).type
        counter = f"%{name} = "

        def step(core: ReferenceCore, registers: Registers) -> None:
            first, last, by = (number(registers[s]) for s in bounds)
            if by <= 0:
                raise Fault(
                    site, LOOP_STEP, "the loop's step is not positive", str(by), "1 or more"
                )
            _assign(registers, carried, inits)
            iterations, counters = core.iterations, core.counters
            iterations.append(())
            counters.append(0)
            for count, value in enumerate(range(first, last, by)):
                registers[index] = NumpyLanes(kind(value), dtype, 1)
                iterations[-1] = (counter, value)
                counters[-1] = count
                try:
                    core.iteration(site)
                    for inner in body:
                        inner(core, registers)
                except Fault as fault:
                    fault.inside(f"%{name} = {value}")
                    raise
                if carried:
                    _assign(registers, carried, yields)
            iterations.pop()
            counters.pop()
            _assign(registers, op.results, carried)

        return step

    def _if(self, op: If) -> Step:
        condition = op.condition
        then = self._block(op.then), op.then.yields
        otherwise = self._block(op.otherwise), op.otherwise.yields

        def step(core: ReferenceCore, registers: Registers) -> None:
            body, yields = then if number(registers[condition]) else otherwise
            for inner in body:
                inner(core, registers)
            _assign(registers, op.results, yields)

        return step

    def _while(self, op: While) -> Step:
        site = self._site(op)
        check, body = self._block(op.before), self._block(op.after)
        inits, carried, yields = op.inits, op.carried, op.yields
        condition, passed, received = op.condition, op.passed, op.received

        def step(core: ReferenceCore, registers: Registers) -> None:
            _assign(registers, carried, inits)
            iteration = 0
            iterations = core.iterations
            iterations.append(())
            while True:
                iterations[-1] = ("iteration ", iteration, " of scf.while")
                try:
                    core.iteration(site)
                    _walk(check, core, registers)
                    if not number(registers[condition]):
                        break
                    _assign(registers, received, passed)
                    _walk(body, core, registers)
                except Fault as fault:
                    fault.inside(f"iteration {iteration} of scf.while")
                    raise
                _assign(registers, carried, yields)
                iteration += 1
            iterations.pop()
            _assign(registers, op.results, passed)

        return step


def _show(site: Site, show: Show, core: ReferenceCore, *values: Any) -> None:
    core.show(site, show, *values)


def _settle_streams(core: ReferenceCore, registers: Registers) -> None:
    core.settle_streams()


def _scalar(function: Function, slot: int) -> DType:
    kind = function.types[slot]
    assert isinstance(kind, (Scalar, Ptr))
    return kind.dtype


def _walk(steps: list[Step], core: ReferenceCore, registers: Registers) -> None:
    for step in steps:
        step(core, registers)


def _assign(registers: Registers, to: Any, source: Any) -> None:
    """All at once: a loop may swap its carried values."""
    if to:
        values = [registers[s] for s in source]
        for slot, value in zip(to, values, strict=True):
            registers[slot] = value


def _step(run: Run, op: Op) -> Step:
    """One closure per shape of operation: calls are what the walker spends its time on."""
    operands, results = op.operands, op.results
    if len(results) == 1:
        result = results[0]
        match operands:
            case (a,):

                def step(core: ReferenceCore, r: Registers) -> None:
                    r[result] = run(core, r[a])

            case (a, b):

                def step(core: ReferenceCore, r: Registers) -> None:
                    r[result] = run(core, r[a], r[b])

            case (a, b, c):

                def step(core: ReferenceCore, r: Registers) -> None:
                    r[result] = run(core, r[a], r[b], r[c])

            case _:

                def step(core: ReferenceCore, r: Registers) -> None:
                    r[result] = run(core, *[r[s] for s in operands])

        return step
    if results:

        def step_many(core: ReferenceCore, r: Registers) -> None:
            values = run(core, *[r[s] for s in operands])
            for slot, value in zip(results, values, strict=True):
                r[slot] = value

        return step_many

    def step_none(core: ReferenceCore, r: Registers) -> None:
        run(core, *[r[s] for s in operands])

    return step_none
