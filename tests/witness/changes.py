"""Meanings with one operation changed.

A meaning speaks through `Lanes` and `Core`. Here both are wrapped: every word goes on to the
reference engine, but one, the chosen operation of a run, is said wrongly: another operator,
operands swapped, a constant off by one, a mask ignored, an address moved. Bodies that an engine
repeats count once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ptoscope.isa.record import Record, Run, Site
from ptoscope.machine.core import ReferenceCore
from tests.witness.changed_core import ChangedCore
from tests.witness.changed_lanes import bare, heard
from tests.witness.plan import Plan


def changed(record: Record, plan: Plan) -> Record:
    """The record with its meaning as the plan says, on the reference engine."""

    def meaning(site: Site) -> Run:
        plain = record.meaning(site)
        ways = _uses(record, site)

        def run_changed(core: Any, *values: Any) -> Any:
            if not isinstance(core, ReferenceCore):
                return plain(core, *values)
            plan.begin()
            change = plan.step("use", record.short, lambda: tuple(ways))
            inner, given = plain, list(values)
            if change in ways:
                inner, given = ways[change](given)
            spoken = ChangedCore(core, plan)
            return bare(inner(spoken, *(heard(v, plan) for v in given)))

        return run_changed

    return replace(record, meaning=meaning)


Way = Callable[[list[Any]], tuple[Run, list[Any]]]


def _uses(record: Record, site: Site) -> dict[str, Way]:
    """Changes of a use as a whole: two operands swapped, another value of an attribute."""
    ways: dict[str, Way] = {}
    for i, first in enumerate(site.operands):
        for j in range(i + 1, len(site.operands)):
            if site.operands[j] == first:
                ways[f"operands {i} and {j} swapped"] = _swapping(record.meaning(site), i, j)
    form = record.forms[site.form]
    for attr in form.attrs:
        tokens = list(attr.values)
        value = site.attrs.get(attr.name)
        if value in tokens and len(tokens) > 1:
            other = tokens[(tokens.index(str(value)) + 1) % len(tokens)]
            asked = replace(site, attrs={**site.attrs, attr.name: other})
            ways[f"{attr.name} {value} read as {other}"] = _reading(record, asked)
    return ways


def _swapping(run: Run, i: int, j: int) -> Way:
    def way(values: list[Any]) -> tuple[Run, list[Any]]:
        values[i], values[j] = values[j], values[i]
        return run, values

    return way


def _reading(record: Record, site: Site) -> Way:
    return lambda values: (record.meaning(site), values)
