"""Whether a mutant is a fault, and whether the check finds it."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest import mock

import ptoscope
from ptoscope.diagnostics import Diagnostic
from ptoscope.kernel import Kernel
from ptoscope.races.find import find_races
from ptoscope.sources import choose_target, parse
from ptoscope.tracing import trace

from .mutators import Mutant

STATIC = ("PTO00", "PTO01", "PTO02", "PTO03", "PTO04")
"""Codes of text, types, profile, structure and streams: what has one is wrong by the documents,
whatever a run gives."""


@dataclass(frozen=True)
class Verdict:
    """`fault` says how it is known that the mutant is wrong, empty if it is not known, or only
    for some launches; `codes` are those of all findings."""

    mutant: Mutant
    fault: str
    codes: tuple[str, ...]

    @property
    def caught(self) -> bool:
        return bool(self.codes)


def is_race(run: Callable[[Kernel], bool], kernel: Kernel) -> bool:
    """Whether two accesses of a run are not ordered."""
    found: list[Diagnostic] = []

    def traced(self: Kernel, *arguments: Any, grid: int = 1, **_: Any) -> None:
        found.extend(find_races(trace(self, arguments, grid), self.program, self.target))

    with mock.patch.object(Kernel, "__call__", traced):
        _failure(run, kernel)
    return bool(found)


def judge(mutant: Mutant) -> Verdict:
    """Checks a mutant, and runs it unless the check refuses it for a reason of the documents."""
    revision = mutant.seed.revision
    try:
        program = parse(mutant.text, mutant.seed.name, mutant.target, revision)
        kernel = Kernel(program, choose_target(program, mutant.target), revision)
    except ptoscope.PtoError as error:
        return Verdict(mutant, "refused", tuple(d.code for d in error.diagnostics))
    codes = tuple(d.code for d in kernel.findings)
    errors = [d.code for d in kernel.findings if d.severity == "error"]
    if any(code.startswith(STATIC) for code in errors):
        return Verdict(mutant, "refused", codes)
    fault = _failure(mutant.seed.run, kernel)
    if fault and mutant.group == "addresses" and not _failure(mutant.seed.run_smallest, kernel):
        # How large a launch is, a kernel's text does not say.
        return Verdict(mutant, "", codes)
    if not fault and is_race(mutant.seed.run, kernel):
        fault = "a race"
    return Verdict(mutant, fault, codes)


def _failure(run: Callable[[Kernel], bool], kernel: Kernel) -> str:
    """How a run fails; empty if it is right."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return "" if run(kernel) else "wrong result"
    except ptoscope.PtoError as error:
        return f"faults: {error.diagnostics[0].code}"
