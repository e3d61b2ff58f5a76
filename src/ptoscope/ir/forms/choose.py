"""The form of an instruction that has no text of its own: built, or read in generic form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ptoscope.ir import types
from ptoscope.ir.attributes import Segments
from ptoscope.ir.types import TextType
from ptoscope.isa.dtypes import SCALARS
from ptoscope.isa.patterns import Bindings
from ptoscope.isa.record import Form, Group, Record
from ptoscope.isa.types import AttrValue, Scalar

_SCALARS = [Scalar(dtype) for dtype in SCALARS]


def form_of(
    record: Record,
    operands: Sequence[TextType],
    results: Sequence[TextType],
    attrs: Mapping[str, AttrValue],
    segments: Segments,
) -> int:
    """The form that operands, results, attributes and clauses fit best; -1 if there is none."""
    fitting = [
        index
        for index, form in enumerate(record.forms)
        if fits(form, len(operands), len(results), attrs, segments)
    ]
    return max(fitting, key=lambda i: types_fit(record.forms[i], operands, results), default=-1)


def fits(
    form: Form, operands: int, results: int, attrs: Mapping[str, AttrValue], segments: Segments
) -> bool:
    """Whether a form takes so many operands and results, these attributes and clauses."""
    clauses = sum(count for _, count in segments)
    if operands != len(form.operands) + clauses or results != len(form.results):
        return False
    known = {attr.name: attr for attr in form.attrs}
    for name, value in attrs.items():
        if name not in known or not isinstance(value, str if known[name].values else int):
            return False
    if any(a.default is None and a.name not in attrs for a in form.attrs):
        return False
    return _clauses_fit(form.groups, segments)


def types_fit(form: Form, operands: Sequence[TextType], results: Sequence[TextType]) -> int:
    """How many of the operands and results fit the form's patterns."""
    known: Bindings = {}
    score = 0
    for operand, given in zip(form.operands, operands, strict=False):
        type = types.known(given)
        if given is types.NUMBER:
            score += any(operand.type.match(scalar, dict(known)) for scalar in _SCALARS)
        else:
            score += type is None or operand.type.match(type, known)
    for result, given in zip(form.results, results, strict=False):
        type = types.known(given)
        score += type is None or result.type.match(type, known)
    return score


def expected_counts(record: Record) -> str:
    """What the forms of a record take, for messages."""
    return " or ".join(
        f"{len(form.operands)} operands and {len(form.results)} results" for form in record.forms
    )


def _clauses_fit(groups: tuple[Group, ...], segments: Segments) -> bool:
    """Whether clauses stand in the order and number that a form's groups ask for."""
    at = 0
    for group in groups:
        seen = 0
        while at < len(segments) and segments[at][0] == group.keyword:
            if not group.takes(segments[at][1]):
                return False
            at += 1
            seen += 1
            if seen == group.most:
                break
        if group.arity == "one" and not seen:
            return False
    return at == len(segments)
