"""Runs a kernel under several schedules and says where the first other result is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ptoscope.arguments import Argument, array_dtype, bind
from ptoscope.diagnostics import Diagnostic, PtoError, UsageError
from ptoscope.machine.launch import launch
from ptoscope.machine.schedule import schedules
from ptoscope.machine.walker import Walker

if TYPE_CHECKING:
    from ptoscope.kernel import Kernel


@dataclass(frozen=True)
class Difference:
    """A schedule under which a kernel does something else than in program order: an element
    of an argument has another value, or there is a `fault`, and the rest says nothing."""

    schedule: str
    argument: str = ""
    position: int = -1
    element: int = -1
    expected: str = ""
    found: str = ""
    differing: int = 0
    elements: int = 0
    fault: Diagnostic | None = None

    def __str__(self) -> str:
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
    kernel: Kernel,
    arguments: Sequence[Any],
    grid: int = 1,
    count: int = 10,
    max_steps: int | None = None,
) -> Difference | None:
    """Runs a kernel on the reference engine under `count` schedules: program, lazy, eager,
    seed:0, seed:1, ... The first whose result differs by a bit from that of program order,
    or None. The arguments stay as they are. PtoError if program order itself faults.

    A loop that waits until a copy has changed memory ends in program order and perhaps not
    in another: `max_steps` limits the turns of the loops of a block.
    """
    if count < 1:
        raise UsageError(f"{count} schedules cannot be tried; it has to be at least 1")
    function, target = kernel.function, kernel.target
    walker = Walker(function, target, kernel.revision)
    bound = bind(kernel.program, function, arguments)

    def run(schedule: str) -> list[Argument]:
        copies = _copied(bound)
        launch(kernel.program, walker, target, copies, grid, max_steps, schedule)
        return copies

    first, *others = map(str, schedules(count))
    expected = run(first)
    for schedule in others:
        try:
            found = run(schedule)
        except PtoError as error:
            return Difference(schedule, fault=error.diagnostics[0])
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


def _copied(arguments: Sequence[Argument]) -> list[Argument]:
    """Arguments in memory of their own. Those that share memory share it in the copy, too."""
    copies = {a.position: a for a in arguments}
    groups: list[list[Argument]] = []
    for argument in sorted((a for a in arguments if a.data is not None), key=_start):
        if groups and _start(argument) < max(map(_end, groups[-1])):
            groups[-1].append(argument)
        else:
            groups.append([argument])
    for group in groups:
        first = _start(group[0])
        memory = np.empty(max(map(_end, group)) - first, dtype=np.uint8)
        for argument in group:
            data = memory[_start(argument) - first :][: argument.data.nbytes]
            data[:] = argument.data
            copies[argument.position] = replace(argument, data=data)
    return list(copies.values())


def _start(argument: Argument) -> int:
    return argument.data.ctypes.data


def _end(argument: Argument) -> int:
    return _start(argument) + argument.data.nbytes
