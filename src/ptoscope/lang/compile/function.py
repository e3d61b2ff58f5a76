"""A whole kernel: from its source to a program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ptoscope.check import broken_constraints
from ptoscope.diagnostics import PtoError
from ptoscope.expansion import expanded, with_scopes
from ptoscope.isa.parts import PER_CORE
from ptoscope.isa.targets import Revision, Target
from ptoscope.isa.types import Ptr
from ptoscope.lang.buffers import GmArray
from ptoscope.lang.compile.bodies import DecidedBody
from ptoscope.lang.compile.build import function_end
from ptoscope.lang.compile.cores import kernel_kind, outside_sections, split
from ptoscope.lang.compile.emitter import Emitter
from ptoscope.lang.compile.frame import Frame
from ptoscope.lang.compile.place import buffers, place
from ptoscope.lang.compile.statements import StatementWalker
from ptoscope.lang.flow import Flow
from ptoscope.lang.maker import making
from ptoscope.lang.memory.map import MemoryMap
from ptoscope.lang.outside import OutsideValues
from ptoscope.lang.signature import Parameters
from ptoscope.lang.source import SIGNATURE, UNSUPPORTED, KernelSource
from ptoscope.lang.sync import NotOrdered, TooManySignals, synchronise
from ptoscope.lang.values import KernelValue, wrapped
from ptoscope.program import Block, Function, Op, Program


@dataclass(frozen=True)
class BuiltKernel:
    """A program, what a plain run has to know of it, and the values from outside that are in
    it."""

    program: Program
    memory: MemoryMap
    whole: DecidedBody
    outside: OutsideValues


def compile_function(
    source: KernelSource,
    flow: Flow,
    parameters: Parameters,
    fixed: Mapping[str, Any],
    target: Target,
    revision: Revision,
    sync: str,
) -> BuiltKernel:
    """The program of a kernel, for values of its fixed parameters. `sync` is "auto" or "manual".
    PtoError for what cannot be compiled."""
    emitter = Emitter(target, revision)
    emitter.span = source.span(source.tree)
    names: dict[str, Any] = {}
    params: list[int] = []
    for name in parameters.signature.parameters:
        if name not in parameters.run:
            names[name] = fixed[name]
            continue
        kind = parameters.run[name]
        slot = emitter.slot(kind, name)
        params.append(slot)
        names[name] = _parameter(kind, slot)
    frame = Frame(source, flow, names, OutsideValues())
    with making(emitter), emitter.block() as body:
        returned = StatementWalker(emitter, frame).run()
    if returned is not None:
        raise source.error(
            SIGNATURE,
            source.tree,
            f"{source.name} returns a value, but a kernel has no results",
            hint="write it to an array that the caller passes",
        )
    body.append(function_end(emitter.span))
    function = Function(
        source.name,
        tuple(params),
        Block(ops=emitter.tidied(body)),
        emitter.types,
        emitter.names,
        is_kernel=True,
        span=emitter.span,
    )
    function.body.args = tuple(params)
    function.kind = kernel_kind(function)
    function = with_scopes(function, _with_blocks)
    program = Program(
        [function],
        target_arch=target.name,
        kernel_kind=kernel_kind(function),
        file=source.file,
        text=source.text,
        revision=revision,
        built=True,
    )
    wrong = outside_sections(function) if emitter.sections else None
    if wrong is not None:
        raise _for_no_core(program, wrong)
    broken = broken_constraints(program, target, revision)
    if broken:
        raise PtoError(broken)
    memory, accesses = place(program, function, emitter)
    emitter.name_the_rest(function.body)
    function.body.ops = emitter.tidied(function.body.ops)
    if sync == "auto":
        try:
            synchronise(function, buffers(emitter, memory), target, revision, accesses)
        except NotOrdered as error:
            raise _not_ordered(program, error) from None
        except TooManySignals as error:
            raise _too_many_signals(program, error) from None
    if emitter.sections:
        function = split(function)
        function.body.ops = emitter.tidied(function.body.ops)
    program = expanded(replace(program, functions=[function]))
    return BuiltKernel(program, memory, emitter.whole, frame.outside)


def _for_no_core(program: Program, op: Op) -> PtoError:
    return PtoError(
        [
            program.diagnostic(
                UNSUPPORTED,
                op.span,
                f"{op.name}: in a kernel for several cores it is not said which runs this",
                expected="with pto.cube(): or with pto.vector(): around it",
            )
        ]
    )


def _not_ordered(program: Program, error: NotOrdered) -> PtoError:
    early, late = error.dependence.early.op, error.dependence.late.op
    return PtoError(
        [
            program.diagnostic(
                UNSUPPORTED,
                late.span,
                f"{late.name} meets what another core does, and nothing can order the two here",
                found=f"{early.name} of line {early.span.line}",
                expected="both in sections of one block, loop or branch",
                hint="put them into pto.cube() and pto.vector() side by side",
            )
        ]
    )


def _too_many_signals(program: Program, error: TooManySignals) -> PtoError:
    return PtoError(
        [
            program.diagnostic(
                UNSUPPORTED,
                error.op.span,
                "data goes back and forth between the cores at too many places",
                expected=f"at most {PER_CORE} signals from one core to another",
                hint='synchronise it yourself, with sync="manual", or go through fewer arrays',
            )
        ]
    )


def _with_blocks(op: Op, blocks: tuple[Block, ...]) -> Op:
    """The same operation: arrays know the loops that they were made in."""
    op.blocks = blocks
    return op


def _parameter(kind: Any, slot: int) -> KernelValue:
    if isinstance(kind, Ptr):
        array: GmArray[Any] = GmArray(kind, slot)
        return array
    return wrapped(kind, slot)
