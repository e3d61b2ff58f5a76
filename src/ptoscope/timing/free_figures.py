"""The figures that a calibration may move: which, from where, by which steps and how far."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from ptoscope.diagnostics import UsageError, nearest
from ptoscope.isa.cost import Figure, FigureSource
from ptoscope.timing.figures import LARGEST, is_of_copy, is_rate, is_slope, least_of
from ptoscope.timing.run import TimedRun
from ptoscope.timing.search import SearchAxis

FREE: tuple[FigureSource, ...] = ("assumed", "measured")
"""The sources of figures that are free to move unless the caller names others."""
_TIMES = 16
"""A figure becomes at most so many times what it was, or so many cycles if that is more:"""
_MOST, _MOST_OF_A_COPY = 64, 1024
_PARTS, _SLOPE_PARTS = 1024, 32
"""Into so many steps the cycles of a byte are divided, and a cycle of a repeat."""


def used_figures(timing: TimedRun) -> dict[str, Figure]:
    """The figures of a run. A copy that takes no cycles to start has a figure for them, too."""
    found = {name: figure for name, (_, _, figure) in timing.figures.items()}
    for name in list(found):
        if is_rate(name):
            startup = f"{name.rpartition('.')[0]}.startup"
            found.setdefault(startup, Figure(0, "assumed"))
    return found


def free_figures(every: dict[str, Figure], fit: Iterable[str] | None) -> dict[str, Figure]:
    names = sorted(every)
    if fit is None:
        chosen = {name for name in names if every[name].source in FREE}
        if not chosen:
            raise UsageError(f"no figure of the points is free; choose some of {', '.join(names)}")
    else:
        chosen = set[str]()
        for pattern in fit:
            mine = [name for name in names if fnmatchcase(name, pattern)]
            if not mine:
                hint = nearest(pattern, names) or f"they use {', '.join(names)}"
                raise UsageError(f"no point uses the figure '{pattern}'; {hint}")
            chosen.update(mine)
    return {name: every[name] for name in names if name in chosen}


def value_at(name: str, start: float, step: int) -> float:
    """A figure so many steps from where it begins. Cycles are steps, those of a
    repeat are divided into steps; so is the inverse of a rate, in which cycles are linear."""
    if not step:
        return start
    if is_slope(name):
        return round(start + step / _SLOPE_PARTS, 4)
    if not is_rate(name):
        return start + step
    value = start / (1 + step / _PARTS)
    whole = round(value)
    return float(whole) if abs(whole - value) <= value / 1000 else float(f"{value:.4g}")


def axis_of(name: str, start: float) -> SearchAxis:
    if is_rate(name):
        # A step of a rate is too small to be seen in whole cycles.
        slowest, fastest = max(least_of(name), start / _TIMES), min(LARGEST, start * _TIMES)
        low, high = (round((start / rate - 1) * _PARTS) for rate in (fastest, slowest))
        return SearchAxis(low, high, _PARTS // 16, _PARTS // 4)
    if is_slope(name):
        low, high = -start * _SLOPE_PARTS, (max(_TIMES * start, _MOST) - start) * _SLOPE_PARTS
        return SearchAxis(int(low), int(high), _SLOPE_PARTS // 8, _SLOPE_PARTS)
    high = min(LARGEST, max(_TIMES * start, _MOST_OF_A_COPY if is_of_copy(name) else _MOST))
    probe, reach = max(1, int(start) // 8), max(16, int(start))
    return SearchAxis(int(least_of(name) - start), int(high - start), probe, reach)
