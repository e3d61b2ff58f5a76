"""Every instruction of the table, in every form, reads back as it is printed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoscope import ir
from ptoscope.ir.syntax import compiled
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import F32, I16, I32, INDEX, DType
from ptoscope.isa.patterns import Bindings, OneOf, Pattern, ScalarIn, ScalarVar
from ptoscope.isa.record import Attr, Form, Record
from ptoscope.isa.types import Align, Mask, Ptr, Scalar, Type, VReg
from tests.ir.kernels import function, round_trip

FORMS = [
    pytest.param(record, index, id=f"{record.name}-{index}")
    for record in TABLE.values()
    for index, form in enumerate(record.forms)
    if record.name.startswith("pto.") and not compiled(form).region
]
_CANDIDATES: tuple[Type, ...] = (
    *(VReg(d) for d in (F32, I32, I16)),
    *(Mask(b) for b in (32, 16, 8)),
    *(Ptr(d, s) for d in (F32, I32, I16) for s in ("ub", "gm")),
    Align(),
    *(Scalar(d) for d in (F32, I32, I16, INDEX)),
)


def choose(pattern: Pattern, known: Bindings, element: DType) -> Type:
    """A type that fits a pattern."""
    decided = pattern.resolve(known)
    if decided is not None:
        return decided
    if isinstance(pattern, ScalarIn | ScalarVar):
        found: Type = Scalar(pattern.dtypes[0])
        pattern.match(found, known)
        return found
    if isinstance(pattern, OneOf):
        return choose(pattern.choices[0], known, element)
    likely = sorted(_CANDIDATES, key=lambda t: getattr(t, "dtype", None) is not element)
    for type in likely:
        trial = dict(known)
        if pattern.match(type, trial):
            known.update(trial)
            return type
    raise AssertionError(f"no type fits {pattern}")


def value(attr: Attr) -> str:
    return f'"{attr.values[0]}"' if attr.values else str(attr.low)


def write(record: Record, form: Form, element: DType, clauses: int) -> tuple[str, str]:
    """A line in the given form, with all of its optional parts, and its parameters."""
    syntax = compiled(form)
    known: Bindings = {}
    types = {o.name: choose(o.type, known, element) for o in form.operands}
    results = {r.name: choose(r.type, known, element) for r in form.results}
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
            case "pipe":
                pieces += f"{comma}#pto.pipe<PIPE_ALL>"
            case "open":
                pieces += "["
            case "close":
                pieces += "]"
    if syntax.entries:
        pieces += f" {{{', '.join(f'{a.name} = {value(a)}' for a in syntax.entries)}}}"
    listed = [str({**types, **results}[n]) for n in syntax.listed]
    for group in form.groups:
        for k in range({"one": 1, "optional": min(1, clauses), "many": clauses}[group.arity]):
            names = [f"{group.keyword}_{k}_{o.name}" for o in group.operands]
            chosen = [choose(o.type, known, element) for o in group.operands]
            types.update(zip(names, chosen, strict=True))
            pieces += f" {group.keyword}({', '.join(f'%{n}' for n in names)})"
            mark = "" if group.arity == "one" else f"{group.keyword} "
            listed += [mark + str(chosen[0]), *(str(t) for t in chosen[1:])]
    ending = f" : {', '.join(listed)}" if listed else ""
    if syntax.returned:
        ending += f" -> {', '.join(str(results[n]) for n in syntax.returned)}"
    left = f"{', '.join(f'%r_{n}' for n in results)} = " if results else ""
    parameters = ", ".join(f"%{n}: {t}" for n, t in types.items())
    blank = "" if pieces[:1] in ("[", "") else " "
    return f"{left}{record.name}{blank}{pieces}{ending}", parameters


@pytest.mark.parametrize(("record", "index"), FORMS)
def test_every_form_round_trips(record: Record, index: int):
    line, parameters = write(record, record.forms[index], F32, 2)
    text = function(line, parameters)
    canonical = " ".join(part.strip() for part in round_trip(text).splitlines())
    assert line in canonical
    op = next(ir.lower(ir.parse(text)).functions[0].ops())
    assert op.name == record.name
    form = record.forms[op.form]
    assert len(op.results) == len(form.results)
    assert {a.name for a in form.attrs} == set(op.attrs)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([p.values for p in FORMS]),
            st.sampled_from((F32, I32, I16)),
            st.integers(0, 2),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_modules_made_of_the_table(choices: list[tuple[tuple[Record, int], DType, int]]):
    whole = ""
    for k, ((record, index), element, clauses) in enumerate(choices):
        line, parameters = write(record, record.forms[index], element, clauses)
        whole += function(line, parameters).replace("@k", f"@k{k}")
    module = ir.parse(whole)
    again = ir.parse(round_trip(whole))
    assert ir.lower(again).functions[0].types == ir.lower(module).functions[0].types
    assert [op.name for op in again.op.walk()] == [op.name for op in module.op.walk()]
