"""Which argument of a call is which: operands, words and clauses by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ptoscope.isa.record import Attr, Form, Group, Operand
from ptoscope.isa.types import AttrValue
from ptoscope.lang.calls.parameters import CallForm, CallParameter
from ptoscope.lang.values import KernelValue, Misuse, described


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


class Decided(Misuse):
    """A mistake that no other form makes good."""


Bound = Mapping[str, tuple[ArgumentPlace, Any]]
"""Arguments by the names of their parameters, with their places."""


def bound(callee: str, call: CallForm, arguments: Sequence[Any], named: Mapping[str, Any]) -> Bound:
    """The arguments of a call of a form; Misuse for too many, too few and unknown ones."""
    names = call.positional
    if len(arguments) > len(names):
        by_name = [p.name for p in call.parameters if p.by_name]
        raise Misuse(
            f"{callee} takes {len(names)} arguments, found more",
            found=described(arguments[len(names)]),
            expected=_face(callee, call),
            hint=f"give {by_name[0]} by its name: {by_name[0]}=..." if by_name else "",
        )
    given: dict[str, tuple[ArgumentPlace, Any]] = {}
    for at, (name, value) in enumerate(zip(names, arguments, strict=False)):
        if value is not None:
            given[name] = ArgumentPlace(at), value
    for name, value in named.items():
        if name not in call.by_name:
            raise unknown(callee, call, name)
        if name in names[: len(arguments)]:
            raise Misuse(f"{callee} has two arguments '{name}'", expected=_face(callee, call))
        if value is not None:
            given[name] = ArgumentPlace(name), value
    for parameter in call.parameters:
        if parameter.required and parameter.name not in given:
            raise Misuse(
                f"{callee} needs {parameter.name}",
                found=f"{len(arguments) + len(named)} arguments",
                expected=_values(parameter.of) or _face(callee, call),
                hint=_meant(parameter, arguments),
            )
    return given


def _face(callee: str, call: CallForm) -> str:
    """How it is called, in a line."""
    shown = [p.name if p.required else f"{p.name}=..." for p in call.parameters]
    return f"{callee}({', '.join(shown)})"


def unknown(callee: str, call: CallForm, name: str) -> Misuse:
    """That a form has no parameter of a name."""
    return Misuse(
        f"{callee} has no argument '{name}'",
        found=name,
        expected=", ".join(p.name for p in call.parameters) or "no arguments",
    )


def words(callee: str, form: Form, given: Bound) -> dict[str, AttrValue]:
    """The attributes of a use; Misuse for a value that one does not have."""
    found: dict[str, AttrValue] = {}
    for attr in form.attrs:
        if attr.name not in given:
            if attr.default is not None:
                found[attr.name] = attr.default
            continue
        value = attr.meant(given[attr.name][1])
        if isinstance(value, KernelValue) or not attr.allows(value):
            # No other form takes a number that is out of range.
            final = not attr.values and isinstance(value, int)
            raise (Decided if final else Misuse)(
                f"{attr.name} of {callee} cannot be {described(value)}",
                found=described(value),
                expected=_values(attr),
            )
        found[attr.name] = value
    return found


def clauses(
    callee: str, group: Group, place: ArgumentPlace, value: Any
) -> list[tuple[ArgumentPlace, Sequence[Any]]]:
    """The clauses of a keyword: one, or a list of them; each is a tuple, or a lone value."""
    if value is None:
        return []
    several = isinstance(value, list)
    found: list[tuple[ArgumentPlace, Sequence[Any]]] = []
    for k, one in enumerate(value if several else [value]):
        values = one if isinstance(one, tuple) else (one,)
        if not group.takes(len(values)):
            names = ", ".join(o.name for o in group.operands)
            raise Misuse(
                f"{group.keyword} of {callee} has {len(group.operands)} numbers",
                found=str(len(values)),
                expected=f"{group.keyword}=({names})",
            )
        found.append((place.inner(k) if several else place, values))
    if len(found) > group.most:
        raise Misuse(f"{callee} has at most {group.most} {group.keyword}", found=str(len(found)))
    return found


def _meant(parameter: CallParameter, arguments: Sequence[Any]) -> str:
    """That a word was meant for a parameter which is given by its name, if one was."""
    of = parameter.of
    words = [a for a in arguments if isinstance(a, str) and isinstance(of, Attr) and of.allows(a)]
    by_name = parameter.by_name and words
    return f"give it by its name: {parameter.name}={words[0]!r}" if by_name else ""


def _values(of: Operand | Attr | Group) -> str:
    if not isinstance(of, Attr):
        return ""
    return ", ".join(of.values) or f"{of.low} to {of.high}"
