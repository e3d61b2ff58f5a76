"""Suggested fixes, applied until nothing more can be fixed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import NamedTuple

from ptoscope.diagnostics import Diagnostic, Edit, edited

Examine = Callable[[str], list[Diagnostic]]
"""All findings of a text."""

EXAMINED = 400
"""After so many texts that were examined there is no further step."""
CHOICES = 50
"""So many changes are looked at for one step."""
PATIENCE = 8
"""So many of them in a row may make a text no better."""


class Fixed(NamedTuple):
    """A text after fixes, how many were applied, and what is still found."""

    text: str
    applied: int
    left: list[Diagnostic]


def fixed(text: str, examine: Examine) -> Fixed:
    """Applies fixes, examines the result and goes on. What a fix brings to light may be more
    than it takes away: the best text is kept, and given up are several steps without a better
    one."""
    known: dict[str, list[Diagnostic]] = {}

    def examined(text: str) -> list[Diagnostic]:
        if text not in known:
            known[text] = examine(text)
        return known[text]

    best = now = Fixed(text, 0, examined(text))
    seen = {text}
    patience = PATIENCE
    while patience > 0 and len(known) < EXAMINED:
        after = _step(now, examined, seen)
        if after is None:
            break
        now = after
        seen.add(now.text)
        patience -= 1
        if _badness(now.left) < _badness(best.left):
            best, patience = now, PATIENCE
    return best


def _step(now: Fixed, examine: Examine, seen: set[str]) -> Fixed | None:
    """All fixes that do not touch each other, where that makes it better; otherwise the first
    one that does, or else the first of all."""
    fixes = list(dict.fromkeys(d.fix for d in now.left if d.fix))
    worse: Fixed | None = None
    for chosen in islice(_choices(fixes), CHOICES):
        changed = edited(now.text, {edit for fix in chosen for edit in fix})
        if changed in seen:
            continue
        after = Fixed(changed, now.applied + len(chosen), examine(changed))
        if _badness(after.left) < _badness(now.left):
            return after
        if worse is None and len(chosen) == 1:
            worse = after
    return worse


def _choices(fixes: list[tuple[Edit, ...]]) -> list[list[tuple[Edit, ...]]]:
    together: list[tuple[Edit, ...]] = []
    by_line: dict[int, list[Edit]] = {}
    """The edits of those, each once."""
    for fix in fixes:
        if all(_apart(edit, by_line.get(edit.span.line, ())) for edit in fix):
            together.append(fix)
            for edit in fix:
                others = by_line.setdefault(edit.span.line, [])
                if edit not in others:
                    others.append(edit)
    single = [[fix] for fix in fixes]
    return [together, *single] if len(together) > 1 else single


def _apart(edit: Edit, others: Iterable[Edit]) -> bool:
    """Whether an edit can be made together with others of its line: what two fixes say alike is
    said once."""
    return not any(edit != other and _meet(edit, other) for other in others)


def _meet(a: Edit, b: Edit) -> bool:
    ends = a.span.column + a.span.length, b.span.column + b.span.length
    return (
        a.span.column <= b.span.column < ends[0]
        or b.span.column <= a.span.column < ends[1]
        or a.span.column == b.span.column
    )


def _badness(found: list[Diagnostic]) -> tuple[int, ...]:
    """What is wrong with single operations keeps what is wrong with all of them from being
    seen: it counts first."""
    codes = [d.code for d in found if d.severity != "note"]
    hidden = sum(code < "PTO05" for code in codes)
    return hidden, len(codes) - hidden
