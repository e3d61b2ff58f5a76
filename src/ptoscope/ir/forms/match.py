"""Which form of an instruction a text is written in.

Plans depend on the outline alone, so each record keeps those it has met.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from ptoscope.ir.forms.clauses import word_table
from ptoscope.ir.forms.mismatch import misaligned, plural, wrong_clauses, wrong_entries
from ptoscope.ir.forms.outline import (
    LEFT_OUT,
    NO_ARROW,
    PACK,
    Fitted,
    LineOutline,
    Mismatch,
    Plan,
)
from ptoscope.ir.forms.syntax import LETTERS, Item, Syntax, compiled, without_mask
from ptoscope.isa.record import Form, Record


@cache
def matcher(record: Record) -> Matcher:
    """The one matcher of a record."""
    return Matcher(record)


class Matcher:
    """The forms of one record and the plans of the outlines met so far."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.syntaxes = tuple(compiled(form) for form in record.forms)
        self.keywords = frozenset(g.keyword for form in record.forms for g in form.groups)
        self.word_tables = tuple(t for f in record.forms if (t := word_table(f)).meanings)
        """What the words of clauses say, in the forms that have such."""
        self.worded = frozenset(k for table in self.word_tables for k in table.order)
        """The keywords of the clauses of those forms."""
        self.inside = {g.keyword: g.inside for f in record.forms for g in f.groups if g.inside}
        """The clauses that are written inside others."""
        self.aliases = {a.alias: a.name for f in record.forms for a in f.attrs if a.alias}
        """The names of attributes by those that compilers give them."""
        self.words = _words(self.syntaxes, record)
        """The words that stand behind operands without a comma."""
        self.repeated = {
            value: syntax.repeated
            for syntax, form in zip(self.syntaxes, record.forms, strict=True)
            if syntax.repeated
            for value in form.attr(syntax.repeated).values
        }
        """The words that may stand among types, and their attributes."""
        self.bare = any(not syntax.items for syntax in self.syntaxes)
        self._plans: dict[LineOutline, tuple[Plan, ...]] = {}
        self.readings: dict[LineOutline, tuple[Any, ...]] = {}
        """What `readings` keeps."""

    def plans(self, outline: LineOutline) -> tuple[Plan, ...]:
        """All ways to read the outline, the likeliest first; empty if there is none."""
        found = self._plans.get(outline)
        if found is None:
            found = tuple(
                plan
                for index, form in enumerate(self.record.forms)
                for syntax in self._written(index, form)
                for plan in self._fit(index, form, syntax, outline)
                if isinstance(plan, Plan)
            )
            self._plans[outline] = found
        return found

    def mismatch(self, outline: LineOutline) -> Mismatch:
        """Why no form fits: the complaint of the form that comes nearest."""
        found = [
            m
            for index, form in enumerate(self.record.forms)
            for m in self._fit(index, form, self.syntaxes[index], outline)
            if isinstance(m, Mismatch)
        ]
        return max(found, key=lambda m: m.score)

    def _written(self, index: int, form: Form) -> Iterator[Syntax]:
        """Yields the syntax of a form, and that without its mask where documents leave it out."""
        yield self.syntaxes[index]
        short = without_mask(form, self.syntaxes[index]) if form.unmasked else None
        if short is not None:
            yield short

    def _fit(
        self, index: int, form: Form, syntax: Syntax, outline: LineOutline
    ) -> list[Plan] | list[Mismatch]:
        fitted = self.fit_items(form, syntax, outline)
        if isinstance(fitted, Mismatch):
            return [fitted]
        place = fitted.place
        operands = (
            *(place.get(o.name, LEFT_OUT) for o in form.operands),
            *range(len(place), fitted.end),
        )
        lists = self._lists(form, syntax, outline, fitted)
        if isinstance(lists, Mismatch):
            return [lists]
        typed, results = lists
        return [Plan(index, operands, fitted.attrs, t, results) for t in typed]

    def fit_items(
        self, form: Form, syntax: Syntax, outline: LineOutline, results: tuple[str, ...] = ()
    ) -> Fitted | Mismatch:
        """Fits all that is written but the types. `results` are the names of the results
        that stand before the operands, as in assembly form; their values are not counted."""
        aligned = self._align(form, syntax, outline, results)
        if isinstance(aligned, Mismatch):
            return aligned
        record = self.record
        wrong = wrong_clauses(record, syntax, outline) or wrong_entries(record, syntax, outline)
        if wrong is not None:
            return wrong
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
        end = len(names) + sum(count for _, count in outline.clauses)
        place = {name: i for i, name in enumerate(names)}
        return Fitted(place, tuple(attrs), frozenset(offsets), end)

    def _align(
        self, form: Form, syntax: Syntax, outline: LineOutline, results: tuple[str, ...]
    ) -> list[Item] | Mismatch:
        """The syntax items that the written ones stand for."""
        taken: list[Item] = []
        at = len(results)
        if len(outline.items) < at or not set(outline.items[:at]) <= {"v", PACK}:
            return misaligned(self.record, form, syntax, outline, None, 0, results)
        end = len(outline.items)
        if form.bracketed and outline.items[at : at + 1] == "[" and outline.items[-1] == "]":
            at, end = at + 1, end - 1
        for item in syntax.items:
            if at < end and outline.items[at] == LETTERS[item.kind]:
                taken.append(item)
                at += 1
            elif not item.optional:
                return misaligned(self.record, form, syntax, outline, item, at, results)
        if at < end:
            return misaligned(self.record, form, syntax, outline, None, at, results)
        return taken

    def _lists(
        self,
        form: Form,
        syntax: Syntax,
        outline: LineOutline,
        fitted: Fitted,
    ) -> tuple[list[tuple[int, ...]], str] | Mismatch:
        """The values that the listed types belong to, and where the result types stand."""
        place, offsets, values = fitted.place, fitted.offsets, fitted.end
        results = len(form.results)
        score = len(outline.items) + 40
        alone = bool(results) and not syntax.returned and bool(syntax.listed)
        if alone or (not syntax.typed and results):
            # Only result types are written, and an arrow before them is as good as a colon.
            if not outline.types and outline.results == results:
                return [()], "arrow"
            if outline.types == results and outline.results == NO_ARROW:
                return [()], "listed"
            if values and outline.types == values and outline.results == results:
                return [tuple(range(values))], "arrow"
            if not alone and not outline.types and outline.results == NO_ARROW:
                return [()], "implied"
            return self._wrong_count(score, "result type", results, outline.types)
        if (outline.results if outline.results != NO_ARROW else 0) != results:
            if outline.results == NO_ARROW and results:
                message = f"{self.record.short} needs '->' and its result types"
                return Mismatch(score + 1, message, "", "-> " + self._type_names(form))
            return self._wrong_count(score + 1, "result type", results, max(0, outline.results))
        grouped = tuple(range(len(place), values))
        everything = tuple(range(values))
        short = (*(place[n] for n in syntax.listed if n in place), *grouped)
        candidates = [short if syntax.typed else ()]
        candidates.append(everything)
        candidates.append(tuple(v for v in everything if v not in offsets))
        fitting = [c for c in dict.fromkeys(candidates) if len(c) == outline.types]
        if not fitting:
            wanted = len(candidates[0])
            return self._wrong_count(score + 2, "operand type", wanted, outline.types)
        if not self._marks_fit(syntax, outline, len(place)):
            message = "the clause keywords of the type list do not match the clauses"
            found = ", ".join(k for k, _ in outline.marks)
            expected = ", ".join(k for k, _ in marks(syntax, outline.clauses, len(place)))
            return Mismatch(score + 3, message, found, expected)
        return fitting, "arrow"

    def _marks_fit(self, syntax: Syntax, outline: LineOutline, positional: int) -> bool:
        starts: dict[int, str] = {}
        at = positional
        for keyword, count in outline.clauses:
            starts[at] = keyword
            at += count
        short = at - outline.types  # how many positional types were left out
        return all(starts.get(before + short) == keyword for keyword, before in outline.marks)

    def _wrong_count(self, score: int, what: str, wanted: int, found: int) -> Mismatch:
        message = f"{self.record.short} is written with {plural(wanted, what)}, found {found}"
        return Mismatch(score, message, str(found), str(wanted))

    def _type_names(self, form: Form) -> str:
        return ", ".join(str(r.type) for r in form.results)


def marks(
    syntax: Syntax, clauses: Sequence[tuple[str, int]], positional: int
) -> tuple[tuple[str, int], ...]:
    """The keywords a full type list repeats, each with the number of types before it."""
    named = {g.keyword for g in syntax.groups if g.marked}
    found: list[tuple[str, int]] = []
    at = positional
    for keyword, count in clauses:
        if keyword in named:
            found.append((keyword, at))
        at += count
    return tuple(found)


def separated(items: Sequence[Item]) -> list[str]:
    """What stands before each item when it is printed: a comma, a blank before a word, nothing
    at a bracket."""
    before = [""]
    for left, right in pairwise(items):
        blank = " " if right.kind == "word" else ", "
        before.append("" if left.kind == "open" or right.kind == "close" else blank)
    return before[: len(items)]


def _words(syntaxes: Sequence[Syntax], record: Record) -> frozenset[str]:
    return frozenset(
        value
        for syntax, form in zip(syntaxes, record.forms, strict=True)
        for item in syntax.items
        if item.kind == "word"
        for value in form.attr(item.names[0]).values
    )
