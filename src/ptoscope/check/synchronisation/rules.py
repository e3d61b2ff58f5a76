"""Synchronisation: flags and buffers in balance, nothing left to chance between pipes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from ptoscope.check.analysis.expr import Expr
from ptoscope.check.analysis.nodes import Sync
from ptoscope.check.analysis.reach import executed, greatest, least
from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.check.synchronisation.messages import (
    copies,
    hazard,
    kept,
    left,
    race,
    short,
    stuck,
    unheld,
)
from ptoscope.check.synchronisation.order import PipeOrder
from ptoscope.check.synchronisation.scopes import ScopeOrder
from ptoscope.check.synchronisation.unroll import Execution, UnrolledRun, unroll

PATHS = 32
"""So many combinations of conditions are followed."""


class _Path(NamedTuple):
    run: UnrolledRun
    found: dict[tuple[str, object], Finding]


def _paths(context: Context) -> list[_Path]:
    """The runs of a function, one for each way its conditions can go."""
    made: list[_Path] = []
    todo: list[dict[Expr, bool]] = [{}]
    while todo and len(made) < PATHS:
        sides = todo.pop()
        run = unroll(context.analysis.nodes, sides)
        made.append(_Path(run, {} if run.cut else _findings(context, run)))
        fixed = dict(sides)
        for condition in run.taken:
            if condition not in fixed:
                todo.append({**fixed, condition: False})
                fixed[condition] = True
    if todo or any(path.run.cut for path in made):
        # Something was left out: nothing that concerns the pipes is certain.
        return [_Path(path.run, {}) for path in made]
    return made


def _findings(context: Context, run: UnrolledRun) -> dict[tuple[str, object], Finding]:
    order = PipeOrder(run)
    found: dict[tuple[str, object], Finding] = {}

    def add(code: str, indices: list[int], say: Callable[[Execution], Finding]) -> None:
        for i in indices:
            event = run.events[i]
            found.setdefault((code, event.node.op.span), say(event))

    add("PTO0601", order.short, lambda e: short(context, run, e))
    if not order.short:
        add("PTO0602", order.stuck[:1], lambda e: stuck(run, order, e))
    add("PTO0603", order.left, left)
    add("PTO0605", order.unheld, unheld)
    add("PTO0606", order.kept, kept)
    for item in order.races:
        one_pipe = item.early.node.pipe == item.late.node.pipe
        code, say = ("PTO0608", copies) if one_pipe else ("PTO0607", race)
        spans = item.early.node.op.span, item.late.node.op.span
        found.setdefault((code, spans), say(context, run, item))
    return found


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
        yield from _certain(code, context.once(_paths))

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


def _barriers(context: Context) -> Iterator[Finding]:
    if context.target.name != "a5":
        return
    scopes: dict[int, list[Execution]] = {}
    entries: dict[int, int] = {}
    for event in context.once(_paths)[0].run.events:
        # Of a scope in a loop the first execution tells enough.
        if event.scope is not None and entries.setdefault(id(event.scope), event.entry) == (
            event.entry
        ):
            scopes.setdefault(id(event.scope), []).append(event)
    for events in scopes.values():
        for item in ScopeOrder(events, context.values).hazards():
            yield hazard(context, item)


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
)
