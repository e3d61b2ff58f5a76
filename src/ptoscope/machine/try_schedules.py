"""Runs a kernel under several schedules and says where the first other result is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ptoscope.arguments import Argument, array_dtype, bind, blocks, copied
from ptoscope.diagnostics import Diagnostic, PtoError, UsageError
from ptoscope.machine.faults import STEPS
from ptoscope.machine.launch import launch
from ptoscope.machine.schedule import schedules
from ptoscope.machine.walker import Walker
from ptoscope.program import Launchable

_TIMES, _MORE = 4, 1000
"""How many times the iterations of program order another order may take, and how many more. Chosen:
a kernel without a race takes the same iterations in all of them."""


@dataclass(frozen=True)
class Difference:
    """A schedule under which a kernel does something else than in program order. An element
    of an argument has another value; or there is a `fault`; or it begins more than `limit`
    iterations of loops in a block, the last of the loop in `line`, where no block of program order
    begins more than `iterations`. What does not belong to its kind says nothing."""

    schedule: str
    argument: str = ""
    position: int = -1
    element: int = -1
    expected: str = ""
    found: str = ""
    differing: int = 0
    elements: int = 0
    fault: Diagnostic | None = None
    limit: int | None = None
    iterations: int = 0
    line: int = 0

    def __str__(self) -> str:
        if self.limit is not None:
            return (
                f"schedule {self.schedule} does not end within {self.limit} iterations of its "
                f"loops (it is in that of line {self.line}), where program order takes "
                f"{self.iterations}"
            )
        if self.fault is not None:
            return f"schedule {self.schedule} stops, program order does not: {self.fault}"
        return (
            f"schedule {self.schedule}: element {self.element} of %{self.argument} is "
            f"{self.found}, in program order {self.expected} "
            f"({self.differing} of {self.elements} elements differ)"
        )

    def as_json(self) -> dict[str, object]:
        """The stable JSON form."""
        record: dict[str, object] = {"schedule": self.schedule}
        if self.fault is not None:
            return {**record, "fault": self.fault.as_json()}
        if self.limit is not None:
            return {**record, "limit": self.limit, "iterations": self.iterations, "line": self.line}
        return {
            **record,
            "argument": self.argument,
            "position": self.position,
            "element": self.element,
            "expected": self.expected,
            "found": self.found,
            "differing": self.differing,
            "elements": self.elements,
        }


def try_schedules(
    kernel: Launchable,
    arguments: Sequence[Any],
    grid: int = 1,
    count: int = 10,
    max_steps: int | None = None,
) -> Difference | None:
    """Runs a kernel on the reference engine in program order and under `count` schedules
    besides: lazy, eager, seed:0, seed:1, ... The first whose result differs by a bit from that
    of program order, or None. The arguments stay as they are. PtoError if program order itself
    faults.

    A loop that waits until a copy has changed memory ends in program order and perhaps not
    in another. `max_steps` limits the iterations of the loops of a block; without it the others
    may take some times as many as program order takes. One that needs more is a difference.
    """
    if count < 1:
        raise UsageError(f"{count} schedules cannot be tried; it has to be at least 1")
    function, target = kernel.function, kernel.target
    grid = blocks(target, grid)
    walker = Walker(function, target, kernel.revision)
    bound = bind(kernel.program, function, arguments)

    def run(schedule: str, limit: int | None, iterations: dict[int, int] | None) -> list[Argument]:
        copies = copied(bound)
        launch(kernel.program, walker, target, copies, grid, limit, schedule, iterations)
        return copies

    first, *others = map(str, schedules(count + 1))
    begun: dict[int, int] = {}
    expected = run(first, max_steps, begun)
    iterations = max(begun.values())
    limit = _TIMES * iterations + _MORE if max_steps is None else max_steps
    for schedule in others:
        try:
            found = run(schedule, limit, None)
        except PtoError as error:
            fault = error.diagnostics[0]
            if fault.code == STEPS:
                return Difference(schedule, limit=limit, iterations=iterations, line=fault.line)
            return Difference(schedule, fault=fault)
        for one, other in zip(expected, found, strict=True):
            if one.data is not None and not np.array_equal(one.data, other.data):
                return _difference(schedule, one, other)
    return None


def _difference(schedule: str, one: Argument, other: Argument) -> Difference:
    size = one.dtype.bytes
    rows = [a.data.reshape(-1, size) for a in (one, other)]
    differing = np.flatnonzero((rows[0] != rows[1]).any(axis=1))
    at = int(differing[0])
    before, after = (str(row[at].view(array_dtype(one.dtype))[0]) for row in rows)
    if before == after:
        # Two NaN, say: only their bits tell them apart.
        before, after = (f"{before} (0x{row[at][::-1].tobytes().hex()})" for row in rows)
    count, elements = len(differing), len(rows[0])
    return Difference(schedule, one.name, one.position, at, before, after, count, elements)
