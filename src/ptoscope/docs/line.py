"""One instruction as a line of kernel text, from its form and the names of its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ptoscope.ir.forms.clauses import clause_texts, with_clauses
from ptoscope.ir.forms.syntax import compiled
from ptoscope.ir.printing.instructions import entry, type_list
from ptoscope.isa.record import AttrValue, Form, Record
from ptoscope.isa.types import Type

NamedValues = Mapping[str, tuple[str, Type]]
"""Operands or results by their name in the record: the name of the value, and its type."""


def line(
    record: Record,
    form: Form,
    operands: NamedValues,
    results: NamedValues,
    attrs: Mapping[str, AttrValue],
    clauses: Sequence[tuple[str, NamedValues]] = (),
) -> str:
    """The instruction in SSA form. Attributes that are not given are not written."""
    syntax = compiled(form)
    text = ""
    for item in syntax.items:
        first = item.names[0] if item.names else ""
        match item.kind:
            case "operand":
                piece = operands[first][0]
            case "address":
                piece = f"{operands[first][0]}[{operands[item.names[1]][0]}]"
            case "token" | "integer":
                piece = _literal(attrs[first])
            case "word":
                text += f" {attrs[first]}"
                continue
            case "pipe":
                piece = f"#pto.pipe<{attrs[first]}>"
            case "open" | "close":
                text += "[" if item.kind == "open" else "]"
                continue
        text += f", {piece}" if text and text[-1] != "[" else piece
    entries = [
        f"{a.name} = {entry(a, attrs[a.name])}"
        for a in syntax.entries
        if a.name in attrs and not a.clause
    ]
    text += f" {{{', '.join(entries)}}}" if entries else ""
    named = {**results, **operands}
    listed = [str(named[n][1]) for n in syntax.listed]
    named_clauses = [(keyword, [n for n, _ in values.values()]) for keyword, values in clauses]
    text = "".join(with_clauses(form, text, clause_texts(form, attrs, named_clauses)))
    kinds = type_list(
        syntax,
        listed,
        str(attrs[syntax.repeated]) if syntax.repeated else "",
        tuple((keyword, len(values)) for keyword, values in clauses),
        [str(kind) for _, values in clauses for _, kind in values.values()],
    )
    left = f"{', '.join(name for name, _ in results.values())} = " if results else ""
    blank = "" if text[:1] in ("[", "") else " "
    types = f" : {kinds}" if kinds and syntax.typed else ""
    returned = ", ".join(str(named[n][1]) for n in syntax.returned)
    arrow = f" -> {returned}" if returned else ""
    return f"{left}{record.name}{blank}{text}{types}{arrow}"


def _literal(value: AttrValue) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
