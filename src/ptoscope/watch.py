"""Runs that are watched: for races, for undefined data, for results that depend on the order.

Races are found on either engine; the others need the reference engine. Each watch runs the
kernel on copies of the arguments, so that none of them sees what another run left behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ptoscope.diagnostics import Diagnostic, PtoError
from ptoscope.kernel import Kernel

RACES, POISON, SCHEDULES = "races", "poison", "schedules"
ALL_SCHEDULES = 8
"""How many orders are tried where everything is checked."""


@dataclass(frozen=True)
class Watch:
    """What to look for: races, undefined data, and how many other orders to try."""

    races: bool = False
    poison: bool = False
    schedules: int = 0

    def __bool__(self) -> bool:
        return self.races or self.needs_reference

    @property
    def needs_reference(self) -> bool:
        """Whether only the reference engine can look for it."""
        return self.poison or self.schedules > 0


EVERYTHING = Watch(True, True, ALL_SCHEDULES)


@dataclass
class Seen:
    """What was found: findings by what was watched, and the order with another result."""

    findings: dict[str, list[Diagnostic]] = field(default_factory=dict[str, list[Diagnostic]])
    difference: Any = None

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """All findings."""
        return [d for found in self.findings.values() for d in found]

    @property
    def wrong(self) -> bool:
        """Whether anything of it is an error."""
        return any(d.severity == "error" for d in self.diagnostics)


def watch(
    kernel: Kernel,
    arguments: Sequence[Any],
    what: Watch,
    grid: int = 1,
    max_steps: int | None = None,
    engine: str | None = None,
) -> Seen:
    """Watches runs of a kernel. The arguments stay as they are. A fault of the kernel is among
    the findings of the watch that ran into it; PtoError is for wrong arguments.
    `engine` is the one that races are looked for on; the native one by default."""
    seen = Seen()
    if what.races:
        seen.findings[RACES] = _races(kernel, _copies(arguments), grid, max_steps, engine)
    if what.poison:
        seen.findings[POISON] = _poison(kernel, _copies(arguments), grid, max_steps)
    if what.schedules:
        _schedules(kernel, arguments, what.schedules, grid, max_steps, seen)
    return seen


def _races(
    kernel: Kernel, arguments: list[Any], grid: int, limit: int | None, engine: str | None
) -> list[Diagnostic]:
    from ptoscope.races.find import find_races
    from ptoscope.trace.run import trace

    record = trace(kernel, arguments, grid, limit, engine)
    fault = [] if record.error is None else list(record.error.diagnostics)
    return [*find_races(record, kernel.program, kernel.target), *fault]


def _poison(kernel: Kernel, arguments: list[Any], grid: int, limit: int | None) -> list[Diagnostic]:
    from ptoscope.machine.shadow import run_shadow

    try:
        return run_shadow(kernel, arguments, grid, limit)
    except PtoError as error:
        return list(error.diagnostics)


def _schedules(
    kernel: Kernel,
    arguments: Sequence[Any],
    count: int,
    grid: int,
    limit: int | None,
    seen: Seen,
) -> None:
    from ptoscope.machine.try_schedules import try_schedules

    seen.findings[SCHEDULES] = []
    try:
        seen.difference = try_schedules(kernel, arguments, grid, count, limit)
    except PtoError as error:
        seen.findings[SCHEDULES] = list(error.diagnostics)
        return
    if seen.difference is not None:
        function = kernel.function
        seen.findings[SCHEDULES] = [
            kernel.program.diagnostic(
                "PTO0705",
                function.span,
                f"@{function.name} gives another result in another legal order",
                found=str(seen.difference),
                expected="the same bits in every order that its synchronisation allows",
                hint=f"--races says which accesses are not ordered; "
                f"--schedule {seen.difference.schedule} runs it in this order",
            )
        ]


def _copies(arguments: Sequence[Any]) -> list[Any]:
    """Copies of arrays; one that is passed twice stays one."""
    import numpy as np

    made: dict[int, Any] = {}
    for given in arguments:
        if isinstance(given, np.ndarray) and id(given) not in made:
            made[id(given)] = given.copy()
    return [made.get(id(a), a) for a in arguments]
