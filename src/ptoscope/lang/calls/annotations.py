"""The types of parameters and results of a call, as Python writes them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ptoscope.isa.dtypes import F32, I1, DType
from ptoscope.isa.patterns import (
    AlignState,
    IntVec,
    OneOf,
    Pattern,
    PtrTo,
    ScalarFor,
    ScalarIn,
    ScalarVar,
    Vec,
    VecIn,
    VecOf,
    VectorAddress,
)
from ptoscope.isa.record import Attr, Group, Operand, Record
from ptoscope.lang.calls.parameters import (
    MASKS,
    CallForm,
    CallParameter,
    choices,
    only,
    result_need,
)

_OUTSIDE = re.compile(r" \| (?![^\[]*\])")
"""The sign between types that stand side by side, not within the brackets of another."""


@dataclass(frozen=True)
class TypedParameter:
    """A parameter with its annotation, and its default as it is written; "" for none."""

    name: str
    annotation: str
    default: str
    by_name: bool


@dataclass(frozen=True)
class TypedCall:
    """One way to call an instruction: parameters in order, and what it gives."""

    parameters: tuple[TypedParameter, ...]
    result: str


def typed_calls(record: Record, form: CallForm) -> Iterator[TypedCall]:
    """The ways to call a form: without and with saying the element type of a result. A lone
    float of Python is an f32."""
    if form.dtype != "must":
        typing = _Typing(record, form, said=False)
        yield typing.call()
        if typing.is_open and len(typing.soft) == 1 and typing.of_floats:
            yield _OfNumber(record, form, said=False).call()
    if form.dtype != "never":
        yield _Typing(record, form, said=True).call()


class _Typing:
    """Writes the types of one call. What a caller says stands for U, or for the variable of a
    scalar operand."""

    def __init__(self, record: Record, form: CallForm, said: bool) -> None:
        self.record, self.form, self.said = record, form, said
        operands = [o.type for o in form.form.operands]
        self.soft = [p for p in operands if isinstance(p, (ScalarFor, ScalarVar))]
        self.results = [r.type for r in form.form.results]
        self.shared = Counter(_variables([*operands, *self.results]))

    def call(self) -> TypedCall:
        parameters = [self._parameter(p) for p in self.form.parameters]
        if self.form.update:
            parameters.append(TypedParameter("update", "Literal[True]", "", True))
        results = [self._result(pattern) for pattern in self.results]
        if self.said:
            parameters.append(TypedParameter("dtype", f"type[{self._says()}]", "", True))
        if self.said and self.form.space:
            parameters.append(TypedParameter("space", 'Literal["ub", "gm"] | None', "None", True))
        if not results:
            return TypedCall(tuple(parameters), "None")
        several = ", ".join(results)
        return TypedCall(tuple(parameters), several if len(results) == 1 else f"tuple[{several}]")

    def _parameter(self, parameter: CallParameter) -> TypedParameter:
        of = parameter.of
        default = ""
        match of:
            case Attr():
                annotation = word_type(of)
                if of.default is not None:
                    shown = bool(of.default) if of.is_flag else of.default
                    default = repr(shown).replace("'", '"')
            case Group():
                annotation, default = self._clause(of), "" if parameter.required else "None"
            case Operand():
                annotation = self._operand(of.type)
                if not parameter.required:
                    default = "None"
        if default == "None":
            annotation += " | None"
        return TypedParameter(parameter.name, annotation, default, parameter.by_name)

    def _clause(self, group: Group) -> str:
        kinds = [self._operand(o.type) for o in group.operands]
        least = group.required or len(kinds)
        shapes = [f"tuple[{', '.join(kinds[:n])}]" for n in range(max(least, 2), len(kinds) + 1)]
        if least == 1:
            shapes.insert(0, kinds[0])
        one = " | ".join(shapes)
        return f"{one} | list[{one}]" if group.most > 1 else one

    def _operand(self, pattern: Pattern) -> str:
        match pattern:
            case OneOf():
                return union(self._operand(choice) for choice in pattern.choices)
            case ScalarFor() | ScalarVar() if self.said and pattern in self.soft and self.is_open:
                return "Scalar | float"
            case ScalarFor() | ScalarVar():
                variable = self._variable(pattern.var)
                if variable == "Any":
                    return "Scalar | float"
                if len(self.soft) == 1 and self.is_open:
                    return variable
                whole = isinstance(pattern, ScalarVar) and all(d.is_int for d in pattern.dtypes)
                return f"{variable} | {'int' if whole else 'float'}"
            case ScalarIn():
                return _scalars(pattern.dtypes)
            case _:
                return self._plain(pattern)

    @property
    def of_floats(self) -> bool:
        """Whether its scalars may be f32."""
        types = self.record.types.get("T")
        return types is None or F32 in types.manual

    @property
    def is_open(self) -> bool:
        """Whether scalars alone decide the types of results."""
        return (
            self.form.dtype == "may"
            and any(_needs_scalar(r) for r in self.results)
            and (not any(isinstance(o.type, (Vec, PtrTo)) for o in self.form.form.operands))
        )

    def _plain(self, pattern: Pattern) -> str:
        match pattern:
            case Vec():
                return f"Vector[{self._variable(pattern.var)}]"
            case VecIn():
                return union(f"Vector[{d}]" for d in pattern.dtypes)
            case PtrTo():
                return f"Pointer[{self._variable(pattern.var)}]"
            case AlignState():
                return "Align"
            case VectorAddress():
                return "VectorAddress"
            case _ if isinstance(pattern, MASKS):
                return "Mask"
            case IntVec() | VecOf():
                return "Vector[Any]"
            case _:
                return "Scalar | float"

    def _variable(self, name: str) -> str:
        return name if self.shared[name] > 1 else "Any"

    def _says(self) -> str:
        """What stands for the element type that is said."""
        for pattern in self.results:
            if self._is_open(pattern):
                if isinstance(pattern, (*MASKS, VectorAddress)):
                    return "Element"
                return _variable_of(pattern) if self.is_open else "U"
        return "Element"

    def _is_open(self, pattern: Pattern) -> bool:
        return result_need(self.record, pattern, self.form.form) != "never"

    def _result(self, pattern: Pattern) -> str:
        said = self.said and self._is_open(pattern)
        match pattern:
            case Vec() | IntVec() if said and not self.is_open:
                return "Vector[U]"
            case PtrTo() if said:
                return "Pointer[U]"
            case ScalarIn() if said:
                return "U"
            case OneOf():
                # An address as a number, unless a caller says what it points to.
                pointer = any(isinstance(choice, PtrTo) for choice in pattern.choices)
                return "Pointer[U]" if said and pointer else self._unsaid(pattern)
            case ScalarIn():
                return str(pattern.dtypes[0]) if len(pattern.dtypes) == 1 else "Any"
            case ScalarFor() | ScalarVar():
                return pattern.var if self.shared[pattern.var] > 1 else "Any"
            case Vec() if only(self.record, pattern.var):
                return f"Vector[{self.record.types[pattern.var].manual[0]}]"
            case _:
                return self._plain(pattern)

    def _unsaid(self, pattern: OneOf) -> str:
        same = any(o.type == pattern for o in self.form.form.operands)
        decided = [c.resolve({}) for c in pattern.choices]
        return "Any" if same else next((str(kind) for kind in decided if kind), "Any")


class _OfNumber(_Typing):
    """A call with a number of Python that nothing else gives a type."""

    def _operand(self, pattern: Pattern) -> str:
        return "float" if pattern in self.soft else super()._operand(pattern)

    def _variable(self, name: str) -> str:
        return "f32"

    def _result(self, pattern: Pattern) -> str:
        return "f32" if isinstance(pattern, ScalarVar) else super()._result(pattern)


def _variable_of(pattern: Pattern) -> str:
    return str(getattr(pattern, "var", "U"))


def _variables(patterns: list[Pattern]) -> Iterator[str]:
    for pattern in patterns:
        for choice in choices(pattern):
            if isinstance(choice, (Vec, PtrTo, ScalarFor, ScalarVar)):
                yield choice.var


def _needs_scalar(pattern: Pattern) -> bool:
    return isinstance(pattern, (Vec, ScalarFor, ScalarVar))


def _scalars(dtypes: tuple[DType, ...]) -> str:
    if dtypes == (I1,):
        return "i1 | bool"
    if all(d.is_int for d in dtypes):
        return "Integer | int"
    return "Float | float" if all(d.is_float for d in dtypes) else "Scalar | float"


def union(kinds: Iterable[str]) -> str:
    """What is of one of several types."""
    return " | ".join(dict.fromkeys(part for kind in kinds for part in _OUTSIDE.split(kind)))


def word_type(attr: Attr) -> str:
    """The type of a word or number of an instruction."""
    if not attr.values:
        return "bool" if attr.is_flag else "int"
    if attr.is_open:
        return "str"
    listed = f"Literal[{', '.join(repr(v) for v in attr.values)}]".replace("'", '"')
    # Beside a string the literals say nothing to a type checker, but editors offer them.
    return f"{listed} | str" if attr.numbered else listed
