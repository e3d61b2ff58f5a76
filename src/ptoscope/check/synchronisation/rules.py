"""Synchronisation: flags and buffers in balance, nothing left to chance between pipes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from ptoscope.check.analysis.expr import Expr
from ptoscope.check.analysis.nodes import BranchNode, Sync
from ptoscope.check.analysis.reach import executed, greatest, least
from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.check.synchronisation.executions import UnrolledRun
from ptoscope.check.synchronisation.messages import hazard, not_followed, said, too_many_ways
from ptoscope.check.synchronisation.problems import ProblemKey, Problems
from ptoscope.check.synchronisation.scopes import ScopeOrder
from ptoscope.check.synchronisation.unroll import unroll, unroll_scope
from ptoscope.isa.order.memory import needs_memory_barriers

PATHS = 32
"""So many combinations of conditions are followed: all of up to five."""
_UP_TO_THERE = ("PTO0605", "PTO0607", "PTO0608")
"""Rules that what comes later does not change."""


class _Path(NamedTuple):
    run: UnrolledRun
    found: dict[ProblemKey, Finding]
    sides: dict[Expr, bool]
    otherwise: bool


class _Paths(NamedTuple):
    """The runs of a function, and the conditions of which not all combinations were followed."""

    paths: list[_Path]
    conditions: tuple[BranchNode, ...] = ()


def _paths(context: Context) -> _Paths:
    """One run for each way the conditions of a function can go."""
    made: list[_Path] = []
    todo: list[dict[Expr, bool]] = [{}]
    seen: dict[Expr, BranchNode] = {}
    while todo and len(made) < PATHS:
        sides = todo.pop()
        path = _path(context, sides)
        seen.update({condition: node for condition, (node, _) in path.run.taken.items()})
        made.append(path)
        fixed = dict(sides)
        for condition in path.run.taken:
            if condition not in fixed:
                todo.append({**fixed, condition: False})
                fixed[condition] = True
    if not todo:
        return _Paths(_repaired(context, made))
    # Too many: all one way, and each of them the other way alone.
    some = [
        _path(context, sides, otherwise)
        for otherwise in (True, False)
        for sides in ({}, *({condition: not otherwise} for condition in list(seen)[:PATHS]))
    ]
    return _Paths(some, tuple(seen.values()))


def _repaired(context: Context, paths: list[_Path]) -> list[_Path]:
    """The paths, their findings with the fixes that were found by trying."""
    if not any(path.found for path in paths) or any(path.run.given_up for path in paths):
        return paths
    # A kernel that is right pays for no repair.
    from ptoscope.check.synchronisation.repair import Path, repairs

    tried = repairs(context, [Path(p.run, p.sides, p.otherwise) for p in paths])
    for path in paths:
        for key, finding in path.found.items():
            repair = tried.get(key)
            if repair is not None:
                hint = repair.words or finding.hint + repair.adds
                path.found[key] = replace(finding, fix=repair.fix, hint=hint)
    return paths


def _path(context: Context, sides: dict[Expr, bool], otherwise: bool = True) -> _Path:
    run = unroll(context.analysis.nodes, sides, otherwise)
    up = run.given_up
    found = _findings(context, run) if up is None or up.ends else {}
    if up is not None:
        found = {key: finding for key, finding in found.items() if key[0] in _UP_TO_THERE}
    return _Path(run, found, sides, otherwise)


def _findings(context: Context, run: UnrolledRun) -> dict[ProblemKey, Finding]:
    problems = Problems(run)
    return {key: said(context, problems, key[0], item) for key, item in problems.found.items()}


def _certain(code: str, paths: list[_Path]) -> Iterator[Finding]:
    """Findings of all paths, or of all on which one condition goes one way. What depends on
    two conditions is not reported: they may exclude each other."""
    for key in dict.fromkeys(k for path in paths for k in path.found if k[0] == code):
        having = [key in path.found for path in paths]
        first = paths[having.index(True)].found[key]
        if all(having):
            yield first
            continue
        for condition in dict.fromkeys(c for path in paths for c in path.run.taken):
            for holds in (True, False):
                sides = [_side(path, condition) is holds for path in paths]
                if any(sides) and all(h for h, s in zip(having, sides, strict=True) if s):
                    yield _on_path(first, paths[sides.index(True)], condition, holds)
                    break
            else:
                continue
            break


def _side(path: _Path, condition: Expr) -> bool | None:
    taken = path.run.taken.get(condition)
    return None if taken is None else taken[1]


def _on_path(finding: Finding, path: _Path, condition: Expr, holds: bool) -> Finding:
    branch, _ = path.run.taken[condition]
    how = "holds" if holds else "does not hold"
    where = f" where the condition of line {branch.op.span.line} {how}"
    return replace(finding, message=finding.message + where)


def _rule(code: str, title: str, severity: str = "error") -> Rule:
    def find(context: Context) -> Iterator[Finding]:
        yield from _certain(code, context.once(_paths).paths)

    return Rule(code, title, find, severity)


def _ids(context: Context) -> Iterator[Finding]:
    nodes = context.analysis.nodes
    for node in executed(nodes):
        if not isinstance(node, Sync):
            continue
        for (what, count), value in zip(node.rule.numbers, node.numbers, strict=True):
            low, high = least(value), greatest(value)
            if count is not None and (low < 0 or high >= count):
                yield Finding(
                    node.op.span,
                    f"{node.op.name}: {what} id out of range",
                    found=str(low if low < 0 else high),
                    expected=f"0 to {count - 1}",
                    hint=f"there are {count} {what} ids",
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
    Rule("PTO0604", "event and buffer ids are in range", _ids),
    _rule("PTO0605", "a buffer is released by the pipe that acquired it"),
    _rule("PTO0606", "a buffer that is acquired is released", "warning"),
    _rule("PTO0607", "accesses of two pipes to the same bytes are ordered"),
    _rule("PTO0608", "copies of one pipe to the same bytes are ordered by a barrier"),
    Rule("PTO0609", "a mem_bar orders accesses to the same bytes in a vecscope", _barriers),
    Rule("PTO0610", "the synchronisation of the whole function is followed", _not_followed, "note"),
)
