"""Which form of an instruction a text is written in.

What stands in the text is summed up in a `Shape`. A `Plan` says how the written values,
literals and types map to a form's operands, attributes and results. Plans depend on the
shape alone, so each record keeps those it has met.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ptoscope.diagnostics import nearest
from ptoscope.ir.syntax import SHAPES, Item, Syntax, compiled, shown
from ptoscope.isa.record import Form, Record

NO_ARROW = -1


class Shape(NamedTuple):
    """What is written, without the names.

    `items` has a letter per item before the colon (see `syntax.SHAPES`). `marks` are the
    clause keywords repeated in the type list, each with the number of types before it.
    `types` counts the types between colon and arrow, `results` those after it.
    """

    items: str
    clauses: tuple[tuple[str, int], ...] = ()
    entries: tuple[str, ...] = ()
    marks: tuple[tuple[str, int], ...] = ()
    types: int = 0
    results: int = NO_ARROW


class Plan(NamedTuple):
    """How a shape maps to a form.

    `operands[i]` is the written value that is operand i. `attrs` pairs attribute names with
    written literals. `typed[i]` is the written value that listed type i belongs to.
    `results` says where the result types stand: "arrow", "listed" or, where the text has
    none, "implied".
    """

    form: int
    operands: tuple[int, ...]
    attrs: tuple[tuple[str, int], ...]
    typed: tuple[int, ...]
    results: str


class Mismatch(NamedTuple):
    """Why a form does not fit. `item` is the written item at fault, or -1; `score` says how
    much did fit, so that the best of several forms can be reported."""

    score: int
    message: str
    found: str = ""
    expected: str = ""
    hint: str = ""
    item: int = -1


class Matcher:
    """The forms of one record and the plans of the shapes met so far."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.syntaxes = tuple(compiled(form) for form in record.forms)
        self.keywords = frozenset(g.keyword for form in record.forms for g in form.groups)
        self.bare = any(not syntax.items for syntax in self.syntaxes)
        self._plans: dict[Shape, tuple[Plan, ...]] = {}

    def plans(self, shape: Shape) -> tuple[Plan, ...]:
        """All ways to read the shape, the likeliest first; empty if there is none."""
        found = self._plans.get(shape)
        if found is None:
            found = tuple(
                plan
                for index, form in enumerate(self.record.forms)
                for plan in self._fit(index, form, shape)
                if isinstance(plan, Plan)
            )
            self._plans[shape] = found
        return found

    def mismatch(self, shape: Shape) -> Mismatch:
        """Why no form fits: the complaint of the form that comes nearest."""
        found = [
            m
            for index, form in enumerate(self.record.forms)
            for m in self._fit(index, form, shape)
            if isinstance(m, Mismatch)
        ]
        return max(found, key=lambda m: m.score)

    def _fit(self, index: int, form: Form, shape: Shape) -> list[Plan] | list[Mismatch]:
        syntax = self.syntaxes[index]
        aligned = self._align(form, syntax, shape)
        if isinstance(aligned, Mismatch):
            return [aligned]
        wrong = self._wrong_clauses(syntax, shape) or self._wrong_entries(syntax, shape)
        if wrong is not None:
            return [wrong]
        names: list[str] = []
        attrs: list[tuple[str, int]] = []
        offsets: set[int] = set()
        literal = 0
        for item in aligned:
            if item.kind in ("operand", "address"):
                names += item.names
                if item.kind == "address":
                    offsets.add(len(names) - 1)
            elif item.names:
                attrs.append((item.names[0], literal))
                literal += 1
        positional = len(names)
        values = positional + sum(count for _, count in shape.clauses)
        place = {name: i for i, name in enumerate(names)}
        operands = (*(place[o.name] for o in form.operands), *range(positional, values))
        lists = self._lists(form, syntax, shape, place, offsets, values)
        if isinstance(lists, Mismatch):
            return [lists]
        typed, results = lists
        return [Plan(index, operands, tuple(attrs), t, results) for t in typed]

    def _align(self, form: Form, syntax: Syntax, shape: Shape) -> list[Item] | Mismatch:
        """The syntax items that the written ones stand for."""
        taken: list[Item] = []
        at = 0
        for item in syntax.items:
            if at < len(shape.items) and shape.items[at] == SHAPES[item.kind]:
                taken.append(item)
                at += 1
            elif not item.optional:
                return self._misaligned(form, syntax, shape, item, at)
        if at < len(shape.items):
            return self._misaligned(form, syntax, shape, None, at)
        return taken

    def _misaligned(
        self, form: Form, syntax: Syntax, shape: Shape, item: Item | None, at: int
    ) -> Mismatch:
        name = self.record.short
        wanted = _counted(syntax)
        found = sum(letter in "va" for letter in shape.items)
        how = f"{self.record.name} {shown(form)}"
        if "a" not in shape.items and any(i.kind == "address" for i in syntax.items):
            base, offset = next(i.names for i in syntax.items if i.kind == "address")
            # `%dest, %offset` for `%dest[%offset]`: the count is right, the brackets are not.
            if found == wanted + 1:
                message = f"{name} takes an address '{base}[{offset}]'"
                where = [i.kind for i in syntax.items].index("address")
                return Mismatch(at + 5, message, "two operands", f"{base}[{offset}]", how, where)
        if found != wanted and all(letter in "va" for letter in shape.items[at : at + 1]):
            listed = ", ".join(_label(i) for i in syntax.items if i.kind in ("operand", "address"))
            message = f"{name} takes {_plural(wanted, 'operand')}"
            message += f" ({listed}), found {found}" if listed else f", found {found}"
            return Mismatch(at, message, str(found), str(wanted), how, at if item is None else -1)
        letter = shape.items[at] if at < len(shape.items) else ""
        if item is None:
            message = f"{name} takes nothing more here"
            return Mismatch(at, message, _WRITTEN[letter], "the end of the operands", how, at)
        expected = _EXPECTED[item.kind].format(_label(item))
        spot = at if letter else -1
        return Mismatch(at, f"expected {expected}", _WRITTEN[letter], expected, how, spot)

    def _wrong_clauses(self, syntax: Syntax, shape: Shape) -> Mismatch | None:
        name = self.record.short
        at = 0
        score = len(shape.items) + 1
        for group in syntax.groups:
            seen = 0
            while at < len(shape.clauses) and shape.clauses[at][0] == group.keyword:
                count = shape.clauses[at][1]
                least = group.required or len(group.operands)
                if not least <= count <= len(group.operands):
                    names = ", ".join(o.name for o in group.operands)
                    message = f"{group.keyword}({names}) takes {len(group.operands)} operands"
                    return Mismatch(score + at, f"{message}, found {count}", str(count), names)
                at += 1
                seen += 1
                if group.arity != "many":
                    break
            if group.arity == "one" and not seen:
                names = ", ".join(o.name for o in group.operands)
                message = f"{name} needs the clause {group.keyword}({names})"
                return Mismatch(score + at, message, "", f"{group.keyword}({names})")
        if at == len(shape.clauses):
            return None
        keyword = shape.clauses[at][0]
        known = [g.keyword for g in syntax.groups]
        order = ", ".join(known) or "no clauses"
        message = f"{name} takes no clause '{keyword}' here"
        return Mismatch(score + at, message, keyword, order, nearest(keyword, known))

    def _wrong_entries(self, syntax: Syntax, shape: Shape) -> Mismatch | None:
        name = self.record.short
        known = [a.name for a in syntax.entries]
        score = len(shape.items) + 20
        for entry in shape.entries:
            if entry not in known:
                legal = ", ".join(known) or "no attributes"
                message = f"{name} has no attribute '{entry}'"
                return Mismatch(score, message, entry, legal, nearest(entry, known))
        for attr in syntax.entries:
            if attr.default is None and attr.name not in shape.entries:
                value = f'"{attr.values[0]}"' if attr.values else str(attr.low)
                message = f"{name} needs the attribute '{attr.name}'"
                return Mismatch(score, message, "", f"{{{attr.name} = {value}}}")
        return None

    def _lists(
        self,
        form: Form,
        syntax: Syntax,
        shape: Shape,
        place: dict[str, int],
        offsets: set[int],
        values: int,
    ) -> tuple[list[tuple[int, ...]], str] | Mismatch:
        """The values that the listed types belong to, and where the result types stand."""
        results = len(form.results)
        score = len(shape.items) + 40
        alone = bool(results) and not syntax.returned and bool(syntax.listed)
        if alone or (not syntax.typed and results):
            # Only result types are written, and an arrow before them is as good as a colon.
            if not shape.types and shape.results == results:
                return [()], "arrow"
            if shape.types == results and shape.results == NO_ARROW:
                return [()], "listed"
            if not alone and not shape.types and shape.results == NO_ARROW:
                return [()], "implied"
            return self._wrong_count(score, "result type", results, shape.types)
        if (shape.results if shape.results != NO_ARROW else 0) != results:
            if shape.results == NO_ARROW and results:
                message = f"{self.record.short} needs '->' and its result types"
                return Mismatch(score + 1, message, "", "-> " + self._type_names(form))
            return self._wrong_count(score + 1, "result type", results, max(0, shape.results))
        grouped = tuple(range(len(place), values))
        everything = tuple(range(values))
        short = (*(place[n] for n in syntax.listed if n in place), *grouped)
        candidates = [short if syntax.typed else ()]
        candidates.append(everything)
        candidates.append(tuple(v for v in everything if v not in offsets))
        fitting = [c for c in dict.fromkeys(candidates) if len(c) == shape.types]
        if not fitting:
            wanted = len(candidates[0])
            return self._wrong_count(score + 2, "operand type", wanted, shape.types)
        if not self._marks_fit(syntax, shape, len(place)):
            message = "the clause keywords of the type list do not match the clauses"
            found = ", ".join(k for k, _ in shape.marks)
            expected = ", ".join(k for k, _ in marks(syntax, shape.clauses, len(place)))
            return Mismatch(score + 3, message, found, expected)
        return fitting, "arrow"

    def _marks_fit(self, syntax: Syntax, shape: Shape, positional: int) -> bool:
        starts: dict[int, str] = {}
        at = positional
        for keyword, count in shape.clauses:
            starts[at] = keyword
            at += count
        short = at - shape.types  # how many positional types were left out
        return all(starts.get(before + short) == keyword for keyword, before in shape.marks)

    def _wrong_count(self, score: int, what: str, wanted: int, found: int) -> Mismatch:
        message = f"{self.record.short} is written with {_plural(wanted, what)}, found {found}"
        return Mismatch(score, message, str(found), str(wanted))

    def _type_names(self, form: Form) -> str:
        return ", ".join(str(r.type) for r in form.results)


