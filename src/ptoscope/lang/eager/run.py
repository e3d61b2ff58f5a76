"""A launch as plain Python: blocks one after the other, the cores of a block in turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from ptoscope.arguments import Argument, bind, blocks, whole_if_given
from ptoscope.diagnostics import PtoError
from ptoscope.isa.parts import core_ids
from ptoscope.isa.types import Ptr, Type
from ptoscope.kernel import Kernel
from ptoscope.lang.buffers import GmArray
from ptoscope.lang.compile.function import BuiltKernel
from ptoscope.lang.eager.maker import EagerMaker
from ptoscope.lang.eager.rewrite import PlainFunction, plain_function
from ptoscope.lang.eager.sections import SectionTurns
from ptoscope.lang.flow import Flow
from ptoscope.lang.maker import making
from ptoscope.lang.signature import Parameters
from ptoscope.lang.source import WRONG_VALUE, KernelSource
from ptoscope.lang.values import KernelValue, Misuse, wrapped
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.deadlock import left_over
from ptoscope.machine.elements import quietly
from ptoscope.machine.launch import argument_value, run_cores, seats
from ptoscope.machine.memory import gm_regions
from ptoscope.machine.prints import Prints
from ptoscope.machine.signals import Buffer, Signal


@dataclass(frozen=True)
class PlainKernel:
    """A kernel as it was written, and what it was compiled to."""

    source: KernelSource
    flow: Flow
    parameters: Parameters
    kernel: Kernel
    built: BuiltKernel

    def run(
        self, given: list[Any], fixed: Mapping[str, Any], grid: int, max_steps: int | None
    ) -> None:
        """Runs the body on `grid` blocks with these values of its fixed parameters; arrays are
        written in place. PtoError for wrong arguments and faults, after which the contents of
        arrays are undefined."""
        grid, max_steps = blocks(self.kernel.target, grid), whole_if_given("max_steps", max_steps)
        program = self.built.program
        bound = bind(program, program.functions[0], given)
        plain = plain_function(self.source, self.flow)
        regions = gm_regions(bound)
        prints, found = Prints(), None
        left: dict[int, dict[Signal, int]] = {}
        held: dict[int, dict[Buffer, int]] = {}
        function = program.functions[0]
        try:
            for block in range(grid):
                turns = SectionTurns(core_ids(function.cores))
                cores = [
                    ReferenceCore(memory, block, grid, max_steps, None, seat, core)
                    for memory, seat, core in seats(function, self.kernel.target, regions)
                ]
                for core in cores:
                    core.prints = prints
                bodies = [partial(self._core, plain, core, turns, bound, fixed) for core in cores]
                run_cores(bodies, cores[0].seat)
                left[block] = {k: n for core in cores for k, n in core.pipes.left_set().items()}
                held[block] = {k: n for core in cores for k, n in core.pipes.held().items()}
            found = left_over(program, function, left, grid, held)
        finally:
            self.kernel.note_run(prints, found)
            for argument in bound:
                argument.write_back()

    def _core(
        self,
        plain: PlainFunction,
        core: ReferenceCore,
        turns: SectionTurns,
        bound: list[Argument],
        fixed: Mapping[str, Any],
    ) -> None:
        """Runs the body on one core of a block."""
        maker = EagerMaker(self.built, core, turns, self.kernel.target, self.kernel.revision)
        maker.places.add(plain)
        ordered, named = self._arguments(bound, fixed)
        with making(maker), quietly():
            try:
                plain.function(*ordered, **named)
            except Misuse as error:
                raise self._misused(maker, error) from error
            with maker.stopping():
                core.settle_streams()
                core.pipes.drain()

    def _arguments(
        self, bound: list[Argument], fixed: Mapping[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of the function: by position, and by name."""
        values = {**fixed}
        for argument, (name, kind) in zip(bound, self.parameters.run.items(), strict=True):
            values[name] = _parameter(kind, argument)
        ordered: list[Any] = []
        named: dict[str, Any] = {}
        for name, parameter in self.parameters.signature.parameters.items():
            if parameter.kind is parameter.KEYWORD_ONLY:
                named[name] = values[name]
            else:
                ordered.append(values[name])
        return ordered, named

    def _misused(self, maker: EagerMaker, error: Misuse) -> PtoError:
        return PtoError(
            [
                self.built.program.diagnostic(
                    WRONG_VALUE,
                    maker.places.span(maker.places.raised(error)),
                    error.message,
                    found=error.found,
                    expected=error.expected,
                    hint=error.hint,
                )
            ]
        )


def _parameter(kind: Type, argument: Argument) -> KernelValue:
    value = argument_value(argument)
    if isinstance(kind, Ptr):
        array: GmArray[Any] = GmArray(kind, value)
        return array
    return wrapped(kind, value)
