"""Operations made from the instruction table: one line per form, with its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from ptoscope.ir.forms.syntax import compiled
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import ELEMENTS, F32, SCALARS, DType
from ptoscope.isa.patterns import Bindings, Pattern
from ptoscope.isa.record import Attr, Form, Record
from ptoscope.isa.types import GRANULARITIES, SPACES, Align, Mask, Ptr, Scalar, Type, VAddr, VReg

FORMS = [
    pytest.param(record, index, id=f"{record.name}-{index}")
    for record in TABLE.values()
    for index, form in enumerate(record.forms)
    if record.name.startswith("pto.") and not compiled(form).region
]
_TYPES: tuple[Type, ...] = (
    *(VReg(d) for d in ELEMENTS),
    *(Ptr(d, s) for d in ELEMENTS for s in reversed(SPACES)),
    *(Mask(b) for b in reversed(GRANULARITIES)),
    Align(),
    *(VAddr(b) for b in reversed(GRANULARITIES)),
    *(Scalar(d) for d in SCALARS),
)


class NoTypeFits(Exception):
    """No type of the product fits a pattern beside those chosen before."""


def sample(pattern: Pattern, known: Bindings, element: DType) -> Type:
    """A type that fits a pattern of any class, of the given element type if one does."""
    decided = pattern.resolve(known)
    likely = [] if decided is None else [decided]
    likely += sorted(_TYPES, key=lambda t: getattr(t, "dtype", None) is not element)
    for type in likely:
        trial = dict(known)
        if pattern.match(type, trial):
            known.update(trial)
            return type
    raise NoTypeFits(f"no type fits {pattern!r} ({pattern}) where {known} is known")


def value(attr: Attr) -> str:
    """A literal that an attribute takes."""
    return f'"{attr.values[0]}"' if attr.values else str(attr.low)


def _words(form: Form, optional: bool) -> dict[str, list[str]]:
    """The words of the clauses that attributes are written as: each with its first value that is
    not its default; without the `optional` ones those that have none."""
    found: dict[str, list[str]] = {}
    for attr in (a for a in form.attrs if a.clause and (optional or a.default is None)):
        chosen = next((v for v in attr.values if v != attr.default), "")
        keyword, _, inner = attr.clause.replace("*", chosen).rstrip(")").partition("(")
        found.setdefault(keyword, []).extend([inner] if inner else [])
    return found


def _alternatives(form: Form) -> set[str]:
    """Keywords that stand for values of one attribute, of which one is written."""
    return {v for a in form.attrs if a.clause == "*" for v in a.values}


def _entry(attr: Attr) -> str:
    """The same in the dictionary, with its name."""
    if attr.is_unit:
        return attr.name
    if attr.is_flag:
        return f"{attr.name} = false"
    chosen = f"#pto<{attr.kind} {attr.values[0]}>" if attr.kind else value(attr)
    return f"{attr.name} = {chosen}"


def write(
    record: Record,
    index: int,
    element: DType = F32,
    clauses: int = 2,
    instead: Mapping[str, Type] | None = None,
) -> tuple[str, str]:
    """A line in the given form, with all of its optional parts, and its parameters; operands have
    the types that are given for them `instead`."""
    wrong: list[str] = []
    for each in (element, *_elements(record)):
        try:
            return _write(record, record.forms[index], each, clauses, instead or {})
        except NoTypeFits as error:
            wrong.append(str(error))
    raise AssertionError(
        f"{record.name}, form {index}: tests/ir/table.py finds no types; {wrong[0]}"
    )


def _elements(record: Record) -> Iterator[DType]:
    for types in record.types.values():
        yield from types.manual
        yield from types.micro or ()
    yield from ELEMENTS


def _write(
    record: Record, form: Form, element: DType, clauses: int, instead: Mapping[str, Type]
) -> tuple[str, str]:
    syntax = compiled(form)
    known: Bindings = {}
    types = {o.name: sample(o.type, known, element) for o in form.operands}
    results = {r.name: sample(r.type, known, element) for r in form.results}
    types.update(instead)
    pieces = ""
    for item in syntax.items:
        comma = ", " if pieces and pieces[-1] != "[" else ""
        match item.kind:
            case "operand":
                pieces += f"{comma}%{item.names[0]}"
            case "address":
                pieces += f"{comma}%{item.names[0]}[%{item.names[1]}]"
            case "token" | "integer":
                pieces += comma + value(form.attr(item.names[0]))
            case "word":
                pieces += f" {form.attr(item.names[0]).values[0]}"
            case "pipe":
                pieces += f"{comma}#pto.pipe<PIPE_ALL>"
            case "open":
                pieces += "["
            case "close":
                pieces += "]"
    entries = [a for a in syntax.entries if not a.clause]
    if entries:
        pieces += f" {{{', '.join(map(_entry, entries))}}}"
    named = {**results, **types} if set(syntax.listed) <= set(types) else {**types, **results}
    listed = [str(named[n]) for n in syntax.listed]
    if syntax.repeated:
        listed.append(form.attr(syntax.repeated).values[0])
    words = _words(form, optional=clauses > 0)
    written: dict[str, list[list[str]]] = {word: [] for word in (*form.clauses, *words)}
    for group in form.groups:
        if form.clauses and group.keyword not in words and group.keyword in _alternatives(form):
            continue
        for k in range({"one": 1, "optional": min(1, clauses), "many": clauses}[group.arity]):
            names = [f"{group.keyword}_{k}_{o.name}" for o in group.operands]
            chosen = [sample(o.type, known, element) for o in group.operands]
            types.update(zip(names, chosen, strict=True))
            values = [f"%{n}" for n in names]
            if group.inside:
                words.setdefault(group.inside, []).append(f"{group.keyword} = {values[0]}")
            else:
                written.setdefault(group.keyword, []).append(values)
            kinds = ", ".join(map(str, chosen))
            if group.bracketed:
                kinds = f"{group.keyword}({kinds})"
            elif group.named or (group.arity != "one" and not group.unnamed):
                kinds = f"{group.keyword} {kinds}"
            listed.append(kinds)
    comma = "," if ", groups" in form.pattern else ""
    for keyword, uses in written.items():
        for values in uses or ([[]] if keyword in words else []):
            parts = ", ".join([*values, *words.get(keyword, ())])
            pieces += f"{comma} {keyword}({parts})" if parts else f"{comma} {keyword}"
    ending = f" : {', '.join(listed)}" if listed else ""
    if syntax.returned:
        ending += f" -> {', '.join(str(results[n]) for n in syntax.returned)}"
    left = f"{', '.join(f'%r_{n}' for n in results)} = " if results else ""
    parameters = ", ".join(f"%{n}: {t}" for n, t in types.items())
    blank = "" if pieces[:1] in ("[", "") else " "
    return f"{left}{record.name}{blank}{pieces}{ending}", parameters
