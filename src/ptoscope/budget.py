"""The limits of the analyses of a program, in steps and in bytes, and their one statement.

A program has a budget that grows with its size. Each analysis gets a quarter of the rest, so that
one that uses its share up leaves room for the others. `spend` counts steps and bytes where they
are taken. It raises `EndedError` at the end of the budget: a finding then names the rules that did
not look at the whole function. Steps are counted and not seconds: a text has the same findings on
every machine. Outside of `program_budget` there is no limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from ptoscope.diagnostics import Span

STEPS = 2_000_000
"""Steps of a program of any size. A step is one operation on expressions, nodes or accesses; it
takes some microseconds."""
STEPS_PER_OP = 50
"""Steps more for each operation of the program."""
BYTES = 512 << 20
"""Bytes that the results of its analyses may take, roughly, in a program of any size."""
BYTES_PER_OP = 2_000
"""Bytes more for each operation of the program."""
SMALL_STEPS = 64
"""Numbers that are compared, listed or copied in the time of one step."""
SHARE = 4
"""The share of an analysis: the rest of the budget divided by this. Analyses are at most three
deep inside each other: a part is left when all of them end."""


class Operation(Protocol):
    """An operation with its place in the text."""

    @property
    def name(self) -> str: ...

    @property
    def span(self) -> Span: ...


class EndedError(Exception):
    """The end of the budget of an analysis: `what` is the limit that was reached, `op` the
    operation that `reach` noted last."""

    def __init__(self, what: str, op: Operation | None) -> None:
        super().__init__(what)
        self.what = what
        self.op = op


class _Budget:
    """The steps and bytes that are left, and how many there were. `program` is the budget of the
    program that an analysis takes them from."""

    __slots__ = ("bytes", "limits", "op", "program", "steps")

    def __init__(self, steps: int, bytes: int, program: _Budget | None = None) -> None:
        self.steps = steps
        self.bytes = bytes
        self.limits = steps, bytes
        self.program = program
        self.op: Operation | None = None


_current: ContextVar[_Budget | None] = ContextVar("budget", default=None)


def spend(steps: int = 1, kept: int = 0) -> None:
    """Counts steps that are taken and bytes that are kept. Raises EndedError if the budget of the
    analysis has no room for them."""
    budget = _current.get()
    if budget is None:
        return
    budget.steps -= steps
    budget.bytes -= kept
    if budget.steps < 0 or budget.bytes < 0:
        steps_left, bytes_left = budget.limits
        what = f"{steps_left:,} steps" if budget.steps < 0 else f"{bytes_left >> 20:,} MiB"
        raise EndedError(f"it takes more than {what}", budget.op)


def spend_small(count: int) -> None:
    """Counts numbers of a list that are compared, listed or copied."""
    spend(1 + count // SMALL_STEPS)


def reach(op: Operation) -> None:
    """Notes the operation at which the analysis is."""
    budget = _current.get()
    if budget is not None:
        budget.op = op


@contextmanager
def program_budget(size: int) -> Iterator[None]:
    """Sets the budget of a program of a number of operations."""
    with _set(_Budget(STEPS + STEPS_PER_OP * size, BYTES + BYTES_PER_OP * size)):
        yield


class analysis_budget:
    """Sets the budget of one analysis: a share of what the program has left, also inside of another
    analysis. The steps and bytes that it takes are gone for the analyses after it. A class, since
    every rule enters it and a generator takes several times as long."""

    def __enter__(self) -> None:
        outer = _current.get()
        self._program = None if outer is None else outer.program or outer
        if self._program is not None:
            steps, kept = self._program.steps // SHARE, self._program.bytes // SHARE
            self._budget = _Budget(steps, kept, self._program)
            self._token = _current.set(self._budget)

    def __exit__(self, *error: object) -> None:
        if self._program is not None:
            _current.reset(self._token)
            steps, kept = self._budget.limits
            self._program.steps -= steps - max(self._budget.steps, 0)
            self._program.bytes -= kept - max(self._budget.bytes, 0)


@contextmanager
def _set(budget: _Budget) -> Iterator[None]:
    token = _current.set(budget)
    try:
        yield
    finally:
        _current.reset(token)
