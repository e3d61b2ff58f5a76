"""What a race is called, for people."""

from __future__ import annotations

from dataclasses import replace

from ptoscope.dataflow import Dataflow, Definition, OpResult, Parameter
from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.parts import MEMORIES
from ptoscope.isa.types import Ptr
from ptoscope.program import Function, Program
from ptoscope.races.race import BLOCKS_RACE, COPIES_RACE, CORES_RACE, SCOPE_RACE, Race, Side
from ptoscope.trace.trace import OWN_MEMORIES, REGISTERS, UBS, Trace

KINDS = {"RAW": "read after write", "WAR": "write after read", "WAW": "write after write"}
_AT_ONCE = {"RAW": "a write and a read", "WAR": "a read and a write", "WAW": "two writes"}
"""The same for what has no order."""
_EXPECTED = {
    COPIES_RACE: "a barrier between copies of one pipe that touch the same bytes",
    SCOPE_RACE: "a fitting pto.mem_bar between them: inside a vecscope of A5 the order of the text "
    "does not order loads and stores",
    BLOCKS_RACE: "blocks that do not touch what another one writes",
    CORES_RACE: "a signal between the two cores: one waits until the other is done",
}


def diagnostic(race: Race, trace: Trace, program: Program) -> Diagnostic:
    """A race as a finding at the later access."""
    early, late = race.early, race.late
    times = f"; {race.count} times in this run" if race.count > 1 else ""
    made = program.diagnostic(
        race.code,
        late.place.span,
        _message(race, trace),
        found=f"{_order(race, trace)}{times}",
        expected=_EXPECTED.get(race.code, f"{late.pipe} waits for {early.pipe}"),
        hint=race.remedy,
    )
    return replace(made, fix=race.fix)


def _order(race: Race, trace: Trace) -> str:
    """The two accesses, in the order of the program if there is one."""
    early, late = (_where(side, trace) for side in (race.early, race.late))
    if race.code in (BLOCKS_RACE, CORES_RACE):
        return f"{_AT_ONCE[race.kind]} ({race.kind}), {early} and {late}, both at the same time"
    return f"{KINDS[race.kind]} ({race.kind}), {early}, then {late}"


def _message(race: Race, trace: Trace) -> str:
    early, late = race.early, race.late
    what = f"{late.place.name}: "
    touched = _bytes(race, trace)
    if race.code == SCOPE_RACE:
        verbs = ("store" if side.writes else "load" for side in (late, early))
        return (
            f"{what}this {next(verbs)} and the {next(verbs)} of line {early.line} touch {touched} "
            "in any order"
        )
    if race.code == COPIES_RACE:
        return (
            f"{what}{late.verb} {touched}, which the copy of line {early.line} {early.verb} too, "
            "in any order"
        )
    if race.code == CORES_RACE:
        return (
            f"{what}{late.core_title} {late.verb} {touched}, which {early.core_title} "
            f"{early.verb} at the same time (line {early.line})"
        )
    if race.code == BLOCKS_RACE:
        return (
            f"{what}block {late.block} {late.verb} {touched}, which block {early.block} "
            f"{early.verb} at the same time (line {early.line})"
        )
    verb = "write" if early.writes else "read"
    return (
        f"{what}{late.pipe} {late.verb} {touched}, which {early.pipe} may still {verb} "
        f"(line {early.line})"
    )


def _bytes(race: Race, trace: Trace) -> str:
    if race.space == REGISTERS:
        return f"the special register {trace.registers[race.first // 8]}"
    span = f"bytes {race.first} to {race.last}"
    own = OWN_MEMORIES.get(race.space)
    where = f"{_memory(race.space, trace)} {span}" if own else f"{span} of {_argument(race, trace)}"
    return where if race.runs == 1 else f"{where}, in {race.runs} runs"


def _memory(space: int, trace: Trace) -> str:
    """A core's own memory; of several UBs, whose it is."""
    title = MEMORIES[OWN_MEMORIES[space]].title
    several = space in UBS and len(trace.cores) > 1
    return f"{title} of vector core {UBS.index(space)}" if several else title


def _argument(race: Race, trace: Trace) -> str:
    """The argument whose bytes are counted, and those that the text uses in its place."""
    function, flow = trace.function, Dataflow(trace.function)
    used = {_used(side, function, flow) for side in (race.early, race.late)}
    others = sorted(position for position in used if position not in (None, race.space))
    name, *more = (f"%{function.names[function.params[p]]}" for p in (race.space, *others))
    return f"{name} (which shares memory with {' and '.join(more)})" if more else name


def _used(side: Side, function: Function, flow: Dataflow) -> int | None:
    """The argument in GM that an instruction uses; None if it may be one or another."""

    def pointers(slot: int, definition: Definition) -> list[int]:
        slots = definition.op.operands if isinstance(definition, OpResult) else flow.joined(slot)
        return [slot for slot in slots if _is_gm(function, slot)]

    began = [slot for slot in side.place.op.operands if _is_gm(function, slot)]
    reached = flow.walk(began, pointers)
    found = {function.params.index(slot) for slot, d in reached if isinstance(d, Parameter)}
    return found.pop() if len(found) == 1 else None


def _is_gm(function: Function, slot: int) -> bool:
    kind = function.types[slot]
    return isinstance(kind, Ptr) and not MEMORIES[kind.space].on_core


def _where(side: Side, trace: Trace) -> str:
    iterations = [_iteration(name, value) for name, value in side.iteration]
    if side.core_title:
        iterations.insert(0, side.core_title)
    if trace.grid > 1:
        iterations.insert(0, f"block {side.block}")
    at = f" at {', '.join(iterations)}" if iterations else ""
    return f"{side.pipe} line {side.line}{at}"


def _iteration(name: str, value: int) -> str:
    return f"{name} = {value}" if name.startswith("%") else f"iteration {value} of {name}"
