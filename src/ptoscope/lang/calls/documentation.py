"""Signature and docstring of an instruction's function, from its record."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from textwrap import wrap

from ptoscope.isa.dtypes import DType
from ptoscope.isa.record import Attr, Group, Operand, Record
from ptoscope.lang.calls.annotations import TypedCall, TypedParameter, typed_calls, union
from ptoscope.lang.calls.names import python_name
from ptoscope.lang.calls.parameters import CallForm, call_forms

_WIDTH = 92


class WrittenType(str):
    """An annotation, shown as it is written."""

    def __repr__(self) -> str:
        return str(self)


def calls(record: Record) -> list[TypedCall]:
    """All ways to call an instruction."""
    return [call for form in call_forms(record) for call in typed_calls(record, form)]


def signature(record: Record) -> inspect.Signature:
    """One signature that every way to call it fits. The first form names what is given without
    a name; what other forms have besides is given by name."""
    ways = calls(record)
    placed = list(ways[0].parameters)
    for way in ways[1:]:
        own = [p for p in way.parameters if not p.by_name]
        theirs = [p for p in placed if not p.by_name]
        if [p.name for p in own[: len(theirs)]] == [p.name for p in theirs]:
            placed[len(theirs) : len(theirs)] = own[len(theirs) :]
        known = {p.name for p in placed}
        placed += [
            TypedParameter(p.name, p.annotation, p.default, True)
            for p in way.parameters
            if p.name not in known
        ]
    found: list[inspect.Parameter] = []
    optional = False
    for p in placed:
        theirs = [o for way in ways for o in way.parameters if o.name == p.name]
        everywhere = len(theirs) == len(ways) and all(o.by_name == p.by_name for o in theirs)
        required = everywhere and not p.default and (p.by_name or not optional)
        optional = optional or not required
        found.append(
            inspect.Parameter(
                p.name,
                inspect.Parameter.KEYWORD_ONLY if p.by_name else _POSITIONAL,
                default=inspect.Parameter.empty if required else _default(p),
                annotation=WrittenType(union(o.annotation for o in theirs)),
            )
        )
    found.sort(key=lambda parameter: parameter.kind)
    results = dict.fromkeys(way.result for way in ways)
    return inspect.Signature(found, return_annotation=WrittenType(" | ".join(results)))


_POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD


def _default(parameter: TypedParameter) -> object:
    written = parameter.default
    if parameter.name == "update":
        return False
    if written in ("", "None"):
        return None
    return ast.literal_eval(written)


def docstring(record: Record) -> str:
    """What the instruction does, its arguments, where it exists, and how it is called."""
    return "\n".join(_lines(record)).strip()


def _lines(record: Record) -> Iterator[str]:
    yield from wrap(record.doc, _WIDTH)
    if record.formula:
        yield ""
        yield from wrap(record.formula, _WIDTH, initial_indent="    ", subsequent_indent="    ")
    shown = list(dict.fromkeys(_arguments(record)))
    if shown:
        yield ""
        yield from shown
    for variable, types in record.types.items():
        every = tuple(dict.fromkeys((*types.manual, *(types.micro or ()))))
        yield from _item(f"{variable}", _types(every))
    yield f"Targets: {', '.join(record.targets)}."
    yield ""
    for form in call_forms(record):
        yield f"    {example(record, form)}"


def _arguments(record: Record) -> Iterator[str]:
    for form in call_forms(record):
        for parameter in form.parameters:
            match parameter.of:
                case Operand() as of:
                    left_out = "" if parameter.required else "left out: all lanes"
                    yield from _item(parameter.name, str(of.type), of.doc, left_out)
                case Attr() as of:
                    words = ", ".join(of.values) or f"{of.low} to {of.high}"
                    default = "" if of.default is None else f"{of.default} unless said"
                    yield from _item(parameter.name, of.doc, words, default)
                case Group() as of:
                    names = ", ".join(o.name for o in of.operands)
                    many = f"up to {of.most}, in a list" if of.most > 1 else ""
                    yield from _item(parameter.name, f"({names})", many)
        if form.update:
            yield from _item("update", "True gives the address after the access, too")
        if form.dtype != "never":
            yield from _item("dtype", "the element type of the result, as in pto.f32")
        if form.space:
            yield from _item("space", "the memory of the pointer: ub unless said")


def _item(name: str, *parts: str) -> Iterator[str]:
    text = "; ".join(part for part in parts if part)
    yield from wrap(f"{name}: {text}", _WIDTH, subsequent_indent="    ")


def _types(dtypes: tuple[DType, ...]) -> str:
    return ", ".join(str(d) for d in dtypes)


def example(record: Record, form: CallForm) -> str:
    """A call in Python, with the names of the record as those of the kernel."""
    written: list[str] = []
    for parameter in form.parameters:
        value = parameter.name
        match parameter.of:
            case Attr() as of if not parameter.required:
                continue
            case Attr() as of:
                value = f'"{of.values[0]}"' if of.values else str(of.low)
            case Group() as of if not parameter.required:
                continue
            case Group() as of:
                value = f"({', '.join(o.name for o in of.operands)})"
            case _:
                pass
        written.append(f"{parameter.name}={value}" if parameter.by_name else value)
    if form.update:
        written.append("update=True")
    if form.dtype == "must":
        written.append("dtype=pto.f32")
    results = ", ".join(r.name for r in form.form.results)
    left = f"{results} = " if results else ""
    return f"{left}pto.{python_name(record)}({', '.join(written)})"
