"""Which form of an instruction the arguments of a call mean, and what becomes of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ptoscope.isa.dtypes import DType
from ptoscope.isa.patterns import Bindings, OneOf
from ptoscope.isa.record import Operand, Record, Site
from ptoscope.isa.types import GRANULARITIES, AttrValue, Mask, Scalar, Type, VReg, granularity
from ptoscope.lang.calls.binding import (
    NOWHERE,
    ArgumentPlace,
    Decided,
    bound,
    clauses,
    unknown,
    words,
)
from ptoscope.lang.calls.names import python_name
from ptoscope.lang.calls.numbers import as_written, goes, number_type, scalar_type
from ptoscope.lang.calls.parameters import CallForm
from ptoscope.lang.calls.results import implied, said
from ptoscope.lang.maker import ChosenUse, current
from ptoscope.lang.scalars import ScalarValue
from ptoscope.lang.values import SCALAR_CLASSES, KernelValue, Misuse, described


@dataclass(frozen=True)
class OperandStep:
    """What becomes of an argument: itself, a scalar of a type, or for none the mask of all lanes.
    A number has to be one of `range`."""

    name: str
    place: ArgumentPlace
    scalar: DType | None = None
    range: DType | None = None
    every: int = 0


@dataclass(frozen=True)
class ChosenCall:
    """A use of an instruction, and how its operands are made of the arguments."""

    use: ChosenUse
    steps: tuple[OperandStep, ...]


FIRM = (0, 0)
"""The rank of what decides first."""


class Fitting:
    """One form, tried on arguments. `progress` is how far that went."""

    def __init__(self, record: Record, call: CallForm) -> None:
        self.record, self.call, self.form = record, call, call.form
        self.name = python_name(record)
        self.known: Bindings = {}
        self.attrs: Mapping[str, AttrValue] = {}
        self.progress = 0

    def fit(self, arguments: Sequence[Any], named: Mapping[str, Any]) -> ChosenCall:
        """The choice of this form; Misuse where it does not fit."""
        rest = dict(named)
        if bool(rest.pop("update", False)) != bool(self.call.update):
            raise unknown(self.name, self.call, "update")
        element = element_type(rest.pop("dtype", None))
        if self.call.space and rest.get("space") is not None:
            self.known["S"] = str(rest.pop("space"))
        given = bound(self.name, self.call, arguments, rest)
        self.progress = 1
        self.attrs = words(self.name, self.form, given)
        operands: list[tuple[Operand, ArgumentPlace, Any]] = [
            (o, *given.get(o.name, (NOWHERE, None))) for o in self.form.operands
        ]
        segments: list[tuple[str, int]] = []
        for group in self.form.groups:
            for place, values in clauses(
                self.name, group, *given.get(group.keyword, (NOWHERE, None))
            ):
                segments.append((group.keyword, len(values)))
                operands += [
                    (o, place.inner(k), v)
                    for k, (o, v) in enumerate(zip(group.operands, values, strict=False))
                ]
        steps, results = self._typed(operands, element)
        use = ChosenUse(self.record, results, self.attrs, self.call.index, tuple(segments))
        return ChosenCall(use, steps)

    def _typed(
        self, operands: list[tuple[Operand, ArgumentPlace, Any]], element: DType | None
    ) -> tuple[tuple[OperandStep, ...], tuple[Type, ...]]:
        """Vectors and pointers decide first, then what the caller says, masks, scalars, numbers."""
        steps: dict[int, OperandStep] = {}
        order = sorted(range(len(operands)), key=lambda at: _rank(operands[at][2]))
        firm = [at for at in order if _rank(operands[at][2]) == FIRM]
        for at in firm:
            steps[at] = self._step(*operands[at])
        self._say(element)
        for at in order[len(firm) :]:
            if operands[at][2] is not None:
                steps[at] = self._step(*operands[at])
        self.progress = 3
        made = self._results(operands, element)
        types = {at: _type(step, operands[at][2]) for at, step in steps.items()}
        for at in order:
            operand, place, given = operands[at]
            if given is None:
                bits = self._all_lanes(operand, at, types, made)
                types[at] = Mask(bits)
                steps[at] = OperandStep(operand.name, place, every=bits)
        return tuple(steps[at] for at in range(len(operands))), made

    def _step(self, operand: Operand, place: ArgumentPlace, given: Any) -> OperandStep:
        pattern = operand.type
        if isinstance(given, KernelValue):
            if pattern.match(given.type, self.known):
                self.progress = max(self.progress, 2)
                return OperandStep(operand.name, place)
            to = scalar_type(pattern, self.known)
            if isinstance(given, ScalarValue) and to is not None and goes(given.dtype, to):
                return OperandStep(operand.name, place, as_written(to))
            raise self._misfit(operand, given)
        if not isinstance(given, (int, float)):
            raise self._misfit(operand, given)
        to = number_type(pattern, self.known, type(given))
        if to is None:
            raise self._misfit(operand, given, hint="say its type, as in dtype=pto.i32")
        written = as_written(to)
        if written not in SCALAR_CLASSES or not pattern.match(Scalar(written), self.known):
            raise self._misfit(operand, given)
        if isinstance(given, float) and to.is_int:
            raise self._misfit(operand, given)
        return OperandStep(operand.name, place, written, to)

    def _misfit(self, operand: Operand, given: Any, hint: str = "") -> Misuse:
        to = scalar_type(operand.type, self.known)
        if isinstance(given, ScalarValue) and to is not None:
            hint = f"convert it: pto.{as_written(to)}(...)"
        return Misuse(
            f"{operand.name} of {self.name} cannot be {described(given)}",
            found=str(given.type) if isinstance(given, KernelValue) else type(given).__name__,
            expected=operand.type.expected(self.known),
            hint=hint,
        )

    def _say(self, element: DType | None) -> None:
        """Binds what the caller says, where vectors and pointers leave it open."""
        for result in self.form.results:
            kind = said(result.type, element, self.known) if element is not None else None
            if kind is not None:
                result.type.match(kind, self.known)
                return

    def _results(
        self, operands: list[tuple[Operand, ArgumentPlace, Any]], element: DType | None
    ) -> tuple[Type, ...]:
        found: list[Type] = []
        used = element is None
        for result in self.form.results:
            same = (
                v for o, _, v in operands if isinstance(o.type, OneOf) and o.type == result.type
            )
            asked = said(result.type, element, self.known) if element is not None else None
            like = next((v.type for v in same if isinstance(v, KernelValue)), None)
            decided = asked or like or implied(self.record, result.type, self.known)
            used = used or asked is not None
            if decided is None or not result.type.match(decided, self.known):
                raise Misuse(
                    f"nothing says the type of {result.name} of {self.name}",
                    expected=str(result.type),
                    hint="say its element type, as in dtype=pto.f16",
                )
            found.append(decided)
        if not used:
            raise Misuse(
                f"no result of {self.name} can be of {element}",
                found=str(element),
                expected=", ".join(map(str, found)) or "no result",
            )
        return tuple(found)

    def _all_lanes(
        self, operand: Operand, at: int, types: dict[int, Type], made: tuple[Type, ...]
    ) -> int:
        """The granularity of the mask that is left out: that of the vectors, unless the
        instruction's own constraints ask for another."""
        decided = operand.type.resolve(self.known)
        if isinstance(decided, Mask):
            return decided.bits
        widths = [granularity(t.dtype.bits) for t in (*types.values(), *made) if type(t) is VReg]
        maker, index = current(), self.call.index
        for bits in (*widths[:1], *GRANULARITIES):
            taken = tuple({**types, at: Mask(bits)}[k] for k in range(at + 1))
            site = Site(
                *(self.record, taken, made, self.attrs, maker.target, maker.revision), form=index
            )
            if not any(constraint.broken(site) for constraint in self.record.constraints):
                return bits
        return widths[0]


def _type(step: OperandStep, given: Any) -> Type:
    return given.type if step.scalar is None else Scalar(step.scalar)


def _rank(given: Any) -> tuple[int, int]:
    """When a value decides: vectors and pointers, masks, scalars (the widest first), numbers."""
    if isinstance(given, ScalarValue):
        return 2, -given.dtype.bits - (given.dtype.name == "index")
    if isinstance(given, KernelValue):
        return (1, 0) if isinstance(given.type, Mask) else FIRM
    return (4, 0) if given is None else (3, 0)


def element_type(kind: Any) -> DType | None:
    """The element type that `pto.f32` or a type itself names."""
    if kind is None:
        return None
    found = getattr(kind, "dtype", kind)
    if not isinstance(found, DType):
        raise Decided(f"{kind!r} is no element type", expected="one of pto.f32, pto.i32, ...")
    return found
