"""The syntax lines of a form, with names for values and patterns for types."""

from __future__ import annotations

import re

from ptoscope.ir.forms.clauses import word_table
from ptoscope.isa.patterns import PtrTo
from ptoscope.isa.record import Form, Group, Operand, Record

_FEW = 4
"""Words of a clause that are all shown."""


def ssa(record: Record, form: Form) -> str:
    """`%result = pto.vadd %lhs, %rhs, %mask : types -> types`."""
    types = _signature(form)
    left = f"{_named(form.results)} = " if form.results else ""
    line = f"{left}{record.name} {_body(form)}".rstrip()
    return f"{line} : {types}" if types else line


def dps(record: Record, form: Form) -> str:
    """`pto.vadd ins(%lhs, %rhs, %mask : types) outs(%result : types)`."""
    body = _body(form)
    if "region" in form.pattern:
        return ssa(record, form)
    listed = _signature(form).partition("->")[0].strip()
    results = {r.name for r in form.results}
    if results & set(re.findall(r"\w+", form.pattern.partition(":")[2].partition("->")[0])):
        listed = ""
    taken = f" ins({body}{f' : {listed}' if listed else ''})" if body else ""
    given = f" outs({_named(form.results)} : {_types(form.results)})" if form.results else ""
    return f"{record.name}{taken}{given}"


def assembly(record: Record, form: Form) -> str:
    """`vadd %result, %lhs, %rhs, %mask : type`, results first; one type that decides the rest."""
    if "region" in form.pattern:
        return ssa(record, form)
    values = ", ".join(part for part in (_named(form.results), _body(form)) if part)
    pointers = [o for o in form.operands if isinstance(o.type, PtrTo)]
    deciding = (pointers or list(form.results) or list(form.operands))[:1]
    typed = f" : {deciding[0].type}" if deciding and _signature(form) else ""
    return f"{record.short} {values}".rstrip() + typed


def _named(operands: tuple[Operand, ...]) -> str:
    return ", ".join(f"%{o.name}" for o in operands)


def _types(operands: tuple[Operand, ...]) -> str:
    return ", ".join(str(o.type) for o in operands)


def _words(form: Form) -> dict[str, str]:
    return {
        "groups": _clauses(form),
        "region": "{ ... }",
        "none": "",
        "all": "types of all operands",
    }


def _signature(form: Form) -> str:
    types = {o.name: str(o.type) for o in (*form.operands, *form.results)}
    words = _words(form)
    tail = form.pattern.partition(":")[2]
    return re.sub(r"\w+", lambda m: types.get(m[0], words.get(m[0], m[0])), tail).strip()


def _body(form: Form) -> str:
    words = _words(form)

    def written(match: re.Match[str]) -> str:
        token, word, entry, pipe, literal, name = match.groups()
        if token:
            return f'"{token}"'
        if word:
            return "|".join(form.attr(word).values)
        if entry:
            names = [name.strip() for name in entry.split(",")]
            attrs = [form.attr(name) for name in names if not form.attr(name).clause]
            shown = [a.name if a.is_unit else f"{a.name} = ..." for a in attrs]
            return "{" + ", ".join(shown) + "}" if shown else ""
        if pipe:
            return f"#pto.pipe<{pipe}>"
        return literal or words.get(name, f"%{name}")

    head = form.pattern.partition(":")[0]
    items = r""""(\w+)"|'(\w+)'|\{([\w, ]+)\}|#(\w+)|=(\w+)|(\w+)"""
    return re.sub(items, written, head).strip()


def _clauses(form: Form) -> str:
    """All clauses in their order."""
    table = word_table(form)
    if not table.meanings:
        return " ".join(clause(g) for g in form.groups)
    operands = {g.keyword: [f"%{o.name}" for o in g.operands] for g in form.groups}
    written: list[str] = []
    for keyword in table.order:
        parts = list(operands.get(keyword, ()))
        words = [w for w in table.meanings if w.keyword == keyword and w.token]
        for label in dict.fromkeys(w.label for w in words):
            tokens = table.tokens(keyword, label)
            choice = "..." if len(tokens) > _FEW else " | ".join(t for t in tokens if t)
            if label:
                parts.append(f"{label} = {choice}")
            else:
                # In place of operands, or of nothing.
                parts = [" | ".join([*parts, choice]) + ("?" if "" in tokens else "")]
        parts += [
            f"{g.keyword} = %{g.operands[0].name}" for g in form.groups if g.inside == keyword
        ]
        one = any(g.keyword == keyword and g.arity == "one" for g in form.groups)
        written.append(f"{keyword}({', '.join(parts)})" if parts else keyword)
        written[-1] += "" if one else "?"
    return (", " if ", groups" in form.pattern else " ").join(written)


def clause(group: Group) -> str:
    """`nburst(%n_burst, ...)`, with `*` where it may repeat and `?` where it may be missing."""
    repeat = {"one": "", "many": "*", "optional": "?"}[group.arity]
    return f"{group.keyword}({_named(group.operands)}){repeat}"
