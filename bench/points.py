"""The profiling points of A5 as kernels, and how far the model is from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ptoscope.kernel import load
from ptoscope.timing import Timing, calibrate, time_kernel
from ptoscope.timing.bodies import ADDRESSING, kernel_text
from ptoscope.timing.figures import table
from ptoscope.timing.report import vecscopes

FREE = ("core.loop", "core.moves", "core.two_loads", "core.pointer")
"""The figures that rest on points; all others are from dumps of single cycles and from tables of
the cycle model. The mechanisms were chosen with all of these points at hand."""


@dataclass(frozen=True)
class Point:
    """A measured vecscope: `rows` iterations of an outer loop over `vregs` of the body."""

    body: str
    dtype: str
    rows: int
    vregs: int
    addressing: str
    measured: int
    modelled: int
    timing: Timing

    @property
    def error(self) -> float:
        return (self.modelled - self.measured) / self.measured

    @property
    def family(self) -> str:
        """The body, and of conversions between which types."""
        return f"{self.body} ({self.dtype})" if "_to_" in self.dtype else self.body

    def __str__(self) -> str:
        post = "+" if self.addressing == "post_update" else ""
        return f"{self.rows}x{self.vregs}{post} {self.modelled}/{self.measured}"


def points() -> list[Point]:
    """All points with the model's cycles."""
    timings: dict[tuple[str, ...], Timing] = {}
    found: list[Point] = []
    for row in (*table("a5_points.csv"), *table("a5_points_more.csv")):
        shape = int(row["rows"]), int(row["vregs_per_row"])
        # Those of several rows are without post-update, whatever their label says.
        addressing = row["addressing"] if shape[0] == 1 else ADDRESSING[1]
        key = row["body"], row["dtype"], row["rows"], row["vregs_per_row"], addressing
        if key not in timings:
            text = kernel_text(row["body"], *shape, row["dtype"], addressing)
            timings[key] = time_kernel(load(text, "a5"), [])
        (scope,) = vecscopes(timings[key])
        found.append(
            Point(
                row["body"],
                row["dtype"],
                *shape,
                row["addressing"],
                int(row["cycles"]),
                scope["cycles"],
                timings[key],
            )
        )
    return found


class Compared(Protocol):
    """A point of a family, with how far the model is from it."""

    @property
    def family(self) -> str: ...
    @property
    def error(self) -> float: ...


def errors(found: Sequence[Compared]) -> dict[str, tuple[float, float]]:
    """By family: the mean absolute error and the largest, as fractions."""
    sizes: dict[str, list[float]] = defaultdict(list)
    for point in found:
        sizes[point.family].append(abs(point.error))
    return {family: (sum(e) / len(e), max(e)) for family, e in sizes.items()}


def left_out(found: list[Point]) -> dict[str, float]:
    """By family: its mean absolute error when the free figures are fitted to all others."""
    fitted = calibrate.calibrate(
        [calibrate.Point(p.timing, p.measured, str(p), p.body, scope=True) for p in found],
        fit=FREE,
        leave_out="family",
    )
    sizes: dict[str, list[float]] = defaultdict(list)
    for point, one in zip(found, fitted.points, strict=True):
        assert one.left_out is not None
        sizes[point.family].append(abs(one.left_out - point.measured) / point.measured)
    return {family: sum(e) / len(e) for family, e in sizes.items()}
