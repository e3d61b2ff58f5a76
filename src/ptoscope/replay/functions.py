"""Where a run first departs from what functions of NumPy say its lines make."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ptoscope.arguments import KernelArgument
from ptoscope.diagnostics import UsageError
from ptoscope.isa.types import Mask, VReg
from ptoscope.replay.apart import apart, tolerance
from ptoscope.replay.contents import lanes_of
from ptoscope.replay.departure import Departure, lane_numbers
from ptoscope.replay.history import History
from ptoscope.replay.moment import Moment, shown
from ptoscope.trace.recording import LaneContent

LineFunction = Callable[..., KernelArgument]
"""Gives what a line makes of its operands: an array, or a tuple of one for each result."""


def first_departure_from_functions(
    run: History, functions: Mapping[int, LineFunction], rtol: float = 0.0, atol: float = 0.0
) -> Departure | None:
    """Where a line first makes something else than its function gives for its operands; of several
    instructions of a line the last that makes something is meant. A function takes as many of the
    operands as it has parameters, from the first on, as NumPy arrays; where it does not take the
    mask, inactive lanes are not compared. UsageError for a line that makes no numbers, and for a
    function that fails."""
    rtol, atol = tolerance("rtol", rtol), tolerance("atol", atol)
    trace = run.recording.trace
    steps: list[tuple[int, int]] = []
    for line in functions:
        places = [p for p in trace.places if p.span.line == line and p.op.results and p.record]
        if not places:
            raise UsageError(f"line {line} of @{trace.function.name} makes no value")
        last = places[-1].index
        steps += [(step, line) for step in np.flatnonzero(run.places == last).tolist()]
    for step, line in sorted(steps):
        found = _departs(run, step, functions[line], rtol, atol)
        if found is not None:
            return found
    return None


def _departs(
    run: History, step: int, function: LineFunction, rtol: float, atol: float
) -> Departure | None:
    op, line = run.place(step).op, int(run.lines[step])
    types = run.recording.trace.function.types
    taken = [(types[slot], run.content(slot, step)) for slot in op.operands]
    taken = taken[: _parameters(function, len(taken), line)]
    operands = [shown(kind, content) if content is not None else None for kind, content in taken]
    try:
        with np.errstate(all="ignore"):
            given = function(*operands)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise UsageError(f"the function of line {line} fails: {reason}") from error
    wanted = list(given) if isinstance(given, tuple) else [given]
    gated = [] if any(isinstance(kind, Mask) for kind, _ in taken) else _masks(run, step)
    for slot, one in zip(op.results, wanted, strict=False):
        kind, content = types[slot], run.content(slot, step)
        if not isinstance(content, LaneContent):
            continue
        ours, undefined = lane_numbers(kind, content)
        theirs = _shaped(one, ours, line)
        places, _ = apart(ours, theirs, rtol, atol)
        known = ~undefined
        for active in gated:
            if isinstance(kind, (VReg, Mask)):
                # A mask of more lanes than the value governs each by the first of its own.
                known &= active[np.arange(len(ours)) * len(active) // len(ours)]
        places = places[known[places]]
        if len(places):
            lanes = tuple(places.tolist()) if isinstance(kind, (VReg, Mask)) else ()
            got, expected = (ours[places], theirs[places]) if lanes else (ours[0], theirs[0])
            return Departure(Moment(run, step), None, run.name_of(slot), lanes, got, expected)
    return None


def _parameters(function: LineFunction, operands: int, line: int) -> int:
    """How many operands a function takes."""
    if isinstance(function, np.ufunc):
        # Its signature has places for what it writes to as well.
        return function.nin
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return operands
    if any(one.kind is one.VAR_POSITIONAL for one in parameters):
        return operands
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    counted = [one for one in parameters if one.kind in places]
    needed = [one for one in counted if one.default is one.empty]
    if len(needed) > operands:
        raise UsageError(
            f"the function of line {line} takes {len(needed)} operands; there are {operands}"
        )
    return min(len(counted), operands)


def _masks(run: History, step: int) -> list[Any]:
    """Which lanes the masks of an instruction have active."""
    types = run.recording.trace.function.types
    found: list[Any] = []
    for slot in run.place(step).op.operands:
        kind, content = types[slot], run.content(slot, step)
        if isinstance(kind, Mask) and isinstance(content, LaneContent):
            found.append(lanes_of(kind, content)[0].astype(bool))
    return found


def _shaped(given: Any, like: Any, line: int) -> Any:
    """What a function gave, as so many numbers of that type."""
    try:
        array = np.asarray(given)
        if array.dtype.kind == "f" and like.dtype.kind not in "biu":
            array = array.astype(like.dtype)
        return np.broadcast_to(array.reshape(-1) if array.ndim > 1 else array, like.shape)
    except (TypeError, ValueError):
        raise UsageError(
            f"the function of line {line} has to give {len(like)} numbers, or one"
        ) from None
