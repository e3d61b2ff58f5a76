"""Synchronisation: flags and buffers in balance, nothing left to chance between pipes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from ptoscope.budget import EndedError, analysis_budget
from ptoscope.check.analysis.nodes import Sync
from ptoscope.check.analysis.reach import executed, greatest, least
from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.check.synchronisation.executions import UnrolledRun
from ptoscope.check.synchronisation.messages import (
    acquires,
    hazard,
    not_followed,
    said,
    too_many_ways,
)
from ptoscope.check.synchronisation.problems import UNFLAGGED, UNHELD, ProblemKey, Problems
from ptoscope.check.synchronisation.scopes import ScopeOrder
from ptoscope.check.synchronisation.unroll import unroll, unroll_scope
from ptoscope.check.synchronisation.ways import Sides, Taken, Ways, certain, ways
from ptoscope.isa.order.cores import semaphores_of
from ptoscope.isa.order.memory import needs_memory_barriers

_UP_TO_THERE = ("PTO0605", "PTO0607", "PTO0608", UNFLAGGED)
"""Rules that what comes later does not change."""


class _Path(NamedTuple):
    run: UnrolledRun
    found: dict[ProblemKey, Finding]
    sides: Sides
    otherwise: bool

    @property
    def taken(self) -> Taken:
        return self.run.taken


def _paths(context: Context) -> Ways[_Path]:
    """One run for each way the conditions of a function can go."""
    made = ways(lambda sides, otherwise: _path(context, sides, otherwise))
    return made if made.conditions else replace(made, paths=_repaired(context, made.paths))


def _repaired(context: Context, paths: list[_Path]) -> list[_Path]:
    """The paths, their findings with the fixes that were found by trying."""
    if not any(path.found for path in paths) or any(path.run.given_up for path in paths):
        return paths
    # A kernel that is right pays for no repair.
    from ptoscope.check.synchronisation.repair import NO_REPAIR, Path, repairs

    try:
        with analysis_budget():
            tried = repairs(context, [Path(p.run, p.sides, p.otherwise) for p in paths])
    except EndedError:
        tried = {key: NO_REPAIR for path in paths for key in path.found}
    for path in paths:
        for key, finding in path.found.items():
            repair = tried.get(key)
            if repair is not None:
                hint = repair.words or finding.hint + repair.adds
                path.found[key] = replace(finding, fix=repair.fix, hint=hint)
    return paths


def _path(context: Context, sides: Sides, otherwise: bool) -> _Path:
    run = unroll(context.analysis.nodes, sides, otherwise)
    up = run.given_up
    found = _findings(context, run) if up is None or up.ends else {}
    if up is not None:
        found = {key: finding for key, finding in found.items() if key[0] in _UP_TO_THERE}
    return _Path(run, found, sides, otherwise)


def _findings(context: Context, run: UnrolledRun) -> dict[ProblemKey, Finding]:
    problems = Problems(run)
    return {
        key: said(context, problems, key[0], item)
        for key, item in problems.found.items()
        if not (key[0] == UNHELD and context.revision == "micro" and acquires(item))
    }


def _rule(code: str, title: str, severity: str = "error") -> Rule:
    def find(context: Context) -> Iterator[Finding]:
        yield from certain(code, context.once(_paths).paths)

    return Rule(code, title, find, severity)


def _ids(context: Context) -> Iterator[Finding]:
    nodes = context.analysis.nodes
    for node in executed(nodes):
        if not isinstance(node, Sync):
            continue
        for (what, count), value in zip(node.rule.numbers, node.numbers, strict=True):
            low, high = least(value), greatest(value)
            if count is not None and node.rule.between_cores:
                count = min(count, semaphores_of(context.core))
            if count is not None and (low < 0 or high >= count):
                yield Finding(
                    node.op.span,
                    f"{node.op.name}: {what} id out of range",
                    found=str(low if low < 0 else high),
                    expected=f"0 to {count - 1}",
                    hint=f"there are {count} {what} ids"
                    + (f" for {context.core.title}" if node.rule.between_cores else ""),
                )


def _scopes(context: Context) -> list[UnrolledRun]:
    """Every vecscope iteration by iteration, where a mem_bar is needed in it."""
    if not needs_memory_barriers(context.target):
        return []
    # Of a scope in a loop the first execution tells enough.
    first = context.once(_paths).paths[0].run
    return [unroll_scope(entry) for entry in first.scopes.values()]


def _barriers(context: Context) -> Iterator[Finding]:
    for run in context.once(_scopes):
        if run.events:
            for item in ScopeOrder(run.events, context.values).hazards():
                yield hazard(context, item)


def _not_followed(context: Context) -> Iterator[Finding]:
    paths = context.once(_paths)
    runs = [*(path.run for path in paths.paths), *context.once(_scopes)]
    # What one run gives up others do, too.
    yield from dict.fromkeys(not_followed(r.given_up) for r in runs if r.given_up is not None)
    if paths.conditions:
        yield too_many_ways(paths.conditions, len(paths.paths))


RULES = (
    _rule("PTO0601", "every wait_flag has its set_flag, on every path and in every iteration"),
    _rule("PTO0602", "pipes do not wait for each other in a circle"),
    _rule("PTO0603", "no flag is left set", "warning"),
    Rule("PTO0604", "ids of events, buffers and semaphores are in range", _ids),
    _rule("PTO0605", "a pipe acquires a buffer once before it releases it"),
    _rule("PTO0606", "a buffer that is acquired is released", "warning"),
    _rule("PTO0607", "accesses of two pipes to the same bytes are ordered"),
    _rule("PTO0608", "copies of one pipe to the same bytes are ordered by a barrier"),
    Rule("PTO0609", "a mem_bar orders accesses to the same bytes in a vecscope", _barriers),
    Rule("PTO0610", "the synchronisation of the whole function is followed", _not_followed, "note"),
    _rule(UNFLAGGED, "a flag from PIPE_S orders other pipes behind a scalar store", "warning"),
)
