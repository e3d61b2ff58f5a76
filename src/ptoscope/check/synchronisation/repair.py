"""Changes that are tried: a fix is suggested only where the function is better with it."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from ptoscope.check.analysis.expr import Expr
from ptoscope.check.rule import Context
from ptoscope.check.synchronisation.buffers import overlap_between
from ptoscope.check.synchronisation.candidates import Candidates
from ptoscope.check.synchronisation.changes import Change, Insert, changed, edits, words
from ptoscope.check.synchronisation.problems import (
    COPIES,
    KEPT,
    RACE,
    SHORT,
    STUCK,
    SURPLUS,
    UNHELD,
    ProblemKey,
    Problems,
)
from ptoscope.check.synchronisation.races import StaticRace
from ptoscope.check.synchronisation.unroll import Execution, UnrolledRun, unroll
from ptoscope.check.text import Fix

CANDIDATES = 40
"""So many changes are tried for one problem."""
EVENTS = 100_000
"""So many events are followed in all, over all that is tried in a function."""
_FIRST = (SHORT, SURPLUS, UNHELD, KEPT, STUCK, COPIES, RACE)
"""What is repaired first: an orphan is the likelier cause of a race than the other way round."""


class Path(NamedTuple):
    """A way through the function: its run, and the sides that make it."""

    run: UnrolledRun
    sides: dict[Expr, bool]
    otherwise: bool


class Repair(NamedTuple):
    """A change of the text, and what it does."""

    fix: Fix
    words: str


def repairs(context: Context, paths: list[Path]) -> dict[ProblemKey, Repair]:
    """For each problem of some paths the change that takes it away, where one was found."""
    return _Repairs(context, paths).found


class _Repairs:
    def __init__(self, context: Context, paths: list[Path]) -> None:
        self._context, self._paths = context, paths
        self._room = EVENTS
        self.found: dict[ProblemKey, Repair] = {}
        events: dict[tuple[str, str], set[int | None]] = {}
        for path in paths:
            for pipes, numbers in path.run.numbers_between.items():
                events.setdefault(pipes, set()).update(numbers)
        base = [Problems(path.run) for path in paths]
        self._before = {key for problems in base for key in problems.found}
        self._inverted = {key for problems in base for key in _inverted(problems)}
        for code in _FIRST:
            for problems in base:
                candidates = Candidates(context, problems, events)
                for key, item in problems.found.items():
                    if key[0] == code and key not in self.found and not self._is_overlap(item):
                        self._repair(key, list(islice(candidates.of(code, item), CANDIDATES)))

    def _is_overlap(self, item: Execution | StaticRace) -> bool:
        """Whether no order helps: two buffers share bytes."""
        return (
            isinstance(item, StaticRace)
            and overlap_between(self._context, item.early, item.late) is not None
        )

    def _repair(self, key: ProblemKey, candidates: list[Change]) -> None:
        best: tuple[Change, Fix, set[ProblemKey]] | None = None
        fewest = len(self._before)
        for change in candidates:
            left = self._left(change)
            if left is None:
                break
            shows_more = self._shows_more(key, change, left)
            if key in left or not (left < self._before or shows_more):
                continue
            enough = not left or key[0] in (RACE, COPIES)
            if not enough and len(left) >= fewest:
                continue
            fix = edits(self._context, change)
            if fix:
                best, fewest = (change, fix, left), len(left)
                if enough:
                    break
        if best is not None:
            repair = Repair(best[1], words(best[0]))
            for other in self._before - best[2]:
                self.found.setdefault(other, repair)

    def _shows_more(self, key: ProblemKey, change: Change, left: set[ProblemKey]) -> bool:
        """Whether all that a flag brings are races of loops that did not synchronise before it,
        and whose iterations were therefore not told apart."""
        added = key[0] == RACE and all(isinstance(step, Insert) for step in change)
        return added and {code for code, _ in left - self._before} <= {RACE, COPIES}

    def _left(self, change: Change) -> set[ProblemKey] | None:
        """What is wrong after a change; None where there is no room to find out."""
        nodes = changed(self._context.analysis.nodes, change)
        left: set[ProblemKey] = set()
        for path in self._paths:
            if self._room <= 0:
                return None
            run = unroll(nodes, path.sides, path.otherwise)
            self._room -= len(run.events)
            if run.given_up is not None:
                return self._before
            problems = Problems(run)
            left |= problems.found.keys()
            left |= _inverted(problems) - self._inverted
        return left


def _inverted(problems: Problems) -> set[ProblemKey]:
    """What is executed against the order of the program: a fix must not bring it about."""
    return {
        ("inverted", (one.node.op.span, two.node.op.span)) for one, two in problems.order.inverted
    }
