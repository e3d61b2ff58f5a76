"""Changes that are tried: a fix is suggested only where the function is better with it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ptoscope.check.analysis.expr import Expr
from ptoscope.check.rule import Context
from ptoscope.check.synchronisation.buffers import overlap_between
from ptoscope.check.synchronisation.candidates import CANDIDATES, Candidates
from ptoscope.check.synchronisation.changes import Change, Insert, changed, edits, words
from ptoscope.check.synchronisation.doubts import IN_DOUBT, doubtful
from ptoscope.check.synchronisation.executions import Execution, UnrolledRun
from ptoscope.check.synchronisation.layout import Layout
from ptoscope.check.synchronisation.missing import Missing
from ptoscope.check.synchronisation.problems import (
    COPIES,
    KEPT,
    RACE,
    SHORT,
    STUCK,
    SURPLUS,
    UNFLAGGED,
    UNHELD,
    ProblemKey,
    Problems,
)
from ptoscope.check.synchronisation.races import StaticRace
from ptoscope.check.synchronisation.unroll import unroll
from ptoscope.check.text import Fix

CAUSES = 24
"""So many problems are repaired one by one; the races of a function that has more together."""
EVENTS = 40_000
"""So many events are followed in all, over all that is tried one by one in a function."""
ROUNDS = 4
"""So often order is added where accesses of all pipes lack it."""
_FIRST = (SHORT, SURPLUS, UNHELD, KEPT, STUCK, COPIES, RACE, UNFLAGGED)
"""What is repaired first: an orphan is the likelier cause of a race than the other way round."""


class Path(NamedTuple):
    """A way through the function: its run, and the sides that make it."""

    run: UnrolledRun
    sides: dict[Expr, bool]
    otherwise: bool


class Repair(NamedTuple):
    """A change of the text, and a hint that says what it does; `adds` is what is said besides
    the hint that is there."""

    fix: Fix
    words: str = ""
    adds: str = ""


NO_REPAIR = Repair((), adds="; there is too much that may be wrong to try a fix of it")


def repairs(context: Context, paths: list[Path]) -> dict[ProblemKey, Repair]:
    """For each problem of some paths the change that takes it away, where one was found."""
    return _Repairs(context, paths).found


class _Repairs:
    def __init__(self, context: Context, paths: list[Path]) -> None:
        self._context, self._paths = context, paths
        self._room = EVENTS
        self.found: dict[ProblemKey, Repair] = {}
        self._events: dict[tuple[str, str], set[int | None]] = {}
        for path in paths:
            for pipes, numbers in path.run.numbers_between.items():
                self._events.setdefault(pipes, set()).update(numbers)
        base = [Problems(path.run) for path in paths]
        self._before = {key: None for problems in base for key in problems.found}.keys()
        self._inverted = {key for problems in base for key in _inverted(problems)}
        self._doubtful = {key: item for one in base for key, item in doubtful(one).items()}
        if len(self._before) > CAUSES:
            self._together(base)
        else:
            self._one_by_one(base)
        for key, item in self._doubtful.items():
            line = item.early.node.op.span.line
            self.found[key] = Repair((), adds=IN_DOUBT.format(line))

    def _one_by_one(self, base: list[Problems]) -> None:
        for code in _FIRST:
            for problems in base:
                candidates = Candidates(self._context, problems, self._events)
                for key, item in problems.found.items():
                    if key[0] == code and key not in self.found and self._is_clear(key, item):
                        self._repair(key, candidates.of(code, item))

    def _is_clear(self, key: ProblemKey, item: Execution | StaticRace) -> bool:
        """Whether order is what lacks: no two buffers share bytes, the text is in order."""
        if not isinstance(item, StaticRace):
            return True
        is_overlap = overlap_between(self._context, item.early, item.late) is not None
        return not is_overlap and key not in self._doubtful

    def _repair(self, key: ProblemKey, candidates: Iterator[Change]) -> None:
        best: tuple[Change, Fix, set[ProblemKey]] | None = None
        fewest = len(self._before)
        for change in islice(candidates, CANDIDATES):
            if self._room <= 0:
                break
            left = self._left(change)
            shows_more = self._shows_more(key, change, left)
            if key in left or not (left < self._before or shows_more):
                continue
            enough = not left or key[0] in (RACE, COPIES, UNFLAGGED)
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
        elif self._room <= 0:
            self.found[key] = NO_REPAIR

    def _shows_more(self, key: ProblemKey, change: Change, left: set[ProblemKey]) -> bool:
        """Whether all that a flag brings are races of loops that did not synchronise before it,
        and whose iterations were therefore not told apart."""
        added = key[0] in (RACE, UNFLAGGED) and all(isinstance(step, Insert) for step in change)
        return added and {code for code, _ in left - self._before} <= {RACE, COPIES, UNFLAGGED}

    def _together(self, problems: list[Problems]) -> None:
        """Orders all accesses that nothing orders; the first finding that it takes away has
        the fix, the others point there."""
        missing = Missing(self._context.once(Layout), self._events)
        change: Change = ()
        left = set(self._before)
        for _ in range(ROUNDS):
            races = {
                key: item
                for one in problems
                for key, item in one.found.items()
                if isinstance(item, StaticRace) and self._is_clear(key, item)
            }
            added = missing.added(races)
            if not added:
                break
            change += added
            tried = self._tried(change)
            if tried is None:
                break
            problems = tried
            left = self._wrong(problems)
        gone = [key for key in self._before if key not in left]
        fix = edits(self._context, change) if gone and left < self._before else ()
        if self._context.program.built:
            # Each finding says what it needs; there is no text that a fix could change.
            self.found |= {key: Repair(()) for key in gone}
            fix = ()
        for at, key in enumerate(gone if fix else ()):
            if at == 0:
                adds = f"; the fix does so for all of {len(gone)} findings together"
                self.found[key] = Repair(fix, adds=adds)
            else:
                line = gone[0][1][-1].line
                self.found[key] = Repair((), adds=f"; the fix of line {line} does so, too")
        for key in self._before:
            self.found.setdefault(key, NO_REPAIR)

    def _left(self, change: Change) -> set[ProblemKey]:
        """What is wrong after a change."""
        problems = self._tried(change)
        return set(self._before) if problems is None else self._wrong(problems)

    def _tried(self, change: Change) -> list[Problems] | None:
        """The problems of all paths after a change; None where they cannot be followed."""
        nodes = changed(self._context.analysis.nodes, change)
        made: list[Problems] = []
        for path in self._paths:
            run = unroll(nodes, path.sides, path.otherwise)
            self._room -= len(run.events)
            if run.given_up is not None:
                return None
            made.append(Problems(run))
        return made

    def _wrong(self, tried: list[Problems]) -> set[ProblemKey]:
        """What is wrong then; what is in doubt cannot be put right by order."""
        left = {key for problems in tried for key in problems.found} | self._doubtful.keys()
        return left.union(*(_inverted(problems) - self._inverted for problems in tried))


def _inverted(problems: Problems) -> set[ProblemKey]:
    """What is executed against the order of the program: a fix must not bring it about."""
    return {
        ("inverted", (one.node.op.span, two.node.op.span)) for one, two in problems.order.inverted
    }
