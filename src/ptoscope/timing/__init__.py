"""From a trace to cycles: the schedule of a run by a model of its target, with reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from ptoscope.check.revisions import check_as
from ptoscope.diagnostics import UsageError
from ptoscope.isa.sync_costs import NOT_COUNTED
from ptoscope.isa.targets import TARGETS, Revision, Target
from ptoscope.machine.prints import Prints
from ptoscope.program import Launchable, Program
from ptoscope.sources import asked_revision
from ptoscope.timing import a2a3, a5, ranges, reasons, report
from ptoscope.timing.compare import TimingComparison, compare
from ptoscope.timing.figures import Overrides
from ptoscope.timing.model import Model
from ptoscope.timing.pipe_work import pipe_work
from ptoscope.timing.pipes import pipe_events, schedule
from ptoscope.timing.run import TimedRun
from ptoscope.timing.scopes import instructions
from ptoscope.trace.trace import Trace
from ptoscope.tracing import trace

MODELS: dict[str, dict[str, type[Model]]] = {
    "a5": {"calibrated": a5.A5, "manual": a5.A5Manual},
    "a2a3": {"calibrated": a2a3.Calibrated, "manual": a2a3.Manual},
    "cpu": {},
}
"""The models of each target by name, the default first."""


class Timing(TimedRun):
    """A run in cycles, by one model, and what is to be said of it."""

    @cached_property
    def reasons(self) -> reasons.Reasons:
        """Where the cycles went."""
        return reasons.find(self)

    @cached_property
    def range(self) -> ranges.CycleRange | None:
        """Between which cycles the total lies; None where all figures are known."""
        return ranges.find(self)

    @cached_property
    def others(self) -> dict[str, report.ModelCycles]:
        """The cycles of the same run by the target's other models."""
        models = MODELS[self.model.target].items()
        return {
            name: self.meanwhile(lambda model=model: self._cycles(model(self.model.overrides)))
            for name, model in models
            if name != self.model.name
        }

    def _cycles(self, model: Model) -> report.ModelCycles:
        return report.ModelCycles.of(self._by(model))

    def again(self, overrides: Mapping[str, float]) -> Timing:
        """The same run by the same model with these figures instead of those that were given."""
        given = _given(self.model.target, overrides, None)
        return self._by(type(self.model)(given))

    def _by(self, model: Model) -> Timing:
        return _timed(self.trace, self.program, model, self.revision, self)

    def as_json(self) -> dict[str, object]:
        """Everything, for machines."""
        found = self.range
        return {
            **report.as_json(self, self.reasons, self.others),
            "range": None if found is None else asdict(found),
            "not_counted": list(NOT_COUNTED[self.model.target]),
        }

    def table(self) -> report.Lines:
        """The lines of the source that took cycles or waited; `print` shows them as a table."""
        return report.lines(self, self.reasons, self.others)

    def compare(self, other: Timing) -> TimingComparison:
        """This run beside another one, of another kernel or of another version of this one: what
        each line takes more or less there; `print` shows it as a table."""
        return compare(self, other)


def time_trace(
    trace: Trace,
    program: Program,
    target: Target | str,
    model: str | None = None,
    overrides: Mapping[str, float] | None = None,
    calibration: str | Path | None = None,
    revision: str | None = None,
) -> Timing:
    """The cycles of a traced run.

    `model` is one of `MODELS[target]`, by default the first. `overrides` maps names of figures
    (`vadd.f32.latency`) to numbers; `calibration` is a file of them; `revision`
    is that in which the program was read, by default its own. UsageError for a target
    without cycles, an unknown model or figure; PtoError for a run that ended in a fault.
    """
    name = target if isinstance(target, str) else target.name
    found = choose_model(name, model)(_given(name, overrides, calibration))
    if trace.error is not None:
        raise trace.error
    named = asked_revision(program, revision)
    return _timed(trace, program, found, check_as(program, TARGETS[name], named).revision)


def _timed(
    trace: Trace, program: Program, model: Model, revision: Revision, like: Timing | None = None
) -> Timing:
    """The run by a model; what does not depend on the model is taken from another timing."""
    code = instructions(trace) if like is None else like.code
    events = pipe_events(trace) if like is None else like.events
    scopes = model.scopes(trace, code)
    work = pipe_work(model, events, scopes)
    times = schedule(events, work)
    return Timing(trace, program, model, code, scopes, events, work, times, revision)


def time_kernel(
    kernel: Launchable,
    arguments: Sequence[Any],
    grid: int = 1,
    model: str | None = None,
    overrides: Mapping[str, float] | None = None,
    calibration: str | Path | None = None,
    max_steps: int | None = None,
    engine: str | None = None,
    prints: Prints | None = None,
) -> Timing:
    """Runs a kernel, arrays written in place, and gives its cycles; without `engine` on the
    native one, if it covers the kernel. `prints` takes what the kernel prints."""
    choose_model(kernel.target.name, model)
    # What is asked for wrongly is said before the run.
    _given(kernel.target.name, overrides, calibration)
    run = trace(kernel, arguments, grid, max_steps, engine, prints)
    return time_trace(
        run, kernel.program, kernel.target, model, overrides, calibration, kernel.revision
    )


def _given(
    target: str, overrides: Mapping[str, float] | None, calibration: str | Path | None
) -> Overrides:
    found = Overrides.of(overrides, calibration)
    found.check(target, (f for model in MODELS[target].values() for f in model.fields))
    return found


def choose_model(target: str, model: str | None) -> type[Model]:
    """The model by name; UsageError if there is none."""
    models = MODELS.get(target)
    if models is None:
        raise UsageError(f"unknown target '{target}'; there are {', '.join(MODELS)}")
    if not models:
        timed = " or ".join(t for t, found in MODELS.items() if found)
        raise UsageError(
            f"no cycles are defined for {target}: it simulates results, not time; "
            f"choose the target {timed}"
        )
    if model is None:
        return next(iter(models.values()))
    if model not in models:
        raise UsageError(f"{target} has no model '{model}'; there are {', '.join(models)}")
    return models[model]
