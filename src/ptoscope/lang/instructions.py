"""Every instruction as a function of Python, from its record.

Operands are given in the order of the record or by name, attributes by name (or, being words,
in their order), clauses by their keyword. A mask that is left out is that of all lanes. Where the
operands do not decide the element type of a result, `dtype` says it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from ptoscope.isa.dtypes import F32, INDEX, DType
from ptoscope.isa.patterns import (
    AnyMask,
    Bindings,
    MaskBits,
    MaskFor,
    OneOf,
    Pattern,
    PtrTo,
    ScalarIn,
)
from ptoscope.isa.record import Form, Operand, Record
from ptoscope.isa.table import TABLE
from ptoscope.isa.types import AttrValue, Mask, Ptr, Scalar, Type, VReg
from ptoscope.lang.maker import ChosenUse, current
from ptoscope.lang.scalars import ScalarValue, constant, convert
from ptoscope.lang.values import KernelValue, MaskValue, Misuse, described, made, wrapped

_MASKS = (MaskFor, AnyMask, MaskBits)


def call(name: str | Record, *arguments: Any, **named: Any) -> Any:
    """Makes one use of an instruction: its result, a tuple of several, or None."""
    record = TABLE[name] if isinstance(name, str) else name
    use, operands = _decided(record, arguments, named)
    results = made(use, operands)
    return (results[0] if len(results) == 1 else results) if results else None


def _decided(
    record: Record, arguments: Sequence[Any], named: Mapping[str, Any]
) -> tuple[ChosenUse, list[KernelValue]]:
    """The use that is meant: of the form that fits; Misuse of the one that comes nearest."""
    wrong: list[tuple[int, Misuse]] = []
    for index, form in enumerate(record.forms):
        fitting = _Fitting(record, index, form)
        try:
            return fitting.fit(arguments, dict(named))
        except Misuse as error:
            wrong.append((fitting.progress, error))
    raise max(wrong, key=lambda found: found[0])[1]


class _Fitting:
    """One form, tried on arguments. `progress` is how far that went."""

    def __init__(self, record: Record, index: int, form: Form) -> None:
        self.record, self.index, self.form = record, index, form
        self.known: Bindings = {}
        self.wanted: DType | None = None
        self.progress = 0

    def fit(
        self, arguments: Sequence[Any], named: dict[str, Any]
    ) -> tuple[ChosenUse, list[KernelValue]]:
        wants = {r.name for r in self.form.results}
        update = named.pop("update", False)
        if bool(update) != bool(wants & {"updated", "base_out"}) and self._updates_vary():
            raise Misuse(f"{self.record.short} is written in another form")
        self.wanted = _element(named.pop("dtype", None))
        given, attrs = self._sorted(arguments, named)
        clauses = self._clauses(named)
        if named:
            raise self._unknown(next(iter(named)))
        self.progress = 1
        segments = tuple((keyword, len(values)) for keyword, values in clauses)
        operands = list(zip(self.form.operands, given, strict=True))
        groups = {group.keyword: group for group in self.form.groups}
        for keyword, values in clauses:
            operands += zip(groups[keyword].operands, values, strict=False)
        values = self._values(operands)
        self.progress = 3
        results = self._results()
        return ChosenUse(self.record, results, attrs, self.index, segments), values

    def _updates_vary(self) -> bool:
        found = {
            bool({"updated", "base_out"} & {r.name for r in form.results})
            for form in self.record.forms
        }
        return len(found) > 1

    def _unknown(self, name: str) -> Misuse:
        known = [o.name for o in self.form.operands] + [a.name for a in self.form.attrs]
        known += [g.keyword for g in self.form.groups]
        return Misuse(
            f"{self.record.short} has no argument '{name}'",
            found=name,
            expected=", ".join(known) or "no arguments",
        )

    def _sorted(
        self, arguments: Sequence[Any], named: dict[str, Any]
    ) -> tuple[list[Any], dict[str, AttrValue]]:
        """The operands in order, None where a mask is left out; and the attributes."""
        names = [operand.name for operand in self.form.operands]
        words = [a for a in self.form.attrs if a.name not in names]
        given: dict[str, Any] = {}
        attrs: dict[str, Any] = {a.name: a.default for a in words if a.default is not None}
        said = [a.name for a in words if a.name not in named]
        for argument in arguments:
            if isinstance(argument, str) and said:
                attrs[said.pop(0)] = argument
                continue
            # A mask that is not given leaves its place to nothing else.
            at = next((n for n in names if n not in given and n not in named), None)
            if at is None:
                raise Misuse(
                    f"{self.record.short} takes {len(names)} operands, found more",
                    found=described(argument),
                    expected=self._face(),
                )
            given[at] = argument
        for name in [n for n in named if n in names]:
            given[name] = named.pop(name)
        for attr in words:
            if attr.name in named:
                attrs[attr.name] = named.pop(attr.name)
            if attr.name not in attrs:
                raise Misuse(
                    f"{self.record.short} needs {attr.name}",
                    expected=", ".join(attr.values) or "a whole number",
                )
            attrs[attr.name] = attr.meant(attrs[attr.name])
            if not attr.allows(attrs[attr.name]):
                raise Misuse(
                    f"{attrs[attr.name]!r} is no {attr.name} of {self.record.short}",
                    found=str(attrs[attr.name]),
                    expected=", ".join(attr.values) or f"{attr.low} to {attr.high}",
                )
        for operand in self.form.operands:
            if operand.name not in given and not isinstance(operand.type, _MASKS):
                raise Misuse(
                    f"{self.record.short} needs {operand.name}",
                    found=f"{len(arguments)} arguments",
                    expected=self._face(),
                )
        return [given.get(name) for name in names], attrs

    def _face(self) -> str:
        return f"{self.record.short}({', '.join(o.name for o in self.form.operands)})"

    def _clauses(self, named: dict[str, Any]) -> list[tuple[str, tuple[Any, ...]]]:
        found: list[tuple[str, tuple[Any, ...]]] = []
        for group in self.form.groups:
            value = named.pop(group.keyword, None)
            if value is None:
                if group.arity == "one":
                    raise Misuse(f"{self.record.short} needs {group.keyword}=(...)")
                continue
            many = value if isinstance(value, list) else [value]
            for one in many:
                values = one if isinstance(one, tuple) else (one,)
                least = group.required or len(group.operands)
                if not least <= len(values) <= len(group.operands):
                    names = ", ".join(o.name for o in group.operands)
                    raise Misuse(
                        f"{group.keyword} has {len(group.operands)} numbers",
                        found=str(len(values)),
                        expected=f"{group.keyword}=({names})",
                    )
                found.append((group.keyword, values))
        return found

    def _values(self, operands: list[tuple[Operand, Any]]) -> list[KernelValue]:
        """What is given, as values of the types that the form takes: vectors and pointers decide
        what masks and scalars are."""
        found: list[KernelValue | None] = [None] * len(operands)
        late: list[int] = []
        for at, (operand, given) in enumerate(operands):
            if isinstance(given, KernelValue) and not isinstance(given, (ScalarValue, MaskValue)):
                if not operand.type.match(given.type, self.known):
                    raise self._misfit(operand, given)
                found[at] = given
                self.progress = 2
            else:
                late.append(at)
        for at in sorted(late, key=lambda at: isinstance(operands[at][1], (int, float))):
            operand, given = operands[at]
            if given is None:
                found[at] = self._all_lanes(operand)
            elif isinstance(given, (ScalarValue, int, float)):
                found[at] = self._scalar(operand, given)
            elif isinstance(given, KernelValue) and operand.type.match(given.type, self.known):
                found[at] = given
            else:
                raise self._misfit(operand, given)
        return [value for value in found if value is not None]

    def _misfit(self, operand: Operand, given: Any, hint: str = "") -> Misuse:
        return Misuse(
            f"{operand.name} of {self.record.short} cannot be {described(given)}",
            found=str(given.type) if isinstance(given, KernelValue) else type(given).__name__,
            expected=operand.type.expected(self.known),
            hint=hint,
        )

    def _all_lanes(self, operand: Operand) -> KernelValue:
        decided = operand.type.resolve(self.known)
        if decided is None:
            dtypes = [d for d in self.known.values() if isinstance(d, DType)]
            decided = MaskFor().resolve({"T": dtypes[0]}) if dtypes else None
        if not isinstance(decided, Mask):
            raise Misuse(f"{self.record.short} needs {operand.name}")
        return wrapped(decided, current().all_lanes(decided.bits))

    def _scalar(self, operand: Operand, given: ScalarValue | int | float) -> KernelValue:
        pattern = operand.type
        if isinstance(given, ScalarValue):
            if pattern.match(given.type, self.known):
                return given
            to = _scalar_type(pattern, self.known)
            if to is not None and _goes(given.dtype, to):
                return convert(given, to)
            raise self._misfit(operand, given)
        otherwise = self.wanted or (F32 if isinstance(given, float) else None)
        to = _scalar_type(pattern, self.known) or otherwise
        if to is None:
            raise self._misfit(operand, given, hint="say its type, as in dtype=pto.i32")
        value = constant(to, given)
        if not pattern.match(value.type, self.known):
            raise self._misfit(operand, given)
        return value

    def _results(self) -> tuple[Type, ...]:
        """The types of the results: as operands decide, and of the element type that the caller
        says where they leave one open."""
        said = self.wanted is None
        found: list[Type] = []
        for result in self.form.results:
            asked = self.wanted and _of_element(result.type, self.wanted, self.known)
            said = said or bool(asked)
            decided = asked or result.type.resolve(self.known)
            if decided is None:
                raise Misuse(
                    f"nothing says the type of {result.name} of {self.record.short}",
                    expected=str(result.type),
                    hint="say its element type, as in dtype=pto.f16",
                )
            result.type.match(decided, self.known)
            found.append(decided)
        if not said:
            raise Misuse(
                f"no result of {self.record.short} can be of {self.wanted}",
                found=str(self.wanted),
                expected=", ".join(map(str, found)) or "no result",
            )
        return tuple(found)


def _element(kind: Any) -> DType | None:
    """The element type that `pto.f32` or a type itself names."""
    if kind is None:
        return None
    found = getattr(kind, "dtype", kind)
    if not isinstance(found, DType):
        raise Misuse(f"{kind!r} is no element type", expected="one of pto.f32, pto.i32, ...")
    return found


def _scalar_type(pattern: Pattern, known: Bindings) -> DType | None:
    """The type of a scalar that a number becomes."""
    decided = pattern.resolve(known)
    if isinstance(decided, Scalar):
        # The scalar of a signed or unsigned vector is written signless.
        return decided.dtype
    if isinstance(pattern, ScalarIn):
        return pattern.dtypes[0]
    for choice in getattr(pattern, "choices", ()):
        found = _scalar_type(choice, known)
        if found is not None:
            return found
    dtypes = getattr(pattern, "dtypes", ())
    return dtypes[0] if dtypes else None


def _goes(source: DType, to: DType) -> bool:
    """Whether a whole number is converted without being asked to: to and from an index, and to
    a wider one."""
    if not (source.is_int and to.is_int):
        return False
    return INDEX in (source, to) or source.bits < to.bits


def _of_element(pattern: Pattern, dtype: DType, known: Bindings) -> Type | None:
    """A result of an element type that the caller says."""
    if isinstance(pattern, OneOf):
        choices = (_of_element(choice, dtype, known) for choice in pattern.choices)
        return next((kind for kind in choices if kind is not None), None)
    kinds: list[Type] = [VReg(dtype), Scalar(dtype)]
    if isinstance(pattern, PtrTo):
        space = known.get("S") if pattern.space == "S" else pattern.space
        kinds.append(Ptr(dtype, str(space)))
    mask = MaskFor().resolve({"T": dtype})
    if mask is not None:
        kinds.append(mask)
    return next((k for k in kinds if pattern.match(k, dict(known))), None)


@cache
def function(name: str) -> Callable[..., Any]:
    """The function of an instruction, by its name without the dialect; KeyError otherwise."""
    record = TABLE[f"pto.{name}"]

    def made_now(*arguments: Any, **named: Any) -> Any:
        return call(record, *arguments, **named)

    made_now.__name__ = made_now.__qualname__ = name
    made_now.__doc__ = record.doc
    return made_now
