"""All checks of a kernel on one target."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from ptoscope.diagnostics import Diagnostic, PtoError
from ptoscope.kernel import Kernel, stops
from ptoscope.replay.run import RecordedRun, record_to_the_end
from ptoscope.testing.compare import ResultComparison, Tolerance
from ptoscope.testing.given import ExpectedResults, GivenArguments, WantedArrays, wanted_arrays
from ptoscope.testing.outcome import AGREEMENT, RESULTS, TEXT, CheckOutcome, tell
from ptoscope.testing.subject import Subjects
from ptoscope.watch import ALL_SCHEDULES, POISON, RACES, SCHEDULES, Watch, watch

NATIVE, REFERENCE, EAGER = "native", "reference", "eager"


@dataclass(frozen=True)
class CheckPlan:
    """What is checked, and how; see `pto_check`. `every_engine`: those of `engines` that a kernel
    has."""

    tolerance: Tolerance
    checks: tuple[str, ...]
    engines: tuple[str, ...]
    every_engine: bool
    grid: int
    undefined: tuple[int | str, ...]
    strict: bool


class Examination:
    """A kernel on a target, with the outcomes of all its checks."""

    def __init__(
        self, subjects: Subjects, target: str | None, expected: ExpectedResults, plan: CheckPlan
    ) -> None:
        """Makes them. PtoError for wrong arguments, UsageError for what cannot be asked."""
        self._subjects, self._plan, self._wanted = subjects, plan, target
        self.outcomes: list[CheckOutcome] = []
        self._results: dict[str, list[Any]] = {}
        self._name, self._target = subjects.name, target or "its own target"
        begin = perf_counter()
        try:
            kernel = self._kernel = subjects.on(target)
        except PtoError as error:
            self._add(TEXT, "", begin, error.diagnostics, failed=True)
            return
        self._name, self._target = kernel.name, kernel.target.name
        broken = any(stops(d, force=True) for d in kernel.findings)
        if broken or TEXT in plan.checks:
            self._add(TEXT, "", begin, kernel.findings)
        if not broken:
            self._given = GivenArguments(kernel, *subjects.arguments)
            self._expected: WantedArrays = wanted_arrays(expected, self._given)
            self._undefined = tuple(self._given.position(key) for key in plan.undefined)
            self._compare()
            self._watch()

    def outputs(self) -> Any:
        """What the expected arguments ended as."""
        return self._expected.outputs(self._given, self._first)

    def write_back(self) -> None:
        """Writes what the arguments ended as to the arrays of the test."""
        self._given.write(self._first)

    @property
    def _first(self) -> list[Any]:
        return next(iter(self._results.values()))

    def _add(
        self,
        check: str,
        engine: str,
        begin: float,
        findings: Sequence[Diagnostic] = (),
        failed: bool = False,
        skipped: str = "",
    ) -> None:
        seconds = perf_counter() - begin
        counting = ("error", "warning") if self._plan.strict else ("error",)
        wrong = failed or any(d.severity in counting for d in findings)
        where = self._name, self._target, engine, check
        outcome = CheckOutcome(*where, seconds, tuple(findings), wrong, skipped)
        self.outcomes.append(outcome)
        tell(outcome)

    # Results.

    def _compare(self) -> None:
        comparison = ResultComparison(self._kernel, self._given, self._record)
        for engine, run in self._runs():
            begin, findings = perf_counter(), list[Diagnostic]()
            arguments = self._given.copies()
            try:
                run(arguments)
            except PtoError as error:
                self._add(RESULTS, engine, begin, error.diagnostics, failed=True)
                continue
            if engine != EAGER:
                findings += self._kernel.warnings
            self._results[engine] = arguments
            for one in self._expected.arrays:
                wrong = comparison.unexpected(arguments[one.position], one, self._plan.tolerance)
                findings += [] if wrong is None else [wrong]
            self._add(RESULTS, engine, begin, findings)
        self._agree(comparison)

    def _runs(self) -> Iterator[tuple[str, Callable[[list[Any]], None]]]:
        """How the kernel runs on arguments, by engine."""
        kernel, grid, asked = self._kernel, self._plan.grid, self._plan.engines
        wanted = self._wanted
        names = [kernel.signature.function.names[s] for s in kernel.signature.function.params]
        if NATIVE in asked:
            chosen, why = kernel.engine(None if self._plan.every_engine else NATIVE)
            if chosen == NATIVE:
                yield NATIVE, lambda arguments: kernel(*arguments, grid=grid, engine=NATIVE)
            else:
                warnings.warn(f"not on the native engine: {why}", stacklevel=5)
                self._add(RESULTS, NATIVE, perf_counter(), skipped=why)
        if REFERENCE in asked:
            yield REFERENCE, lambda arguments: kernel(*arguments, grid=grid, engine=REFERENCE)
        if EAGER in asked and (self._subjects.eager is not None or not self._plan.every_engine):
            yield (
                EAGER,
                lambda arguments: self._subjects.run_eagerly(names, arguments, grid, wanted),
            )

    def _agree(self, comparison: ResultComparison) -> None:
        """Compares the engines with the reference engine, or else with the first."""
        if not self._results:
            return
        right = REFERENCE if REFERENCE in self._results else next(iter(self._results))
        for engine, results in self._results.items():
            if engine == right:
                continue
            begin, findings = perf_counter(), list[Diagnostic]()
            for argument in self._given.bound:
                position = argument.position
                if argument.data is not None:
                    pair = engine, results[position], right, self._results[right][position]
                    wrong = comparison.disagreement(position, *pair)
                    findings += [] if wrong is None else [wrong]
            self._add(AGREEMENT, engine, begin, findings)

    def _record(self) -> RecordedRun | None:
        arguments = self._given.copies()
        return record_to_the_end(self._kernel, arguments, self._plan.grid, self._undefined)

    # Watched runs.

    def _watch(self) -> None:
        wanted = {
            RACES: Watch(races=True),
            POISON: Watch(poison=True, undefined=self._undefined),
            SCHEDULES: Watch(schedules=ALL_SCHEDULES),
        }
        kernel: Kernel = self._kernel
        for name, what in wanted.items():
            if name in self._plan.checks:
                begin = perf_counter()
                engine = REFERENCE if what.needs_reference else kernel.engine()[0]
                seen = watch(kernel, self._given.copies(), what, self._plan.grid, engine=engine)
                self._add(name, engine, begin, seen.findings[name])
