"""Which form of an instruction the arguments of a call mean, and what becomes of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ptoscope.isa.dtypes import DType
from ptoscope.isa.patterns import Bindings
from ptoscope.isa.record import Attr, Group, Operand, Record, Site
from ptoscope.isa.types import GRANULARITIES, AttrValue, Mask, Scalar, Type, VReg, granularity
from ptoscope.lang.calls.names import python_name
from ptoscope.lang.calls.numbers import as_written, goes, number_type, scalar_type
from ptoscope.lang.calls.parameters import MASKS, CallForm
from ptoscope.lang.calls.results import implied, said
from ptoscope.lang.maker import ChosenUse, current
from ptoscope.lang.scalars import ScalarValue
from ptoscope.lang.values import SCALAR_CLASSES, KernelValue, Misuse, described


@dataclass(frozen=True)
class ArgumentPlace:
    """Where an argument is: its number or name, then its numbers within a clause."""

    argument: int | str
    within: tuple[int, ...] = ()

    def inner(self, number: int) -> ArgumentPlace:
        """The place of one part of it."""
        return ArgumentPlace(self.argument, (*self.within, number))


NOWHERE = ArgumentPlace("")
"""Of an operand that is left out."""


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


class Decided(Misuse):
    """A mistake that no other form makes good."""


class Fitting:
    """One form, tried on arguments. `progress` is how far that went."""

    def __init__(self, record: Record, call: CallForm) -> None:
        self.record, self.call, self.form = record, call, call.form
        self.name = python_name(record)
        self.known: Bindings = {}
        self.attrs: dict[str, AttrValue] = {}
        self.progress = 0

    def fit(self, arguments: Sequence[Any], named: Mapping[str, Any]) -> ChosenCall:
        """The choice of this form; Misuse where it does not fit."""
        rest = dict(named)
        if bool(rest.pop("update", False)) != bool(self.call.update):
            raise self._unknown("update")
        element = element_type(rest.pop("dtype", None))
        if self.call.space and rest.get("space") is not None:
            self.known["S"] = str(rest.pop("space"))
        given = self._bound(arguments, rest)
        self.progress = 1
        self._words(given)
        operands: list[tuple[Operand, ArgumentPlace, Any]] = [
            (o, *given.get(o.name, (NOWHERE, None))) for o in self.form.operands
        ]
        segments: list[tuple[str, int]] = []
        for group in self.form.groups:
            for place, values in self._clauses(group, *given.get(group.keyword, (NOWHERE, None))):
                segments.append((group.keyword, len(values)))
                operands += [
                    (o, place.inner(k), v)
                    for k, (o, v) in enumerate(zip(group.operands, values, strict=False))
                ]
        steps, results = self._typed(operands, element)
        use = ChosenUse(self.record, results, self.attrs, self.call.index, tuple(segments))
        return ChosenCall(use, steps)

    # Which argument is which.

    def _bound(
        self, arguments: Sequence[Any], named: Mapping[str, Any]
    ) -> dict[str, tuple[ArgumentPlace, Any]]:
        """Arguments by the names of their parameters, with their places."""
        names = self.call.positional
        if len(arguments) > len(names):
            extra = arguments[len(names)]
            by_name = [p.name for p in self.call.parameters if p.by_name]
            raise Misuse(
                f"{self.name} takes {len(names)} arguments, found more",
                found=described(extra),
                expected=self.face(),
                hint=f"give {by_name[0]} by its name: {by_name[0]}=..." if by_name else "",
            )
        given: dict[str, tuple[ArgumentPlace, Any]] = {}
        for at, (name, value) in enumerate(zip(names, arguments, strict=False)):
            if value is not None:
                given[name] = ArgumentPlace(at), value
        for name, value in named.items():
            if name not in self.call.by_name:
                raise self._unknown(name)
            if name in names[: len(arguments)]:
                raise Misuse(f"{self.name} has two arguments '{name}'", expected=self.face())
            if value is not None:
                given[name] = ArgumentPlace(name), value
        for parameter in self.call.parameters:
            if parameter.required and parameter.name not in given:
                raise Misuse(
                    f"{self.name} needs {parameter.name}",
                    found=f"{len(arguments) + len(named)} arguments",
                    expected=_values(parameter.of) or self.face(),
                )
        return given

    def face(self) -> str:
        """How it is called, in a line."""
        shown: list[str] = []
        for p in self.call.parameters:
            shown.append(p.name if p.required else f"{p.name}=...")
        return f"{self.name}({', '.join(shown)})"

    def _unknown(self, name: str) -> Misuse:
        known = [p.name for p in self.call.parameters]
        return Misuse(
            f"{self.name} has no argument '{name}'",
            found=name,
            expected=", ".join(known) or "no arguments",
        )

    def _words(self, given: Mapping[str, tuple[ArgumentPlace, Any]]) -> None:
        for attr in self.form.attrs:
            if attr.name not in given:
                if attr.default is not None:
                    self.attrs[attr.name] = attr.default
                continue
            value = attr.meant(given[attr.name][1])
            if isinstance(value, KernelValue) or not attr.allows(value):
                numbers = not attr.values and isinstance(value, int)
                raise (Decided if numbers else Misuse)(
                    f"{attr.name} of {self.name} cannot be {described(value)}",
                    found=described(value),
                    expected=_values(attr),
                )
            self.attrs[attr.name] = value

    def _clauses(
        self, group: Group, place: ArgumentPlace, value: Any
    ) -> list[tuple[ArgumentPlace, Sequence[Any]]]:
        """The clauses of a keyword: one, or a list of them; each is a tuple, or a lone value."""
        if value is None:
            return []
        several = isinstance(value, list)
        found: list[tuple[ArgumentPlace, Sequence[Any]]] = []
        for k, one in enumerate(value if several else [value]):
            values = one if isinstance(one, tuple) else (one,)
            least = group.required or len(group.operands)
            if not least <= len(values) <= len(group.operands):
                names = ", ".join(o.name for o in group.operands)
                raise Misuse(
                    f"{group.keyword} of {self.name} has {len(group.operands)} numbers",
                    found=str(len(values)),
                    expected=f"{group.keyword}=({names})",
                )
            found.append((place.inner(k) if several else place, values))
        if len(found) > group.most:
            raise Misuse(
                f"{self.name} has at most {group.most} {group.keyword}", found=str(len(found))
            )
        return found

    # Types.

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
        if isinstance(given, str) and isinstance(operand.type, MASKS):
            words = [p.name for p in self.call.parameters if isinstance(p.of, Attr)]
            hint = f"give it by its name: {words[0]}={given!r}" if words else ""
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
            same = (v for o, _, v in operands if o.type == result.type and not o.type.resolve({}))
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


def _values(of: Operand | Attr | Group) -> str:
    if not isinstance(of, Attr):
        return ""
    return ", ".join(of.values) or f"{of.low} to {of.high}"


def element_type(kind: Any) -> DType | None:
    """The element type that `pto.f32` or a type itself names."""
    if kind is None:
        return None
    found = getattr(kind, "dtype", kind)
    if not isinstance(found, DType):
        raise Decided(f"{kind!r} is no element type", expected="one of pto.f32, pto.i32, ...")
    return found
