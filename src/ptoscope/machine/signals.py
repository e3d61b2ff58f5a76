"""Signals and buffers as messages speak of them, and where a kernel gives or acquires them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ptoscope.diagnostics import Span
from ptoscope.isa import TABLE
from ptoscope.isa.order.kinds import SIGNALS, partner
from ptoscope.isa.order.rules import GET, OrderRule
from ptoscope.program import Block, Function, If, Loop, Op, Program


class Signal(NamedTuple):
    """What one pipe gives another one: a flag of one event. `given_by` is the name of a rule."""

    given_by: str
    src: str
    dst: str
    numbers: tuple[int, ...]

    @property
    def gives(self) -> OrderRule:
        return SIGNALS[self.given_by]

    @property
    def takes(self) -> OrderRule:
        return partner(self.gives)

    def __str__(self) -> str:
        named = zip(self.gives.numbers, self.numbers, strict=True)
        return f"{self.src}->{self.dst} " + ", ".join(f"{name} {n}" for (name, _), n in named)

    def written(self, rule: OrderRule) -> str:
        """The instruction of a rule that gives or takes it."""
        return rule.written(self.src, self.dst, *self.numbers)


Buffer = tuple[str, int]
"""The pipe that holds it, its id."""


class _Step(NamedTuple):
    """One step inwards: which block of the operation around, which of its operations."""

    block: int
    number: int
    op: Op


_Path = tuple[_Step, ...]
"""From the body of a function to an operation."""


class Position(NamedTuple):
    """Where an instruction stands, seen from where the scalar unit has come to: ahead of it or
    passed; and whether a loop around both leads there again."""

    span: Span
    ahead: bool
    loop: bool

    @property
    def may_come(self) -> bool:
        """Whether the scalar unit can come there if it goes on."""
        return self.ahead or self.loop


def givers_of(function: Function | None, signal: Signal) -> list[Op]:
    """What gives a signal, also where a number is computed and may be this one."""
    found: list[Op] = []
    for op in _uses(function, signal.gives):
        given = zip(signal.gives.numbers, signal.numbers, strict=True)
        if (op.attrs.get("src"), op.attrs.get("dst")) == (signal.src, signal.dst) and all(
            op.attrs.get(name, number) in (number, f"EVENT_ID{number}")
            for (name, _), number in given
        ):
            found.append(op)
    return found


def is_computed(op: Op, signal: Signal) -> bool:
    """Whether a number of what gives a signal is not written in the text."""
    return any(name not in op.attrs for name, _ in signal.gives.numbers)


def acquisitions_of(function: Function, buffer: Buffer) -> list[Op]:
    """What acquires a buffer, also where its id is computed and may be this one."""
    pipe, number = buffer
    return [
        op
        for op in _uses(function, GET)
        if op.attrs.get("pipe") == pipe and op.attrs.get("id", number) == number
    ]


def _uses(function: Function | None, rule: OrderRule) -> Iterator[Op]:
    """The instructions of a rule."""
    for op in () if function is None else function.ops():
        record = TABLE.get(op.name)
        if record is not None and record.order is rule:
            yield op


def function_of(program: Program, span: Span) -> Function | None:
    """The function in which an instruction stands."""
    return next((f for f in program.functions if any(op.span == span for op in f.ops())), None)


def positions(function: Function | None, ops: Iterable[Op], at: Span | None) -> list[Position]:
    """Where operations of a function stand, seen from `at`; all are passed at its end, None."""
    paths = {} if function is None else {op.span: path for path, op in _walk(function.body)}
    here = None if at is None else paths.get(at)
    if here is None:
        return [Position(op.span, False, False) for op in ops]
    return [Position(op.span, *_compare(paths[op.span], here)) for op in ops]


def _walk(block: Block, number: int = 0, around: _Path = ()) -> Iterator[tuple[_Path, Op]]:
    for i, op in enumerate(block.ops):
        path = (*around, _Step(number, i, op))
        yield path, op
        for k, inner in enumerate(op.blocks):
            yield from _walk(inner, k, path)


def _compare(path: _Path, here: _Path) -> tuple[bool, bool]:
    """Whether a path is ahead of another one; whether both are in one loop."""
    shared = 0
    while shared < min(len(path), len(here)) and path[shared].op is here[shared].op:
        shared += 1
    around = [step.op for step in path[:shared]]
    ahead = [step[:2] for step in path] > [step[:2] for step in here]
    if around and isinstance(around[-1], If) and path[shared].block != here[shared].block:
        # Of two sides one is taken, and the other is passed with it.
        ahead = False
    return ahead, any(isinstance(op, Loop) for op in around)


def line_list(spans: Iterable[Span]) -> str:
    numbers = sorted({span.line for span in spans})
    return ("line " if len(numbers) == 1 else "lines ") + ", ".join(map(str, numbers))


def times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
