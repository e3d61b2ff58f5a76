"""Why a text does not fit a form of an instruction, in words."""

from __future__ import annotations

from ptoscope.diagnostics import nearest
from ptoscope.ir.forms.outline import PACK, LineOutline, Mismatch
from ptoscope.ir.forms.syntax import Item, Syntax, shown
from ptoscope.isa.record import Form, Record

_VALUES = ("v", "a", PACK)
_WRITTEN = {
    "v": "a value",
    PACK: "several names",
    "a": "an address",
    "s": "a string",
    "w": "a word",
    "i": "an integer",
    "[": "'['",
    "]": "']'",
    "": "nothing",
}
_EXPECTED = {
    "operand": "a value for '{}'",
    "address": "an address '{}'",
    "token": 'a string "{}"',
    "word": "{}",
    "integer": "an integer for '{}'",
    "pipe": "#pto.pipe<{}>",
    "open": "'['",
    "close": "']'",
}


def misaligned(
    record: Record,
    form: Form,
    syntax: Syntax,
    outline: LineOutline,
    item: Item | None,
    at: int,
    results: tuple[str, ...],
) -> Mismatch:
    """Why the items do not fit: the form wants `item` (None: no more) at the written `at`."""
    name = record.short
    operands = _counted(syntax)
    wanted = operands + len(results)
    found = sum(letter in _VALUES for letter in outline.items)
    how = f"{record.name} {shown(form)}".rstrip()
    if results:
        how = f"{name} {', '.join(filter(None, (*results, shown(form))))}"
    if "a" not in outline.items and any(i.kind == "address" for i in syntax.items):
        base, offset = next(i.names for i in syntax.items if i.kind == "address")
        # `%dest, %offset` for `%dest[%offset]`: the count is right, the brackets are not.
        if found == wanted + 1:
            message = f"{name} takes an address '{base}[{offset}]'"
            where = [i.kind for i in syntax.items].index("address") + len(results)
            return Mismatch(at + 5, message, "two operands", f"{base}[{offset}]", how, where)
    if found != wanted and all(letter in _VALUES for letter in outline.items[at : at + 1]):
        labels = [_label(i) for i in syntax.items if i.kind in ("operand", "address")]
        listed = ", ".join((*results, *labels))
        message = f"{name} takes {plural(operands, 'operand')}"
        if results:
            message = f"{name} takes {plural(len(results), 'result')}"
            message += f" and {plural(operands, 'operand')}" if operands else ""
        message += f" ({listed}), found {found}" if listed else f", found {found}"
        return Mismatch(at, message, str(found), str(wanted), how, at if item is None else -1)
    letter = outline.items[at] if at < len(outline.items) else ""
    if item is None and at < len(results):
        expected = f"a name for the result '{results[at]}'"
        return Mismatch(at, f"expected {expected}", _WRITTEN[letter], expected, how, at)
    if item is None:
        message = f"{name} takes nothing more here"
        return Mismatch(at, message, _WRITTEN[letter], "the end of the operands", how, at)
    words = item.kind == "word"
    label = " or ".join(form.attr(item.names[0]).values) if words else _label(item)
    expected = _EXPECTED[item.kind].format(label)
    spot = at if letter else -1
    return Mismatch(at, f"expected {expected}", _WRITTEN[letter], expected, how, spot)


def wrong_clauses(record: Record, syntax: Syntax, outline: LineOutline) -> Mismatch | None:
    """What is wrong with the clauses."""
    name = record.short
    at = 0
    score = len(outline.items) + 1
    for group in syntax.groups:
        seen = 0
        while at < len(outline.clauses) and outline.clauses[at][0] == group.keyword:
            count = outline.clauses[at][1]
            if not group.takes(count):
                names = ", ".join(o.name for o in group.operands)
                takes = plural(len(group.operands), "operand")
                if group.required:
                    takes = f"{group.required} or {takes}"
                message = f"{group.keyword}({names}) takes {takes}"
                return Mismatch(score + at, f"{message}, found {count}", str(count), names)
            at += 1
            seen += 1
            if seen == group.most:
                break
        if group.arity == "one" and not seen:
            names = ", ".join(o.name for o in group.operands)
            message = f"{name} needs the clause {group.keyword}({names})"
            return Mismatch(score + at, message, "", f"{group.keyword}({names})")
    if at == len(outline.clauses):
        return None
    keyword = outline.clauses[at][0]
    found = sum(written == keyword for written, _ in outline.clauses)
    for group in syntax.groups:
        if group.keyword == keyword and 1 < group.most < found:
            message = f"{name} takes at most {group.most} clauses '{keyword}', found {found}"
            return Mismatch(score + at, message, str(found), f"at most {group.most}")
    known = [g.keyword for g in syntax.groups]
    order = ", ".join(known) or "no clauses"
    message = f"{name} takes no clause '{keyword}' here"
    return Mismatch(score + at, message, keyword, order, nearest(keyword, known))


def wrong_entries(record: Record, syntax: Syntax, outline: LineOutline) -> Mismatch | None:
    """What is wrong with the attribute dictionary."""
    name = record.short
    known = [a.name for a in syntax.entries]
    score = len(outline.items) + 20
    for entry in outline.entries:
        if entry not in known:
            legal = ", ".join(known) or "no attributes"
            message = f"{name} has no attribute '{entry}'"
            return Mismatch(score, message, entry, legal, nearest(entry, known))
    for attr in syntax.entries:
        if attr.default is None and attr.name not in outline.entries:
            value = f'"{attr.values[0]}"' if attr.values else str(attr.low)
            message = f"{name} needs the attribute '{attr.name}'"
            return Mismatch(score, message, "", f"{{{attr.name} = {value}}}")
    return None


def _counted(syntax: Syntax) -> int:
    return sum(item.kind in ("operand", "address") for item in syntax.items)


def _label(item: Item) -> str:
    return f"{item.names[0]}[{item.names[1]}]" if item.kind == "address" else "".join(item.names)


def plural(count: int, what: str) -> str:
    """`1 operand`, `2 operands`."""
    return f"{count} {what}{'' if count == 1 else 's'}"
