"""Readings of assembly form: which values are results, which operand is left out.

Both the reader and the printer choose by `choose`, so what is printed reads back as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ptoscope.ir import types
from ptoscope.ir.forms.choose import types_fit
from ptoscope.ir.forms.follow import Typing, follow, patterns
from ptoscope.ir.forms.match import Matcher
from ptoscope.ir.forms.mismatch import plural
from ptoscope.ir.forms.outline import LEFT_OUT, LineOutline, Mismatch
from ptoscope.ir.forms.syntax import Syntax, without_mask
from ptoscope.ir.types import TextType
from ptoscope.isa.record import Form
from ptoscope.isa.types import AttrValue


class Reading(NamedTuple):
    """How the items of an assembly line map to a form.

    The first `results` written values are results. `operands[i]` is the written value that
    is operand i, or LEFT_OUT. `orders` are the orders of operands in which types may be
    listed.
    """

    form: int
    results: int
    operands: tuple[int, ...]
    attrs: tuple[tuple[str, int], ...]
    orders: tuple[tuple[int, ...], ...]

    @property
    def complete(self) -> bool:
        """Whether all operands are written."""
        return LEFT_OUT not in self.operands


class AssemblyLine(NamedTuple):
    """An assembly line without its names.

    `values` are the types of the written values, None for a name without a value. `arrow`
    are the types behind an arrow, if there is one. `literals` are the literals' values.
    """

    outline: LineOutline
    values: Sequence[TextType | None]
    listed: Sequence[TextType]
    arrow: Sequence[TextType] | None
    literals: Sequence[AttrValue]


def readings(matcher: Matcher, outline: LineOutline) -> tuple[Reading, ...]:
    """All ways to read the items of a line, those with all operands first."""
    key = outline._replace(marks=(), types=0, results=0)
    found = matcher.readings.get(key)
    if found is None:
        every = [r for _, r in _fit(matcher, key) if isinstance(r, Reading)]
        found = matcher.readings[key] = tuple(sorted(every, key=lambda r: not r.complete))
    return found


def mismatch(matcher: Matcher, outline: LineOutline) -> Mismatch:
    """Why there is no reading: the complaint of the form that comes nearest."""
    found = [m for whole, m in _fit(matcher, outline) if whole and isinstance(m, Mismatch)]
    return max(found, key=lambda m: m.score, default=_wrong_arrow(matcher, outline))


def _wrong_arrow(matcher: Matcher, outline: LineOutline) -> Mismatch:
    """That all items fit, but not the number of types behind the arrow."""
    results = len(matcher.record.forms[0].results)
    wanted, written = plural(results, "result"), plural(max(0, outline.results), "type")
    message = f"{matcher.record.short} has {wanted}, but {written} behind '->'"
    return Mismatch(0, message, str(outline.results), str(results))


def _fit(matcher: Matcher, outline: LineOutline) -> list[tuple[bool, Reading | Mismatch]]:
    """Each form with all operands and, where it has one, without its mask."""
    found: list[tuple[bool, Reading | Mismatch]] = []
    for index, (form, syntax) in enumerate(
        zip(matcher.record.forms, matcher.syntaxes, strict=True)
    ):
        found.append((True, _reading(matcher, index, form, syntax, outline)))
        short = without_mask(form, syntax)
        if short is not None:
            found.append((False, _reading(matcher, index, form, short, outline)))
    return found


def _reading(
    matcher: Matcher, index: int, form: Form, syntax: Syntax, outline: LineOutline
) -> Reading | Mismatch:
    results = tuple(r.name for r in form.results)
    fitted = matcher.fit_items(form, syntax, outline, results)
    if isinstance(fitted, Mismatch):
        return fitted
    first = len(results)
    place = {name: first + at for name, at in fitted.place.items()}
    clauses = range(first + len(place), first + fitted.end)
    operands = (*(place.get(o.name, LEFT_OUT) for o in form.operands), *clauses)
    number = {value: at for at, value in enumerate(operands)}
    written = tuple(number[value] for value in sorted(number) if value != LEFT_OUT)
    named = {o.name: at for at, o in enumerate(form.operands) if operands[at] != LEFT_OUT}
    listed = (*(named[n] for n in syntax.listed if n in named), *(number[v] for v in clauses))
    return Reading(index, first, operands, fitted.attrs, tuple(dict.fromkeys((written, listed))))


def choose(
    matcher: Matcher, found: Sequence[Reading], line: AssemblyLine
) -> tuple[Reading, Typing] | None:
    """The reading that names and types fit best; the first of several equals."""
    best: tuple[Reading, Typing] | None = None
    score: tuple[int, ...] = ()
    for reading in found:
        if line.arrow is not None and len(line.arrow) != reading.results:
            continue
        form = matcher.record.forms[reading.form]
        operands = [
            None if at == LEFT_OUT else line.values[at] or types.UNKNOWN for at in reading.operands
        ]
        wanted = patterns(form, line.outline.clauses)
        typing = follow(form, wanted, operands, reading.orders, line.listed, line.arrow)
        new = _score(form, reading, typing, operands, line)
        if best is None or new > score:
            best, score = (reading, typing), new
    return best


def _score(
    form: Form,
    reading: Reading,
    typing: Typing,
    operands: Sequence[TextType | None],
    line: AssemblyLine,
) -> tuple[int, ...]:
    wrong_names = sum(
        (type is None) != (at < reading.results)
        for at, type in enumerate(line.values)
        if type is not types.UNKNOWN
    )
    fixed = [types.UNKNOWN if type is None else type for type in operands]
    results = [types.UNKNOWN if type is None else type for type in typing.results]
    misfits = len(form.operands) + len(form.results) - types_fit(form, fixed, results)
    literals = sum(form.attr(name).allows(line.literals[at]) for name, at in reading.attrs)
    return -wrong_names, typing.complete, -misfits, reading.complete, literals
