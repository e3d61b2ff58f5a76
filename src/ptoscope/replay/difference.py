"""The first element of an argument that is not what is expected, and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ptoscope.arguments import array_dtype, fits, parameter_position
from ptoscope.diagnostics import UsageError
from ptoscope.isa.types import Ptr
from ptoscope.replay.apart import apart, tolerance
from ptoscope.replay.elements import as_compared
from ptoscope.replay.history import History
from ptoscope.replay.origin import OriginChain, origin_of_bytes

UNEXPECTED = "PTO0808"
"""The code of a finding about an element that is not what is expected."""


@dataclass(frozen=True, eq=False)
class ElementDifference:
    """Element `element` of the parameter `name`, at `position`, counted in the order of its
    memory: what it is, what it should be, and what made it."""

    position: int
    name: str
    element: int
    got: object
    expected: object
    origin: OriginChain

    @property
    def head(self) -> str:
        """What differs, in one line."""
        return (
            f"element {self.element} of {self.name} (argument {self.position}) is "
            f"{self.got!s}, expected {self.expected!s}"
        )

    def __repr__(self) -> str:
        return f"<ElementDifference: {self.head}>"

    def __str__(self) -> str:
        return "\n".join([self.head, *(f"  {line}" for line in str(self.origin).split("\n"))])


def first_difference(
    run: History, expected: Mapping[int | str, Any], rtol: float = 0.0, atol: float = 0.0
) -> ElementDifference | None:
    """The first element that differs, of the first such argument in the order they are given:
    by position or name, arrays of the same number of elements. UsageError for one that is no
    array of the kernel's, and where the end of the run is not kept."""
    rtol, atol = tolerance("rtol", rtol), tolerance("atol", atol)
    if run.recording.left_out:
        raise UsageError(
            f"the values of the last {run.recording.left_out} executions are not kept, so that "
            "the end is not known: record it with a larger `most`"
        )
    if run.recording.trace.error is not None:
        raise UsageError("the run ended with a fault: what its arrays hold is undefined")
    function = run.recording.trace.function
    for key, wanted in expected.items():
        position = parameter_position(function, key)
        slot = function.params[position]
        kind = function.types[slot]
        name = run.name_of(slot)
        if not isinstance(kind, Ptr) or position not in run.recording.extents:
            raise UsageError(f"{name} is no array")
        space, begin, size = run.recording.extents[position]
        seen = array_dtype(kind.dtype)
        theirs = np.asarray(wanted)
        if not fits(theirs.dtype.newbyteorder("="), kind.dtype):
            raise UsageError(f"{name} has {seen} elements, not {theirs.dtype}")
        theirs = np.ascontiguousarray(theirs, theirs.dtype.newbyteorder("="))
        theirs = theirs.reshape(-1) if theirs.nbytes else np.empty(0, seen)
        theirs = as_compared(kind.dtype, theirs)
        ends, _ = run.memories.at(space, len(run) - 1)
        ours = as_compared(kind.dtype, ends[begin : begin + size])
        if ours.size != theirs.size:
            raise UsageError(f"{name} has {ours.size} elements, not {theirs.size}")
        places, _ = apart(ours, theirs, rtol, atol)
        if len(places):
            element = int(places[0])
            return ElementDifference(
                position,
                name,
                element,
                ours[element],
                theirs[element],
                element_origin(run, position, element),
            )
    return None


def element_origin(run: History, position: int, element: int) -> OriginChain:
    """What made an element of the array of a parameter, as it is in the end."""
    function = run.recording.trace.function
    kind: Any = function.types[function.params[position]]
    space, begin, _ = run.recording.extents[position]
    width = array_dtype(kind.dtype).itemsize
    last = len(run) - 1
    return origin_of_bytes(run, space, begin + element * width, width, last, kind.dtype)
