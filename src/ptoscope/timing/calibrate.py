"""Figures of a model, fitted to measured cycles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from ptoscope.diagnostics import UsageError
from ptoscope.isa.cost import FigureSource
from ptoscope.program import Launchable
from ptoscope.timing import Timing, time_kernel
from ptoscope.timing.free_figures import axis_of, free_figures, used_figures, value_at
from ptoscope.timing.report import vecscopes
from ptoscope.timing.search import Steps, changes, minimise

ROUNDS = 20

LeaveOut = Literal["point", "family"]


@dataclass(frozen=True)
class Point:
    """A run and the cycles that were measured of it: of the whole run, or with `scope` of its only
    vecscope. Figures are fitted from those that it was timed with. `family` names points that
    are left out together."""

    timing: Timing
    cycles: float
    name: str = ""
    family: str = ""
    scope: bool = False

    @staticmethod
    def of(
        kernel: Launchable, arguments: Sequence[Any], cycles: float, grid: int = 1, **options: Any
    ) -> Point:
        """A kernel that was measured; options as those of `time_kernel`."""
        name = kernel.function.name
        timing = time_kernel(kernel, arguments, grid, **options)
        return Point(timing, cycles, name, name)

    def modelled(self, timing: Timing) -> int:
        """Its cycles by a timing of its run."""
        if self.scope:
            return sum(scope["cycles"] for scope in vecscopes(timing))
        return timing.total_cycles


class ErrorSize(NamedTuple):
    """How far a model is from points: absolute relative errors."""

    mean: float
    worst: float

    @staticmethod
    def of(errors: Iterable[float]) -> ErrorSize:
        sizes = [abs(error) for error in errors]
        return ErrorSize(sum(sizes) / len(sizes), max(sizes))


@dataclass(frozen=True)
class FittedFigure:
    """A figure that was free: what it was and is, how many points rest on it. One that is not
    `determined` could be another without any difference; `alike` are those that do to all points
    what it does, so that the points tell them only together."""

    name: str
    source: FigureSource
    before: float
    after: float
    points: int
    alike: tuple[str, ...] = ()

    @property
    def determined(self) -> bool:
        return self.points > 0


@dataclass(frozen=True)
class FittedPoint:
    """A point with the model's cycles before and after, and the free figures they rest on;
    `left_out`: by figures that were fitted without it."""

    name: str
    family: str
    measured: float
    before: int
    after: int
    figures: tuple[str, ...]
    left_out: int | None = None

    def error(self, cycles: int) -> float:
        """How far so many cycles are from the measured ones, relative to them."""
        return (cycles - self.measured) / self.measured


@dataclass(frozen=True)
class Calibration:
    """What was fitted, and how near the model is to the points. `given` are the figures from which
    the search began because the caller gave them."""

    target: str
    model: str
    figures: tuple[FittedFigure, ...]
    points: tuple[FittedPoint, ...]
    given: dict[str, float]

    @property
    def values(self) -> dict[str, float]:
        """The figures to be given to `time`: those that were given, and those that changed."""
        return self.given | {f.name: f.after for f in self.figures if f.after != f.before}

    @property
    def before(self) -> ErrorSize:
        return ErrorSize.of(p.error(p.before) for p in self.points)

    @property
    def after(self) -> ErrorSize:
        return ErrorSize.of(p.error(p.after) for p in self.points)

    @property
    def left_out(self) -> ErrorSize | None:
        """Of points by figures that were fitted without them; None if none was left out."""
        found = [p.error(p.left_out) for p in self.points if p.left_out is not None]
        return ErrorSize.of(found) if found else None

    def file_text(self) -> str:
        """A file for `--calibration`."""
        rows = [f"{name},{value:.10g}" for name, value in self.values.items()]
        return "\n".join(["figure,value", *rows, ""])


def calibrate(
    points: Sequence[Point],
    fit: Iterable[str] | None = None,
    rounds: int = ROUNDS,
    leave_out: LeaveOut | None = None,
    told: Callable[[float], None] = lambda error: None,
) -> Calibration:
    """Fits figures so that the mean absolute relative error of the points is small.

    `fit` names them, `core.*` for several; by default all that the points use and whose source
    is assumed or measured. Cycles stay whole numbers. `leave_out` also fits without each point,
    or each family of points, to show how well figures carry over to what they were not fitted
    to. `told` hears the error after each round. UsageError for points of several models, and
    for a figure that no point uses.
    """
    if not points:
        raise UsageError("there are no points to fit figures to")
    if len({(p.timing.model.target, p.timing.model.name) for p in points}) > 1:
        raise UsageError("points of several targets or models cannot be fitted at once")
    fitting = _Fitting(points, fit)
    best = fitting.minimise(range(len(points)), rounds, told)
    left: dict[int, int] = {}
    if leave_out is not None:
        for group in fitting.groups(leave_out):
            others = [i for i in range(len(points)) if i not in group]
            if others:
                steps = fitting.minimise(others, rounds, told)
                left |= {i: fitting.cycles(i, steps) for i in group}
    return fitting.calibration(best, left)


def group_count(points: Sequence[Point], leave_out: LeaveOut | None) -> int:
    """How many fits `calibrate` makes."""
    if leave_out is None:
        return 1
    return 1 + (len({p.family for p in points}) if leave_out == "family" else len(points))


class _Fitting:
    def __init__(self, points: Sequence[Point], fit: Iterable[str] | None) -> None:
        self.points = points
        self.used = [used_figures(point.timing) for point in points]
        every = {name: figure for used in self.used for name, figure in used.items()}
        self.free = free_figures(every, fit)
        self.axes = [axis_of(name, figure.value) for name, figure in self.free.items()]
        self.given = dict(points[0].timing.model.overrides.values)
        self.known: dict[tuple[object, ...], int] = {}

    def groups(self, leave_out: LeaveOut) -> list[list[int]]:
        if leave_out == "point":
            return [[i] for i in range(len(self.points))]
        found: dict[str, list[int]] = {}
        for i, point in enumerate(self.points):
            found.setdefault(point.family, []).append(i)
        return list(found.values())

    def minimise(self, chosen: Sequence[int], rounds: int, told: Callable[[float], None]) -> Steps:
        return minimise(lambda steps: self.errors(chosen, steps), self.axes, rounds, told)

    def errors(self, chosen: Sequence[int], steps: Steps) -> np.ndarray:
        measured = np.array([self.points[i].cycles for i in chosen])
        return np.array([self.cycles(i, steps) for i in chosen]) / measured - 1.0

    def cycles(self, i: int, steps: Steps) -> int:
        """Of one point; a run is timed again only where a figure that it uses has changed."""
        point, used = self.points[i], self.used[i]
        moved = {
            name: value_at(name, figure.value, step)
            for (name, figure), step in zip(self.free.items(), steps, strict=True)
            if step and name in used
        }
        key = (id(point.timing), point.scope, *moved.items())
        if key not in self.known:
            timing = point.timing.again(self.given | moved) if moved else point.timing
            self.known[key] = point.modelled(timing)
        return self.known[key]

    def calibration(self, best: Steps, left: dict[int, int]) -> Calibration:
        everyone = range(len(self.points))
        slopes = changes(lambda steps: self.errors(everyone, steps), self.axes, best)
        names, still = list(self.free), (0,) * len(best)
        figures = tuple(
            FittedFigure(
                name,
                self.free[name].source,
                self.free[name].value,
                value_at(name, self.free[name].value, best[j]),
                int(np.count_nonzero(slopes[:, j])),
                tuple(n for k, n in enumerate(names) if k != j and _alike(slopes[:, [j, k]])),
            )
            for j, name in enumerate(names)
        )
        points = tuple(
            FittedPoint(
                point.name,
                point.family,
                point.cycles,
                self.cycles(i, still),
                self.cycles(i, best),
                tuple(name for j, name in enumerate(names) if slopes[i, j]),
                left.get(i),
            )
            for i, point in enumerate(self.points)
        )
        model = self.points[0].timing.model
        return Calibration(model.target, model.name, figures, points, self.given)


def _alike(columns: np.ndarray) -> bool:
    """Whether two columns are multiples of each other."""
    one, other = columns.T
    sizes = float(np.linalg.norm(one)), float(np.linalg.norm(other))
    return bool(all(sizes) and abs(one @ other) > (1 - 1e-6) * sizes[0] * sizes[1])
