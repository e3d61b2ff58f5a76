"""The form of an instruction that has no text of its own: built, or read in generic form."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, StringAttr
from xdsl.ir import Attribute, Operation

from ptoscope.ir.dialect import Instruction
from ptoscope.ir.literals import CLAUSES, SIZES, types_fit
from ptoscope.isa.record import Form, Group, Record

FORM = "pto.form"
"""Attribute of the generic form that names the form where nothing else decides it."""

Segments = tuple[tuple[str, int], ...]


def form_of(op: Instruction) -> tuple[int, Segments] | None:
    """The form that an operation's operands, attributes and results fit, and its clauses."""
    segments = _segments(op)
    if segments is None:
        return None
    chosen = op.attributes.get(FORM)
    if isinstance(chosen, IntegerAttr) and 0 <= chosen.value.data < len(op.record.forms):
        index = chosen.value.data
        return (index, segments) if _fits(op, op.record.forms[index], segments) else None
    fitting = [i for i, f in enumerate(op.record.forms) if _fits(op, f, segments)]
    if not fitting:
        return None
    operands = [value.type for value in op.operands]
    results = [value.type for value in op.results]
    best = max(fitting, key=lambda i: types_fit(op.record.forms[i], operands, results))
    return best, segments


def expected_counts(record: Record) -> str:
    """What the forms of a record take, for messages."""
    return " or ".join(
        f"{len(form.operands)} operands and {len(form.results)} results" for form in record.forms
    )


def literal(attr: Attribute) -> str:
    """The value of an instruction's attribute as text, strings quoted."""
    if isinstance(attr, StringAttr):
        return f'"{attr.data}"'
    assert isinstance(attr, IntegerAttr)
    return str(attr.value.data)


def _segments(op: Operation) -> Segments | None:
    keywords, sizes = op.properties.get(CLAUSES), op.properties.get(SIZES)
    if keywords is None and sizes is None:
        return ()
    if not isinstance(keywords, ArrayAttr) or not isinstance(sizes, DenseArrayBase):
        return None
    counts = [int(n) for n in sizes.get_values()]
    words = [k.data for k in keywords if isinstance(k, StringAttr)]
    if len(words) + 1 != len(counts) or min(counts) < 0 or sum(counts) != len(op.operands):
        return None
    return tuple(zip(words, counts[1:], strict=True))


def _fits(op: Instruction, form: Form, segments: Segments) -> bool:
    clauses = sum(count for _, count in segments)
    if len(op.operands) != len(form.operands) + clauses or len(op.results) != len(form.results):
        return False
    known = {attr.name: attr for attr in form.attrs}
    for name, value in op.properties.items():
        if name in (CLAUSES, SIZES):
            continue
        kind = StringAttr if name in known and known[name].values else IntegerAttr
        if name not in known or not isinstance(value, kind):
            return False
    if any(a.default is None and a.name not in op.properties for a in form.attrs):
        return False
    return clauses_fit(form.groups, segments)


def clauses_fit(groups: tuple[Group, ...], segments: Segments) -> bool:
    """Whether clauses stand in the order and number that a form's groups ask for."""
    at = 0
    for group in groups:
        seen = 0
        while at < len(segments) and segments[at][0] == group.keyword:
            least = group.required or len(group.operands)
            if not least <= segments[at][1] <= len(group.operands):
                return False
            at += 1
            seen += 1
            if group.arity != "many":
                break
        if group.arity == "one" and not seen:
            return False
    return at == len(segments)