def marks(
    syntax: Syntax, clauses: Sequence[tuple[str, int]], positional: int
) -> tuple[tuple[str, int], ...]:
    """The keywords a full type list repeats, each with the number of types before it."""
    named = {g.keyword for g in syntax.groups if g.arity != "one"}
    found: list[tuple[str, int]] = []
    at = positional
    for keyword, count in clauses:
        if keyword in named:
            found.append((keyword, at))
        at += count
    return tuple(found)


_WRITTEN = {
    "v": "a value",
    "a": "an address",
    "s": "a string",
    "i": "an integer",
    "h": "an attribute",
    "[": "'['",
    "]": "']'",
    "": "nothing",
}
_EXPECTED = {
    "operand": "a value for '{}'",
    "address": "an address '{}'",
    "token": 'a string "{}"',
    "integer": "an integer for '{}'",
    "pipe": "#pto.pipe<{}>",
    "open": "'['",
    "close": "']'",
}


def _counted(syntax: Syntax) -> int:
    return sum(item.kind in ("operand", "address") for item in syntax.items)


def _label(item: Item) -> str:
    return f"{item.names[0]}[{item.names[1]}]" if item.kind == "address" else "".join(item.names)


def _plural(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def separated(items: Sequence[Item]) -> list[str]:
    """What stands before each item when it is printed: a comma, or nothing at a bracket."""
    before = [""]
    for left, right in pairwise(items):
        before.append("" if left.kind == "open" or right.kind == "close" else ", ")
    return before[: len(items)]
