"""Runs that are watched: for races, for undefined data, for results that depend on the order.

Races are found on either engine; the others need the reference engine. Each watch runs the
kernel on copies of the arguments, so that none of them sees what another run left behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ptoscope.arguments import Argument, bind, copies
from ptoscope.diagnostics import Diagnostic, PtoError
from ptoscope.program import Launchable

if TYPE_CHECKING:
    from ptoscope.machine.try_schedules import Difference
    from ptoscope.races.race import Race
    from ptoscope.trace.trace import Trace

RACES, POISON, SCHEDULES = "races", "poison", "schedules"
ALL_SCHEDULES = 8
"""How many orders are tried where everything is checked."""

_SEEN_RUNNING = {
    "PTO0607": "PTO0701",
    "PTO0608": "PTO0702",
    "PTO0609": "PTO0703",
    "PTO0614": "PTO0706",
}
"""What check says of the text, and the same mistake as a run shows it."""


@dataclass(frozen=True)
class Watch:
    """What to look for: races, undefined data, and how many other orders to try. `undefined`
    are the positions of arrays whose contents count as undefined when the kernel begins."""

    races: bool = False
    poison: bool = False
    schedules: int = 0
    undefined: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return self.races or self.needs_reference

    @property
    def needs_reference(self) -> bool:
        """Whether only the reference engine can look for it."""
        return self.poison or self.schedules > 0


EVERYTHING = Watch(True, True, ALL_SCHEDULES)


@dataclass
class Seen:
    """What was found: findings by what was watched; the races themselves, and the order with
    another result, as numbers and names."""

    findings: dict[str, list[Diagnostic]] = field(default_factory=dict[str, list[Diagnostic]])
    races: list[Race] = field(default_factory=list["Race"])
    difference: Difference | None = None

    def __repr__(self) -> str:
        found = ", ".join(f"{name} {len(them)}" for name, them in self.findings.items())
        return f"<Seen: {found or 'nothing was watched'}>"

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """All findings. A fault that several runs ran into is told once."""
        return told_once(d for found in self.findings.values() for d in found)

    @property
    def wrong(self) -> bool:
        """Whether anything of it is an error."""
        return any(d.severity == "error" for d in self.diagnostics)

    def as_json(self) -> dict[str, object]:
        """The stable JSON form: how many findings each watch has, and their details."""
        return {
            "watched": {name: len(found) for name, found in self.findings.items()},
            "races": [race.as_json() for race in self.races],
            "difference": None if self.difference is None else self.difference.as_json(),
        }

    def with_check(self, findings: Iterable[Diagnostic]) -> list[Diagnostic]:
        """What check found and what was seen, without what the run shows better."""
        seen = {(d.code, d.span[:2]) for d in self.diagnostics}
        only = [d for d in findings if (_SEEN_RUNNING.get(d.code), d.span[:2]) not in seen]
        return [*only, *self.diagnostics]


def told_once(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Findings without those that say the same of the same place."""
    return list({(d.code, d.span, d.message): d for d in reversed([*findings])}.values())[::-1]


def watch(
    kernel: Launchable,
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
    if not what:
        return seen
    bound = bind(kernel.program, kernel.function, arguments)
    if what.races:
        seen.findings[RACES] = _races(kernel, bound, grid, max_steps, engine, seen)
    if what.poison:
        seen.findings[POISON] = _poison(kernel, copies(bound), grid, max_steps, what.undefined)
    if what.schedules:
        _schedules(kernel, arguments, what.schedules, grid, max_steps, seen)
    return seen


def _races(
    kernel: Launchable,
    bound: list[Argument],
    grid: int,
    limit: int | None,
    engine: str | None,
    seen: Seen,
) -> list[Diagnostic]:
    from ptoscope.races.find import list_races, tell
    from ptoscope.tracing import trace

    def run(kernel: Launchable) -> Trace:
        return trace(kernel, copies(bound), grid, limit, engine)

    record = run(kernel)
    seen.races = list_races(record, kernel.program, kernel.target)
    if any(race.fix for race in seen.races):
        # A kernel that is right pays for no trial.
        from ptoscope.races.trial import tried

        seen.races = tried(kernel, record, seen.races, run)
    fault = [] if record.error is None else list(record.error.diagnostics)
    return [*tell(seen.races, record, kernel.program), *fault]


def _poison(
    kernel: Launchable,
    arguments: list[Any],
    grid: int,
    limit: int | None,
    undefined: tuple[int, ...],
) -> list[Diagnostic]:
    from ptoscope.machine.shadow import run_shadow

    try:
        return run_shadow(kernel, arguments, grid, limit, undefined)
    except PtoError as error:
        return list(error.diagnostics)


def _schedules(
    kernel: Launchable,
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
        seen.findings[SCHEDULES] = [_told(kernel, seen.difference)]


def _told(kernel: Launchable, difference: Difference) -> Diagnostic:
    function, limit = kernel.function, difference.limit
    does = "gives another result" if limit is None else "may never end"
    again = f"--schedule {difference.schedule}"
    if limit is not None:
        again += f" --max-steps {limit}"
    return kernel.program.diagnostic(
        "PTO0705",
        function.span,
        f"@{function.name} {does} in another legal order",
        found=str(difference),
        expected="the same bits in every order that its synchronisation allows",
        hint=f"--races says which accesses are not ordered; {again} runs it in this order",
    )
