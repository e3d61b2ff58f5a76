"""Post-update: an access that works at its base address and gives the base back, advanced.

What displaces the access of the plain form, an offset or a repeat stride, only advances the base
of this one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import PtrTo
from ptoscope.isa.record import Evidence, Form, Operand, Site, Source, When

UPDATED = Operand("updated", PtrTo(), "post-update: the base address, advanced")


def post_update(form: Form) -> Form:
    """A form with the advanced base as a further result."""
    arrow = ", updated" if form.results else " -> updated"
    syntax = form.syntax and form.syntax + arrow
    return replace(form, results=(*form.results, UPDATED), syntax=syntax)


def updates(site: Site) -> bool:
    """Whether a use gives the advanced base back."""
    return site.record.forms[site.form].results[-1:] == (UPDATED,)


def begins(site: Site, base: Lanes, moved: Lanes) -> Lanes:
    """Where a use begins, of a base and of the base as it is moved."""
    return base if updates(site) else moved


def with_base(site: Site, moved: Lanes, *others: Lanes) -> Any:
    """What a use gives: its other results and, where it updates its base, the base moved."""
    given = (*others, moved) if updates(site) else others
    return given if len(given) > 1 else given[0] if given else None


def evidence(form: int, source: Source, note: str) -> Evidence:
    """The cell of a post-update form."""
    return Evidence("post-update", source, note, when=When(forms=(form,)))
