"""A run as if its innermost loops were unrolled by two and the copies interleaved: of every two
iterations each instruction twice, side by side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ptoscope.native.subset import Ints
from ptoscope.timing.model import Model
from ptoscope.timing.pipe_work import pipe_work
from ptoscope.timing.pipes import schedule
from ptoscope.timing.run import TimedRun
from ptoscope.timing.scopes import MIN_GAP, OVERHEAD, Instructions, loop_runs
from ptoscope.timing.vector_queues import ANOTHER_LOOP
from ptoscope.trace.trace import Trace


def cycles_with(timing: TimedRun, model: Model, code: Instructions | None = None) -> int:
    """The total of a run by a model, with its instructions in another order."""
    scopes = model.scopes(timing.trace, timing.code if code is None else code)
    return schedule(timing.events, pipe_work(model, timing.events, scopes)).total


def interleaved(trace: Trace, code: Instructions) -> Instructions | None:
    """The instructions in that order; None where there is no loop, or where it is not allowed: a
    loop has a barrier, its iterations differ, or one reads early what the one before makes
    late."""
    mine, run, iterations = loop_runs(trace, code.iteration, code.entry)
    if not len(mine) or any(_is_barrier(trace, place) for place in np.unique(code.place[mine])):
        return None
    begins = np.diff(code.iteration[mine], prepend=-1) != 0
    first_of_run = np.append(0, np.cumsum(iterations)[:-1])
    number = np.cumsum(begins) - 1 - first_of_run[run]
    position = np.arange(len(mine)) - np.maximum.accumulate(
        np.where(begins, np.arange(len(mine)), 0)
    )
    order = np.arange(len(code))
    order[mine] = mine[np.lexsort((number % 2, position, number // 2, run))]
    if not _are_alike(code, mine, order, number, position, run, iterations):
        return None
    where = np.empty(len(code), dtype=np.int32)
    where[order] = np.arange(len(code), dtype=np.int32)
    sizes = np.diff(code.dep_at)[order]
    dep_at = np.append(0, np.cumsum(sizes)).astype(code.dep_at.dtype)
    reader = np.repeat(np.arange(len(code)), sizes)
    dep = where[code.dep[np.arange(len(reader)) - dep_at[reader] + code.dep_at[order[reader]]]]
    moved = np.where(code.moved < 0, -1, where[code.moved])[order].astype(np.int32)
    if (dep >= reader).any() or (moved >= np.arange(len(code))).any():
        return None
    return replace(
        code,
        event=code.event[order],
        place=code.place[order],
        iteration=code.iteration[order],
        gap=_gaps(code, mine, number, position, run, iterations)[order],
        looped=code.looped[order],
        dep_at=dep_at,
        dep=dep,
        moved=moved,
    )


def _is_barrier(trace: Trace, place: int) -> bool:
    record = trace.places[int(place)].record
    return record is not None and record.cost_kind == "barrier"


def _are_alike(
    code: Instructions,
    mine: Ints,
    order: Ints,
    number: Ints,
    position: Ints,
    run: Ints,
    iterations: Ints,
) -> bool:
    """Whether the two of every pair of iterations are the same instructions."""
    paired = number // 2 * 2 + 1 < iterations[run]
    second = np.zeros(len(code), dtype=bool)
    second[mine[paired & (number % 2 == 1)]] = True
    at = np.flatnonzero(second[order])
    return 2 * len(at) == int(paired.sum()) and bool(
        (code.place[order[at]] == code.place[order[at - 1]]).all()
    )


def _gaps(
    code: Instructions, mine: Ints, number: Ints, position: Ints, run: Ints, iterations: Ints
) -> Ints:
    """Half as many iterations begin, and a loop is entered again the sooner."""
    gap = code.gap.copy()
    gap[mine[number % 2 == 1]] = 0
    again = (number == 0) & (position == 0) & (gap[mine] > ANOTHER_LOOP)
    before = (iterations[run[again] - 1] + 1) // 2
    gap[mine[again]] = np.maximum(MIN_GAP, before + OVERHEAD)
    return gap
