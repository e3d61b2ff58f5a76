"""The clauses of an instruction in generic form, from the properties that cut its operands."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from ptoscope.ir.attributes import Attribute, Segments
from ptoscope.isa.record import Form, Group, Record


class Cut(NamedTuple):
    """Operands cut into clauses: `order` has their numbers in the order of the clauses."""

    segments: Segments
    order: tuple[int, ...]


def cut(
    record: Record, keywords: Attribute | None, sizes: Attribute | None, operands: int
) -> Cut | None:
    """The clauses that the properties of an instruction say; None if they contradict it.

    With keywords, the sizes are those of the operands before the clauses and of each clause.
    Compilers write sizes alone, one for each operand that the instruction may have.
    """
    as_written = tuple(range(operands))
    if keywords is None and sizes is None:
        found = (_of_required(form, operands) for form in record.forms)
        return next((cut for cut in found if cut is not None), Cut((), as_written))
    counts = _numbers(sizes)
    if not counts or min(counts) < 0 or sum(counts) != operands:
        return None
    if keywords is None:
        # Older compilers do not know of the clauses that came later.
        older = [(form, [g for g in form.groups if not g.unnamed]) for form in record.forms]
        listed = [*((form, form.groups) for form in record.forms), *older]
        found = (_of_each(form, groups, counts) for form, groups in listed)
        return next((cut for cut in found if cut is not None), None)
    words = keywords.value if isinstance(keywords.value, list) else []
    named = [word for word in words if isinstance(word, str)]
    if len(named) + 1 != len(counts):
        return None
    return Cut(tuple(zip(named, counts[1:], strict=True)), as_written)


def _of_required(form: Form, operands: int) -> Cut | None:
    """The clauses of a form that has each of them once, where compilers write no sizes: what may
    be missing in a clause stands behind all others."""
    if not form.groups or any(group.arity != "one" for group in form.groups):
        return None
    fixed = len(form.operands)
    least = [group.required or len(group.operands) for group in form.groups]
    at, extra = fixed, fixed + sum(least)
    more = operands - extra
    segments: list[tuple[str, int]] = []
    order = list(range(fixed))
    for group, count in zip(form.groups, least, strict=True):
        added = min(max(more, 0), len(group.operands) - count)
        order += [*range(at, at + count), *range(extra, extra + added)]
        segments.append((group.keyword, count + added))
        at, extra, more = at + count, extra + added, more - added
    return Cut(tuple(segments), tuple(order)) if more == 0 else None


def _numbers(sizes: Attribute | None) -> list[int]:
    found = None if sizes is None else sizes.value
    return [count for count in found if isinstance(count, int)] if isinstance(found, list) else []


def _of_each(form: Form, groups: Sequence[Group], counts: Sequence[int]) -> Cut | None:
    """The clauses of a form with so many of each operand. Of a clause that stands there several
    times, compilers list the first operands of all, then the second ones, and so on."""
    fixed = [operand.name for operand in form.operands]
    inner = [operand.name for group in groups for operand in group.operands]
    names = form.compiled or (*fixed, *inner)
    if len(counts) != len(names):
        return None
    many = dict(zip(names, counts, strict=True))
    if any(many[name] != 1 for name in fixed):
        return None
    first = dict(zip(names, accumulate(counts, initial=0), strict=False))
    segments: list[tuple[str, int]] = []
    order = [first[name] for name in fixed]
    for group in groups:
        operands = [operand.name for operand in group.operands]
        here = [name for name in operands if many[name]]
        if len({many[name] for name in here}) > 1 or here != operands[: len(here)]:
            return None
        for time in range(many[here[0]] if here else 0):
            segments.append((group.keyword, len(here)))
            order += [first[name] + time for name in here]
    return Cut(tuple(segments), tuple(order))
