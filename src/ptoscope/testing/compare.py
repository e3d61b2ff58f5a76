"""Which elements are not what a test expects, and which line made the first of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.dtypes import DType
from ptoscope.kernel import Kernel
from ptoscope.machine.elements import raw_dtype
from ptoscope.replay.apart import apart
from ptoscope.replay.difference import UNEXPECTED, element_origin
from ptoscope.replay.elements import as_compared, has_numbers
from ptoscope.replay.origin import Link, OriginChain
from ptoscope.replay.parts import ValueLane
from ptoscope.replay.run import RecordedRun
from ptoscope.tables import counted
from ptoscope.testing.given import GivenArguments, WantedArray


@dataclass(frozen=True)
class Tolerance:
    """By how much elements may differ: `rtol` of the expected one, and `atol`."""

    rtol: float = 0.0
    atol: float = 0.0

    def __str__(self) -> str:
        parts = [f"{name} {x:g}" for name, x in (("rtol", self.rtol), ("atol", self.atol)) if x]
        return f" within {' and '.join(parts)}" if parts else ""


class ResultComparison:
    """Results of a kernel on a target, compared; what differs is traced back to a line. `record`
    runs the kernel again for that, and gives None where it cannot."""

    def __init__(
        self, kernel: Kernel, given: GivenArguments, record: Callable[[], RecordedRun | None]
    ) -> None:
        self._kernel, self._given, self._record = kernel, given, record

    @cached_property
    def _run(self) -> RecordedRun | None:
        return self._record()

    def unexpected(
        self, result: Any, expected: WantedArray, tolerance: Tolerance
    ) -> Diagnostic | None:
        """What differs of an argument from what is expected."""
        argument = self._given.bound[expected.position]
        ours, theirs = as_compared(argument.dtype, result), expected.elements
        places, far = apart(ours, theirs, tolerance.rtol, tolerance.atol)
        if not len(places):
            return None
        first = int(places[0])
        got, wanted = ours[first], theirs[first]
        off = _off(argument.dtype, got, wanted)
        differ = f"{len(places)} of {counted(ours.size, 'element')} {_verb(len(places))}"
        greatest = max(far.tolist(), key=lambda x: (x != x, x))
        if has_numbers(argument.dtype):
            differ += f", by up to {greatest:.6g}"
        return self._told(
            expected.position,
            first,
            f"is {_shown(argument.dtype, got)}, expected {_shown(argument.dtype, wanted)}",
            result,
            differ,
            f"{_shown(argument.dtype, wanted)}{tolerance}{f'; {off}' if off else ''}",
        )

    def disagreement(
        self, position: int, engine: str, result: Any, other: str, right: Any
    ) -> Diagnostic | None:
        """Where an engine gives an argument other bits than another one."""
        dtype = self._given.bound[position].dtype
        raw = raw_dtype(dtype)
        ours, theirs = result.view(raw), right.view(raw)
        places = np.flatnonzero(ours != theirs)
        if not len(places):
            return None
        first, width = int(places[0]), 2 * raw.itemsize
        texts = [
            f"{_shown(dtype, as_compared(dtype, array)[first])} (0x{int(bits[first]):0{width}x})"
            for array, bits in ((result, ours), (right, theirs))
        ]
        differ = f"{len(places)} of {counted(ours.size, 'element')} {_verb(len(places))}"
        return self._told(
            position,
            first,
            f"is {texts[0]} on the {engine} engine and {texts[1]} on the {other} engine",
            right,
            differ,
            "the same bits on every engine",
        )

    def _told(
        self, position: int, element: int, what: str, traced: Any, differ: str, expected: str
    ) -> Diagnostic:
        """A finding at the line that made an element of the results that are traced."""
        signature = self._kernel.signature
        shape, name = self._given.shape(position), self._given.bound[position].name
        index = f"[{', '.join(str(int(i)) for i in np.unravel_index(element, shape))}]"
        where = f"element {index} of %{name} (argument {position})"
        origin, hint = self._origin(position, element, traced)
        maker = None if origin is None else _maker(origin)
        place, span, lane = "", signature.function.span, ""
        if maker is not None and maker.moment is not None:
            place, span = f"{maker.moment.name}: ", maker.moment.place.span
            around = ", ".join(maker.moment.iteration_texts)
            lane = f"{maker.what} = {maker.value}{f' (at {around})' if around else ''}; "
        return signature.program.diagnostic(
            UNEXPECTED,
            span,
            f"{place}{where} {what}",
            found=f"{lane}{differ}",
            expected=expected,
            hint=hint,
        )

    def _origin(self, position: int, element: int, result: Any) -> tuple[OriginChain | None, str]:
        """What made an element, and the same as a sentence."""
        if self._run is None:
            return None, "the run is too long to trace the element back"
        origin = element_origin(self._run, position, element)
        if origin.links[0].data != result[element : element + 1].tobytes():
            return None, "in program order, and on the reference engine, the element is another"
        return origin, f"it comes from: {origin.sentence}"


def _maker(origin: OriginChain) -> Link | None:
    """What computed an element: the nearest lane or scalar that an instruction made; of what was
    only copied the copy."""
    made = [link for link in origin if link.moment is not None and not link.steers]
    lanes = [link for link in made if isinstance(link.source, ValueLane)]
    return next(iter([*lanes, *made]), None)


def _verb(count: int) -> str:
    return "differs" if count == 1 else "differ"


def _shown(dtype: DType, element: Any) -> str:
    """An element for people, with as many digits as it has."""
    return str(element) if has_numbers(dtype) else f"0x{int(element):02x}"


def _off(dtype: DType, got: Any, expected: Any) -> str:
    """How far apart two elements are."""
    if not has_numbers(dtype):
        return ""
    if dtype.is_int:
        return f"off by {abs(int(got) - int(expected))}" if float(expected).is_integer() else ""
    distance = abs(float(got) - float(expected))
    if not np.isfinite(distance):
        return ""
    with np.errstate(all="ignore"):
        nearest = np.asarray(expected).astype(np.asarray(got).dtype)
    steps = abs(_rank(dtype, np.asarray(got)) - _rank(dtype, nearest))
    return f"off by {distance:.6g} ({steps} ulp)"


def _rank(dtype: DType, number: Any) -> int:
    """The place of a float among all of its type."""
    bits = int(number.view(raw_dtype(dtype)))
    sign = 1 << (dtype.bits - 1)
    return -(bits & (sign - 1)) if bits & sign else bits
