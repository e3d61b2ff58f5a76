"""What each form of an instruction takes, in the order in which its text has it.

Operands and words stand as in the text. What follows an operand that may be left out is given by
name, and so are entries of the dictionary and clauses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

from ptoscope.ir.forms.syntax import compiled
from ptoscope.isa.patterns import (
    AnyMask,
    Extended,
    IntVec,
    MaskBits,
    MaskFor,
    OneOf,
    Pattern,
    PtrTo,
    ScalarFor,
    ScalarIn,
    ScalarVar,
    Vec,
    VectorAddress,
)
from ptoscope.isa.record import Attr, Form, Group, Operand, Record

MASKS = (MaskFor, AnyMask, MaskBits)
Need = Literal["never", "may", "must"]


@dataclass(frozen=True)
class CallParameter:
    """One parameter of a form: an operand, an attribute or a clause."""

    name: str
    of: Operand | Attr | Group
    by_name: bool
    required: bool


@dataclass(frozen=True, eq=False)
class CallForm:
    """A form as it is called. `update` is what the argument of that name has to be, None where
    there is none; `dtype` says whether a caller says the element type of a result."""

    index: int
    form: Form
    parameters: tuple[CallParameter, ...]
    update: bool | None
    dtype: Need

    @cached_property
    def space(self) -> bool:
        """Whether a caller may say the memory of a pointer that it results in."""
        patterns = [choice for r in self.form.results for choice in choices(r.type)]
        open_one = any(isinstance(p, PtrTo) and p.space == "S" for p in patterns)
        return open_one and self.dtype != "never"

    @cached_property
    def by_name(self) -> dict[str, CallParameter]:
        """Its parameters by their names."""
        return {p.name: p for p in self.parameters}

    @cached_property
    def positional(self) -> tuple[str, ...]:
        """The names of those that may be given without a name."""
        return tuple(p.name for p in self.parameters if not p.by_name)


@cache
def call_forms(record: Record) -> tuple[CallForm, ...]:
    """The forms of an instruction, as they are called."""
    taken = [_parameters(form) for form in record.forms]
    names = [tuple(p.name for p in parameters) for parameters in taken]
    found: list[CallForm] = []
    for index, form in enumerate(record.forms):
        if form.in_text:
            continue
        # A form that differs from another by its results alone is the one that updates.
        twins = [
            len(other.results)
            for other, theirs in zip(record.forms, names, strict=True)
            if theirs == names[index] and len(other.results) != len(form.results)
        ]
        update = len(form.results) > min(twins) if twins else None
        found.append(CallForm(index, form, taken[index], update, _need(record, form)))
    return tuple(found)


def _parameters(form: Form) -> tuple[CallParameter, ...]:
    operands = {operand.name: operand for operand in form.operands}
    syntax = compiled(form)
    written = [n for item in syntax.items for n in item.names]
    written += [n for n in operands if n not in written]
    found: list[CallParameter] = []
    optional = False
    for name in written:
        one = operands.get(name)
        of = form.attr(name) if one is None else one
        required = not can_be_left_out(of, form)
        found.append(CallParameter(name, of, by_name=optional and required, required=required))
        optional = optional or not required
    for attr in syntax.entries:
        found.append(CallParameter(attr.name, attr, by_name=True, required=attr.default is None))
    for group in form.groups:
        required = group.arity == "one"
        found.append(CallParameter(group.keyword, group, by_name=True, required=required))
    return tuple(found)


def can_be_left_out(of: Operand | Attr, form: Form) -> bool:
    """Whether it has a default: a word that has one, and a mask at the end, which says what lanes
    take part."""
    if isinstance(of, Attr):
        return of.default is not None
    return isinstance(of.type, MASKS) and of is form.operands[-1] and of.name in ("mask", "seed")


def _need(record: Record, form: Form) -> Need:
    """Whether a caller says the element type of a result."""
    needs = {result_need(record, r.type, form) for r in form.results}
    return "must" if "must" in needs else "may" if "may" in needs else "never"


def result_need(record: Record, pattern: Pattern, form: Form) -> Need:
    """Whether a caller says the element type of a result with that pattern."""
    operands = [choice for o in form.operands for choice in choices(o.type)]
    firm = {p.var for p in operands if isinstance(p, (Vec, PtrTo, AnyMask, VectorAddress))}
    soft = {p.var for p in operands if isinstance(p, (ScalarFor, ScalarVar))}
    match pattern:
        case OneOf() if any(o.type == pattern for o in form.operands):
            return "never"
        case Extended() | IntVec() | OneOf():
            return "may"
        case ScalarIn():
            return "must" if len(pattern.dtypes) > 1 else "never"
        case Vec() | PtrTo() | AnyMask() | VectorAddress() | ScalarFor() | ScalarVar():
            if pattern.var in firm:
                return "never"
            return "may" if pattern.var in soft or only(record, pattern.var) else "must"
        case _:
            return "never"


def choices(pattern: Pattern) -> tuple[Pattern, ...]:
    """The patterns of which one has to fit."""
    return pattern.choices if isinstance(pattern, OneOf) else (pattern,)


def only(record: Record, variable: str) -> bool:
    """Whether there is one element type that a variable can stand for."""
    types = record.types.get(variable)
    return types is not None and len({*types.manual, *(types.micro or ())}) == 1
