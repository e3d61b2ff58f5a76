"""The ways that the conditions of a function can go, and what is certain about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from ptoscope.check.analysis.expr import Expr
from ptoscope.check.analysis.nodes import BranchNode
from ptoscope.check.rule import Finding
from ptoscope.check.synchronisation.problems import ProblemKey

PATHS = 32
"""So many combinations of conditions are followed: all of up to five."""

Sides = dict[Expr, bool]
"""Conditions with the side that a run takes."""
Taken = dict[Expr, tuple[BranchNode, bool]]
"""Those that were met in a run."""


class Path(Protocol):
    """One way: what was found on it, and the conditions that it met."""

    @property
    def found(self) -> dict[ProblemKey, Finding]: ...

    @property
    def taken(self) -> Taken: ...


PathT = TypeVar("PathT", bound=Path)


@dataclass(frozen=True)
class Ways(Generic[PathT]):
    """The runs of a function, and the conditions of which not all combinations were followed."""

    paths: list[PathT]
    conditions: tuple[BranchNode, ...] = ()


def ways(make: Callable[[Sides, bool], PathT]) -> Ways[PathT]:
    """One run for each way that conditions can go; `make` gives that of some sides, and of one
    for all other conditions."""
    made: list[PathT] = []
    todo: list[Sides] = [{}]
    seen: dict[Expr, BranchNode] = {}
    while todo and len(made) < PATHS:
        sides = todo.pop()
        path = make(sides, True)
        seen.update({condition: node for condition, (node, _) in path.taken.items()})
        made.append(path)
        fixed = dict(sides)
        for condition in path.taken:
            if condition not in fixed:
                todo.append({**fixed, condition: False})
                fixed[condition] = True
    if not todo:
        return Ways(made)
    # Too many: all one way, and each of them the other way alone.
    some = [
        make(sides, otherwise)
        for otherwise in (True, False)
        for sides in ({}, *({condition: not otherwise} for condition in list(seen)[:PATHS]))
    ]
    return Ways(some, tuple(seen.values()))


def certain(code: str, paths: Sequence[Path]) -> Iterator[Finding]:
    """Findings of all paths, or of all on which one condition goes one way. What depends on
    two conditions is not reported: they may exclude each other."""
    for key in dict.fromkeys(k for path in paths for k in path.found if k[0] == code):
        having = [key in path.found for path in paths]
        first = paths[having.index(True)].found[key]
        if all(having):
            yield first
            continue
        for condition in dict.fromkeys(c for path in paths for c in path.taken):
            for holds in (True, False):
                sides = [_side(path, condition) is holds for path in paths]
                if any(sides) and all(h for h, s in zip(having, sides, strict=True) if s):
                    yield _on_path(first, paths[sides.index(True)], condition, holds)
                    break
            else:
                continue
            break


def _side(path: Path, condition: Expr) -> bool | None:
    taken = path.taken.get(condition)
    return None if taken is None else taken[1]


def _on_path(finding: Finding, path: Path, condition: Expr, holds: bool) -> Finding:
    branch, _ = path.taken[condition]
    how = "holds" if holds else "does not hold"
    where = f" where the condition of line {branch.op.span.line} {how}"
    return replace(finding, message=finding.message + where)
