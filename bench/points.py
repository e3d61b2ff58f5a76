"""The profiling points of A5 as kernels, and how far the model is from them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ptoscope.kernel import load
from ptoscope.timing import time_kernel
from ptoscope.timing.bodies import ADDRESSING, kernel_text
from ptoscope.timing.figures import table
from ptoscope.timing.report import vecscopes

FITTED = ("vlds vlds vadd vsts", "vlds vexp vsts")
"""The bodies whose points the model's free figures were fitted to. No figure was fitted to the
third, but it is no blind test: that dispatch counts instructions, not iterations of a loop (the
core's table has a figure for each), was chosen because the third body shows it; these two do
not."""


@dataclass(frozen=True)
class Point:
    """A measured vecscope: `rows` iterations of an outer loop over `vregs` of the body."""

    body: str
    rows: int
    vregs: int
    addressing: str
    measured: int
    modelled: int

    @property
    def error(self) -> float:
        return (self.modelled - self.measured) / self.measured


def points() -> list[Point]:
    """All points with the model's cycles."""
    cycles: dict[tuple[str, int, int, bool], int] = {}
    found: list[Point] = []
    for row in table("a5_points.csv"):
        key = row["body"], int(row["rows"]), int(row["vregs_per_row"])
        # Those of several rows are without post-update, whatever their label says.
        how = (*key, row["addressing"] == "post_update" and row["rows"] == "1")
        if how not in cycles:
            post_update, otherwise = ADDRESSING
            text = kernel_text(*key, addressing=post_update if how[-1] else otherwise)
            kernel = load(text, "a5")
            (scope,) = vecscopes(time_kernel(kernel, []))
            cycles[how] = scope["cycles"]
        found.append(Point(*key, row["addressing"], int(row["cycles"]), cycles[how]))
    return found


def errors(found: list[Point]) -> dict[str, tuple[float, float]]:
    """By body: the mean absolute error and the largest, as fractions."""
    sizes: dict[str, list[float]] = defaultdict(list)
    for point in found:
        sizes[point.body].append(abs(point.error))
    return {body: (sum(e) / len(e), max(e)) for body, e in sizes.items()}
