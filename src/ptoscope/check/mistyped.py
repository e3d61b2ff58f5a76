"""Masks that are made with one width and used with another: fixes of what the reader found.

A mask is made anew where its uses need the width that they write. Where they could write the other
one as well, the text does not say which of the two is the mistake: there is no fix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from ptoscope.check.masks import remade
from ptoscope.check.rule import Context
from ptoscope.diagnostics import Diagnostic, Edit, Span, edited

TRIED = 8
"""So many changes of one text are tried: it is read again for each."""


class MisusedMask(NamedTuple):
    """A mask of a function, and the bits of the type that a use writes for it."""

    context: Context
    slot: int
    bits: int
    span: Span


def with_makers_fixed(
    found: list[Diagnostic],
    misused: Iterable[MisusedMask],
    examine: Callable[[str], list[Diagnostic]],
) -> list[Diagnostic]:
    """Returns the findings of a text, with fixes for masks that are used with another width than
    they are made with, where the fix makes all uses right. `examine` gives the findings of another
    text."""
    wanted: dict[tuple[int, int, int], list[MisusedMask]] = {}
    for use in misused:
        wanted.setdefault((id(use.context), use.slot, use.bits), []).append(use)
    fixes: dict[Span, tuple[tuple[Edit, ...], str]] = {}
    for uses in islice(wanted.values(), TRIED):
        context, slot, bits, _ = uses[0]
        fix = remade(context, slot, bits)
        if not fix:
            continue
        text = context.program.text
        after = examine(edited(text, fix))
        made = str(context.function.types[slot])
        retyped = {Edit(use.span, made) for use in uses if _writes_type(use)}
        other = examine(edited(text, retyped)) if len(retyped) == len(uses) else found
        if _helps(after, found, uses) and len(after) < len(other):
            hint = f"made in line {fix[0].span.line} as a b{bits} mask it is what all its uses need"
            fixes.update((use.span, (fix, hint)) for use in uses)
    return [_fixed(d, *fixes[d.span]) if d.span in fixes else d for d in found]


def _writes_type(use: MisusedMask) -> bool:
    """Returns True if a use writes the type of its mask, and not only its name."""
    line = use.context.program.text.split("\n")[use.span.line - 1]
    return line[use.span.column - 1 :].startswith("!pto.mask<")


def _fixed(finding: Diagnostic, fix: tuple[Edit, ...], hint: str) -> Diagnostic:
    return finding if finding.fix else replace(finding, fix=fix, hint=hint)


def _helps(after: list[Diagnostic], found: list[Diagnostic], uses: list[MisusedMask]) -> bool:
    """Returns True if a changed text has no finding at some uses, and none that was not there."""
    places = {use.span for use in uses}
    before, left = (Counter((d.code, d.line, d.message) for d in them) for them in (found, after))
    return left <= before and not any(d.span in places for d in after)
