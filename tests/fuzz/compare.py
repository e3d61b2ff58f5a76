"""What a program does on an engine, and where two engines differ."""

from __future__ import annotations

import json
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError
from ptoscope.kernel import Kernel
from ptoscope.native import jit
from tests.fuzz.data import Array
from tests.fuzz.programs import Program

DEADLOCK = "PTO0904"


@dataclass(frozen=True)
class Outcome:
    """The bytes of every array after a run, by parameter; or for a fault its diagnostics.

    After a fault the memory is undefined and left out. `crash` is the trace of an engine that
    failed otherwise. `printed` is what it said of values, with places.
    """

    arrays: tuple[tuple[str, bytes], ...] = ()
    diagnostics: tuple[dict[str, Any], ...] = ()
    crash: str = ""
    printed: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.crash:
            return self.crash
        if not self.diagnostics:
            return f"ran; {len(self.arrays)} arrays; printed {self.printed}"
        return "\n".join(json.dumps(d, indent=2) for d in self.diagnostics)


def load(program: Program, checked: bool = True) -> Kernel:
    """The kernel of a program; where it is checked, PtoError unless it checks clean. A program may
    read more than its copies have filled: that is defined for the engines, which begin with
    zeros, and said by check (PTO0506)."""
    target, revision = program.target, program.revision
    with pytest.MonkeyPatch.context() as patch:
        if not checked:
            patch.setattr("ptoscope.check.check", lambda *_: [])
        kernel = ptoscope.load(program.text, target=target, revision=revision, force=True)
    wrong = [d for d in kernel.findings if d.severity == "error" and d.code != "PTO0506"]
    if wrong:
        raise PtoError(wrong)
    return kernel


def outcome(program: Program, engine: str, kernel: Kernel | None = None) -> Outcome:
    """Runs a program on fresh arguments. The engine `native:N` leaves out copies of N bytes or
    more, worth it or not where that is 1, and none where it is 0; `native:N:quick` is that,
    compiled as code is that runs once."""
    name, least, quick = (*engine.split(":"), "", "")[:3]
    kernel = kernel or load(program)
    with pytest.MonkeyPatch.context() as patch:
        if least:
            patch.setenv("PTOSCOPE_ELIDE", least)
            _forget_code(kernel)
        if quick:
            compiled = jit.object_code
            patch.setattr(jit, "object_code", lambda text, **_: compiled(text, quickly=True))
        done = _outcome(program, name, kernel)
        if least:
            _forget_code(kernel)
    return done


def _forget_code(kernel: Kernel) -> None:
    """It is compiled anew when it runs next, and not kept on disk: its key there is that of what
    the environment asked for when it was read."""
    kernel.cache_key = ""
    kernel.function = kernel.function


def _outcome(program: Program, engine: str, kernel: Kernel) -> Outcome:
    arguments = program.arguments()
    try:
        kernel(*arguments, grid=program.grid, engine=engine)
    except PtoError as error:
        found = tuple(d.as_json() for d in error.diagnostics)
        return Outcome(diagnostics=found, printed=_printed(kernel))
    except Exception:
        return Outcome(crash=traceback.format_exc())
    return Outcome(
        tuple(
            (p.name, a.tobytes())
            for p, a in zip(program.parameters, arguments, strict=True)
            if isinstance(p, Array)
        ),
        printed=_printed(kernel),
    )


def _printed(kernel: Kernel) -> tuple[str, ...]:
    return tuple(f"{p.line} {p.block} {p.iterations} {p.text}" for p in kernel.printed)


def difference(program: Program, engines: Sequence[str]) -> str | None:
    """A report of where engines differ from the first of them, or None."""
    kernel = load(program)
    return differing(program, engines, kernel, outcome(program, engines[0], kernel))


def differing(
    program: Program, engines: Sequence[str], kernel: Kernel, first: Outcome
) -> str | None:
    """The same, where the outcome of the first engine is known."""
    for engine in engines[1:]:
        other = outcome(program, engine, kernel)
        if first == other:
            continue
        return "\n".join(
            (
                f"seed {program.seed}, {program.target}, revision {program.revision}, "
                f"grid {program.grid}: {engines[0]} and {engine} differ",
                _first_difference(program, first, other) or _both(engines[0], first, engine, other),
                program.text,
            )
        )
    return None


def _both(name: str, first: Outcome, other_name: str, other: Outcome) -> str:
    return f"{name}: {first}\n{other_name}: {other}"


def _first_difference(program: Program, first: Outcome, other: Outcome) -> str:
    """The first element that differs, where both ran to their end."""
    for (name, left), (_, right) in zip(first.arrays, other.arrays, strict=False):
        if left == right:
            continue
        parameter = next(p for p in program.parameters if p.name == name)
        size = parameter.dtype.bytes
        differing = np.flatnonzero(np.frombuffer(left, np.uint8) != np.frombuffer(right, np.uint8))
        elements = np.unique(differing // size)
        at = int(elements[0])
        bits = [
            f"0x{int.from_bytes(side[at * size : (at + 1) * size], 'little'):0{2 * size}x}"
            for side in (left, right)
        ]
        return (
            f"%{name} ({parameter.dtype}): {len(elements)} of {len(left) // size} elements differ, "
            f"first element {at}: {bits[0]} and {bits[1]}"
        )
    return ""


def mistake(program: Program, done: Outcome) -> str | None:
    """What is wrong with an outcome by itself: a fault in a legal program, or in another one
    none, or not the fault that was planted."""
    if done.crash:
        return f"seed {program.seed}: the engine failed\n{done.crash}"
    if program.legal:
        return None if not done.diagnostics else f"seed {program.seed}: a legal program\n{done}"
    if not done.diagnostics:
        return f"seed {program.seed}: no fault, where {program.fault_code} was planted"
    (said,) = done.diagnostics
    place = said["line"] in program.fault_lines
    if said["code"] == DEADLOCK:
        # Every pipe that waits is named; which one leads the message does not matter.
        found = str(said.get("found", ""))
        place = any(f"at line {line} " in found for line in program.fault_lines)
    if said["code"] == program.fault_code and place:
        return None
    wanted = f"{program.fault_code} at line {program.fault_lines}"
    return f"seed {program.seed}: another fault than {wanted}\n{done}"
