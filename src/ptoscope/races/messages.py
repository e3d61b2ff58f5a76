"""What a race is called, for people."""

from __future__ import annotations

from dataclasses import replace

from ptoscope.diagnostics import Diagnostic
from ptoscope.program import Program
from ptoscope.races.race import BLOCKS_RACE, COPIES_RACE, SCOPE_RACE, Race, Side
from ptoscope.trace.trace import REGISTERS, UB, Trace

KINDS = {"RAW": "read after write", "WAR": "write after read", "WAW": "write after write"}
_EXPECTED = {
    COPIES_RACE: "a barrier between copies of one pipe that touch the same bytes",
    SCOPE_RACE: "a fitting pto.mem_bar between them: inside a vecscope of A5 the order of the text "
    "does not order loads and stores",
    BLOCKS_RACE: "blocks that do not touch what another one writes",
}


def diagnostic(race: Race, trace: Trace, program: Program) -> Diagnostic:
    """A race as a finding at the later access."""
    early, late = race.early, race.late
    times = f"; {race.count} times in this run" if race.count > 1 else ""
    made = program.diagnostic(
        race.code,
        late.place.span,
        _message(race, trace),
        found=f"{KINDS[race.kind]} ({race.kind}), {_where(early, trace)}, then "
        f"{_where(late, trace)}{times}",
        expected=_EXPECTED.get(race.code, f"{late.pipe} waits for {early.pipe}"),
        hint=race.remedy,
    )
    return replace(made, fix=race.fix)


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
    if race.code == BLOCKS_RACE:
        return (
            f"{what}block {late.block} {late.verb} {touched}, which block {early.block} "
            f"{early.verb} at line {early.line}"
        )
    verb = "write" if early.writes else "read"
    return (
        f"{what}{late.pipe} {late.verb} {touched}, which {early.pipe} may still {verb} "
        f"(line {early.line})"
    )


def _bytes(race: Race, trace: Trace) -> str:
    span = f"bytes {race.first} to {race.last}"
    if race.space == REGISTERS:
        return f"the special register {trace.registers[race.first // 8]}"
    if race.space == UB:
        return f"UB {span}"
    return f"{span} of %{trace.function.names[trace.function.params[race.space]]}"


def _where(side: Side, trace: Trace) -> str:
    turns = [_turn(name, value) for name, value in side.iteration]
    if trace.grid > 1:
        turns.insert(0, f"block {side.block}")
    at = f" at {', '.join(turns)}" if turns else ""
    return f"{side.pipe} line {side.line}{at}"


def _turn(name: str, value: int) -> str:
    return f"{name} = {value}" if name.startswith("%") else f"turn {value} of {name}"
